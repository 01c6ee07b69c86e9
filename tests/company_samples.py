"""Companies made up for tests: a healthy one, changed year by year and item by item as a test needs it."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.evidence.database import EvidenceDB

MILLION = 1e6

HEALTHY: Mapping[str, float] = {
    "revenue": 1000.0,
    "operating_cost": 600.0,
    "gross_profit": 400.0,
    "rnd_expense": 50.0,
    "finance_cost": 5.0,
    "interest_expense": 6.0,
    "operating_profit": 200.0,
    "net_profit": 150.0,
    "cash": 300.0,
    "accounts_receivable": 100.0,
    "other_receivables": 10.0,
    "inventory": 120.0,
    "total_assets": 1500.0,
    "short_term_debt": 50.0,
    "long_term_debt": 100.0,
    "accounts_payable": 110.0,
    "contract_liabilities": 60.0,
    "total_liabilities": 500.0,
    "equity_parent": 980.0,
    "total_equity": 1000.0,
    "cfo": 180.0,
    "capex": 60.0,
    "depreciation_amortization": 50.0,
    "dividends_paid": 60.0,
}
"""Items of one year in millions; 100 million shares go with them."""

BANK: Mapping[str, float] = {
    "revenue": 700.0,
    "net_interest_income": 550.0,
    "fee_income": 100.0,
    "credit_impairment": 120.0,
    "operating_profit": 320.0,
    "net_profit": 260.0,
    "total_assets": 30000.0,
    "total_liabilities": 27800.0,
    "equity_parent": 2150.0,
    "total_equity": 2200.0,
    "dividends_paid": 80.0,
}
"""The same for a bank; insurers and brokers leave out what they do not have."""

SHARES = 100.0


def add_company(
    db: EvidenceDB,
    code: str,
    years: Iterable[int] = range(2013, 2019),
    *,
    kind: str = "industrial",
    base: Mapping[str, float] = HEALTHY,
    growth: float = 0.08,
    changes: Mapping[int, Mapping[str, float | None]] | None = None,
    shares: Mapping[int, float] | None = None,
    price: float | None = 20.0,
    listed: dt.date | None = None,
    until: dt.date = dt.date(2019, 6, 28),
    currency: str = "CNY",
    name: str = "样本公司",
) -> None:
    """Add a company with statements published on 30 April, and month-end prices.

    Args:
        db: Where to.
        code: Canonical code.
        years: Fiscal years, ascending.
        kind: Industry kind.
        base: Items of the first year, in millions.
        growth: By how much every item grows a year.
        changes: Year -> item -> value in millions; None leaves it out.
        shares: Year -> shares in millions.
        price: Every close; None for no prices.
        listed: First trading day; five years of prices without one.
        until: Last close.
        currency: Of prices and statements.
        name: What it is called.
    """
    exchange = {"SH": "SSE", "SZ": "SZSE", "HK": "HKEX"}.get(code.partition(".")[2], "NASDAQ")
    instrument = {"code": code, "name": name, "exchange": exchange, "currency": currency, "industry": kind}
    listing = listed.isoformat() if listed else None
    db.add("instruments", [instrument | {"industry_kind": kind, "listed": listing}], origin="test")
    for number, year in enumerate(years):
        factor = (1 + growth) ** number
        items: dict[str, float | None] = {item: value * factor for item, value in base.items()}
        items |= (changes or {}).get(year, {})
        add_statement(db, code, year, items, shares=(shares or {}).get(year, SHARES), currency=currency)
    if price is not None:
        first = listed or until - dt.timedelta(days=1826)
        days = _month_ends(first, until)
        closes = [{"code": code, "date": day.isoformat(), "close": price} for day in days]
        db.add("prices", closes, origin="test")


def add_statement(
    db: EvidenceDB,
    code: str,
    year: int,
    items: Mapping[str, float | None],
    *,
    published: str = "",
    shares: float | None = None,
    currency: str = "CNY",
) -> None:
    """Add items of one fiscal year, in millions, as published on a day (30 April of the next year)."""
    head: dict[str, Any] = {
        "code": code,
        "fiscal_year": year,
        "period_end": f"{year}-12-31",
        "published": published or f"{year + 1}-04-30",
        "currency": currency,
    }
    amounts = {item: value * MILLION for item, value in items.items() if value is not None}
    if shares is not None:
        amounts["shares_outstanding"] = shares * MILLION
    rows = [head | {"item": item, "value": value} for item, value in amounts.items()]
    db.add("statements", rows, origin="test")


def _month_ends(first: dt.date, last: dt.date) -> Iterator[dt.date]:
    year, month = first.year, first.month
    while (day := dt.date(year, month, calendar.monthrange(year, month)[1])) <= last:
        yield day
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    yield last
