"""Matches and absences of the user's own, put into the evidence database beside the sample facts.

A club is the one on record with the same spelling (case, accents, "FC"), or the one the user names; nothing
else ever makes one club out of two. What is on record already is not added again, so that a file can be
imported as often as it grows.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from workbench.errors import InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import clubs, near_names, spelling
from workbench.evidence.readers.absences import read_absences
from workbench.evidence.readers.football import read_matches
from workbench.evidence.readers.tables import Problem, decode, lines
from workbench.evidence.view import Absence, Match

ClubNames = Mapping[str, str]
"""Name in a file -> name on record."""


@dataclass(frozen=True)
class ImportReport:
    """What became of every record of a file.

    Attributes:
        format: Whose format it is.
        records: Records of the file.
        added: Rows added to the database.
        problems: Records dropped, and remarks about others.
        flags: How many matches are awarded, postponed, went to extra time, have odds, ...
        strangers: Club named that was not on record -> clubs on record with a similar name.
    """

    format: str
    records: int
    added: int
    problems: tuple[Problem, ...]
    flags: Mapping[str, int]
    strangers: Mapping[str, tuple[str, ...]]

    @property
    def dropped(self) -> int:
        return sum(problem.kind == "dropped" for problem in self.problems)

    def counts(self) -> Counter[tuple[str, str]]:
        """How often each problem occurred, by kind and reason, the most frequent first."""
        return Counter((problem.kind, problem.reason) for problem in self.problems)

    def to_json(self) -> Mapping[str, Any]:
        """The stable public shape printed with ``--json``."""
        return {
            "format": self.format,
            "records": self.records,
            "added": self.added,
            "dropped": self.dropped,
            "problems": [vars(problem) for problem in self.problems],
            "flags": dict(self.flags),
            "clubs_not_on_record": {name: list(near) for name, near in self.strangers.items()},
        }


def read_club_names(content: bytes, db: EvidenceDB) -> ClubNames:
    """A CSV file with the columns ``name`` and ``known_as``.

    Raises:
        InputError: A column is missing, or a club is not on record under the name given.
    """
    known = clubs(db)
    names: dict[str, str] = {}
    for number, cells in lines(decode(content, "gb18030")):
        if not cells:
            continue
        if not {"name", "known_as"} <= cells.keys():
            raise InputError(f"line {number} has no name and known_as.", remedy="Write: name,known_as")
        if cells["known_as"] not in known:
            near = near_names(cells["known_as"], known)
            raise InputError(
                f"line {number}: no club {cells['known_as']!r} is on record.",
                remedy=f"Did you mean {' or '.join(near)}?" if near else "See the fixtures for the names.",
            )
        names[cells["name"]] = cells["known_as"]
    return names


def import_matches(
    db: EvidenceDB,
    content: bytes,
    *,
    origin: str,
    competition: str | None = None,
    season: str | None = None,
    names: ClubNames = MappingProxyType({}),
) -> ImportReport:
    """Add the matches of a file.

    Args:
        db: The evidence database.
        content: The file, in any format of ``readers.football``.
        origin: Where the rows come from, e.g. the name of the file.
        competition: See ``read_matches``.
        season: See ``read_matches``.
        names: Clubs the file spells in its own way.

    Raises:
        InputError: See ``read_matches``.
    """
    file = read_matches(content, competition=competition, season=season)
    on_record = _Clubs(db, names)
    known = {(match.date, match.home, match.away): match for match in db.view(dt.date.max).matches()}
    problems = list(file.problems)
    new: list[Match] = []
    for record, read in file.matches:
        match = read._replace(home=on_record.name(read.home), away=on_record.name(read.away))
        earlier = known.get((match.date, match.home, match.away))
        reason = _already(match, earlier)
        if reason:
            problems.append(Problem(record, "dropped", reason, _shown(match)))
            continue
        if earlier is not None and earlier.settled and _result(earlier) != _result(match):
            problems.append(
                Problem(record, "noted", "the result on record was another; this one counts", _shown(match))
            )
        known[match.date, match.home, match.away] = match
        new.append(match)
    rows = [{**match._asdict(), "date": match.date.isoformat()} for match in new]
    return ImportReport(
        format=file.format,
        records=file.records,
        added=db.add("matches", rows, origin=origin),
        problems=tuple(sorted(problems, key=lambda problem: problem.record)),
        flags=_flags(new),
        strangers=on_record.strangers,
    )


def import_absences(
    db: EvidenceDB,
    content: bytes,
    *,
    origin: str,
    published: dt.date | None = None,
    names: ClubNames = MappingProxyType({}),
) -> ImportReport:
    """Add the absences of a file. Its clubs are on record, or named so: others would never be found again.

    Args:
        db: The evidence database.
        content: The file, in any format of ``readers.absences``.
        origin: Where the rows come from; also their source where the file names none.
        published: Day on which a file without dates was published.
        names: Clubs the file spells in its own way.

    Raises:
        InputError: The format is not known, or nothing says when the absences were published.
    """
    file = read_absences(content, published=published)
    on_record = _Clubs(db, names)
    problems = list(file.problems)
    new: list[Absence] = []
    view = db.view(dt.date.max)
    known: set[Absence] = set()
    for record, read in file.absences:
        team = on_record.name(read.team)
        absence = read._replace(team=team, source=read.source or origin)
        if team in on_record.strangers:
            problems.append(Problem(record, "dropped", "the club is not on record", team))
            continue
        known.update(view.absences(team))
        if absence in known:
            problems.append(Problem(record, "dropped", "on record already", f"{team}, {absence.player}"))
            continue
        known.add(absence)
        new.append(absence)
    rows = [
        {
            key: value.isoformat() if isinstance(value, dt.date) else value
            for key, value in a._asdict().items()
        }
        for a in new
    ]
    return ImportReport(
        format=file.format,
        records=file.records,
        added=db.add("absences", rows, origin=origin),
        problems=tuple(sorted(problems, key=lambda problem: problem.record)),
        flags=Counter(absence.kind or "of no kind" for absence in new),
        strangers=on_record.strangers,
    )


class _Clubs:
    """The clubs on record, and those met that are not."""

    def __init__(self, db: EvidenceDB, names: ClubNames) -> None:
        self._known = clubs(db)
        self._names = names
        counts = Counter(map(spelling, self._known))
        self._by_spelling = {spelling(name): name for name in self._known if counts[spelling(name)] == 1}
        self.strangers: dict[str, tuple[str, ...]] = {}

    def name(self, text: str) -> str:
        """The club on record that a file means, or the name as it stands."""
        found = self._names.get(text) or self._by_spelling.get(spelling(text))
        if found is None and text not in self._known and text not in self.strangers:
            self.strangers[text] = tuple(near_names(text, self._known))
        return found or text


def _already(match: Match, earlier: Match | None) -> str:
    """Why a match need not be added; empty where it tells something new."""
    if earlier is None:
        return ""
    if (earlier.competition, earlier.season) != (match.competition, match.season):
        return f"on record as {earlier.competition} {earlier.season}"
    if earlier.status is None and earlier.settled:
        earlier = earlier._replace(status="played")
    told = all(new in (None, old) for new, old in zip(match, earlier, strict=True))
    return "on record already" if told else ""


def _result(match: Match) -> tuple[int | None, int | None, bool]:
    return match.home_goals, match.away_goals, match.settled


def _shown(match: Match) -> str:
    return f"{match.date} {match.home} – {match.away}"


def _flags(matches: Iterable[Match]) -> Mapping[str, int]:
    flags: Counter[str] = Counter()
    for match in matches:
        flags[match.status or "played"] += 1
        flags["extra time"] += match.extra_home is not None
        flags["shoot-out"] += match.pens_home is not None
        flags["odds"] += match.odds_home is not None
        flags["forecast"] += match.ref_home is not None
    return {flag: count for flag, count in flags.items() if count}
