"""Matches and news in English: the same judgement, in words with nothing Chinese in them but names."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from workbench import pipelines
from workbench.engine.runner import Result, run
from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import resolve_match
from workbench.evidence.news import items
from workbench.evidence.view import parse_day
from workbench.llm.baseline import Baseline
from workbench.records import Models, Subject
from workbench.strategy.files import load_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary

pytestmark = pytest.mark.xdist_group("chapters")

ROOT = Path(__file__).parents[2]
CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("english") / "evidence.db", ROOT / "data" / "facts")


def carry_out(db: EvidenceDB, subject: Subject, day: str, name: str) -> Result:
    plan = pipelines.build(
        load_strategy(ROOT / "strategy" / f"{name}.yaml"),
        subject,
        view=db.view(parse_day(day)),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OperatorLibrary(ROOT / "strategy" / "operators"),
    )
    result = asyncio.run(run(plan, Models(), Baseline()))
    assert result.verdict is not None, result.error
    return result


def said(result: Result, *, quotes: bool = True) -> str:
    """All that the agents and the rules wrote; without ``quotes`` only what cites no row of the evidence."""
    verdict = result.verdict
    assert verdict is not None
    words = [*verdict.warnings, *verdict.fields.get("explanation", ())]
    words += [adjustment.why for adjustment in verdict.adjustments]
    for report in result.reports.values():
        words.append(report.title)
        for opinion in filter(None, (report.draft, report.revised)):
            words += [opinion.why_changed, *((opinion.analysis, *opinion.key_evidence) if quotes else ())]
    return "\n".join(words)


def figures(result: Result) -> dict[str, tuple[float | None, ...]]:
    return {
        name: tuple(
            figure
            for opinion in (report.draft, report.revised)
            for figure in ((opinion.score, opinion.confidence) if opinion else ())
        )
        for name, report in result.reports.items()
    }


@pytest.mark.parametrize(
    ("home", "away", "day"),
    [
        ("Liverpool", "Chelsea", "2019-04-14"),
        ("Manchester City", "Huddersfield Town", "2018-08-19"),
        ("Burnley", "Arsenal", "2016-10-02"),
    ],
)
def test_a_match_is_judged_alike_in_both_languages(db: EvidenceDB, home: str, away: str, day: str) -> None:
    match = resolve_match(db, home, away, parse_day(day))
    chinese, english = (carry_out(db, match, day, name) for name in ("match", "match_en"))
    assert figures(english) == figures(chinese)
    assert english.verdict.score == chinese.verdict.score  # type: ignore[union-attr]
    assert english.verdict.label == chinese.verdict.label  # type: ignore[union-attr]
    assert not CHINESE.search(said(english)), CHINESE.findall(said(english))


def test_news_is_judged_alike_in_both_languages(db: EvidenceDB) -> None:
    for item in items(db, limit=100):
        day = item.published.isoformat()
        chinese, english = (carry_out(db, item.subject, day, name) for name in ("news", "news_en"))
        assert figures(english) == figures(chinese)
        theirs, ours = (
            {name: value for name, value in result.verdict.fields.items() if name != "explanation"}  # type: ignore[union-attr]
            for result in (chinese, english)
        )
        assert ours == theirs
        assert not CHINESE.search(said(english, quotes=False)), (item.title, said(english))
