"""Returns of groups of judgements, and the sentences of a strategy they contradict."""

from __future__ import annotations

import datetime as dt

import pytest

from tests.store_samples import MOUTAI
from workbench.evaluate.groups import measured
from workbench.records import Models, Run, RunStatus, Verdict
from workbench.store.outcomes import Outcome
from workbench.strategy.claims import contradictions

DAYS = [dt.date(2010 + year, 6, 30) for year in range(12)]


def judged(day: dt.date, label: str = "buy", stream: str = "价值发现", status: RunStatus = "done") -> Run:
    return Run(
        run_id=day.isoformat(),
        pipeline="chapters",
        status=status,
        subject=MOUTAI,
        as_of=day,
        models=Models(),
        strategy="value",
        strategy_text="",
        strategy_hash="",
        prompt_version="v1",
        language="zh",
        started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        verdict=Verdict(
            score=80, label=label, fields={"流派判定": stream, "关键风险": "这是一段很长的话，不是类别的名字"}
        ),
    )


def returned(day: dt.date, value: float) -> Outcome:
    return Outcome(MOUTAI.key, day, "return_12m", value, day, "prices")


def test_a_group_is_measured_by_its_wins_and_its_mean() -> None:
    values = [0.10, -0.10] * 6
    found = {
        (figure.group, figure.measure): figure
        for figure in measured(map(judged, DAYS), map(returned, DAYS, values))
    }
    assert {group for group, _ in found} == {"买入", "buy", "价值发现"}
    wins, gain = found["价值发现", "win_rate"], found["价值发现", "mean_return"]
    assert (wins.value, wins.n, wins.months) == (0.5, 12, 12)
    assert gain.value == pytest.approx(0.0)
    assert wins.low < 0.5 < wins.high


def test_a_company_judged_twice_on_a_day_counts_once() -> None:
    runs = [judged(day) for day in DAYS for _ in range(3)]
    assert {figure.n for figure in measured(runs, [returned(day, 0.1) for day in DAYS])} == {12}


def test_too_few_dates_measure_nothing() -> None:
    assert measured(map(judged, DAYS[:5]), [returned(day, 0.1) for day in DAYS[:5]]) == []
    assert measured([], []) == []


def test_runs_that_did_not_finish_are_passed_over() -> None:
    runs = [judged(day, status="failed") for day in DAYS]
    assert measured(runs, [returned(day, 0.1) for day in DAYS]) == []


def test_a_quoted_win_rate_outside_the_interval_is_contradicted() -> None:
    figures = measured(map(judged, DAYS), [returned(day, 0.1) for day in DAYS])
    quoted = list(contradictions("回测中价值发现的 12 个月胜率只有 47%，要格外小心。", figures))
    assert len(quoted) == 1
    assert "47.0%" in quoted[0][0]
    assert "100.0%" in quoted[0][0]
    assert list(contradictions("回测中价值发现的 12 个月胜率为 100%。", figures)) == []
