"""One table of thresholds and anchors: prompt, rules, page, chart, table and export label a score alike."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from tests.pages.ui_fixtures import Open, chapters_run, stored
from workbench import pipelines
from workbench.commands import console
from workbench.engine.agent import prompt_variables
from workbench.evidence.database import EvidenceDB
from workbench.evidence.view import parse_day
from workbench.export import export
from workbench.records import Evidence, Run, TickerSubject, Verdict
from workbench.rules.chapters import apply_rules
from workbench.strategy.files import LoadedStrategy, load_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary
from workbench.strategy.schema import LABEL_EN, LABEL_ZH, ChaptersStrategy, Label, Synthesis
from workbench.ui import charts, rubric
from workbench.workspace import Workspace

ROOT = Path(__file__).parents[2]
LABELS: dict[float, Label] = {
    **{score: "avoid" for score in (0, 24.9, 25, 29, 29.5)},
    **{score: "watch" for score in (30, 64.9, 65, 74, 74.5)},
    **{score: "buy" for score in (75, 100)},
}
ANCHORS = {0: 0, 24.9: 0, 25: 0, 29: 0, 29.5: 0, 30: 30, 64.9: 50, 65: 50, 74: 50, 74.5: 50, 75: 75, 100: 85}
"""Score -> lower bound of the anchor it stands on."""


@pytest.fixture(scope="module")
def value() -> LoadedStrategy:
    return load_strategy(ROOT / "strategy" / "value.yaml")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("evidence") / "evidence.db", ROOT / "data" / "facts")


@pytest.fixture(scope="module")
def prompt(value: LoadedStrategy, db: EvidenceDB) -> str:
    return prompt_of(value, db)


def prompt_of(loaded: LoadedStrategy, db: EvidenceDB) -> str:
    """The prompt of the synthesis."""
    plan = pipelines.build(
        loaded,
        TickerSubject(code="600519.SH", name="贵州茅台"),
        view=db.view(parse_day("2021-06-30")),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OperatorLibrary(ROOT / "strategy" / "operators"),
    )
    assert plan.last is not None
    return plan.last.draft.render(prompt_variables(plan.last, plan, Evidence(), {}))


def strategy_of(loaded: LoadedStrategy) -> ChaptersStrategy:
    assert isinstance(loaded.strategy, ChaptersStrategy)
    return loaded.strategy


def synthesis_of(loaded: LoadedStrategy) -> Synthesis:
    return strategy_of(loaded).framework.synthesis


def run_at(score: float, loaded: LoadedStrategy) -> Run:
    """A finished run whose synthesis gave ``score`` and no rule was triggered."""
    given, label, adjustments = apply_rules(score, [], strategy_of(loaded))
    assert adjustments == []
    verdict = Verdict(score=given, label=label, confidence=0.5, counted=6, total=6)
    return chapters_run(verdict=verdict, strategy_text=loaded.text)


@pytest.mark.parametrize(("score", "label"), LABELS.items())
def test_the_rules(score: float, label: Label, value: LoadedStrategy) -> None:
    verdict = run_at(score, value).verdict
    assert verdict is not None
    assert (verdict.score, verdict.label) == (score, label)


@pytest.mark.parametrize(("score", "label"), LABELS.items())
def test_the_prompt(score: float, label: Label, prompt: str) -> None:
    bands = re.findall(r"^- ([\d.]+) 分及以上(?:、不到 ([\d.]+) 分)?：(\S+)$", prompt, re.MULTILINE)
    assert len(bands) == 3
    (word,) = [word for low, high, word in bands if float(low) <= score < float(high or "inf")]
    assert word == LABEL_ZH[label]


def test_the_prompt_in_english(db: EvidenceDB) -> None:
    prompt = prompt_of(load_strategy(ROOT / "strategy" / "value_en.yaml"), db)
    bands = re.findall(r"^- from ([\d.]+)(?:, below ([\d.]+))?: (\w+)$", prompt, re.MULTILINE)
    for score, label in LABELS.items():
        (word,) = [word for low, high, word in bands if float(low) <= score < float(high or "inf")]
        assert word == label


@pytest.mark.parametrize(("score", "low"), ANCHORS.items())
def test_the_anchors_of_prompt_page_and_chart(
    score: float, low: float, value: LoadedStrategy, prompt: str
) -> None:
    synthesis = synthesis_of(value)
    anchor = synthesis.anchor(score)
    assert anchor is not None
    assert anchor.low == low
    assert f"- {anchor.range}：{anchor.description}" in prompt
    (band,) = [band for band in rubric.anchors(synthesis) if band.low <= score < band.high + (score == 100)]
    assert (band.low, band.words, band.label) == (low, anchor.description, LABELS[score])


@pytest.mark.parametrize(("score", "label"), LABELS.items())
def test_the_chart(score: float, label: Label, value: LoadedStrategy) -> None:
    ranges = rubric.label_ranges(synthesis_of(value))
    (band,) = [band for band in ranges if band.low <= score < band.high + (score == 100)]
    assert band.label == label
    spec = charts.rubric(rubric.anchors(synthesis_of(value)), ranges, score, None, "light")
    (printed,) = {row["text"] for layer in spec["layer"] for row in layer["data"]["values"] if "text" in row}
    assert as_printed(printed, value) == label


@pytest.mark.parametrize(("score", "label"), LABELS.items())
def test_the_exports_and_the_terminal(score: float, label: Label, value: LoadedStrategy) -> None:
    run = run_at(score, value)
    html = export(run, "html").decode()
    told = re.search(r"结论：([\d.]+) (\S+?)<", html)
    assert told is not None
    assert (as_printed(told[1], value), told[2]) == (label, LABEL_ZH[label])
    english = export(run.model_copy(update={"language": "en"}), "html").decode()
    assert f"Verdict: {score:.4g} {label}" in english
    header, line, *_ = csv.reader(io.StringIO(export(run, "csv").decode("utf-8-sig")))
    row = dict(zip(header, line, strict=True))
    assert (float(row["verdict_score"]), row["verdict_label"]) == (score, label)
    assert any(text.startswith(f"{label} {score:.1f} ") for text in console.run_lines(run, 200))


def test_the_pages(workspace: Workspace, open_page: Open, value: LoadedStrategy) -> None:
    """29.5 was once shown as 30, and avoided."""
    runs = {score: stored(workspace.store, run_at(score, value)) for score in LABELS}
    page = open_page("run", run=runs[0])
    for score, run_id in runs.items():
        page.query_params["run"] = run_id
        page.run()
        assert not page.exception
        badges = [text.value for text in page.markdown if "-badge[" in text.value]
        assert any(LABEL_EN[LABELS[score]].lower() in badge.lower() for badge in badges), score
        assert as_printed(page.metric[0].value, value) == LABELS[score]
    rows = open_page("runs").dataframe[0].value
    assert {row.score: row.label.split()[-1].lower() for row in rows.itertuples()} == LABELS


def as_printed(printed: str, loaded: LoadedStrategy) -> Label:
    """The label a reader would derive from a score as it is printed."""
    return synthesis_of(loaded).decision_thresholds.label(float(printed))
