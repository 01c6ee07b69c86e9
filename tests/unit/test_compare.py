from __future__ import annotations

import datetime as dt

import pytest

from tests.store_samples import make_report
from workbench.compare import Cell, Comparison, Row, compare
from workbench.errors import InputError
from workbench.records import Adjustment, Models, Receipt, Run, TickerSubject, Verdict

STARTED = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def make_run(run_id: str, *, scores: dict[str, float], verdict: Verdict | None, **changes: object) -> Run:
    run = Run(
        run_id=run_id,
        pipeline="chapters",
        status="done" if verdict else "failed",
        subject=TickerSubject(code="600519.SH", name="贵州茅台"),
        as_of=dt.date(2021, 6, 30),
        models=Models(),
        strategy="value",
        strategy_text="name: value\nbuy: 75\n",
        strategy_hash="a" * 64,
        prompt_version="v1",
        language="zh",
        started=STARTED,
        finished=STARTED + dt.timedelta(seconds=2),
        reports=tuple(make_report(agent, score=score) for agent, score in scores.items()),
        verdict=verdict,
        receipt=Receipt(as_of=dt.date(2021, 6, 30), newest_evidence=dt.date(2021, 4, 28), withheld=7),
    )
    return run.model_copy(update=changes)


FIRST = make_run(
    "first",
    scores={"ch01": 70, "ch02": 40},
    verdict=Verdict(
        score=60,
        label="watch",
        confidence=0.5,
        fields={"最终建议": "观望", "buy_price": 1200.0, "probabilities": {"1": 0.5}, "steps": ["a"]},
        counted=2,
        total=2,
    ),
)
SECOND = make_run(
    "second",
    scores={"ch01": 70, "ch02": 55, "ch03": 10},
    verdict=Verdict(
        score=25,
        label="avoid",
        confidence=0.5,
        fields={"最终建议": "观望", "buy_price": 1100.0, "step_findings": {"一票否决": "没有触发否决。"}},
        adjustments=(Adjustment(rule="veto", field="score", before=66, after=25, why="debt"),),
        counted=2,
        total=3,
    ),
    strategy_text="name: value\nbuy: 80\n",
    strategy_hash="b" * 64,
)


def row(comparison: Comparison, section: str, name: str, agent: str = "") -> Row:
    (found,) = [r for r in comparison.rows if (r.section, r.name, r.agent) == (section, name, agent)]
    return found


def test_changes_are_signed_against_the_first_run() -> None:
    comparison = compare([FIRST, SECOND])

    assert comparison.reference is FIRST
    assert row(comparison, "verdict", "score").cells == (Cell(60), Cell(25, -35))
    assert row(comparison, "verdict", "buy_price").cells == (Cell(1200.0), Cell(1100.0, -100.0))
    assert row(comparison, "verdict", "label").cells == (Cell("watch"), Cell("avoid"))
    assert row(comparison, "agents", "draft", "ch02").cells == (Cell(40), Cell(55, 15))
    assert row(compare([SECOND, FIRST]), "verdict", "score").cells == (Cell(25), Cell(60, 35))


def test_what_one_run_lacks_is_missing_and_not_zero() -> None:
    comparison = compare([FIRST, SECOND])

    assert row(comparison, "agents", "draft", "ch03").cells == (Cell(None), Cell(10))
    assert row(comparison, "rules", "veto: score").cells == (Cell(None), Cell("66 → 25"))
    assert row(comparison, "verdict", "probabilities.1").cells == (Cell(0.5), Cell(None))


def test_lists_and_findings_of_an_answer_are_left_to_the_reader() -> None:
    assert not [r for r in compare([FIRST, SECOND]).rows if r.name.startswith("step")]


