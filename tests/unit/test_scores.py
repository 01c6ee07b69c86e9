"""Statistics of scored outcomes: small figures by hand, then the reference tables where they are at hand."""

from __future__ import annotations

import csv
import datetime as dt
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.evaluate.scores import (
    BANDS,
    Band,
    DateIC,
    Returns,
    Scored,
    by_band,
    by_threshold,
    ic_by_date,
    ic_summary,
    mature,
    spearman,
)

REFERENCE = Path(__file__).parents[3] / "shared" / "cases"
DAY = dt.date(2020, 6, 30)


def test_ties_share_their_mean_rank() -> None:
    """Ranks 1, 2.5, 2.5, 4 against 1, 3, 2, 4: covariance 4.5, variances 4.5 and 5."""
    assert spearman([10, 20, 20, 30], [1, 3, 2, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_opposite_orders_correlate_by_minus_one() -> None:
    assert spearman([1, 2, 3], [9, 5, 1]) == pytest.approx(-1)


@pytest.mark.parametrize(("left", "right"), [([], []), ([1], [2]), ([1, 1], [2, 3]), ([1, 2], [3, 3])])
def test_without_differences_there_is_no_correlation(left: list[float], right: list[float]) -> None:
    assert spearman(left, right) is None


def test_unpaired_figures_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        spearman([1, 2], [1])


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=20))
def test_a_correlation_stays_within_bounds_and_does_not_depend_on_the_scale(
    pairs: list[tuple[int, int]],
) -> None:
    left, right = [float(x) for x, _ in pairs], [float(y) for _, y in pairs]
    found = spearman(left, right)
    if found is None:
        assert len(set(left)) == 1 or len(set(right)) == 1
        return
    assert -1.0000001 <= found <= 1.0000001
    assert spearman([x**3 for x in left], right) == pytest.approx(found)


def test_a_summary_counts_dates_that_have_a_coefficient() -> None:
    """0.1, 0.3 and 0: mean 0.1333, standard deviation 0.1528, two above zero."""
    days = [DateIC(DAY, 5, 0.1), DateIC(DAY, 5, 0.3), DateIC(DAY, 5, 0.0), DateIC(DAY, 1, None)]
    found = ic_summary(days)

    assert (found.dates, found.positive) == (3, 2)
    assert found.mean == pytest.approx(0.13333, abs=1e-5)
    assert found.std == pytest.approx(0.15275, abs=1e-5)
    assert found.ir == pytest.approx(0.87287, abs=1e-5)


def test_nothing_to_sum_up_is_no_zero() -> None:
    assert ic_summary([]) == ic_summary([DateIC(DAY, 1, None)])
    assert ic_summary([]).mean is None
    assert ic_summary([DateIC(DAY, 4, 0.2)]).std is None
    empty = Returns.of([])
    assert (empty.n, empty.mean, empty.win_rate, empty.ratio) == (0, None, None, None)


def test_a_return_of_zero_is_no_win() -> None:
    found = Returns.of([0.0, 0.1, -0.1, 0.2])

    assert (found.wins, found.win_rate) == (2, 0.5)
    assert found.mean == pytest.approx(0.05)


def test_every_score_falls_into_one_band() -> None:
    edges = {39.9: 0, 40: 1, 54.9: 1, 55: 2, 69.9: 2, 70: 3, 85: 3, 85.1: 4, 95: 4}
    for score, position in edges.items():
        assert [band for band in BANDS if score in band] == [BANDS[position]]


def test_rows_before_their_horizon_is_over_are_counted() -> None:
    rows = [(Scored(DAY, 70, 0.1), 12.0), (Scored(DAY, 60, 0.2), 5.0)]

    assert mature(rows, 6) == ([rows[0][0]], 1)


needs_reference = pytest.mark.skipif(
    not (REFERENCE / "scored_outcomes.csv").is_file(),
    reason="the reference tables are not beside the project",
)


def reference_rows(measure: str) -> list[tuple[Scored, float]]:
    with (REFERENCE / "scored_outcomes.csv").open(encoding="utf-8-sig", newline="") as stream:
        return [
            (
                Scored(dt.date.fromisoformat(row["as_of"]), float(row["score"]), float(row[measure])),
                float(row["months_available"]),
            )
            for row in csv.DictReader(stream)
        ]


