"""A competition as it stood on a day: pure arithmetic over the matches already played.

``Played`` leaves the published forecast of a match behind: that is an outcome to be judged against,
never evidence, and nothing computed here can show it.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Self

from workbench.evidence.view import Match

Venue = Literal["home", "away"]
Result = Literal["W", "D", "L"]


class Played(NamedTuple):
    """A match with a result after 90 minutes. ``xg`` is shot-based, ``nsxg`` non-shot expected goals."""

    competition: str
    season: str
    date: dt.date
    home: str
    away: str
    home_goals: int
    away_goals: int
    home_xg: float | None
    away_xg: float | None
    home_nsxg: float | None
    away_nsxg: float | None


class Appearance(NamedTuple):
    """A match as one of its two clubs saw it."""

    date: dt.date
    season: str
    venue: Venue
    opponent: str
    goals_for: int
    goals_against: int
    xg_for: float | None
    xg_against: float | None
    nsxg_for: float | None
    nsxg_against: float | None

    @property
    def result(self) -> Result:
        if self.goals_for == self.goals_against:
            return "D"
        return "W" if self.goals_for > self.goals_against else "L"


@dataclass(frozen=True)
class Tally:
    """Results and goals of a club over some matches."""

    matches: int
    won: int
    drawn: int
    lost: int
    goals_for: int
    goals_against: int

    @classmethod
    def of(cls, scores: Sequence[tuple[int, int]]) -> Self:
        """The tally of matches that ended with so many goals for and against."""
        won = drawn = goals_for = goals_against = 0
        for ours, theirs in scores:  # plainly: a table of every match day is worked out in a batch
            goals_for += ours
            goals_against += theirs
            if ours > theirs:
                won += 1
            elif ours == theirs:
                drawn += 1
        return cls(len(scores), won, drawn, len(scores) - won - drawn, goals_for, goals_against)

    @property
    def points(self) -> int:
        """Three for a win, one for a draw."""
        return 3 * self.won + self.drawn


@dataclass(frozen=True)
class Record(Tally):
    """A tally with expected goals a match, which are None when no match of them has the figure."""

    xg_for: float | None
    xg_against: float | None
    nsxg_for: float | None
    nsxg_against: float | None


@dataclass(frozen=True)
class Standing:
    """A line of the league table; ``clubs`` is the number of lines."""

    position: int
    clubs: int
    record: Tally


@dataclass(frozen=True)
class Averages:
    """Goals per match and shares of results over ``matches`` matches of a competition."""

    matches: int
    home_goals: float
    away_goals: float
    home_wins: float
    draws: float
    away_wins: float


def played(match: Match) -> Played | None:
    """A match with a result of 90 minutes; None for any other, since an awarded one is no evidence."""
    return Played._make(match[:11]) if match.settled else None


@lru_cache(maxsize=4096)
def seen_by(club: str) -> Callable[[Match], Appearance | None]:
    """How a club sees a match: from its own side; None for a match that is not ``played`` or not its own."""

    def see(match: Match) -> Appearance | None:
        found = played(match)
        if found is None or club not in (found.home, found.away):
            return None
        return _at_home(found) if found.home == club else _away(found)

    return see


def both_sides(match: Match) -> tuple[Appearance, Appearance] | None:
    """A match as its home club and as its away club saw it; None for a match that is not ``played``."""
    found = played(match)
    return found and (_at_home(found), _away(found))


def _at_home(m: Played) -> Appearance:
    ours = (m.home_goals, m.away_goals, m.home_xg, m.away_xg, m.home_nsxg, m.away_nsxg)
    return Appearance(m.date, m.season, "home", m.away, *ours)


def _away(m: Played) -> Appearance:
    ours = (m.away_goals, m.home_goals, m.away_xg, m.home_xg, m.away_nsxg, m.home_nsxg)
    return Appearance(m.date, m.season, "away", m.home, *ours)


def record(seen: Sequence[Appearance]) -> Record:
    """Results and goals summed up; expected goals are per match, over the matches which have them."""
    tally = Tally.of([(appearance.goals_for, appearance.goals_against) for appearance in seen])
    return Record(
        **vars(tally),
        xg_for=_mean([appearance.xg_for for appearance in seen]),
        xg_against=_mean([appearance.xg_against for appearance in seen]),
        nsxg_for=_mean([appearance.nsxg_for for appearance in seen]),
        nsxg_against=_mean([appearance.nsxg_against for appearance in seen]),
    )


def standings(matches: Iterable[tuple[Appearance, Appearance]], season: str) -> dict[str, Standing]:
    """The table of one season by points, goal difference, goals scored, then name.

    Deductions of points and play-offs are not known here.

    Args:
        matches: The matches of the competition from ``both_sides``.
        season: The season.
    """
    scores: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for home, away in matches:
        if home.season == season:
            scores[away.opponent].append((home.goals_for, home.goals_against))
            scores[home.opponent].append((home.goals_against, home.goals_for))
    tallies = {club: Tally.of(goals) for club, goals in scores.items()}

    def rank(club: str) -> tuple[int, int, int, str]:
        tally = tallies[club]
        return (-tally.points, tally.goals_against - tally.goals_for, -tally.goals_for, club)

    order = sorted(tallies, key=rank)
    return {club: Standing(place, len(order), tallies[club]) for place, club in enumerate(order, start=1)}


def rounds(season: Sequence[Match]) -> list[str]:
    """The round of each match of one season, oldest first.

    Where its source names none it is the number of the match for whichever of the two clubs has played more,
    so that a match put off falls into the round it was played in.
    """
    played_before: Counter[str] = Counter()
    found = []
    for match in season:
        number = 1 + max(played_before[match.home], played_before[match.away])
        found.append(match.round or str(number))
        played_before.update((match.home, match.away))
    return found


def averages(matches: Sequence[Played]) -> Averages | None:
    """Goals per match and shares of results; None without a match."""
    if not matches:
        return None
    n = len(matches)
    home_wins = sum(match.home_goals > match.away_goals for match in matches)
    draws = sum(match.home_goals == match.away_goals for match in matches)
    return Averages(
        matches=n,
        home_goals=sum(match.home_goals for match in matches) / n,
        away_goals=sum(match.away_goals for match in matches) / n,
        home_wins=home_wins / n,
        draws=draws / n,
        away_wins=(n - home_wins - draws) / n,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
