"""Scores of a football forecast against hand-computed figures."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from workbench.evaluate.football import brier, hit, log_loss, outcome_of, rps

FORECAST = {"1": 0.5, "X": 0.3, "2": 0.2}
MATCHES = Path(__file__).parents[2] / "data" / "facts" / "matches.csv"


def test_rps_by_hand() -> None:
    assert rps(FORECAST, "1") == pytest.approx((0.5**2 + 0.2**2) / 2)
    assert rps(FORECAST, "X") == pytest.approx((0.5**2 + 0.2**2) / 2)
    assert rps(FORECAST, "2") == pytest.approx((0.5**2 + 0.8**2) / 2)


def test_rps_runs_from_certainty_of_the_result_to_certainty_of_the_opposite_win() -> None:
    assert rps({"1": 1.0, "X": 0.0, "2": 0.0}, "1") == 0
    assert rps({"1": 1.0, "X": 0.0, "2": 0.0}, "X") == 0.5
    assert rps({"1": 1.0, "X": 0.0, "2": 0.0}, "2") == 1


def test_brier_is_the_plain_sum_of_three_squares() -> None:
    assert brier(FORECAST, "1") == pytest.approx(0.25 + 0.09 + 0.04)
    assert brier({"1": 1.0, "X": 0.0, "2": 0.0}, "2") == 2


def test_log_loss_uses_the_natural_logarithm_and_stays_finite() -> None:
    assert log_loss(FORECAST, "2") == pytest.approx(-math.log(0.2))
    assert log_loss({"1": 1.0, "X": 0.0, "2": 0.0}, "2") == pytest.approx(-math.log(1e-15))


def test_a_tie_at_the_top_counts_as_the_first_outcome() -> None:
    assert hit({"1": 0.4, "X": 0.2, "2": 0.4}, "1")
    assert not hit({"1": 0.4, "X": 0.2, "2": 0.4}, "2")


@pytest.mark.parametrize("score", [rps, brier, log_loss])
def test_probabilities_that_do_not_sum_to_one_are_refused(score: object) -> None:
    with pytest.raises(ValueError, match="not to 1"):
        score({"1": 0.5, "X": 0.5, "2": 0.5}, "1")  # type: ignore[operator]


def test_the_result_is_read_from_the_goals() -> None:
    assert [outcome_of(2, 1), outcome_of(0, 0), outcome_of(1, 3)] == ["1", "X", "2"]


def test_the_published_forecast_scores_as_its_publisher_is_known_to_score() -> None:
    """Over all three Premier League seasons: RPS 0.1850, Brier 0.5397, log loss 0.9157, 57.89 % right."""
    with MATCHES.open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["competition"] == "English Premier League"]
    judged = [
        (
            {"1": float(row["ref_home"]), "X": float(row["ref_draw"]), "2": float(row["ref_away"])},
            outcome_of(int(row["home_goals"]), int(row["away_goals"])),
        )
        for row in rows
    ]
    assert len(judged) == 1140
    means = [sum(score(*each) for each in judged) / len(judged) for score in (rps, brier, log_loss, hit)]
    assert means == pytest.approx([0.1850, 0.5397, 0.9157, 0.5789], abs=5e-5)


def test_rps_agrees_with_penaltyblog() -> None:
    """The same forecasts scored by another package, where it is installed (extra ``peers``)."""
    metrics = pytest.importorskip("penaltyblog.metrics", reason="the extra peers is not installed")
    forecasts = [FORECAST, {"1": 0.05, "X": 0.15, "2": 0.8}, {"1": 1.0, "X": 0.0, "2": 0.0}]
    for index, outcome in enumerate(("1", "X", "2")):
        theirs = metrics.rps_average([list(each.values()) for each in forecasts], [index] * 3)
        assert sum(rps(each, outcome) for each in forecasts) / 3 == pytest.approx(theirs)
