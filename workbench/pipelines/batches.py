"""What a batch of each pipeline consists of: subjects, and the days as of which they are judged."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from workbench.errors import InputError
from workbench.evidence.days import months_later
from workbench.evidence.fixtures import Fixture
from workbench.evidence.instruments import Instrument
from workbench.evidence.news import NewsItem
from workbench.evidence.readers.tables import shortened
from workbench.evidence.view import MatchStatus, parse_day
from workbench.records import Subject

Item = tuple[Subject, dt.date]

MOST_DATES = 1000

WITHOUT_RESULT: tuple[MatchStatus, ...] = ("postponed", "abandoned", "awarded", "cancelled")
"""Matches that get no result of 90 minutes played; a postponed one gets it on the day it moves to."""

_STEP = re.compile(r"([1-9][0-9]{0,2})([DWMQY])", re.IGNORECASE)
_MONTHS = {"M": 1, "Q": 3, "Y": 12}
_DAYS = {"D": 1, "W": 7}


def company_items(companies: Iterable[Instrument], dates: Sequence[dt.date], language: str) -> list[Item]:
    """Every company as of every day, the earliest day first.

    A company is left out before the day it was listed, where that is known, and named in the language.
    """
    companies = list(companies)
    return [
        (company.subject(language), day)
        for day in dates
        for company in companies
        if company.listed is None or company.listed < day
    ]


def match_items(fixtures: Iterable[Fixture]) -> list[Item]:
    """Every match as of the day it is played, without those that can never be judged."""
    return [(fixture.subject, fixture.date) for fixture in fixtures if fixture.status not in WITHOUT_RESULT]


def without_result(fixtures: Iterable[Fixture]) -> Counter[MatchStatus]:
    """How many of the matches can never be judged, by what became of them."""
    statuses = (fixture.status for fixture in fixtures)
    return Counter(status for status in statuses if status and status in WITHOUT_RESULT)


def news_items(items: Iterable[NewsItem]) -> list[Item]:
    """Every news item as of the day it came out."""
    return [(item.subject, item.published) for item in items]


def parse_dates(text: str) -> list[dt.date]:
    """Read days as a user types them: ``2020-06-30``, ``2018-06-30:2024-12-31:6M``, or several with commas.

    A range begins with its first day and goes on in steps of days (D), weeks (W), months (M), quarters (Q) or
    years (Y) up to and including its last. Steps from the end of a month lead to ends of months.

    Returns:
        The days in ascending order, each once.

    Raises:
        InputError: It cannot be read, or means more than ``MOST_DATES`` days.
    """
    days: set[dt.date] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        for day in _range(part):
            days.add(day)
            if len(days) > MOST_DATES:
                raise InputError(
                    f"{shortened(text)!r} means more than {MOST_DATES} days.", remedy="Choose larger steps."
                )
    if not days:
        raise InputError("no day is given.", remedy="Write e.g. 2018-06-30:2024-12-31:6M.")
    return sorted(days)


def _range(text: str) -> Iterator[dt.date]:
    first, *rest = (part.strip() for part in text.split(":"))
    start = parse_day(first)
    if not rest:
        yield start
        return
    step = _STEP.fullmatch(rest[1]) if len(rest) == 2 else None
    if step is None:
        raise InputError(
            f"{shortened(text)!r} is not a range of days.",
            remedy="Write FIRST:LAST:STEP, e.g. 2018-06-30:2024-12-31:6M.",
        )
    end, count, unit = parse_day(rest[0]), int(step[1]), step[2].upper()
    if end < start:
        raise InputError(f"{shortened(text)!r} ends before it begins.", remedy="Put the earlier day first.")
    number, day = 0, start
    while day <= end:
        yield day
        number += 1
        try:
            if unit in _DAYS:
                day = start + dt.timedelta(days=number * count * _DAYS[unit])
            else:
                day = months_later(start, number * count * _MONTHS[unit])
        except (OverflowError, ValueError):
            return  # the calendar ends in the year 9999
