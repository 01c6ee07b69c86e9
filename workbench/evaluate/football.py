"""How good a football forecast was: scores of probabilities against the result after 90 minutes.

All scores here are losses of one match (lower is better), and a mean over matches is a plain mean.
Probabilities are a mapping of ``1``, ``X``, ``2`` that sums to 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from workbench.records import Outcome
from workbench.rules.poisson import OUTCOMES, likeliest

LEAST_PROBABILITY = 1e-15
"""Log loss treats a smaller probability as this, so that one impossible result keeps a mean finite."""

SUM_TOLERANCE = 1e-3


def outcome_of(home_goals: int, away_goals: int) -> Outcome:
    """The result as ``1`` (home win), ``X`` (draw) or ``2`` (away win)."""
    if home_goals == away_goals:
        return "X"
    return "1" if home_goals > away_goals else "2"


def rps(probabilities: Mapping[Outcome, float], outcome: Outcome) -> float:
    """Ranked probability score: 0 (certain and right) .. 1 (certain of the opposite win). Lower is better.

    Half the sum of the squared differences between the cumulated forecast and the cumulated result over the
    ordered outcomes home, draw, away; so a draw is nearer to either win than the two wins are to each other.

    Source: E. S. Epstein (1969), Journal of Applied Meteorology 8; for football A. C. Constantinou and
    N. E. Fenton (2012), Journal of Quantitative Analysis in Sports 8.

    Raises:
        ValueError: The probabilities do not sum to 1.

    >>> round(rps({"1": 0.5, "X": 0.3, "2": 0.2}, "1"), 3)
    0.145
    """
    _check(probabilities)
    home = probabilities["1"] - (outcome == "1")
    not_away = home + probabilities["X"] - (outcome == "X")
    return (home**2 + not_away**2) / 2


def brier(probabilities: Mapping[Outcome, float], outcome: Outcome) -> float:
    """Brier score over three classes: the plain sum of three squares, 0 .. 2. Lower is better.

    This is Brier's original convention (1950, Monthly Weather Review 78), not its half and not its mean.

    Raises:
        ValueError: The probabilities do not sum to 1.
    """
    _check(probabilities)
    return sum((probabilities[each] - (each == outcome)) ** 2 for each in OUTCOMES)


def log_loss(probabilities: Mapping[Outcome, float], outcome: Outcome) -> float:
    """Minus the natural logarithm of the probability of what happened, 0 .. 34.5. Lower is better.

    Raises:
        ValueError: The probabilities do not sum to 1.
    """
    _check(probabilities)
    return -math.log(max(probabilities[outcome], LEAST_PROBABILITY))


def hit(probabilities: Mapping[Outcome, float], outcome: Outcome) -> bool:
    """Whether the likeliest outcome happened; a tie counts as the first of home, draw, away."""
    return likeliest(probabilities) == outcome


def _check(probabilities: Mapping[Outcome, float]) -> None:
    total = sum(probabilities[outcome] for outcome in OUTCOMES)
    if not math.isclose(total, 1.0, abs_tol=SUM_TOLERANCE):
        raise ValueError(f"the probabilities sum to {total}, not to 1; scale them first")
