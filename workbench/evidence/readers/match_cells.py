"""What the readers of match files share: how a date, a score or a figure is read, and what is no match."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.evidence.view import Match

MAX_GOALS = 99

TEXTS = ("competition", "season", "home", "away", "round", "odds_source", "note")

Goals = tuple[int, int]


class Remark(NamedTuple):
    """What is to be said about a record: the same words for the same reason, and the cell that gave it."""

    reason: str
    column: str = ""
    value: str = ""


class UnusableRecord(Exception):
    """A record that gives no match; the message says why and is counted as it stands."""

    def __init__(self, reason: str, column: str = "", value: object = "") -> None:
        super().__init__(reason)
        self.remark = Remark(reason, column, str(value))


@dataclass(frozen=True)
class MatchRecord:
    """One record of a file on its way to a match, with the remarks made about it."""

    cells: Mapping[str, Any]
    notes: list[Remark] = field(default_factory=list)

    def note(self, reason: str, column: str = "", value: object = "") -> None:
        self.notes.append(Remark(reason, column, str(value)))

    def match(self, *, date: dt.date, home: str | None, away: str | None, **known: Any) -> Match:
        """The match with what is known of it; competition and season may follow later.

        Raises:
            UnusableRecord: A club is missing, or both are the same.
        """
        if not home or not away:
            raise UnusableRecord("a club is missing")
        if home == away:
            raise UnusableRecord("a club plays itself")
        row: dict[str, Any] = dict.fromkeys(Match._fields)
        row |= {"competition": "", "season": "", "date": date, "home": home, "away": away} | known
        # One line each, because names from outside end up in prompts.
        return Match(
            **row | {name: " ".join(str(row[name]).split()) for name in TEXTS if row[name] is not None}
        )


def day(cell: Any, *forms: str) -> dt.date:
    """A day in one of some ``strptime`` forms; two digits of a year mean 1969 to 2068."""
    for form in forms:
        try:
            return dt.datetime.strptime(str(cell), form).date()  # noqa: DTZ007 - a day has no time zone
        except ValueError:
            continue
    raise (
        UnusableRecord("no date") if cell is None else UnusableRecord("the date cannot be read", "date", cell)
    )


def season_name(text: str) -> str:
    """``2012/2013`` and ``2014/15`` as ``2012-13`` and ``2014-15``; anything else as it is."""
    years = re.fullmatch(r"(\d{4})[/-](?:\d{2})?(\d{2})", text)
    return f"{years[1]}-{years[2]}" if years else text


def goals(home: Any, away: Any) -> Goals | None:
    """The goals of both clubs; None where neither is known."""
    if home is None and away is None:
        return None
    if home is None or away is None:
        column, cell = ("away_goals", away) if home is None else ("home_goals", home)
        raise UnusableRecord("half a score", column, cell)
    return whole(home, "home_goals"), whole(away, "away_goals")


def whole(cell: Any, column: str) -> int:
    """A count of goals, also as ``2.0``."""
    text = str(cell).removesuffix(".0")
    digits = text.lstrip("0") or "0"
    if not (text.isascii() and text.isdigit() and len(digits) <= len(str(MAX_GOALS))):
        raise UnusableRecord("the score cannot be read", column, cell)
    return int(digits)


def result(score: Goals | None) -> dict[str, Any]:
    """Columns of a match played, or still to be played."""
    if score is None:
        return {"status": "scheduled"}
    return {"home_goals": score[0], "away_goals": score[1], "status": "played"}


def shoot_out(score: Goals | None) -> dict[str, int]:
    """Columns of a shoot-out."""
    return {"pens_home": score[0], "pens_away": score[1]} if score else {}


def number(cell: str) -> float | None:
    """A finite number; None where the cell is none."""
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def figures(record: MatchRecord, **columns: str) -> dict[str, float]:
    """Figures under the table's names, out of the columns that hold them; one that is no number is noted."""
    found = {}
    for name, column in columns.items():
        if column in record.cells:
            if (value := number(record.cells[column])) is None:
                record.note(f"{column} is no number, left out", column, record.cells[column])
            else:
                found[name] = value
    return found
