"""The account of one company: everything a view lets be known about it, with its ratios worked out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.evidence.formula import ANNUAL, VALUATION, NotMeaningful, Ratio, compute
from workbench.evidence.instruments import Instrument
from workbench.evidence.ratios import DAYS_A_YEAR, drawdown, price_position
from workbench.evidence.scores import COMPOSITE_SCORES
from workbench.evidence.shares import ShareRegister, price_basis
from workbench.evidence.view import Dividend, Event, Figure, Price, View

STALE_STATEMENT_DAYS = 548
"""Eighteen months after its publication an annual statement should have been followed by the next."""

STALE_PRICE_DAYS = 92
"""A close older than a quarter is history, not the price."""

PRICE_WINDOW_DAYS = 1826
"""Five years."""

MONTH_SLACK_DAYS = 20
"""Month-end closes lie this close to the day twelve months ago, trading days and suspensions considered."""

IDENTITY_TOLERANCE = 0.005
"""Largest gap between assets and liabilities plus equity, as a share of assets, that rounding explains."""

_AFTER_FINANCE_COST = (".SH", ".SZ", ".BJ")
"""Codes of companies whose standards strike operating profit after finance cost; elsewhere it is before."""


@dataclass(frozen=True)
class Year:
    """One fiscal year.

    Attributes:
        label: Fiscal year as text, e.g. ``2019``.
        period_end: Last day of the fiscal year.
        published: When the first of the figures shown came out.
        restated: When the last of them did, None when all came out together.
        estimated: Whether a publication date is an estimate.
        stated: Item -> value as in the statement.
        items: The same with what follows from them: ebit, cash_dividends, comparable_shares.
        ratios: Name -> ratio, see ``formula.ANNUAL``.
    """

    label: str
    period_end: dt.date
    published: dt.date
    restated: dt.date | None
    estimated: bool
    stated: Mapping[str, float]
    items: Mapping[str, float]
    ratios: Mapping[str, Ratio]


@dataclass(frozen=True)
class Account:
    """One company as of one day.

    Attributes:
        instrument: The company.
        as_of: Nothing dated on or after this day is in here.
        currency: Currency of the statements; empty without any.
        years: Fiscal years of today's business, oldest first.
        register: Share counts and splits.
        closes: Closes of the last five years on the basis of the newest, oldest first.
        last_price: The newest close however old, None when there is none.
        dividends: Dividends gone ex, oldest first.
        left_out: Which fiscal years belong to another business, and why; empty when none does.
    """

    instrument: Instrument
    as_of: dt.date
    currency: str
    years: tuple[Year, ...]
    register: ShareRegister
    closes: tuple[tuple[dt.date, float], ...]
    last_price: Price | None
    dividends: tuple[Dividend, ...]
    left_out: str

    @property
    def price(self) -> Price | None:
        """The newest close, unless it is too old to be the price."""
        last = self.last_price
        return last if last and (self.as_of - last.date).days <= STALE_PRICE_DAYS else None

    @property
    def stale(self) -> bool:
        """Whether the statement that should have followed the newest one is missing."""
        return (self.as_of - self.years[-1].published).days > STALE_STATEMENT_DAYS

    @property
    def statements_source(self) -> str:
        return f"annual statements of {self.instrument.code}, {self.years[0].label} to {self.years[-1].label}"

    @property
    def prices_source(self) -> str:
        return f"closing prices of {self.instrument.code} to {self.closes[-1][0]}"

    def profile(self) -> dict[str, Any]:
        """Who the company is, JSON-ready."""
        instrument = self.instrument
        return {
            "code": instrument.code,
            "name": instrument.name,
            "name_en": instrument.name_en,
            "industry": instrument.industry,
            "industry_kind": instrument.industry_kind,
            "exchange": instrument.exchange,
            "currency": instrument.currency,
            "statement_currency": self.currency,
            "listed": instrument.listed.isoformat() if instrument.listed else None,
            "first_year": self.years[0].label,
            "last_year": self.years[-1].label,
            "note": instrument.note,
        }

    @cached_property
    def warnings(self) -> list[str]:
        """What a reader of the statements must know."""
        newest = self.years[-1]
        warnings = [self.left_out] if self.left_out else []
        for year in self.years:
            gap = _identity_gap(year.stated)
            if gap is not None and gap > IDENTITY_TOLERANCE:
                warnings.append(
                    f"{year.label}: assets differ from liabilities plus equity by {gap:.1%} of assets."
                )
            if year.restated:
                warnings.append(f"{year.label}: some figures are as restated on {year.restated}.")
        if estimated := [year.label for year in self.years if year.estimated]:
            warnings.append(f"Publication dates are estimates for {', '.join(estimated)}.")
        if self.stale:
            warnings.append(
                f"The newest statement, {newest.label}, was published on {newest.published},"
                f" more than eighteen months before {self.as_of}."
            )
        return warnings

    @cached_property
    def latest(self) -> dict[str, Ratio]:
        """Figures of today: the price, its place in its history, its multiples, and the composite scores."""
        newest = self.years[-1] if self.years else None
        price = self._price()
        history = {
            "price": price,
            "price_position_5y": self._of_closes(price_position),
            "drawdown_5y": self._of_closes(drawdown),
            "return_1y": self._of_closes(lambda _: _return_over_a_year(self.closes)),
            "dividend_per_share": self._dividend_per_share(),
        }
        if newest is None:
            return history
        given = history | {"statement_price": self._statement_price(price), "shares": self._shares()}
        known = {**newest.items, **_values(newest.ratios), **_values(given)}
        multiples = compute(
            VALUATION.values(),
            [known],
            self.instrument.industry_kind,
            _reasons(newest.ratios) | _reasons(given),
        )
        return history | multiples | {name: newest.ratios[name] for name in COMPOSITE_SCORES}

    def _price(self) -> Ratio:
        if self.price:
            return Ratio(self.price.close)
        if self.last_price is None:
            return Ratio(None, f"no price of {self.instrument.code} before {self.as_of} is on record")
        last = self.last_price.date
        return Ratio(None, f"the last close, of {last}, is more than {STALE_PRICE_DAYS} days old")

    def _statement_price(self, price: Ratio) -> Ratio:
        """The price as it may be set against statement figures."""
        newest = self.years[-1]
        if price.value is None:
            return price
        if self.stale:
            return Ratio(
                None, f"the newest statement, {newest.label}, is too old to hold against today's price"
            )
        if self.instrument.currency != self.currency:
            return Ratio(
                None,
                f"the price is in {self.instrument.currency}, the statements are in {self.currency},"
                " and there is no exchange rate",
            )
        return price

    def _shares(self) -> Ratio:
        if self.price is None:
            return self._price()
        price = self.price
        return _attempt(lambda: self.register.outstanding(price.date, price_basis(price)))

    @cached_property
    def full_year_dividends(self) -> tuple[str, list[Dividend]]:
        """The dividends of one full year, and which: see ``ratios.dividend_yield``."""
        finals = [row for row in self.dividends if row.kind == "final" and row.fiscal_year]
        if finals:
            year = finals[-1].fiscal_year
            return f"fiscal year {year}", [row for row in self.dividends if row.fiscal_year == year]
        return "last 12 months", [
            row for row in self.dividends if (self.as_of - row.ex_date).days <= DAYS_A_YEAR
        ]

    def _dividend_per_share(self) -> Ratio:
        if self.price is None:
            return self._price()
        basis = price_basis(self.price)
        span, paid = self.full_year_dividends
        if not paid:
            return Ratio(None, f"no dividend of the {span} is on record")
        if (self.as_of - paid[-1].ex_date).days > STALE_STATEMENT_DAYS:
            return Ratio(None, f"the last dividend on record, of {span}, went ex on {paid[-1].ex_date}")
        return _attempt(lambda: self.register.per_share(paid, basis))

    def _of_closes(self, function: Callable[[Sequence[float]], float]) -> Ratio:
        price = self._price()
        if price.value is None:
            return price
        return _attempt(lambda: function([close for _, close in self.closes]))


def open_account(view: View, code: str) -> Account:
    """Gather what ``view`` lets be known about a company and work out its ratios."""
    instrument = view.instrument(code)
    events = view.events(code)
    figures = view.statements(code)
    takeover = next((event for event in reversed(events) if event.kind == "new_business"), None)
    comparable = [figure for figure in figures if takeover is None or figure.fiscal_year >= takeover.value]
    counts = [figure for figure in figures if figure.item == "shares_outstanding"]
    register = ShareRegister(events, counts, view.as_of)
    dividends = tuple(view.dividends(code))
    currency = comparable[-1].currency if comparable else ""
    prices = [price for price in view.prices(code) if takeover is None or price.date >= takeover.date]
    window = [price for price in prices if (view.as_of - price.date).days <= PRICE_WINDOW_DAYS]
    return Account(
        instrument=instrument,
        as_of=view.as_of,
        currency=currency,
        years=_years(comparable, instrument, register, dividends if currency == instrument.currency else ()),
        register=register,
        closes=tuple(register.closes(window)),
        last_price=prices[-1] if prices else None,
        dividends=dividends,
        left_out=_left_out(figures, comparable, takeover),
    )


def _years(
    figures: Sequence[Figure], instrument: Instrument, register: ShareRegister, dividends: Sequence[Dividend]
) -> tuple[Year, ...]:
    by_year: dict[int, list[Figure]] = {}
    for figure in figures:
        by_year.setdefault(figure.fiscal_year, []).append(figure)
    years: list[Year] = []
    known: dict[tuple[str, int], dict[str, float]] = {}  # a year in another currency is no base
    for fiscal_year, stated in by_year.items():
        items = {figure.item: figure.value for figure in stated}
        derived = {
            "ebit": _ebit(items, instrument.code),
            "cash_dividends": _cash_dividends(items, stated[0], register, dividends),
            "comparable_shares": _comparable_shares(stated, register),
        }
        items |= _values(derived)
        currency = stated[0].currency
        earlier = [known.get((currency, fiscal_year - lag), {}) for lag in (1, 2)]
        ratios = compute(ANNUAL.values(), [items, *earlier], instrument.industry_kind, _reasons(derived))
        known[currency, fiscal_year] = items | _values(ratios)
        days = [figure.published for figure in stated]
        years.append(
            Year(
                label=str(fiscal_year),
                period_end=stated[0].period_end,
                published=min(days),
                restated=max(days) if max(days) > min(days) else None,
                estimated=any(figure.published_estimated for figure in stated),
                stated={figure.item: figure.value for figure in stated},
                items=items,
                ratios=ratios,
            )
        )
    return tuple(years)


def _ebit(items: Mapping[str, float], code: str) -> Ratio:
    """Earnings before interest and tax; Chinese operating profit is struck after net finance cost."""
    needed = ["operating_profit", *(["finance_cost"] if code.endswith(_AFTER_FINANCE_COST) else [])]
    missing = [item for item in needed if item not in items]
    if missing:
        return Ratio(None, "; ".join(f"{item} is not stated" for item in missing))
    return Ratio(sum(items[item] for item in needed))


def _cash_dividends(
    items: Mapping[str, float], of: Figure, register: ShareRegister, dividends: Sequence[Dividend]
) -> Ratio:
    """Dividends of a fiscal year: those declared for it, else those stated, else those paid during it."""
    declared = [row for row in dividends if row.fiscal_year == of.fiscal_year]
    if declared:
        if not any(row.kind == "final" for row in declared):
            return Ratio(None, f"the final dividend of {of.fiscal_year} has not gone ex")
        return _attempt(lambda: register.paid(declared))
    if "dividends_paid" in items:
        return Ratio(items["dividends_paid"])
    paid = [
        row
        for row in dividends
        if row.fiscal_year is None and 0 <= (of.period_end - row.ex_date).days < DAYS_A_YEAR
    ]
    if paid:
        return _attempt(lambda: register.paid(paid))
    if "dividends_and_interest_paid" in items:
        return Ratio(None, f"dividends of {of.fiscal_year} are stated only together with interest paid")
    return Ratio(None, f"no dividend of {of.fiscal_year} is on record")


def _comparable_shares(figures: Sequence[Figure], register: ShareRegister) -> Ratio:
    """The share count of a fiscal year on the split basis of the newest count known."""
    count = next((figure for figure in figures if figure.item == "shares_outstanding"), None)
    if count is None:
        return Ratio(None, "shares_outstanding is not stated")
    return _attempt(lambda: register.comparable(count))


def _left_out(figures: Sequence[Figure], comparable: Sequence[Figure], takeover: Event | None) -> str:
    if takeover is None or len(figures) == len(comparable):
        return ""
    return f"Fiscal years before {takeover.value:.0f} are left out: {takeover.note}."


def _return_over_a_year(closes: Sequence[tuple[dt.date, float]]) -> float:
    """Change of the close over twelve months, dividends not counted."""
    day, last = closes[-1]
    ages = {(day - earlier).days: close for earlier, close in closes}
    base = next((close for age, close in ages.items() if abs(age - DAYS_A_YEAR) <= MONTH_SLACK_DAYS), None)
    if base is None:
        raise NotMeaningful("no close of a year ago is on record")
    return last / base - 1


def _identity_gap(items: Mapping[str, float]) -> float | None:
    """Gap between assets and liabilities plus equity as a share of assets; None where one is not stated."""
    if not items.keys() >= {"total_assets", "total_liabilities", "total_equity"}:
        return None
    return (
        abs(items["total_assets"] - items["total_liabilities"] - items["total_equity"])
        / items["total_assets"]
    )


def _attempt(work_out: Callable[[], float]) -> Ratio:
    try:
        return Ratio(work_out())
    except NotMeaningful as reason:
        return Ratio(None, str(reason))


def _values(ratios: Mapping[str, Ratio]) -> dict[str, float]:
    return {name: ratio.value for name, ratio in ratios.items() if ratio.value is not None}


def _reasons(ratios: Mapping[str, Ratio]) -> dict[str, str]:
    return {name: ratio.reason for name, ratio in ratios.items() if ratio.value is None}
