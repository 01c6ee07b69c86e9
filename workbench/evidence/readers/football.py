"""Match files as their publishers write them, read into matches.

The format is told from the content, never from the file's name. Every record of a file becomes a match or a
dropped record with its reason: nothing is lost in silence. What was read but deserves a word (a shoot-out
that nobody won) is noted. Names of clubs stay the source's own.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from workbench.errors import InputError
from workbench.evidence.fixtures import season_of
from workbench.evidence.readers.match_cells import MatchRecord, Remark, UnusableRecord
from workbench.evidence.readers.match_checks import LONGEST_NAME, checked, is_season, outside_season
from workbench.evidence.readers.match_formats import CSV_FORMATS, JSON_FORMAT, Format, FormatName
from workbench.evidence.readers.tables import Problem, ProblemKind, decode, header, shortened
from workbench.evidence.view import Match

Numbered = tuple[int, Match]
"""A match with the number of its record."""

LONGEST_SEASON_DAYS = 400
"""A file without a season column is one season; 2019-20, the longest on record, took 355 days in England."""

SAME_COMPETITION = {
    "Barclays Premier League": "English Premier League",
    "China Super League": "Chinese Super League",
}
"""Competitions which two sources name differently, under the name the sample facts have."""


@dataclass(frozen=True)
class MatchFile:
    """What one file holds: each of its ``records`` became a match, given with its number, or was dropped."""

    format: FormatName
    records: int
    matches: tuple[tuple[int, Match], ...]
    problems: tuple[Problem, ...]


def read_matches(content: bytes, *, competition: str | None = None, season: str | None = None) -> MatchFile:
    """Read one file of matches.

    Args:
        content: The file.
        competition: Name to give all matches instead of the file's.
        season: Season to give all matches instead of the file's, or of the one its dates imply.

    Raises:
        InputError: The format is not known, nobody names a competition, or seasons cannot be told apart.
    """
    text = decode(content, "cp1252")
    form = _recognise(text)
    records = 0
    read: dict[tuple[dt.date, str, str], tuple[int, Match]] = {}
    problems: list[Problem] = []
    for number, cells in form.records(text):
        records += 1
        record = MatchRecord(cells)
        try:
            if not cells:
                raise UnusableRecord("empty row")
            match = checked(form.match(record), record)
            _, first = read.setdefault((match.date, match.home, match.away), (number, match))
            if first is not match:
                same = first == match
                raise UnusableRecord("repeats an earlier record" if same else "contradicts an earlier record")
        except UnusableRecord as reason:
            shown = ", ".join(shortened(cell) for cell in list(cells.values())[:6])
            problems.append(_problem(number, "dropped", reason.remark, shown))
        else:
            problems += [_problem(number, "noted", remark, _shown(match)) for remark in record.notes]
    matches = []
    for number, match in _placed(list(read.values()), competition, season):
        if remark := _misplaced(match):
            problems.append(_problem(number, "dropped", remark, _shown(match)))
            continue
        if outside_season(match):
            remark = Remark("the day lies outside the season", "season", match.season)
            problems.append(_problem(number, "noted", remark, _shown(match)))
        matches.append((number, match))
    return MatchFile(form.name, records, tuple(matches), tuple(sorted(problems, key=lambda one: one.record)))


def _recognise(text: str) -> Format:
    if text.lstrip()[:1] == "{":
        return JSON_FORMAT
    names = header(text)
    for form in CSV_FORMATS:
        if form.columns <= set(names):
            return form
    shown = ", ".join(name[:20] for name in names if name)[:120]
    raise InputError(
        f"these are the columns of no known match file: {shown or 'none'}.",
        remedy=f"Known are files of {', '.join(get_args(FormatName)[:-1])}, and CSV with the columns of "
        "data/facts/matches.csv.",
    )


def _placed(matches: Sequence[Numbered], competition: str | None, season: str | None) -> Iterator[Numbered]:
    """The matches with their competition and season: as asked, as the file says, or as its dates imply."""
    if matches and not competition and not any(match.competition for _, match in matches):
        raise InputError("the file does not say which competition it is.", remedy="Name it: --competition.")
    if competition and len(competition) > LONGEST_NAME:
        raise InputError(f"{shortened(competition)!r} is no name of a competition.", remedy="Shorten it.")
    if season and not is_season(season):
        raise InputError(f"{shortened(season)!r} is no season.", remedy="Write it as 2018-19 or 2019.")
    implied = season or ""
    if not season and (days := [match.date for _, match in matches if not match.season]):
        if (max(days) - min(days)).days <= LONGEST_SEASON_DAYS:
            implied = season_of(min(days), calendar_year=False)
        elif len(days) == len(matches):
            raise InputError(
                f"the matches run from {min(days)} to {max(days)} and no column tells the season.",
                remedy="Split the file and import one season at a time.",
            )
    for number, match in matches:
        yield (
            number,
            match._replace(
                competition=competition or SAME_COMPETITION.get(match.competition, match.competition),
                season=season or match.season or implied,
            ),
        )


def _misplaced(match: Match) -> Remark | None:
    """Why a match belongs to no season of a competition."""
    if not match.competition:
        return Remark("no competition", "competition")
    if not match.season:
        return Remark("no season, and the days of the file imply none", "season")
    return None if is_season(match.season) else Remark("no season such as 2018-19", "season", match.season)


def _problem(record: int, kind: ProblemKind, remark: Remark, shown: str) -> Problem:
    return Problem(record, kind, remark.reason, shown, remark.column, shortened(remark.value))


def _shown(match: Match) -> str:
    return f"{match.date} {shortened(match.home)} – {shortened(match.away)}"
