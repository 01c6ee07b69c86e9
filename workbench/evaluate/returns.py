"""What became of a share after a day: its total return over some months, from the prices on record.

A return runs from the close nearest to the day to the close nearest to the end of the horizon. It stays
empty until the horizon is over, and where no close lies within ``WITHIN_DAYS`` days of either end. Splits in
between are put right. Every dividend that went ex after the first close and not after the last is added once,
as cash that is not put to work; closes are not adjusted for dividends, so none of them is in the prices too.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.evidence.database import EvidenceDB
from workbench.evidence.days import months_later
from workbench.evidence.shares import ONE_DAY, ShareRegister, price_basis
from workbench.evidence.view import Dividend, Event, Price
from workbench.store.outcomes import Outcome

Measure = Literal["return_1m", "return_3m", "return_6m", "return_12m"]
Missing = Literal["not_over", "no_first_price", "no_last_price"]
"""Why there is no return: the horizon is not over, or no close lies near the day or near its end."""

MEASURES: tuple[Measure, ...] = get_args(Measure)
MONTHS: Mapping[Measure, int] = {"return_1m": 1, "return_3m": 3, "return_6m": 6, "return_12m": 12}
HORIZONS: Mapping[str, Measure] = {f"{months}m": measure for measure, months in MONTHS.items()}
"""What a reader calls a horizon: ``6m``."""

WITHIN_DAYS = 10


@dataclass(frozen=True)
class ShareHistory:
    """All that is on record about a share, oldest first."""

    prices: Sequence[Price]
    dividends: Sequence[Dividend]
    events: Sequence[Event]

    @classmethod
    def known(cls, evidence: EvidenceDB, today: dt.date) -> Callable[[str], ShareHistory]:
        """What finds the history of a share by its code, with all that is known up to and including today."""
        view = evidence.view(today + ONE_DAY)
        return lambda code: cls(view.prices(code), view.dividends(code), view.events(code))


@dataclass(frozen=True)
class Return:
    """A total return as a decimal: 0.05 is 5 %.

    Attributes:
        value: The return.
        begun: Day of the first close.
        observed: Day of the last close.
        dividends: How many dividends are in it.
    """

    value: float
    begun: dt.date
    observed: dt.date
    dividends: int


def return_after(as_of: dt.date, measure: Measure, history: ShareHistory, today: dt.date) -> Return | Missing:
    """The return of a share after a day.

    Args:
        as_of: The day of the run.
        measure: Which horizon.
        history: Prices, dividends and splits known today.
        today: Horizons that end after today are not over.
    """
    end = months_later(as_of, MONTHS[measure])
    if end > today:
        return "not_over"
    first = _nearest(history.prices, as_of)
    if first is None:
        return "no_first_price"
    last = _nearest([price for price in history.prices if price.date > first.date], end)
    if last is None:
        return "no_last_price"
    register = ShareRegister(history.events, (), today + ONE_DAY)
    basis = price_basis(first)
    paid = [dividend for dividend in history.dividends if first.date < dividend.ex_date <= last.date]
    cash = sum(
        dividend.cash_per_share * register.factor(basis, dividend.ex_date - ONE_DAY) for dividend in paid
    )
    worth = last.close * register.factor(basis, price_basis(last))
    return Return((worth + cash) / first.close - 1, first.date, last.date, len(paid))


@dataclass(frozen=True)
class Followed:
    """What followed some judgements: the outcomes known, and how many are missing for each reason."""

    outcomes: tuple[Outcome, ...]
    missing: Mapping[Missing, int]


def followed(
    judged: Iterable[tuple[str, dt.date]], history: Callable[[str], ShareHistory], today: dt.date
) -> Followed:
    """The returns that followed judgements of companies, over every horizon.

    Args:
        judged: Codes, each with a day as of which it was judged.
        history: All that is on record about a code.
        today: Horizons that end after today are not over.
    """
    outcomes: list[Outcome] = []
    missing: Counter[Missing] = Counter()
    histories: dict[str, ShareHistory] = {}
    for code, as_of in judged:
        known = histories[code] if code in histories else histories.setdefault(code, history(code))
        for measure in MEASURES:
            found = return_after(as_of, measure, known, today)
            if isinstance(found, Return):
                source = "prices and dividends" if known.dividends else "prices; no dividends on record"
                outcomes.append(Outcome(code, as_of, measure, found.value, found.observed, source))
            else:
                missing[found] += 1
    return Followed(tuple(outcomes), missing)


def _nearest(prices: Sequence[Price], day: dt.date) -> Price | None:
    """The close nearest to a day, the earlier of two that are equally near."""
    near = [price for price in prices if abs((price.date - day).days) <= WITHIN_DAYS]
    return min(near, key=lambda price: abs((price.date - day).days), default=None)
