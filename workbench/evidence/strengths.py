"""Attack and defence strengths of the clubs of a competition, fitted on the matches already played.

The model is Maher's: a club is expected to score (league mean at that venue) x (its attack) x (the
opponent's defence), both 1 for an average club; a defence above 1 concedes more. Three choices:

- what counts as goals scored is a blend of goals and expected goals, because results alone are noisy;
- older matches count less, by half every ``HALF_LIFE_DAYS``;
- every strength is drawn to a prior worth ``PRIOR_GOALS`` expected goals: 1 for a club that played the
  competition a season ago, ``PROMOTED`` for a newcomer to a competition that has a past.

With Gamma priors each update is a ratio of sums, so the fit is a short fixed-point iteration.

All four constants were chosen on the Premier League season 2016-17 and nothing later: the first half
fitted, the second half predicted, the mean RPS compared over blends, half-lives 120-1000 days and priors
3-10. ``PROMOTED`` is the fitted mean, rounded, of the three clubs promoted to that season.

Source: M. J. Maher, "Modelling association football scores", Statistica Neerlandica 36 (1982).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.evidence.league import Played

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

HALF_LIFE_DAYS = 400.0
PRIOR_GOALS = 3.0
PROMOTED = (0.7, 1.2)
"""Prior attack and defence of a newcomer."""

MIN_MATCHES = 20
"""With fewer matches of the competition nothing is fitted."""

_TOLERANCE = 1e-6
_MAX_ROUNDS = 50


@dataclass(frozen=True)
class Blend:
    """Weights of goals, shot-based and non-shot expected goals in what counts as goals scored.

    Where a match lacks a figure its weight is shared out among the others.
    """

    goals: float
    xg: float
    nsxg: float


MIXED = Blend(goals=0.5, xg=0.25, nsxg=0.25)
GOALS_ONLY = Blend(goals=1.0, xg=0.0, nsxg=0.0)


@dataclass(frozen=True)
class Strength:
    """Attack and defence relative to an average club, and the recency-weighted matches behind them."""

    attack: float
    defence: float
    matches: float


@dataclass(frozen=True)
class Strengths:
    """A fitted competition. The two means are the goals of an average home and away club."""

    home_mean: float
    away_mean: float
    clubs: Mapping[str, Strength]
    newcomer: Strength

    def of(self, club: str) -> Strength:
        """The club's strength; for a club without a match in the competition the prior, with 0 matches."""
        return self.clubs.get(club, self.newcomer)

    def expectation(self, home: str, away: str) -> tuple[float, float]:
        """Expected goals of the home and the away club."""
        host, guest = self.of(home), self.of(away)
        return self.home_mean * host.attack * guest.defence, self.away_mean * guest.attack * host.defence


