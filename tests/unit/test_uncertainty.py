"""Clustered bootstrap: by hand where it can be, then empty, missing, single and constant input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.evaluate.uncertainty import (
    MIN_CLUSTERS,
    Estimate,
    correlation,
    deviation,
    mean,
    mean_by_deviation,
    mean_difference,
)

numbers = st.floats(-100, 100, allow_nan=False)


def test_the_value_is_the_plain_mean_over_observations_not_over_clusters() -> None:
    estimate = mean([1.0, 2.0, 9.0], ["a", "a", "b"], "lower")
    assert estimate == Estimate(4.0, None, None, n=3, clusters=2, better="lower")


def test_without_observations_there_is_no_value() -> None:
    assert mean([], [], "higher") == Estimate(None, None, None, n=0, clusters=0, better="higher")
    assert correlation([], [], [], "higher").value is None


def test_a_single_observation_has_a_value_and_no_interval() -> None:
    estimate = mean([0.25], ["day"], "lower")
    assert (estimate.value, estimate.low, estimate.high, estimate.enough) == (0.25, None, None, True)
    assert not estimate.differs


@pytest.mark.parametrize("hole", [math.nan, math.inf, None])
def test_a_missing_value_is_refused_and_never_averaged(hole: float) -> None:
    with pytest.raises((ValueError, TypeError)):
        mean([0.1, hole], ["a", "b"], "lower")


def test_values_and_clusters_pair_up() -> None:
    with pytest.raises(ValueError, match="pair up"):
        mean([1.0], ["a", "b"], "lower")


def test_the_interval_is_that_of_the_clusters() -> None:
    """Ten values a day that are all alike are one observation a day: the interval must not shrink."""
    generator = np.random.default_rng(7)
    days = list(range(40))
    daily = generator.normal(0, 1, len(days))
    single = mean(list(daily), days, "lower")
    repeated = mean([v for v in daily for _ in range(10)], [d for d in days for _ in range(10)], "lower")
    assert single.low == pytest.approx(repeated.low)
    assert single.high == pytest.approx(repeated.high)
    assert single.low is not None
    assert single.high is not None
    theory = 1.96 * float(np.std(daily)) / math.sqrt(len(days))
    assert (single.high - single.low) / 2 == pytest.approx(theory, rel=0.1)


def test_the_same_data_give_the_same_interval_in_any_order() -> None:
    """Runs come back in the order they finished; the interval once depended on it."""
    values, days = [0.1 * (i % 7) for i in range(30)], list(range(30))
    one, other = mean(values, days, "lower"), mean(values[::-1], days[::-1], "lower")
    assert one == mean(values, days, "lower")
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_too_few_clusters_give_no_interval_and_enough_give_one() -> None:
    for clusters, known in ((MIN_CLUSTERS - 1, False), (MIN_CLUSTERS, True)):
        estimate = mean([float(i) for i in range(clusters)], list(range(clusters)), "lower")
        assert (estimate.low is not None) is known


def test_an_interval_beside_zero_differs_from_it() -> None:
    days = list(range(20))
    assert mean([1.0 + i % 2 for i in days], days, "lower").differs
    assert not mean([(-1.0) ** i for i in days], days, "lower").differs


def test_correlation_by_hand() -> None:
    """x 1 2 3, y 1 3 2: covariance 1/3, variances 2/3 each, so 0.5."""
    assert correlation([1, 2, 3], [1, 3, 2], "abc", "higher").value == pytest.approx(0.5)
    assert correlation([1, 2, 3], [-2, -4, -6], "abc", "higher").value == pytest.approx(-1)


@pytest.mark.parametrize(
    ("left", "right"), [([0.9] * 20, range(20)), (range(20), [0.1] * 20), ([5.0], [1.0])]
)
def test_a_constant_correlates_with_nothing(left: list[float], right: list[float]) -> None:
    estimate = correlation(list(left), list(right), list(range(len(left))), "higher")
    assert (estimate.value, estimate.low) == (None, None)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(numbers, numbers, st.integers(0, 30)), max_size=60))
def test_no_figure_is_ever_not_a_number(rows: list[tuple[float, float, int]]) -> None:
    left, right, clusters = [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]
    for estimate in (mean(left, clusters, "lower"), correlation(left, right, clusters, "higher")):
        for figure in (estimate.value, estimate.low, estimate.high):
            assert figure is None or math.isfinite(figure)
        if estimate.low is not None and estimate.high is not None:
            assert estimate.low <= estimate.high
    correlated = correlation(left, right, clusters, "higher").value
    assert correlated is None or -1 <= correlated <= 1


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=40))
def test_correlation_agrees_with_numpy(rows: list[tuple[float, float]]) -> None:
    left, right = [r[0] for r in rows], [r[1] for r in rows]
    if np.std(left) < 1e-3 or np.std(right) < 1e-3:
        return
    found = correlation(left, right, list(range(len(rows))), "higher").value
    assert found == pytest.approx(float(np.corrcoef(left, right)[0, 1]), abs=1e-6)


def test_a_deviation_and_the_mean_by_it() -> None:
    """1, 2, 6: mean 3, squares 4 + 1 + 9 = 14, deviation sqrt(7)."""
    values, days = [1.0, 2.0, 6.0], ["a", "b", "c"]
    assert deviation(values, days, "neither").value == pytest.approx(math.sqrt(7))
    assert mean_by_deviation(values, days, "higher").value == pytest.approx(3 / math.sqrt(7))


@pytest.mark.parametrize("values", [[], [0.3]])
def test_fewer_than_two_observations_do_not_spread(values: list[float]) -> None:
    assert deviation(values, ["day"] * len(values), "neither").value is None
    assert mean_by_deviation(values, ["day"] * len(values), "higher").value is None


def test_observations_that_do_not_differ_have_no_ratio() -> None:
    values, days = [0.3] * 12, list(range(12))
    assert deviation(values, days, "neither").value == 0
    assert mean_by_deviation(values, days, "higher").value is None


def test_the_interval_of_a_ratio_holds_its_value() -> None:
    values = list(np.random.default_rng(3).normal(0.3, 0.3, 24))
    found = mean_by_deviation(values, list(range(24)), "higher")
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high


def test_a_difference_of_means_has_an_interval_where_both_sides_have_enough_clusters() -> None:
    mine = [(0.2 + day % 2 / 10, day) for day in range(MIN_CLUSTERS)]
    theirs = [(0.1, day) for day in range(MIN_CLUSTERS)]
    found = mean_difference(mine, theirs, "higher")
    assert found.value == pytest.approx(0.15)
    assert found.low == pytest.approx(0.15, abs=0.05)
    assert found.n == 2 * MIN_CLUSTERS
    few = mean_difference(mine, theirs[:3], "higher")
    assert few.value == pytest.approx(0.15)
    assert (few.low, few.high) == (None, None)
    assert mean_difference(mine, [], "higher").value is None
    assert mean_difference([], [], "higher").value is None
