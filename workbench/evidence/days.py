"""Days of the calendar."""

from __future__ import annotations

import calendar
import datetime as dt

from workbench.errors import InputError


def months_later(start: dt.date, months: int) -> dt.date:
    """The same day some months later; the end of a month leads to the end of a month.

    Raises:
        ValueError: The calendar ends before.
    """
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    at_end = start.day == calendar.monthrange(start.year, start.month)[1]
    return dt.date(year, month + 1, last if at_end else min(start.day, last))


def require_order(since: dt.date | None, until: dt.date | None) -> None:
    """Make sure that a period ends no sooner than it begins; an end that is None is open.

    Raises:
        InputError: It does.
    """
    if since and until and until < since:
        raise InputError(
            f"the days are in the wrong order: {since} comes after {until}.",
            remedy="Put the earlier day first.",
        )