@dataclass(frozen=True)
class Sample:
    """The matches strengths are fitted on, as arrays: what all fits of one day share.

    Attributes:
        clubs: Every club, sorted.
        home: Position of the home club in ``clubs``, for each match.
        away: That of the away club.
        weight: What each match counts, 1 for one of today.
        signals: Goals, shot-based and non-shot expected goals of the home club and then of the away club, by
            side, match and signal; 0 where unknown.
        known: 1 where the signal is known, else 0.
        residents: Clubs of the season before; empty when the competition has no past.
    """

    clubs: Sequence[str]
    home: Integers
    away: Integers
    weight: Floats
    signals: Floats
    known: Floats
    residents: Set[str]

    @classmethod
    def of(cls, matches: Sequence[Played], season: str, as_of: dt.date) -> Sample:
        """The sample for a match of a season on a day, of the earlier matches of its competition."""
        # By column, which is far quicker than match by match.
        column = dict(zip(Played._fields, zip(*matches, strict=True), strict=True))
        clubs = sorted({*column["home"], *column["away"]})
        place = {club: index for index, club in enumerate(clubs)}
        days = np.fromiter(map(dt.date.toordinal, column["date"]), dtype=np.intp, count=len(matches))
        figures = np.array(
            [[column[f"{side}_{name}"] for name in ("goals", "xg", "nsxg")] for side in ("home", "away")],
            dtype=float,  # None becomes NaN
        ).transpose(0, 2, 1)
        unknown = np.isnan(figures)
        return cls(
            clubs=clubs,
            home=np.fromiter(map(place.__getitem__, column["home"]), dtype=np.intp, count=len(matches)),
            away=np.fromiter(map(place.__getitem__, column["away"]), dtype=np.intp, count=len(matches)),
            weight=0.5 ** ((as_of.toordinal() - days) / HALF_LIFE_DAYS),
            signals=np.where(unknown, 0.0, figures),
            known=1.0 - unknown,
            residents=_previous_season_clubs(column["season"], column["home"], column["away"], season),
        )

    def fit(self, blend: Blend) -> Strengths:
        """The strengths under one notion of what counts as goals scored."""
        clubs, home, away, weight = self.clubs, self.home, self.away, self.weight
        share = np.array((blend.goals, blend.xg, blend.nsxg))
        home_scored, away_scored = weight * (self.signals @ share) / (self.known @ share)
        prior_attack, prior_defence = np.ones(len(clubs)), np.ones(len(clubs))
        for index, club in enumerate(clubs):
            if self.residents and club not in self.residents:
                prior_attack[index], prior_defence[index] = PROMOTED

        def by_club(at_home: Floats, at_away: Floats) -> Floats:
            sums = np.bincount(home, at_home, len(clubs)) + np.bincount(away, at_away, len(clubs))
            return sums.astype(np.float64, copy=False)

        scored, conceded = by_club(home_scored, away_scored), by_club(away_scored, home_scored)
        attack, defence = prior_attack.copy(), prior_defence.copy()
        for _ in range(_MAX_ROUNDS):
            home_mean = home_scored.sum() / (weight * attack[home] * defence[away]).sum()
            away_mean = away_scored.sum() / (weight * attack[away] * defence[home]).sum()
            at_home, at_away = weight * home_mean, weight * away_mean
            before = attack, defence
            exposure = by_club(at_home * defence[away], at_away * defence[home])
            attack = (scored + PRIOR_GOALS * prior_attack) / (exposure + PRIOR_GOALS)
            attack /= attack.mean()
            exposure = by_club(at_away * attack[away], at_home * attack[home])
            defence = (conceded + PRIOR_GOALS * prior_defence) / (exposure + PRIOR_GOALS)
            defence /= defence.mean()
            if max(np.abs(attack - before[0]).max(), np.abs(defence - before[1]).max()) < _TOLERANCE:
                break
        counts = by_club(weight, weight)
        return Strengths(
            home_mean=float(home_mean),
            away_mean=float(away_mean),
            clubs={
                club: Strength(float(attack[index]), float(defence[index]), float(counts[index]))
                for index, club in enumerate(clubs)
            },
            newcomer=Strength(*(PROMOTED if self.residents else (1.0, 1.0)), matches=0.0),
        )


def fit(matches: Sequence[Played], season: str, as_of: dt.date, *blends: Blend) -> list[Strengths]:
    """Fit the strengths for a match on a day, under each blend.

    Args:
        matches: Matches of one competition, all before ``as_of``, oldest first.
        season: Season of the match to come; decides who is a newcomer.
        as_of: The day recency is counted back from.
        blends: What counts as goals scored.

    Returns:
        One fit a blend; none with fewer than ``MIN_MATCHES`` matches.
    """
    if len(matches) < MIN_MATCHES:
        return []
    sample = Sample.of(matches, season, as_of)
    return [sample.fit(blend) for blend in blends]


def _previous_season_clubs(
    seasons: Sequence[str], home: Sequence[str], away: Sequence[str], season: str
) -> set[str]:
    """The clubs of the newest season before ``season``; empty when the competition has no past."""
    last = next((earlier for earlier in reversed(seasons) if earlier != season), None)
    return {
        club
        for when, host, guest in zip(seasons, home, away, strict=True)
        if when == last
        for club in (host, guest)
    }
