"""The six chapters in English: the same judgement, with nothing Chinese left but names."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.printed_figures import texts, unexplained
from workbench import pipelines
from workbench.engine.runner import Result, run
from workbench.evidence.database import EvidenceDB
from workbench.evidence.view import parse_day
from workbench.llm.base import Reply, Request
from workbench.llm.baseline import Baseline
from workbench.llm.baseline.wording import Wording
from workbench.records import Models, TickerSubject
from workbench.strategy.files import load_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary
from workbench.strategy.schema import ChaptersStrategy

pytestmark = pytest.mark.xdist_group("chapters")

ROOT = Path(__file__).parents[2]
OPERATORS = OperatorLibrary(ROOT / "strategy" / "operators")
CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
EVIDENCE = re.compile(r"<(evidence|draft)>.*?</\1>|These figures do not exist.*?(?=\n## )", re.DOTALL)
COMPANIES = (
    *(("600340.SH", "2019-06-30"), ("601288.SH", "2024-06-30"), ("600519.SH", "2021-06-30")),
    *(
        ("002304.SZ", "2021-06-30"),
        ("AAPL", "2016-06-30"),
        ("MSFT", "2016-06-30"),
        ("00700.HK", "2019-06-30"),
    ),
    *(("600519.SH", "2016-12-31"), ("600340.SH", "2021-06-30"), ("AAPL", "2022-06-30")),
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("english") / "evidence.db", ROOT / "data" / "facts")


def test_a_company_goes_by_its_name_in_the_language_of_the_strategy(db: EvidenceDB) -> None:
    """English runs used to be titled with Chinese names."""
    titles = []
    for name in ("value", "value_en"):
        plan = pipelines.build(
            load_strategy(ROOT / "strategy" / f"{name}.yaml"),
            TickerSubject(code="MSFT", name="MSFT"),
            view=db.view(parse_day("2016-06-30")),
            prompts=PromptLibrary(ROOT / "prompts"),
            operators=OPERATORS,
        )
        titles.append(plan.subject.title)
    assert titles == ["微软 MSFT", "Microsoft MSFT"]


class Recording:
    """The baseline, which keeps what it is asked."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def complete(self, request: Request) -> Reply:
        self.prompts += [request.system, request.prompt]
        return await Baseline().complete(request)


@cache
def carry_out(db: EvidenceDB, code: str, day: str, strategy: str) -> tuple[Result, list[str]]:
    plan = pipelines.build(
        load_strategy(ROOT / "strategy" / f"{strategy}.yaml"),
        TickerSubject(code=code, name=db.instruments.by_code(code).name),
        view=db.view(parse_day(day)),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OPERATORS,
    )
    model = Recording()
    return asyncio.run(run(plan, Models(), model)), model.prompts


def strategies() -> tuple[ChaptersStrategy, ChaptersStrategy]:
    loaded = [load_strategy(ROOT / "strategy" / f"{name}.yaml").strategy for name in ("value", "value_en")]
    assert isinstance(loaded[0], ChaptersStrategy)
    assert isinstance(loaded[1], ChaptersStrategy)
    return loaded[0], loaded[1]


def test_both_strategies_ask_the_same_in_the_same_order_on_the_same_scale() -> None:
    chinese, english = strategies()
    assert [(c.id, c.operators, c.needs) for c in english.framework.chapters] == [
        (c.id, c.operators, c.needs) for c in chinese.framework.chapters
    ]
    one, two = chinese.framework.synthesis, english.framework.synthesis
    assert two.decision_thresholds == one.decision_thresholds
    assert [anchor.range for anchor in two.scoring_rubric] == [anchor.range for anchor in one.scoring_rubric]
    assert len(two.thinking_steps) == len(one.thinking_steps)
    assert len(two.fields()) == len(one.fields())
    shape = [
        [(r.cap, r.label_bar, [(c.chapter, c.op) for c in r.when.conditions]) for r in s.hard_rules]
        for s in (chinese, english)
    ]
    assert shape[0] == shape[1]


@pytest.mark.parametrize("operator", OPERATORS.ids())
def test_every_operator_speaks_english_and_its_choices_are_those_the_baseline_makes(operator: str) -> None:
    original = OPERATORS.get(operator)
    english = original.in_language("en")
    assert english.english is not None
    words = Wording("en", "")
    for name, output in original.outputs.items():
        translated = english.outputs[name]
        spoken = " ".join((english.title, english.question, translated.description, translated.unit))
        assert CHINESE.search(spoken) is None, CHINESE.search(spoken)
        assert len(set(translated.values)) == len(output.values)
        for value, told in zip(output.values, translated.values, strict=True):
            assert words.choice(value) in (told, value), f"{value} is {told}"
    assert original.in_language("zh") is original


@pytest.mark.parametrize(("code", "day"), COMPANIES)
def test_an_english_run_judges_as_the_chinese_one_does(db: EvidenceDB, code: str, day: str) -> None:
    chinese, english = (carry_out(db, code, day, name)[0] for name in ("value", "value_en"))
    assert chinese.verdict is not None
    assert english.verdict is not None
    for field in ("score", "label", "confidence", "counted", "total"):
        assert getattr(english.verdict, field) == getattr(chinese.verdict, field), field
    assert len(english.verdict.adjustments) == len(chinese.verdict.adjustments)
    for agent, report in english.reports.items():
        other = chinese.reports[agent]
        assert [o and o.score for o in (report.draft, report.revised)] == [
            o and o.score for o in (other.draft, other.revised)
        ], agent


@pytest.mark.parametrize(("code", "day"), COMPANIES)
def test_nothing_in_an_english_run_is_chinese_but_names_and_evidence(
    db: EvidenceDB, code: str, day: str
) -> None:
    result, prompts = carry_out(db, code, day, "value_en")
    name = db.instruments.by_code(code).name
    for prompt in prompts:
        told = EVIDENCE.sub("", prompt).replace(name, "")
        assert CHINESE.search(told) is None, told[max(0, CHINESE.search(told).start() - 80) :][:160]  # type: ignore[union-attr]
    for report in result.reports.values():
        for opinion in filter(None, (report.draft, report.revised)):
            written = [*texts(opinion), opinion.why_changed, *map(str, opinion.fields)]
            assert [text for text in written if CHINESE.search(text)] == [], report.agent
    assert result.verdict is not None
    rest: list[Any] = [*result.verdict.warnings, *(f"{a.rule} {a.why}" for a in result.verdict.adjustments)]
    assert [text for text in rest if CHINESE.search(text)] == []


@pytest.mark.parametrize(("code", "day"), COMPANIES)
def test_every_figure_printed_in_english_was_shown_or_answered(db: EvidenceDB, code: str, day: str) -> None:
    for report in carry_out(db, code, day, "value_en")[0].reports.values():
        for opinion in filter(None, (report.draft, report.revised)):
            for text in texts(opinion):
                assert unexplained(report.evidence, opinion, text) == [], (report.agent, text)