def pooled(rows: list[Scored]) -> float | None:
    return spearman([row.score for row in rows], [row.value for row in rows])


@needs_reference
@pytest.mark.parametrize(
    ("measure", "correlation", "dates", "mean", "std", "positive", "ir"),
    [
        ("return_6m", 0.2706, 12, 0.3094, 0.3286, 11, 0.9417),
        ("return_12m", 0.2845, 12, 0.3242, 0.3089, 10, 1.0495),
    ],
)
def test_all_rows_as_published(
    measure: str, correlation: float, dates: int, mean: float, std: float, positive: int, ir: float
) -> None:
    rows = [row for row, _ in reference_rows(measure)]
    found = ic_summary(ic_by_date(rows))

    assert pooled(rows) == pytest.approx(correlation, abs=5e-5)
    assert (found.dates, found.positive) == (dates, positive)
    assert [found.mean, found.std, found.ir] == pytest.approx([mean, std, ir], abs=5e-5)


@needs_reference
@pytest.mark.parametrize(
    ("measure", "months", "dropped", "correlation", "dates", "mean", "std", "positive", "ir"),
    [
        ("return_6m", 6, 10, 0.2770, 11, 0.3032, 0.3439, 10, 0.8817),
        ("return_12m", 12, 20, 0.2812, 10, 0.3175, 0.3409, 8, 0.9315),
    ],
)
def test_mature_rows_only(
    measure: str,
    months: int,
    dropped: int,
    correlation: float,
    dates: int,
    mean: float,
    std: float,
    positive: int,
    ir: float,
) -> None:
    rows, immature = mature(reference_rows(measure), months)
    found = ic_summary(ic_by_date(rows))

    assert immature == dropped
    assert pooled(rows) == pytest.approx(correlation, abs=5e-5)
    assert (found.dates, found.positive) == (dates, positive)
    assert [found.mean, found.std, found.ir] == pytest.approx([mean, std, ir], abs=5e-5)


@needs_reference
def test_bands_of_mature_rows() -> None:
    rows, _ = mature(reference_rows("return_6m"), 6)
    found = [(line.n, line.wins, round(line.mean or 0, 4)) for line in by_band(rows).values()]

    assert found == [(21, 7, -0.0577), (16, 5, -0.0187), (30, 15, 0.0182), (41, 26, 0.0802), (1, 1, 0.1424)]
    everything = by_band(rows, [Band()])[Band()]
    assert (everything.n, everything.wins, round(everything.mean or 0, 4)) == (109, 54, 0.0226)


@needs_reference
@pytest.mark.parametrize(
    ("only_mature", "lines"),
    [
        (
            False,
            {
                70: (43, 28, 0.0807, 0.2240, 0.3604),
                75: (27, 20, 0.1255, 0.2019, 0.6213),
                80: (9, 5, 0.0409, 0.2204, 0.1855),
            },
        ),
        (
            True,
            {
                70: (42, 27, 0.0817, 0.2266, 0.3606),
                75: (27, 20, 0.1255, 0.2019, 0.6213),
                80: (9, 5, 0.0409, 0.2204, 0.1855),
            },
        ),
    ],
)
def test_thresholds(only_mature: bool, lines: dict[int, tuple[int, int, float, float, float]]) -> None:
    rows, _ = mature(reference_rows("return_6m"), 6 if only_mature else 0)
    found = by_threshold(rows, lines)

    for threshold, (n, wins, mean, std, ratio) in lines.items():
        line = found[threshold]
        assert (line.n, line.wins) == (n, wins)
        assert [line.mean, line.std, line.ratio] == pytest.approx([mean, std, ratio], abs=5e-5)


@needs_reference
def test_coefficients_by_date() -> None:
    found = {
        each.as_of.isoformat(): each for each in ic_by_date(row for row, _ in reference_rows("return_12m"))
    }

    assert found["2022-06-30"] == DateIC(dt.date(2022, 6, 30), 9, 0.0)
    assert found["2021-06-30"].ic == pytest.approx(-0.4587, abs=5e-5)
    assert found["2023-06-30"].ic == pytest.approx(0.6973, abs=5e-5)
