"""Company scores against the returns that followed: who is judged, and figures worked by hand."""

from __future__ import annotations

import csv
import datetime as dt
import math
from pathlib import Path

import pytest

from tests.company_runs import company_run
from tests.pages.ui_fixtures import STRATEGY_TEXT
from workbench.evaluate.companies import Contestant, Judged, contestant_of, judge
from workbench.evaluate.company_board import (
    Group,
    Line,
    alike,
    board,
    finding,
    own_thresholds,
    yardstick,
)
from workbench.evaluate.returns import ShareHistory
from workbench.evaluate.scores import BANDS, Returns, by_band, by_threshold
from workbench.evaluate.uncertainty import Estimate
from workbench.evidence.view import Price
from workbench.records import Models

TODAY = dt.date(2019, 3, 31)
REFERENCE = Path(__file__).parents[3] / "shared" / "cases" / "scored_outcomes.csv"
LABELS = {"买入": "buy", "观望": "watch", "回避": "avoid"}


def shares(code: str) -> ShareHistory:
    """X rises by 10 % in the half-year after June 2018; Y has no price at its end; Z has none at all."""
    closes = {
        "X": {"2018-06-30": 100.0, "2018-12-31": 110.0},
        "Y": {"2018-06-30": 50.0},
    }.get(code, {})
    prices = [Price(code, dt.date.fromisoformat(day), close, None) for day, close in closes.items()]
    return ShareHistory(prices, (), ())


def returned(code: str, as_of: str, score: float, label: str, value: float) -> Judged:
    run = company_run(code, as_of, score, label)
    return Judged(run, contestant_of(run), score, value)


def one_line(judged: list[Judged], months: int = 6) -> Line:
    (line,) = board(judged, months, lambda each: {})
    return line


def test_a_run_is_held_against_the_return_of_its_share() -> None:
    (judged,) = judge([company_run("X", score=72)], "return_6m", shares, TODAY).judged
    assert judged.value == pytest.approx(0.10)
    assert (judged.score, judged.scored.as_of) == (72, dt.date(2018, 6, 30))
    assert judged.contestant == Contestant("baseline", "baseline", "v1", "value", "identity")


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (company_run(status="running"), "running"),
        (company_run(status="failed"), "failed"),
        (company_run(status="cancelled"), "run_cancelled"),
        (company_run(status="interrupted"), "interrupted"),
        (company_run(score=None), "no_score"),
        (company_run(counted=0), "nothing_counted"),
        (company_run(counted=None), "nothing_counted"),
        (company_run("X", "2018-12-31"), "not_over"),
        (company_run("Y"), "no_last_price"),
        (company_run("Z"), "no_first_price"),
    ],
)
def test_what_cannot_be_judged_is_named(run: object, reason: str) -> None:
    found = judge([run], "return_6m", shares, TODAY)  # type: ignore[list-item]
    assert found.judged == ()
    assert dict(found.reasons) == {reason: 1}


def test_the_latest_usable_run_of_a_contestant_counts() -> None:
    runs = [
        company_run(score=50, minute=1),
        company_run(score=70, minute=2),
        company_run(score=90, minute=3, status="failed"),
        company_run(score=40, minute=0, blind="none"),
        company_run(score=30, minute=0, model="openai/gpt"),
        company_run(score=20, minute=0, strategy="income"),
    ]
    found = judge(runs, "return_6m", shares, TODAY)
    assert sorted(each.score for each in found.judged) == [20, 30, 40, 70]
    assert dict(found.reasons) == {"failed": 1, "superseded": 1}
    assert {each.contestant.provider for each in found.judged} == {"baseline", "openai"}


def test_runs_of_other_pipelines_are_ignored() -> None:
    found = judge([company_run(pipeline="signals")], "return_6m", shares, TODAY)
    assert (found.judged, found.left_out) == ((), ())


def test_two_models_are_one_contestant() -> None:
    run = company_run(models=Models(specialist="openai/a", aggregator="baseline"))
    assert contestant_of(run)[:2] == ("openai + baseline", "openai/a + baseline")


