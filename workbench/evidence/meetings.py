"""Which match on record a match of a file is where the two give it different days.

Two clubs meet at one ground once in a season of most competitions. There the same pair on another day is
the same fixture: put on another day, or dated otherwise by another source. Where a pair meets again (two
rounds more, a cup's second group), either one file names both meetings, or the days or scores are apart.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from workbench.evidence.view import Match

SAME_MATCH_DAYS = 70
"""How far apart two sources may date one match. In real files of one season they were up to 60 days apart;
the nearest two meetings of a pair at one ground were 96."""

TOO_NEAR = dt.timedelta(days=1)
"""Too few for two matches. Three days apart, a last round and a play-off have been at one ground, even with
the same score."""

Fate = Literal["moved", "corrected", "known", "another"]
"""What one on record on another day is to a match: the day it has moved from, the same with another result,
the same, or another match."""

_Season = tuple[str, str]
_Pairing = tuple[str, str, str, str]


class Meetings:
    """The matches on record, as the matches of one file find them.

    Args:
        record: What is on record.
        file: The matches of the file, their clubs named as on record.
    """

    def __init__(self, record: Iterable[Match], file: Iterable[Match]) -> None:
        self._by_day: dict[tuple[dt.date, str, str], Match] = {}
        self._meetings: dict[_Pairing, dict[dt.date, Match]] = defaultdict(dict)
        for match in record:
            self.put(match)
        file = list(file)
        self._seasons = self._seasons_on_record(file)
        self._days_in_file: dict[_Pairing, set[dt.date]] = defaultdict(set)
        for match in file:
            self._days_in_file[self._pairing(match)].add(match.date)

    def put(self, match: Match) -> None:
        """Take a match on record, or its newer state."""
        self._by_day[match.date, match.home, match.away] = match
        meetings = self._meetings[match.competition, match.season, match.home, match.away]
        if match.moved:
            meetings.pop(match.date, None)
        else:
            meetings[match.date] = match

    def same_day(self, match: Match) -> Match | None:
        """What is on record of the two clubs on the day of the match."""
        return self._by_day.get((match.date, match.home, match.away))

    def other_day(self, match: Match) -> tuple[Fate, Match] | None:
        """The match on record on another day that this one is, else the nearest there is.

        A match on record whose day the file names too has its own record there, and is asked about only
        where it is too near for two matches.
        """
        pairing = self._pairing(match)
        elsewhere = self._days_in_file[pairing]
        others = [
            other
            for day, other in self._meetings[pairing].items()
            if day not in elsewhere or abs(day - match.date) <= TOO_NEAR
        ]
        fates: list[tuple[Fate, Match]] = []
        for other in sorted(others, key=lambda other: abs(other.date - match.date)):
            fate = _fate(match, other)
            fates.append(("another" if fate == "corrected" and other.date in elsewhere else fate, other))
        return next((each for each in fates if each[0] != "another"), next(iter(fates), None))

    def _seasons_on_record(self, file: Iterable[Match]) -> dict[_Season, _Season]:
        """Competition and season of the file under the names that its matches already have on record."""
        names: dict[_Season, set[_Season]] = defaultdict(set)
        for match in file:
            if known := self.same_day(match):
                names[match.competition, match.season].add((known.competition, known.season))
        return {own: next(iter(found)) for own, found in names.items() if len(found) == 1}

    def _pairing(self, match: Match) -> _Pairing:
        own = match.competition, match.season
        return *self._seasons.get(own, own), match.home, match.away


def decided(match: Match) -> bool:
    """Whether the fixture is over for good: played to its end, or awarded."""
    return match.settled or match.status == "awarded"


def result(match: Match) -> tuple[int | None, int | None, bool]:
    """Goals, and whether they count."""
    return match.home_goals, match.away_goals, match.settled


def _fate(match: Match, other: Match) -> Fate:
    later = (match.date - other.date).days
    if not decided(other):
        return "moved" if later >= -SAME_MATCH_DAYS else "another"
    if later > SAME_MATCH_DAYS:
        return "another"
    if not decided(match):
        return "known"  # the file is older than the result
    if result(match) == result(other):
        return "known" if later >= -SAME_MATCH_DAYS else "another"
    return "corrected" if abs(match.date - other.date) <= TOO_NEAR else "another"
