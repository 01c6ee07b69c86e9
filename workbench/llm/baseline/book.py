"""The book of one company: its facts as the baseline's rules read them.

Years are labels in ascending order, not numbers, so a rule never depends on the calendar. A figure
that is not there is None, with the reason under ``missing``; no rule ever fills it in.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.llm.baseline.wording import Language, Wording

STALE_STATEMENT_DAYS = 400
"""An annual report older than this should have been followed by the next one."""

FINANCIAL_KINDS = frozenset({"bank", "insurer", "broker"})
"""Industry kinds whose debt and operating cash flow are their trade, not a burden."""

Series = list[tuple[str, float]]


class Book:
    """Read-only access to the facts of one company.

    Args:
        facts: Evidence facts as the company slices lay them out: ``profile``, ``statements``, ``ratios``,
            ``latest``, and ``chapters`` (what earlier chapters concluded).
        language: Language of the notes.
        as_of: Date of the analysis, to tell how old a report is; None when unknown.
    """

    def __init__(self, facts: Mapping[str, Any], language: Language, as_of: dt.date | None = None) -> None:
        self.profile: Mapping[str, Any] = facts.get("profile") or {}
        statements: Mapping[str, Any] = facts.get("statements") or {}
        self._items = _by_year(statements.get("items"))
        self._ratios = _by_year(facts.get("ratios"))
        self._latest: Mapping[str, Any] = facts.get("latest") or {}
        self._published: Mapping[str, Any] = {
            str(y): d for y, d in (statements.get("published") or {}).items()
        }
        self.years: tuple[str, ...] = tuple(str(year) for year in statements.get("years") or ())
        self.estimated: tuple[str, ...] = tuple(str(year) for year in statements.get("estimated") or ())
        self.missing: Mapping[str, str] = facts.get("missing") or {}
        self.documents = int((facts.get("documents") or {}).get("count", 0))
        self.sources: Sequence[str] = facts.get("sources") or ()
        self.chapters: Sequence[Mapping[str, Any]] = facts.get("chapters") or ()
        self.as_of = as_of
        self.words = Wording(language, str(statements.get("currency") or ""))
        self.say = self.words.say

    @property
    def year(self) -> str:
        """Label of the newest fiscal year; empty when there is no statement."""
        return self.years[-1] if self.years else ""

    @property
    def kind(self) -> str:
        return str(self.profile.get("industry_kind") or "")

    @property
    def financial(self) -> bool:
        return self.kind in FINANCIAL_KINDS

    @property
    def price_currency(self) -> str:
        return str(self.profile.get("currency") or "")

    def item(self, name: str, back: int = 0) -> float | None:
        """A statement item or per-year ratio of the year ``back`` years before the newest one."""
        if back >= len(self.years):
            return None
        return self._value(name, self.years[-1 - back])

    def has(self, name: str) -> bool:
        """Whether the newest year has a value."""
        return self.item(name) is not None

    def series(self, name: str, last: int = 5) -> Series:
        """``(year, value)`` of the last years, ascending, years without a value left out."""
        values = [(year, self._value(name, year)) for year in self.years[-last:]]
        return [(year, value) for year, value in values if value is not None]

    def latest(self, name: str) -> float | None:
        """A figure of today: price, pe, pb, ev_fcf, altman_z and the like."""
        value = self._latest.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def no_price(self) -> bool:
        return self.latest("price") is None

    @property
    def outlay(self) -> str:
        """The item that says what was paid out: dividends, or where only that is stated, with interest."""
        return "dividends_paid" if self.has("dividends_paid") else "dividends_and_interest_paid"

    @property
    def span(self) -> int:
        """Years a growth rate is taken over: five, or as many as there are."""
        return max(1, min(5, len(self.years) - 1))

    @property
    def price_date(self) -> str:
        return str(self._latest.get("price_date") or "")

    def mean(self, name: str, last: int = 3) -> float | None:
        """Mean of the last years; None where any of them is missing."""
        total = self.total(name, last)
        return None if total is None else total / last

    def total(self, name: str, last: int) -> float | None:
        """Sum of the last years; None where any of them is missing."""
        values = [value for _, value in self.series(name, last)]
        return sum(values) if len(values) == last else None

    def growth(self, name: str, years: int) -> float | None:
        """Compound annual growth over ``years`` years; None unless both ends are positive."""
        newest, oldest = self.item(name), self.item(name, years)
        if newest is None or oldest is None or newest <= 0 or oldest <= 0:
            return None
        return float((newest / oldest) ** (1 / years) - 1)

    def statement_age_days(self) -> int | None:
        """Days since the newest annual report came out."""
        published = self._published.get(self.year)
        if self.as_of is None or not published:
            return None
        return (self.as_of - dt.date.fromisoformat(str(published))).days

    @property
    def stale(self) -> bool:
        age = self.statement_age_days()
        return age is not None and age > STALE_STATEMENT_DAYS

    def earlier(self, field: str) -> Any:
        """A field of an earlier chapter's final answer; the newest chapter that has it wins."""
        for chapter in reversed(self.chapters):
            if field in (chapter.get("fields") or {}):
                return chapter["fields"][field]
        return None

    def cite(self, name: str, back: int = 0) -> str:
        """One figure that is known to exist, e.g. ``经营现金流净额 -74.3 亿元（2018）``."""
        value = self.item(name, back)
        assert value is not None, name
        text = f"{self.words.label(name)} {self.words.figure(name, value)}"
        return self.say(f"{text}（{self.years[-1 - back]}）", f"{text} ({self.years[-1 - back]})")

    def run(self, name: str, last: int = 3) -> str:
        """The last years of an item or ratio: ``经营现金流净额 2017 年 -162.3 亿元、2018 年 -74.3 亿元``."""
        write = self.words.figure
        parts = [
            self.say(f"{year} 年 {write(name, value)}", f"{write(name, value)} in {year}")
            for year, value in self.series(name, last)
        ]
        return f"{self.words.label(name)} {self.words.join(parts)}"

    def quote(self, name: str) -> str:
        """A figure of today that is known to exist, e.g. ``市盈率 8.3 倍``."""
        value = self.latest(name)
        assert value is not None, name
        return f"{self.words.label(name)} {self.words.figure(name, value)}"

    def _value(self, name: str, year: str) -> float | None:
        value = self._items.get(name, {}).get(year)
        return self._ratios.get(name, {}).get(year) if value is None else value


def _by_year(table: Mapping[str, Any] | None) -> dict[str, dict[str, float | None]]:
    return {name: {str(year): value for year, value in row.items()} for name, row in (table or {}).items()}