def test_the_figures_of_three_dates() -> None:
    """Coefficients 1, -1 and 1: mean 1/3, deviation sqrt(4/3), two of three above zero."""
    line = one_line(
        [
            returned("X", "2018-06-30", 80, "buy", 0.30),
            returned("Y", "2018-06-30", 40, "watch", -0.10),
            returned("X", "2018-12-31", 80, "buy", -0.20),
            returned("Y", "2018-12-31", 20, "avoid", 0.10),
            returned("X", "2019-06-30", 75, "buy", 0.20),
            returned("Y", "2019-06-30", 70, "watch", 0.00),
            returned("X", "2019-12-31", 70, "watch", 0.60),
        ]
    )
    values = {name: each.value for name, each in line.figures.items()}
    assert values["ic"] == pytest.approx(1 / 3)
    assert values["std"] == pytest.approx(math.sqrt(4 / 3))
    assert values["positive"] == pytest.approx(2 / 3)
    assert values["ir"] == pytest.approx(1 / 3 / math.sqrt(4 / 3))
    assert line.figures["ic"].n == 3
    assert [date.ic for date in line.by_date] == [1, -1, 1, None]
    assert (line.n, line.companies, len(line.by_date)) == (7, 2, 4)
    assert line.all.mean.value == pytest.approx(0.90 / 7)
    assert line.all.returns.wins == 4
    assert [group.n for group in line.bands.values()] == [1, 1, 0, 5, 0]
    assert {low: group.n for low, group in line.thresholds.items()} == {70: 5, 75: 3, 80: 2}
    assert line.labels["buy"].mean.value == pytest.approx(0.10)
    assert line.labels["watch"].win_rate.value == pytest.approx(1 / 3)
    assert line.buy_minus_avoid.value == pytest.approx(0.0)
    assert {each.low for each in line.figures.values()} == {None}, "four dates have no interval"
    assert line.row() | {"n": 7, "ic_low": None, "buy_minus_avoid_high": None} == line.row()


def test_without_avoids_there_is_no_difference() -> None:
    line = one_line([returned("X", "2018-06-30", 80, "buy", 0.3)])
    assert line.buy_minus_avoid.value is None
    assert line.labels["avoid"].mean.value is None
    assert (line.figures["ic"].value, line.figures["ir"].value) == (None, None)


def test_the_thresholds_of_the_strategy_stand_beside_the_usual_ones() -> None:
    assert own_thresholds(STRATEGY_TEXT) == {75: "buy", 30: "watch"}
    assert own_thresholds("kind: chapters\nname: value\n") == {}
    assert own_thresholds("kind: match\nname: match\n") == {}
    rows = [returned("X", "2018-06-30", 35, "watch", 0.3)]
    (line,) = board(rows, 6, lambda each: own_thresholds(STRATEGY_TEXT))
    assert {low: group.n for low, group in line.thresholds.items()} == {30: 1, 70: 0, 75: 0, 80: 0}


def test_dates_closer_together_than_the_horizon_overlap() -> None:
    rows = [returned("X", day, 50, "watch", 0.1) for day in ("2018-06-30", "2018-12-31")]
    assert not one_line(rows, 6).overlapping
    assert one_line(rows, 12).overlapping


def test_a_few_companies_are_few_on_however_many_dates() -> None:
    assert one_line(
        [returned("X", f"20{year}-06-30", 50, "watch", 0.1) for year in range(10, 26)]
    ).few_companies
    many = [returned(f"X{number}", "2018-06-30", 50, "watch", 0.1) for number in range(10)]
    assert not one_line(many).few_companies


def test_a_company_and_date_judged_by_two_counts_once_in_the_yardstick() -> None:
    rows = [
        returned("X", "2018-06-30", 80, "buy", 0.3),
        returned("X", "2018-06-30", 20, "avoid", 0.3),
        returned("Y", "2018-06-30", 50, "watch", 0.1),
    ]
    assert (yardstick(rows).n, yardstick(rows).mean.value) == (2, pytest.approx(0.2))
    assert yardstick([]).mean.value is None


