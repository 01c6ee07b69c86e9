"""The slices of a listed company: profile, statements, ratios, prices, dividends.

Facts are keyed by fiscal year as text ("2019"), amounts are in the currency of the statements, and a figure
that cannot be given is None with its reason under ``Evidence.missing``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, get_args
from weakref import WeakKeyDictionary

from workbench.errors import InputError
from workbench.evidence import company_text as text
from workbench.evidence.account import Account, open_account
from workbench.evidence.formula import Ratio
from workbench.evidence.slices import slice_
from workbench.evidence.view import View
from workbench.records import Evidence, Sufficiency, TickerSubject

_ACCOUNTS: WeakKeyDictionary[View, dict[str, Account]] = WeakKeyDictionary()
"""A run's slices share one view: a company's ratios are worked out once, and dropped with the view."""

_GRADES: tuple[Sufficiency, ...] = get_args(Sufficiency)


def require_history(view: View, code: str) -> None:
    """Check that a company can be judged at all as of the view's date.

    Raises:
        InputError: The company is unknown, or no statement of its business had been published.
    """
    account = _account(view, code)
    if not account.years:
        raise InputError(
            f"no annual statement of {account.instrument.title} was published before {view.as_of}.",
            remedy="Choose a later as-of date, or import its statements.",
        )


@slice_("profile")
def profile(view: View, subject: TickerSubject) -> Evidence:
    """Who the company is. Known from the first statement on; sufficiency is high or none."""
    account = _account(view, subject.code)
    if not account.years:
        return Evidence()
    facts = account.profile()
    return Evidence(
        facts={"profile": facts},
        text=text.profile(facts),
        sources=("instrument table",),
        sufficiency="high",
    )


@slice_("statements")
def statements(view: View, subject: TickerSubject) -> Evidence:
    """Every item of every annual statement known.

    Sufficiency: five years or more high, three or four medium, one or two low; one step lower when the
    newest was published more than eighteen months before the as-of date.
    """
    account = _account(view, subject.code)
    if not account.years:
        return Evidence()
    newest = account.years[-1]
    items = {item for year in account.years for item in year.stated}
    facts = {
        "years": [year.label for year in account.years],
        "currency": account.currency,
        "items": {
            item: {year.label: year.items.get(item) for year in account.years} for item in sorted(items)
        },
        "period_end": {year.label: year.period_end.isoformat() for year in account.years},
        "published": {year.label: year.published.isoformat() for year in account.years},
        "estimated": [year.label for year in account.years if year.estimated],
        "warnings": account.warnings,
    }
    return Evidence(
        facts={"statements": facts},
        text=text.statements(account),
        sources=(account.statements_source,),
        newest=newest.published,
        sufficiency=_statement_grade(account),
        missing={
            item: f"{item} is not stated for {newest.label}" for item in sorted(items - newest.items.keys())
        },
    )


@slice_("ratios")
def ratios(view: View, subject: TickerSubject) -> Evidence:
    """Ratios of every fiscal year under ``ratios``, and of today's price under ``latest``.

    Sufficiency as for the statements: a missing price leaves ``latest`` empty, with its reason.
    """
    account = _account(view, subject.code)
    if not account.years:
        return Evidence()
    newest = account.years[-1]
    latest = account.latest
    facts = {
        "ratios": {
            name: {year.label: year.ratios[name].value for year in account.years} for name in newest.ratios
        },
        "latest": {
            "price_date": account.price.date.isoformat() if account.price else None,
            "price_currency": account.instrument.currency,
            "fiscal_year": newest.label,
            **{name: ratio.value for name, ratio in latest.items()},
        },
    }
    sources = (account.statements_source, *([account.prices_source] if account.price else []))
    return Evidence(
        facts=facts,
        text=text.ratios(account, latest),
        sources=sources,
        newest=max(newest.published, account.price.date) if account.price else newest.published,
        sufficiency=_statement_grade(account),
        missing=_reasons(newest.ratios.items()) | _reasons(latest.items()),
    )


@slice_("prices")
def prices(view: View, subject: TickerSubject) -> Evidence:
    """Month-end closes of the last five years on the split basis of the newest one.

    Sufficiency: three years of closes high, one year medium, less low; low when the last one is older than
    three months, because it is no longer the price.
    """
    account = _account(view, subject.code)
    closes = account.closes
    if not closes:
        return Evidence(missing={"price": account.latest["price"].reason})
    grade = _grade(len(closes), high=36, medium=12)
    facts = {
        "currency": account.instrument.currency,
        "closes": [[day.isoformat(), close] for day, close in closes],
        "high": _extreme(max(closes, key=_close)),
        "low": _extreme(min(closes, key=_close)),
    }
    latest = {
        name: account.latest[name] for name in ("price", "price_position_5y", "drawdown_5y", "return_1y")
    }
    return Evidence(
        facts={"prices": facts | {name: ratio.value for name, ratio in latest.items()}},
        text=text.prices(account, latest),
        sources=(account.prices_source,),
        newest=closes[-1][0],
        sufficiency=grade if account.price else "low",
        missing=_reasons(latest.items()),
    )


@slice_("dividends")
def dividends(view: View, subject: TickerSubject) -> Evidence:
    """Cash dividends per share that have gone ex, and what they cost of the profit.

    Sufficiency: ex-dates in five years or more high, in three or four medium, fewer low.
    """
    account = _account(view, subject.code)
    if not account.dividends:
        return Evidence(
            missing={"dividends": f"no dividend per share of {account.instrument.code} is on record"}
        )
    unknown = Ratio(None, "no annual statement had been published")
    latest = {name: account.latest.get(name, unknown) for name in ("dividend_per_share", "dividend_yield")}
    facts = {
        "currency": account.instrument.currency,
        "paid": [row._asdict() | {"ex_date": row.ex_date.isoformat()} for row in account.dividends],
        "full_year": account.full_year_dividends[0],
    }
    return Evidence(
        facts={"dividends": facts | {name: ratio.value for name, ratio in latest.items()}},
        text=text.dividends(account, latest),
        sources=(f"dividends of {account.instrument.code} to {account.dividends[-1].ex_date}",),
        newest=account.dividends[-1].ex_date,
        sufficiency=_grade(len({row.ex_date.year for row in account.dividends}), high=5, medium=3),
        missing=_reasons(latest.items()),
    )


def _account(view: View, code: str) -> Account:
    accounts = _ACCOUNTS.setdefault(view, {})
    if code not in accounts:
        accounts[code] = open_account(view, code)
    return accounts[code]


def _statement_grade(account: Account) -> Sufficiency:
    grade = _grade(len(account.years), high=5, medium=3)
    return _GRADES[min(_GRADES.index(grade) + 1, _GRADES.index("low"))] if account.stale else grade


def _grade(count: int, *, high: int, medium: int) -> Sufficiency:
    return "high" if count >= high else "medium" if count >= medium else "low" if count else "none"


def _reasons(ratios: Iterable[tuple[str, Ratio]]) -> dict[str, str]:
    return {name: ratio.reason for name, ratio in ratios if ratio.value is None}


def _close(close: tuple[dt.date, float]) -> float:
    return close[1]


def _extreme(close: tuple[dt.date, float]) -> list[Any]:
    return [close[0].isoformat(), close[1]]
