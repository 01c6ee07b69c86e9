"""Share counts and per-share figures on one split basis.

A price or share count is *on the basis of* a day: splits up to that day are in it, later ones are not.
Unadjusted prices are on the basis of their own day and share counts on that of their period end, unless
the row says otherwise (``share_basis``). Two figures may be multiplied only on one basis.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.evidence.formula import NotMeaningful
from workbench.evidence.view import Dividend, Event, Figure, Price

ONE_DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class ShareRegister:
    """What is known about the number of shares of one company.

    Args:
        events: Splits and issues known, oldest first.
        counts: Figures of ``shares_outstanding``, oldest first.
        as_of: Splits on or after this day are not known.
    """

    events: Sequence[Event]
    counts: Sequence[Figure]
    as_of: dt.date

    def factor(self, start: dt.date, end: dt.date) -> float:
        """Shares on the basis of ``end`` for one share on the basis of ``start``.

        Raises:
            NotMeaningful: One of the days is not past yet, so a split between them may be unknown.
        """
        if start == end:
            return 1.0
        if max(start, end) >= self.as_of:
            raise NotMeaningful("share count and price are on different split bases")
        if start > end:
            return 1 / self.factor(end, start)
        factor = 1.0
        for event in self.events:
            if event.kind == "split" and start < event.date <= end:
                factor *= event.value
        return factor

    def outstanding(self, day: dt.date, basis: dt.date) -> float:
        """Shares outstanding on ``day`` by what was last stated, on the basis of another day.

        Raises:
            NotMeaningful: No count is known, or it cannot be put on that basis.
        """
        stated = [figure for figure in self.counts if figure.period_end <= day]
        if not stated:
            raise NotMeaningful("shares_outstanding is not stated")
        newest = stated[-1]
        count, counted = newest.value, _count_basis(newest)
        for event in self.events:
            if event.kind == "share_count" and newest.period_end < event.date <= day:
                count, counted = event.value, event.date
        return count * self.factor(counted, basis)

    def comparable(self, count: Figure) -> float:
        """A stated share count on the basis of the newest one."""
        return count.value * self.factor(_count_basis(count), _count_basis(self.counts[-1]))

    def paid(self, dividends: Sequence[Dividend]) -> float:
        """Cash that dividends cost the company: per share times the shares outstanding before the ex-date."""
        return sum(
            dividend.cash_per_share * self.outstanding(before, before)
            for dividend in dividends
            for before in (dividend.ex_date - ONE_DAY,)
        )

    def per_share(self, dividends: Sequence[Dividend], basis: dt.date) -> float:
        """Sum of dividends per share on the basis of ``basis``."""
        return sum(
            dividend.cash_per_share / self.factor(dividend.ex_date - ONE_DAY, basis) for dividend in dividends
        )

    def closes(self, prices: Sequence[Price]) -> list[tuple[dt.date, float]]:
        """Closing prices on the basis of the newest one, oldest first.

        A price whose basis cannot be brought to that of the newest one is left out.
        """
        if not prices:
            return []
        basis = price_basis(prices[-1])
        closes = []
        for price in prices:
            if price_basis(price) == basis or max(price_basis(price), basis) < self.as_of:
                closes.append((price.date, price.close / self.factor(price_basis(price), basis)))
        return closes


def price_basis(price: Price) -> dt.date:
    """The day whose splits a price includes."""
    return price.share_basis or price.date


def _count_basis(count: Figure) -> dt.date:
    return count.share_basis or count.period_end
