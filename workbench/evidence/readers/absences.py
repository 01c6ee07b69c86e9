"""Reports of injured and suspended players, as CSV or JSON.

A report counts from the day it was published, so one without such a day is dropped; a file that gives no
days at all needs one from the user. A return is the one expected then, never the one that came later.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.errors import InputError
from workbench.evidence.readers.tables import Problem, decode, header, lines, read_json
from workbench.evidence.view import Absence

AbsenceFormat = Literal["table", "by club"]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "team": ("team", "球队"),
    "player": ("player", "球员"),
    "kind": ("kind", "类型"),
    "detail": ("detail", "说明"),
    "since": ("since", "缺阵起"),
    "until": ("until", "预计复出"),
    "published": ("published", "发布日期"),
    "source": ("source", "来源"),
}
"""Column of ours -> its names in a CSV file or in a list of JSON objects."""

BY_CLUB = {"injuries": "injury", "suspensions": "suspension"}
"""Lists of players under each club in the other JSON layout -> the kind of absence."""

LONGEST_TEXT = 200


class _Unusable(Exception):
    """A record that reports nothing; the message says why."""


@dataclass(frozen=True)
class AbsenceFile:
    """What one file holds: each of its ``records`` became an absence, with its number, or was dropped."""

    format: AbsenceFormat
    records: int
    absences: tuple[tuple[int, Absence], ...]
    problems: tuple[Problem, ...]


def read_absences(content: bytes, *, published: dt.date | None = None) -> AbsenceFile:
    """Read one file of absences.

    Args:
        content: CSV or a JSON list with the columns of ``COLUMNS``, or JSON
            ``{club: {"injuries": [player], "suspensions": [player], "impact": text}}``.
        published: Day for the records that give none.

    Raises:
        InputError: The file is neither, or nothing in it and no argument says when it was published.
    """
    text = decode(content, "gb18030")
    form: AbsenceFormat
    if text.lstrip()[:1] in ("{", "["):
        form, records = _json_records(text)
    elif {"team", "player"} <= (columns := {_own_name(name) for name in header(text)}):
        form, records = "table", [(line.number, _renamed(line.cells)) for line in lines(text)]
    else:
        raise InputError(
            f"a table of absences has a team and a player; this one has {', '.join(sorted(columns))[:120]}.",
            remedy=f"Columns: {', '.join(COLUMNS)}.",
        )
    if published is None and records and not any(cells.get("published") for _, cells in records):
        raise InputError(
            "nothing says when these absences were published, so no match could be shown them.",
            remedy="Add a column published, or give the day: --published YYYY-MM-DD.",
        )
    absences: list[tuple[int, Absence]] = []
    problems: list[Problem] = []
    for number, cells in records:
        try:
            absences.append((number, _absence(cells, published)))
        except _Unusable as reason:
            shown = ", ".join(str(cell) for cell in cells.values())
            problems.append(Problem(number, "dropped", str(reason), shown[:LONGEST_TEXT]))
    return AbsenceFile(form, len(records), tuple(absences), tuple(problems))


def _json_records(text: str) -> tuple[AbsenceFormat, list[tuple[int, Mapping[str, Any]]]]:
    try:
        whole = read_json(text)
        if isinstance(whole, list):
            return "table", [(number, _renamed(each)) for number, each in enumerate(whole, start=1)]
        return "by club", list(enumerate(_by_club(whole), start=1))
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(
            f"this JSON holds no absences ({error}).",
            remedy='Write {"club": {"injuries": ["player"], "suspensions": []}}, or a list of objects with '
            f"{', '.join(COLUMNS)}.",
        ) from error


def _by_club(clubs: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for club, report in clubs.items():
        named = [(kind, player) for name, kind in BY_CLUB.items() for player in report.get(name, [])]
        impact = report.get("impact")
        known = {
            "team": club,
            "published": report.get("published"),
            "detail": f"impact {impact}" if impact else None,
        }
        yield from ({**known, "player": player, "kind": kind} for kind, player in named)
        if not named:
            yield known


def _renamed(cells: Mapping[str, Any]) -> Mapping[str, Any]:
    return {_own_name(name): cell for name, cell in cells.items()}


def _own_name(column: str) -> str:
    return next((name for name, spellings in COLUMNS.items() if column.casefold() in spellings), column)


def _absence(cells: Mapping[str, Any], published: dt.date | None) -> Absence:
    if not cells:
        raise _Unusable("empty row")
    team, player = _text(cells.get("team")), _text(cells.get("player"))
    if not team:
        raise _Unusable("no club")
    if not player:
        raise _Unusable("no player")
    told = _day(cells.get("published")) or published
    if told is None:
        raise _Unusable("no day of publication")
    since, until = _day(cells.get("since")), _day(cells.get("until"))
    if since and until and until < since:
        raise _Unusable("back before he was out")
    kind, detail, source = (_text(cells.get(name)) for name in ("kind", "detail", "source"))
    return Absence(team, player, kind, detail, since, until, told, source)


def _text(cell: Any) -> str | None:
    """One line of bounded length: names from outside end up in prompts."""
    return " ".join(str(cell).split())[:LONGEST_TEXT] or None if cell is not None else None


def _day(cell: Any) -> dt.date | None:
    if cell in (None, ""):
        return None
    try:
        return dt.date.fromisoformat(str(cell).strip())
    except ValueError:
        raise _Unusable("a date is not YYYY-MM-DD") from None
