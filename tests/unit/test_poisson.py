"""Probabilities from two goal expectations."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.rules.poisson import goal_distribution, goal_matrix, home_edge, likeliest, poisson_1x2


def test_equal_expectations_of_one_goal_agree_with_the_hand_computation() -> None:
    # P(draw) = e^-2 * sum of 1/(k!)^2 = e^-2 * I0(2) = 0.135335 * 2.279585
    assert poisson_1x2(1.0, 1.0)["X"] == pytest.approx(math.exp(-2) * 2.2795853, abs=1e-7)
    assert poisson_1x2(1.0, 1.0)["1"] == poisson_1x2(1.0, 1.0)["2"] == pytest.approx(0.3457458, abs=1e-7)


def test_a_side_that_cannot_score_draws_only_without_goals_of_the_other() -> None:
    probabilities = poisson_1x2(2.0, 0.0)
    assert probabilities["X"] == pytest.approx(math.exp(-2.0))
    assert probabilities["1"] == pytest.approx(1 - math.exp(-2.0))
    assert probabilities["2"] == 0


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 100), st.floats(0, 100))
def test_probabilities_sum_to_one_and_mirror_when_the_sides_swap(home: float, away: float) -> None:
    here, there = poisson_1x2(home, away), poisson_1x2(away, home)
    assert sum(here.values()) == pytest.approx(1.0, abs=1e-12)
    assert here["1"] == pytest.approx(there["2"], abs=1e-12)
    assert all(0 <= probability <= 1 for probability in here.values())


@pytest.mark.parametrize("goals", [-0.1, 100.1, math.nan, math.inf])
def test_an_impossible_expectation_is_refused(goals: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        goal_distribution(goals)


def test_the_matrix_lists_home_goals_by_row_and_away_goals_by_column() -> None:
    matrix = goal_matrix(2.0, 0.5, most=3)
    assert len(matrix) == 4
    assert matrix[1][0] == pytest.approx(2.0 * math.exp(-2.5))
    assert matrix[0][1] == pytest.approx(0.5 * math.exp(-2.5))


def test_the_matrix_is_filled_with_zeros_beyond_a_side_that_cannot_score() -> None:
    assert goal_matrix(1.0, 0.0, most=2)[1] == [pytest.approx(math.exp(-1.0)), 0.0, 0.0]


def test_edge_and_likeliest_outcome_read_the_same_probabilities() -> None:
    probabilities = {"1": 0.5, "X": 0.3, "2": 0.2}
    assert home_edge(probabilities) == pytest.approx(0.3)
    assert likeliest(probabilities) == "1"
    assert likeliest({"1": 0.35, "X": 0.3, "2": 0.35}) == "1"
