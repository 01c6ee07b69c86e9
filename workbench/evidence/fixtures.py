"""Which fixtures exist, and which one a user means. No result and no figure is read here.

A name is matched by its spelling alone (case, accents, "FC"); a club nobody knows is an error with
near matches and is never replaced by another club.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from workbench.errors import AmbiguousError, InputError
from workbench.evidence.database import SAMPLE, EvidenceDB
from workbench.evidence.readers.tables import shortened
from workbench.evidence.view import MatchStatus
from workbench.records import MatchSubject

SEASON_STARTS_IN = 7
"""Month from which a match belongs to the season named after two years, e.g. 2018-19."""

_COMMON_WORDS = frozenset({"fc", "afc", "cf", "the"})


class Fixture(NamedTuple):
    """One match on record without its result."""

    competition: str
    season: str
    date: dt.date
    home: str
    away: str
    status: MatchStatus | None

    @property
    def subject(self) -> MatchSubject:
        return MatchSubject(
            competition=self.competition,
            season=self.season,
            date=self.date,
            home=self.home,
            away=self.away,
        )


def fixtures(
    db: EvidenceDB,
    *,
    competition: str | None = None,
    season: str | None = None,
    since: dt.date | None = None,
    until: dt.date | None = None,
) -> list[Fixture]:
    """The fixtures on record, oldest first, played or not, each on the day it is on now.

    Args:
        db: The evidence database.
        competition: Only this competition, exactly as recorded.
        season: Only this season, exactly as recorded.
        since: Only from this day.
        until: Only up to and including this day.
    """
    conditions = {
        "competition = ?": competition,
        "season = ?": season,
        "date >= ?": since and since.isoformat(),
        "date <= ?": until and until.isoformat(),
    }
    asked = {condition: value for condition, value in conditions.items() if value is not None}
    rows = db.rows(
        "SELECT competition, season, date, home, away, status, moved_to FROM matches"
        f" WHERE {' AND '.join(['date IS NOT NULL', *asked])} ORDER BY origin != ?, id",
        (*asked.values(), SAMPLE),
    )
    latest: dict[tuple[str, ...], tuple[MatchStatus | None, str | None]] = {}
    for *columns, status, moved_to in rows:
        earlier = latest.get(key := tuple(columns), (None, None))
        latest[key] = status or earlier[0], moved_to or earlier[1]
    found = [
        Fixture(league, year, dt.date.fromisoformat(day), home, away, status)
        for (league, year, day, home, away), (status, moved_to) in latest.items()
        if moved_to in (None, day)
    ]
    return sorted(found, key=lambda fixture: (fixture.date, fixture.competition, fixture.home))


def resolve_fixtures(
    db: EvidenceDB,
    competition: str,
    *,
    season: str | None = None,
    since: dt.date | None = None,
    until: dt.date | None = None,
) -> list[Fixture]:
    """The fixtures of a competition a user means, oldest first.

    Args:
        db: The evidence database.
        competition: Its name, or an unmistakable part of it.
        season: One season as recorded, with any sign between the years.
        since: Only from this day.
        until: Only up to and including this day.

    Raises:
        InputError: There is no such competition, season or fixture.
        AmbiguousError: The name means more than one competition.
    """
    every = fixtures(db)
    league = _named(competition, {f.competition for f in every}, "competition", part=True)
    if season is not None:
        season = _named(season, {f.season for f in every if f.competition == league}, f"season of {league}")
    found = fixtures(db, competition=league, season=season, since=since, until=until)
    if not found:
        days = [fixture.date for fixture in every if fixture.competition == league]
        raise InputError(
            f"no match of {league} is on record between those days.",
            remedy=f"On record: {days[0]} to {days[-1]}.",
        )
    return found


def season_of(date: dt.date, *, calendar_year: bool) -> str:
    """The season a day lies in: ``2019`` of a league that plays by the calendar year, else ``2018-19``."""
    if calendar_year:
        return str(date.year)
    start = date.year if date.month >= SEASON_STARTS_IN else date.year - 1
    return f"{start}-{(start + 1) % 100:02d}"


def season_after(season: str) -> str | None:
    """The season that follows ``2018-19`` or ``2018``; None where the name is no such season."""
    named = re.fullmatch(r"(\d{4})(-\d{2})?", season)
    if named is None:
        return None
    start = int(named[1]) + 1
    return f"{start}-{(start + 1) % 100:02d}" if named[2] else f"{start:04d}"


def clubs(db: EvidenceDB) -> list[str]:
    """Every club on record, sorted."""
    return [club for (club,) in db.rows("SELECT home FROM matches UNION SELECT away FROM matches ORDER BY 1")]


def listed(db: EvidenceDB, subject: MatchSubject) -> bool:
    """Whether the fixture is on record; a future match between known clubs may not be."""
    return any(fixture.subject == subject for fixture in fixtures(db, since=subject.date, until=subject.date))


def resolve_match(
    db: EvidenceDB, home: str, away: str, date: dt.date, competition: str | None = None
) -> MatchSubject:
    """The match a user means.

    A fixture that is not on record is accepted only when it lies after every match of its competition;
    ``listed`` tells the two cases apart.

    Args:
        db: The evidence database.
        home: Home club, in any common spelling.
        away: Away club.
        date: Day of the match.
        competition: Its competition, or an unmistakable part of the name; None where the clubs decide it.

    Raises:
        InputError: A club or competition is unknown, home and away are swapped, or there is no such fixture.
        AmbiguousError: A name means more than one club or competition.
    """
    known = clubs(db)
    host, guest = _named(home, known, "club"), _named(away, known, "club")
    if host == guest:
        raise InputError(f"{host} cannot play itself.", remedy="Name two different clubs.")
    every = fixtures(db)
    if competition is not None:
        league = _named(competition, {f.competition for f in every}, "competition", part=True)
        every = [fixture for fixture in every if fixture.competition == league]
    meetings = [fixture for fixture in every if {fixture.home, fixture.away} == {host, guest}]
    for meeting in meetings:
        if meeting.date == date:
            if meeting.home != host:
                raise InputError(
                    f"{meeting.home} played at home on {date}, not {host}.",
                    remedy=f"Ask for {meeting.home} against {meeting.away}.",
                )
            return meeting.subject
    return _future_match(host, guest, date, every, meetings)


def _future_match(
    host: str, guest: str, date: dt.date, every: list[Fixture], meetings: list[Fixture]
) -> MatchSubject:
    leagues = [
        {fixture.competition for fixture in every if club in (fixture.home, fixture.away)}
        for club in (host, guest)
    ]
    shared = sorted(leagues[0] & leagues[1])
    if not shared:
        raise InputError(
            f"{host} and {guest} are in no common competition on record.",
            remedy="Check the names and the competition.",
        )
    if len(shared) > 1:
        raise AmbiguousError(
            f"{host} and {guest} share several competitions.",
            tuple(shared),
            remedy=f"Name one: {', '.join(shared)}.",
        )
    newest = [fixture for fixture in every if fixture.competition == shared[0]][-1]
    if date <= newest.date:
        dates = ", ".join(str(meeting.date) for meeting in meetings if meeting.home == host)
        raise InputError(
            f"{host} did not play {guest} at home on {date}.",
            remedy=f"On record: {dates}." if dates else "No such fixture is on record on any day.",
        )
    season = season_of(date, calendar_year=re.fullmatch(r"\d{4}", newest.season) is not None)
    return MatchSubject(competition=shared[0], season=season, date=date, home=host, away=guest)


def _named(text: str, names: Iterable[str], noun: str, *, part: bool = False) -> str:
    """The one name spelt like ``text``; with ``part``, the one name that contains it."""
    names = sorted(names)
    asked = spelling(text)
    found = [name for name in names if spelling(name) == asked]
    if not found and part and asked:
        found = [name for name in names if f" {asked} " in f" {spelling(name)} "]
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousError(
            f"{shortened(text)!r} is more than one {noun}.",
            tuple(found),
            remedy=f"Name one: {', '.join(found)}.",
        )
    near = near_names(text, names)
    examples = f"{', '.join(names[:5])}{', ...' if len(names) > 5 else ''}"
    remedy = f"Did you mean {' or '.join(near)}?" if near else f"On record: {examples}."
    raise InputError(f"there is no {noun} {shortened(text)!r} on record.", remedy=remedy)


def near_names(text: str, names: Sequence[str]) -> list[str]:
    """Names with a word that begins like the first of ``text``, or spelt alike: at most four."""
    asked = spelling(text)
    parts = asked.split()

    def nearness(name: str) -> tuple[int, float]:
        words = spelling(name).split()
        begun = [any(word.startswith(part) for word in words) for part in parts]
        likeness = difflib.SequenceMatcher(None, asked, spelling(name)).ratio()
        return (sum(begun) if any(begun[:1]) else 0), likeness

    near = {name: nearness(name) for name in names}
    likely = [name for name in names if near[name][0] > 0 or near[name][1] >= 0.6]
    return sorted(likely, key=lambda name: near[name], reverse=True)[:4]


def spelling(name: str) -> str:
    """What is left of a name without case, accents, punctuation and words that mean just "club"."""
    plain = unicodedata.normalize("NFKD", name).casefold().replace("&", " and ")
    letters = "".join(c for c in plain if not unicodedata.combining(c))
    words = re.findall(r"\w+", letters)
    return " ".join(word for word in words if word not in _COMMON_WORDS) or " ".join(words)
