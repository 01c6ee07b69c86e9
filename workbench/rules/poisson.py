"""Goals as independent Poisson counts: from two expectations to score and outcome probabilities.

Source: M. J. Maher, "Modelling association football scores", Statistica Neerlandica 36 (1982). The
dependence between the two counts (Dixon and Coles, 1997) is left out on purpose: an answer gives two
expectations and nothing to estimate a dependence from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate

from workbench.records import Outcome

OUTCOMES: tuple[Outcome, ...] = ("1", "X", "2")
"""In the order in which a draw lies between the two wins."""

MAX_GOALS = 100.0
"""Largest goal expectation accepted anywhere; beyond it an answer is a slip, not a forecast."""


def goal_distribution(expectation: float) -> list[float]:
    """Probability of 0, 1, 2, ... goals, up to where less than 1e-12 is left over.

    Args:
        expectation: Expected goals, 0..``MAX_GOALS``.

    Raises:
        ValueError: The expectation is outside its range or not a number.
    """
    if not 0 <= expectation <= MAX_GOALS:
        raise ValueError(f"a goal expectation lies between 0 and {MAX_GOALS:g}, not at {expectation}")
    distribution = [math.exp(-expectation)]
    while len(distribution) <= expectation or distribution[-1] > 1e-14:
        distribution.append(distribution[-1] * expectation / len(distribution))
    return distribution


def goal_matrix(home: float, away: float, most: int = 6) -> list[list[float]]:
    """Probability of each exact score.

    Args:
        home: Expected goals of the home club.
        away: Expected goals of the away club.
        most: Highest number of goals of either club that is listed.

    Returns:
        ``matrix[i][j]`` = P(home scores i, away scores j), both 0..``most``. Higher scores are left out,
        so the matrix sums to a little less than 1.
    """
    rows, columns = (
        (goal_distribution(expectation) + [0.0] * (most + 1))[: most + 1] for expectation in (home, away)
    )
    return [[row * column for column in columns] for row in rows]


def poisson_1x2(home: float, away: float) -> dict[Outcome, float]:
    """Probabilities of home win, draw and away win; they sum to 1.

    Args:
        home: Expected goals of the home club, 0..``MAX_GOALS``.
        away: Expected goals of the away club, 0..``MAX_GOALS``.

    >>> {outcome: round(p, 4) for outcome, p in poisson_1x2(1.0, 1.0).items()}
    {'1': 0.3457, 'X': 0.3085, '2': 0.3457}
    """
    scored, conceded = goal_distribution(home), goal_distribution(away)
    draw = sum(p * q for p, q in zip(scored, conceded, strict=False))
    win, loss = _more(scored, conceded), _more(conceded, scored)
    total = win + draw + loss
    return {"1": win / total, "X": draw / total, "2": loss / total}


def _more(mine: Sequence[float], theirs: Sequence[float]) -> float:
    """Probability that a count distributed as ``mine`` exceeds one distributed as ``theirs``."""
    fewer = list(accumulate(theirs, initial=0.0))  # fewer[k] = P(theirs < k)
    return sum(p * fewer[min(goals, len(theirs))] for goals, p in enumerate(mine))


def home_edge(probabilities: Mapping[Outcome, float]) -> float:
    """Probability of a home win minus that of an away win: -1 (away certain) .. 1 (home certain)."""
    return probabilities["1"] - probabilities["2"]


def likeliest(probabilities: Mapping[Outcome, float]) -> Outcome:
    """The most probable outcome; a tie goes to the first in the order home, draw, away."""
    return max(OUTCOMES, key=lambda outcome: round(probabilities[outcome], 9))
