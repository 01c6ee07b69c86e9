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
from workbench.evidence.meetings import Meetings, decided, result
from workbench.evidence.readers.absences import read_absences
from workbench.evidence.readers.football import read_matches
from workbench.evidence.readers.tables import Problem, ProblemKind, decode, lines, shortened
from workbench.evidence.view import Absence, Match

ClubNames = Mapping[str, str]
"""Name in a file -> name on record."""

SCORE_OVERDUE = dt.timedelta(days=7)
"""A match to be played whose day is longer past is worth a remark: its score is missing, or its new day."""

_CORRECTED = "the result on record was another; this one counts"


@dataclass(frozen=True)
class ImportReport:
    """What became of every record of a file.

    Attributes:
        format: Whose format it is.
        records: Records of the file.
        added: Matches or absences added, or completed by what the file knows besides.
        problems: Records dropped, and remarks about others.
        flags: How many of those added are awarded, postponed, have moved, went to extra time, have odds, ...
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
                f"line {number}: no club {shortened(cells['known_as'])!r} is on record.",
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
    today: dt.date | None = None,
) -> ImportReport:
    """Add the matches of a file.

    Args:
        db: The evidence database.
        content: The file, in any format of ``readers.football``.
        origin: Where the rows come from, e.g. the name of the file.
        competition: See ``read_matches``.
        season: See ``read_matches``.
        names: Clubs the file spells in its own way.
        today: Day that a match without a score is held against; None for today (UTC).

    Raises:
        InputError: See ``read_matches``.
    """
    file = read_matches(content, competition=competition, season=season)
    on_record = _Clubs(db, names)
    read = [
        (record, match._replace(home=on_record.name(match.home), away=on_record.name(match.away)))
        for record, match in file.matches
    ]
    entry = _Entry(Meetings(db.view(dt.date.max).matches(), (match for _, match in read)))
    for record, match in read:
        entry.enter(record, match)
    past = (today or dt.datetime.now(dt.UTC).date()) - SCORE_OVERDUE
    for record, match in entry.entered:
        if match.date < past and match.status == "scheduled":
            entry.say(record, "noted", "no score though its day is long past", match)
    db.add("matches", map(_row, entry.rows), origin=origin)
    return ImportReport(
        format=file.format,
        records=file.records,
        added=len(entry.entered),
        problems=tuple(sorted((*file.problems, *entry.problems), key=lambda problem: problem.record)),
        flags=_flags(match for _, match in entry.entered) | +entry.flags,
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
            problems.append(Problem(record, "dropped", "the club is not on record", shortened(team)))
            continue
        known.update(view.absences(team))
        if absence in known:
            problems.append(
                Problem(record, "dropped", "on record already", shortened(f"{team}, {absence.player}"))
            )
            continue
        known.add(absence)
        new.append(absence)
    return ImportReport(
        format=file.format,
        records=file.records,
        added=db.add("absences", map(_row, new), origin=origin),
        problems=tuple(sorted(problems, key=lambda problem: problem.record)),
        flags=Counter(absence.kind or "of no kind" for absence in new),
        strangers=on_record.strangers,
    )


class _Entry:
    """The matches of a file on their way into the record, one after the other.

    Attributes:
        entered: Those that tell something new, with the number of their record.
        rows: What is to be written: those, and the old days of matches that have moved.
        problems: What was dropped, or deserves a word.
        flags: How many have moved.
    """

    def __init__(self, meetings: Meetings) -> None:
        self._meetings = meetings
        self.entered: list[tuple[int, Match]] = []
        self.rows: list[Match] = []
        self.problems: list[Problem] = []
        self.flags: Counter[str] = Counter()

    def enter(self, record: int, match: Match) -> None:
        """Compare one match with the record, and take what it tells anew."""
        earlier = self._meetings.same_day(match)
        if earlier is not None and decided(earlier) and match.status == "scheduled":
            match = match._replace(status=earlier.status)  # the file is older than the result
        if earlier is None or (earlier.moved and decided(match)):
            self._on_a_day_of_its_own(
                record, match if earlier is None else match._replace(moved_to=match.date)
            )
        elif earlier.moved:
            self.say(record, "dropped", "on record already, and moved", match, f"to {earlier.moved_to}")
        elif reason := _already(match, earlier):
            self.say(record, "dropped", reason, match)
        else:
            if earlier.settled and result(earlier) != result(match):
                self.say(record, "noted", _CORRECTED, match)
            self._take(record, match)

    def _on_a_day_of_its_own(self, record: int, match: Match) -> None:
        fate, other = self._meetings.other_day(match) or (None, None)
        if other is None:
            self._take(record, match)
        elif fate == "known":
            self.say(record, "dropped", "on record already under another date", match, f"as of {other.date}")
        elif fate == "another":
            reason = "added beside another match of the pair at this ground and in this season"
            self.say(record, "noted", reason, match, f"beside {other.date}{_score(other)}")
            self._take(record, match)
        else:
            self.flags["moved"] += fate == "moved"
            reason = "moved from the day on record" if fate == "moved" else f"{_CORRECTED}, on another day"
            self.say(record, "noted", reason, match, f"was {other.date}{_score(other)}")
            left = _only_moved(other, match.date)
            self.rows.append(left)
            self._meetings.put(left)
            self._take(record, match._replace(competition=other.competition, season=other.season))

    def _take(self, record: int, match: Match) -> None:
        self.entered.append((record, match))
        self.rows.append(match)
        self._meetings.put(match)

    def say(self, record: int, kind: ProblemKind, reason: str, match: Match, more: str = "") -> None:
        shown = f"{_shown(match)} ({more})" if more else _shown(match)
        self.problems.append(Problem(record, kind, reason, shown))


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


def _only_moved(match: Match, day: dt.date) -> Match:
    """What is added to the old day of a match that has moved: that it has."""
    row: dict[str, Any] = dict.fromkeys(Match._fields)
    named = ("competition", "season", "date", "home", "away")
    return Match(**row | {name: getattr(match, name) for name in named} | {"moved_to": day})


def _row(record: Match | Absence) -> dict[str, Any]:
    return {
        name: cell.isoformat() if isinstance(cell, dt.date) else cell
        for name, cell in record._asdict().items()
    }


def _shown(match: Match) -> str:
    return f"{match.date} {shortened(match.home)} – {shortened(match.away)}{_score(match)}"


def _score(match: Match) -> str:
    return f" {match.home_goals}:{match.away_goals}" if match.settled else ""


def _flags(matches: Iterable[Match]) -> dict[str, int]:
    flags: Counter[str] = Counter()
    for match in matches:
        flags[match.status or "played"] += 1
        flags["extra time"] += match.extra_home is not None
        flags["shoot-out"] += match.pens_home is not None
        flags["odds"] += match.odds_home is not None
        flags["forecast"] += match.ref_home is not None
    return {flag: count for flag, count in flags.items() if count}