def test_equal_rows_are_told_from_differing_ones() -> None:
    comparison = compare([FIRST, SECOND])

    assert row(comparison, "agents", "draft", "ch01").same
    assert not row(comparison, "agents", "draft", "ch02").same
    differing = {(r.agent, r.name) for r in comparison.section("agents", differing=True)}
    assert differing == {
        ("ch02", "draft"),
        ("ch02", "revised"),
        ("ch03", "status"),
        ("ch03", "draft"),
        ("ch03", "revised"),
        ("ch03", "confidence"),
    }


def test_agents_keep_the_order_of_the_reference_and_later_ones_follow() -> None:
    comparison = compare([FIRST, SECOND])

    assert list(comparison.titles) == ["ch01", "ch02", "ch03"]
    order = list(dict.fromkeys(r.agent for r in comparison.section("agents")))
    assert order == ["ch01", "ch02", "ch03"]


def test_cost_counts_what_was_paid_and_leaves_the_unknown_unknown() -> None:
    cached = make_report("ch01").calls[0].model_copy(update={"cache_hit": True})
    report = make_report("ch01", cost=None)
    free = make_run(
        "free", scores={}, verdict=None, reports=(report.model_copy(update={"calls": (cached,)}),)
    )
    unpriced = make_run("unpriced", scores={}, verdict=None, reports=(report,))

    comparison = compare([FIRST, free, unpriced])

    assert [cell.value for cell in row(comparison, "cost", "calls").cells] == [4, 1, 2]
    assert [cell.value for cell in row(comparison, "cost", "cache_hits").cells] == [0, 1, 0]
    assert [cell.value for cell in row(comparison, "cost", "cost").cells] == [0.04, None, None]
    assert [cell.value for cell in row(comparison, "cost", "input_tokens").cells] == [400, None, 200]
    assert row(comparison, "cost", "seconds").cells[0].value == 2


def test_the_strategy_difference_shows_the_changed_lines_only() -> None:
    comparison = compare([FIRST, SECOND])

    assert comparison.strategy_diffs["second"].splitlines()[2:] == [
        "@@ -1,2 +1,2 @@",
        " name: value",
        "-buy: 75",
        "+buy: 80",
    ]
    assert compare([FIRST, FIRST.model_copy(update={"run_id": "again"})]).strategy_diffs == {}


def test_everything_that_weakens_a_comparison_is_named() -> None:
    other = SECOND.model_copy(
        update={
            "as_of": dt.date(2020, 6, 30),
            "subject": TickerSubject(code="AAPL", name="Apple"),
            "prompt_version": "v2",
            "language": "en",
            "blind": "identity",
        }
    )
    failed = make_run("failed", scores={}, verdict=None)

    reasons = {weakness.kind: str(weakness) for weakness in compare([FIRST, other, failed]).weakened_by}

    assert reasons == {
        "subject": "different subjects: 贵州茅台 600519.SH, Apple AAPL",
        "as_of": "different as-of dates: 2021-06-30, 2020-06-30",
        "language": "different languages: zh, en",
        "blind": "not equally blind: none, identity",
        "prompt_version": "different prompt versions: v1, v2",
        "unfinished": "without a verdict: failed",
        "not_all_counted": "not every agent counted: second (2 of 3)",
        "several_changes": "more than one thing changed, so no difference has one cause: strategy, prompts",
    }


def test_one_deliberate_change_weakens_nothing() -> None:
    changed = FIRST.model_copy(update={"run_id": "b", "models": Models(specialist="m", aggregator="m")})

    assert compare([FIRST, changed]).weakened_by == ()


@pytest.mark.parametrize("runs", [[], [FIRST], [FIRST, FIRST]])
def test_fewer_than_two_different_runs_are_refused(runs: list[Run]) -> None:
    with pytest.raises(InputError, match="two or more different runs"):
        compare(runs)


def test_runs_of_different_pipelines_are_refused() -> None:
    with pytest.raises(InputError, match="nothing to compare"):
        compare([FIRST, SECOND.model_copy(update={"pipeline": "match"})])
