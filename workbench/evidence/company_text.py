"""Company evidence as text: compact Markdown tables under names that read in both languages.

A row is headed by its key in the facts and its Chinese name, so that a reader of either language, and a
model, can tie a figure to the fact behind it. Amounts are in millions of the statement currency.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.evidence.account import Account
from workbench.evidence.formula import Ratio
from workbench.evidence.labels import CHINESE, unit_of

YEARS_SHOWN = 6
"""A five-year trend and the year it starts from; the facts hold all years."""


def profile(facts: Mapping[str, Any]) -> str:
    """Name, industry and currencies in a few lines."""
    name_en = f" / {facts['name_en']}" if facts["name_en"] else ""
    return (
        f"{facts['name']}{name_en} ({facts['code']}, {facts['exchange']})\n"
        f"行业 industry: {facts['industry']} ({facts['industry_kind']})\n"
        f"上市 listed: {facts['listed'] or '?'}; 交易货币 trades in {facts['currency']}; "
        f"报表货币 reports in {facts['statement_currency']}\n"
        f"年报 annual statements: {facts['first_year']}–{facts['last_year']}"
        + (f"\n备注 note: {facts['note']}" if facts["note"] else "")
    )


def statements(account: Account) -> str:
    """Items by year, newest year last, with publication dates and warnings."""
    years = account.years[-YEARS_SHOWN:]
    items = [item for item in CHINESE if any(item in year.stated for year in years)]
    others = sorted({item for year in years for item in year.stated} - set(items))
    rows = [
        [_label(item), *(_figure(item, year.stated.get(item)) for year in years)] for item in items + others
    ]
    published = [f"{year.published}{'*' if year.estimated else ''}" for year in years]
    return "\n".join(
        [
            f"年报 Annual statements, 百万 million {account.currency} "
            "(per-share items in units, share counts in millions; – not stated; * estimated date)",
            _table(["item", *(year.label for year in years)], [*rows, ["published 发布日", *published]]),
            *(f"- {warning}" for warning in account.warnings),
        ]
    )


def ratios(account: Account, latest: Mapping[str, Ratio]) -> str:
    """Ratios by year and of today; what cannot be given is listed with its reason."""
    years = account.years[-YEARS_SHOWN:]
    newest = years[-1]
    rows = [
        [_label(name), *(_figure(name, year.ratios[name].value) for year in years)]
        for name in newest.ratios
        if any(year.ratios[name].value is not None for year in years)
    ]
    today = [
        [_label(name), _figure(name, ratio.value)]
        for name, ratio in latest.items()
        if ratio.value is not None
    ]
    currency = account.instrument.currency
    price = f"{currency} 收盘价 close of {account.price.date}" if account.price else "无现价 no current price"
    return "\n".join(
        [
            f"财务比率 Ratios by fiscal year (amounts in 百万 million {account.currency})",
            _table(["ratio", *(year.label for year in years)], rows),
            "",
            f"估值 Valuation: {price}; 年报 statements of fiscal year {newest.label}",
            *([_table(["figure", "value"], today)] if today else []),
            "",
            "缺失 Not available:",
            *_not_available({**newest.ratios, **latest}),
        ]
    )


def prices(account: Account, latest: Mapping[str, Ratio]) -> str:
    """Half-yearly closes, the extremes and where the price stands."""
    closes = account.closes
    shown = closes[::-1][::6][::-1]
    high, low = (pick(closes, key=lambda close: close[1]) for pick in (max, min))
    return "\n".join(
        [
            f"月末收盘 Month-end closes, {account.instrument.currency}, splits adjusted, dividends not; "
            f"{len(closes)} closes from {closes[0][0]} to {closes[-1][0]}",
            _table([str(day) for day, _ in shown], [[f"{close:,.2f}" for _, close in shown]]),
            f"- 最高 high {high[1]:,.2f} ({high[0]}), 最低 low {low[1]:,.2f} ({low[0]})",
            *_lines(latest),
        ]
    )


def dividends(account: Account, latest: Mapping[str, Ratio]) -> str:
    """Dividends per share by ex-date, newest last."""
    rows = [
        [str(row.ex_date), f"{row.cash_per_share:g}", f"{row.fiscal_year or '–'}", row.kind or "–"]
        for row in account.dividends[-2 * YEARS_SHOWN :]
    ]
    return "\n".join(
        [
            f"现金分红 Cash dividends per share before tax, {account.instrument.currency}",
            _table(["ex-date 除息日", "per share 每股", "fiscal year 所属年度", "kind"], rows),
            f"- 全年口径 full year: {account.full_year_dividends[0]}",
            *_lines(latest),
        ]
    )


def _lines(figures: Mapping[str, Ratio]) -> list[str]:
    return [
        f"- {_label(name)}: {ratio.reason if ratio.value is None else _figure(name, ratio.value)}"
        for name, ratio in figures.items()
    ]


def _not_available(figures: Mapping[str, Ratio]) -> list[str]:
    """One line for each reason, with every figure it takes away."""
    names: dict[str, list[str]] = {}
    for name, ratio in figures.items():
        if ratio.value is None:
            names.setdefault(ratio.reason, []).append(_label(name))
    return [f"- {', '.join(labels)}: {reason}" for reason, labels in names.items()]


def _label(name: str) -> str:
    return f"{name} {CHINESE[name]}" if name in CHINESE else name


def _figure(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    match unit_of(name):
        case "amount" | "shares":
            millions = value / 1e6
            return f"{millions:,.0f}" if abs(millions) >= 1000 else f"{millions:,.1f}"
        case "fraction":
            return f"{value:.1%}"
        case "days":
            return f"{value:,.0f}"
        case "multiple":
            return f"{value:.2f}"
        case "per_share":
            return f"{value:,.4g}" if abs(value) < 1 else f"{value:,.2f}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---", *(["---:"] * (len(header) - 1))], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
