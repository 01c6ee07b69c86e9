"""Between a home edge and an expected goal difference, and what a league says before either club is known.

A home edge is the probability of a home win minus that of an away win. The difference of two independent
Poisson counts has the difference of their means as its mean and their sum as its variance; here it is
taken as normal with a continuity correction, which has an inverse and is within 0.03 of the exact figure
for differences up to two goals.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from workbench.records import Outcome

USUAL_GOALS = (1.6, 1.2)
"""Home and away goals per match of a top division (Premier League 2016-17, rounded)."""

USUAL_WEIGHT = 20
"""The usual goals count as this many matches beside those of the league itself."""

LEAST_GOALS = 0.15
"""No club is expected to score less."""


@dataclass(frozen=True)
class Ground:
    """Goals per match of an average home and away club; ``matches`` of the league are behind it."""

    home: float
    away: float
    matches: int

    @property
    def advantage(self) -> float:
        """Goals by which an average home club beats its like."""
        return self.home - self.away

    @property
    def total(self) -> float:
        return self.home + self.away


def ground(match: Mapping[str, Any]) -> Ground:
    """The league's averages from the header, drawn to the usual goals while few matches are known."""
    league = match.get("league") or {"matches": 0, "home_goals": 0.0, "away_goals": 0.0}
    n = league["matches"]
    home, away = (
        (n * league[figure] + USUAL_WEIGHT * usual) / (n + USUAL_WEIGHT)
        for figure, usual in zip(("home_goals", "away_goals"), USUAL_GOALS, strict=True)
    )
    return Ground(home, away, n)


def edge_of(supremacy: float, total: float) -> float:
    """Home edge, -1..1, of an expected goal difference.

    Args:
        supremacy: Expected home minus away goals.
        total: Expected goals of both clubs together, above 0.
    """
    spread = NormalDist(supremacy, total**0.5)
    return 1 - spread.cdf(0.5) - spread.cdf(-0.5)


def supremacy_of(edge: float, total: float) -> float:
    """Expected goal difference of a home edge: the inverse of ``edge_of``.

    The result leaves both clubs at least ``LEAST_GOALS``, so the most extreme edges are not reached.
    """
    high = total - 2 * LEAST_GOALS
    low = -high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if edge_of(middle, total) < edge else (low, middle)
    return (low + high) / 2


def outcome_of(supremacy: float, total: float) -> Outcome:
    """The likeliest of home win, draw and away win."""
    spread = NormalDist(supremacy, total**0.5)
    home, away = 1 - spread.cdf(0.5), spread.cdf(-0.5)
    if 1 - home - away > max(home, away):
        return "X"
    return "1" if home >= away else "2"


def expectations(supremacy: float, total: float) -> tuple[float, float]:
    """Expected home and away goals with that difference and, where possible, that sum."""
    return max((total + supremacy) / 2, LEAST_GOALS), max((total - supremacy) / 2, LEAST_GOALS)