@pytest.mark.parametrize(
    ("estimate", "says"),
    [
        ((None, None, None), "no_data"),
        ((0.3, None, None), "few_dates"),
        ((0.3, -0.1, 0.6), "unclear"),
        ((0.3, 0.1, 0.6), "above"),
        ((-0.3, -0.5, -0.1), "below"),
    ],
)
def test_what_a_figure_says(estimate: tuple[float | None, ...], says: str) -> None:
    figure = Estimate(*estimate, n=20, clusters=12, better="higher")  # type: ignore[arg-type]
    assert finding(figure, overlapping=False) == says


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.6), (-0.5, -0.1)])
def test_an_interval_that_is_too_narrow_shows_nothing(low: float, high: float) -> None:
    """Monthly dates with half-year returns said "above zero" where half-yearly dates could not tell."""
    figure = Estimate((low + high) / 2, low, high, n=20, clusters=12, better="higher")
    assert finding(figure, overlapping=True) == "overlapping"


def test_groups_are_alike_where_all_intervals_overlap() -> None:
    def group(low: float | None, high: float | None) -> Group:
        estimate = Estimate(0.1, low, high, 20, 12, "higher")
        return Group(Returns.of([]), estimate, estimate)

    assert alike([group(-0.1, 0.2), group(0.1, 0.3), group(None, None)]) is True
    assert alike([group(-0.1, 0.2), group(0.1, 0.3), group(0.25, 0.3)]) is False
    assert alike([group(-0.1, 0.2), group(None, None)]) is None


needs_reference = pytest.mark.skipif(
    not REFERENCE.is_file(), reason="the reference tables are not beside the project"
)


def reference(measure: str, months: int) -> list[Judged]:
    """The rows of the reference table whose horizon was over."""
    with REFERENCE.open(encoding="utf-8-sig", newline="") as stream:
        return [
            returned(
                row["code"], row["as_of"], float(row["score"]), LABELS[row["label"]], float(row[measure])
            )
            for row in csv.DictReader(stream)
            if float(row["months_available"]) >= months
        ]


@needs_reference
@pytest.mark.parametrize(
    ("measure", "months", "n", "mean", "std", "ir", "positive", "pooled"),
    [
        ("return_6m", 6, 109, 0.3032, 0.3439, 0.8817, 10 / 11, 0.2770),
        ("return_12m", 12, 99, 0.3175, 0.3409, 0.9315, 8 / 10, 0.2812),
    ],
)
def test_the_reference_figures(
    measure: str, months: int, n: int, mean: float, std: float, ir: float, positive: float, pooled: float
) -> None:
    judged = reference(measure, months)
    line = one_line(judged, months)
    expected = {"ic": mean, "std": std, "ir": ir, "positive": positive, "pooled": pooled}
    assert {name: each.value for name, each in line.figures.items()} == pytest.approx(expected, abs=5e-5)
    for estimate in line.figures.values():
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
    assert finding(line.figures["ic"], overlapping=False) == "above"
    rows = [each.scored for each in judged]
    assert line.n == n
    assert {band: group.returns for band, group in line.bands.items()} == by_band(rows, BANDS)
    assert {low: group.returns for low, group in line.thresholds.items()} == by_threshold(rows, (70, 75, 80))


@needs_reference
def test_the_reference_figures_by_label() -> None:
    """As published, rows whose horizon was not over included."""
    line = one_line(reference("return_6m", 0))
    found = {
        label: (group.n, round(group.mean.value or 0, 4), round(group.win_rate.value or 0, 4))
        for label, group in line.labels.items()
    }
    assert found == {
        "buy": (43, 0.0807, 0.6512),
        "watch": (50, 0.0163, 0.5400),
        "avoid": (26, -0.0597, 0.2692),
    }
    assert line.buy_minus_avoid.value == pytest.approx(0.0807 + 0.0597, abs=1e-4)
    assert finding(line.buy_minus_avoid, overlapping=False) == "above"
