"""How the baseline writes a figure: one place, so that a printed number is always a fact, rounded for display."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from workbench.evidence.labels import CHINESE

Language = Literal["zh", "en"]

_ENGLISH = {
    "accounts_payable": "payables",
    "accounts_receivable": "receivables",
    "capex": "capital expenditure",
    "cfo": "operating cash flow",
    "contract_liabilities": "customer prepayments",
    "dividend_yield": "dividend yield",
    "dividends_and_interest_paid": "dividends and interest paid",
    "equity_parent": "shareholders' equity",
    "fcf": "free cash flow",
    "fcf_margin": "free cash flow margin",
    "interest_bearing_debt": "interest-bearing debt",
    "long_term_debt": "long-term debt",
    "pb": "P/B",
    "rnd_expense": "research spending",
    "roe": "ROE",
    "roic": "ROIC before tax",
    "short_term_debt": "short-term debt",
}
"""English names that are not just the key with spaces."""

_CURRENCY_ZH = {"CNY": "元", "HKD": "港元", "USD": "美元"}
_COUNTS_ZH = "零一二三四五六七八九十"
_COUNTS_EN = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SCALES_ZH = ((1e12, "万亿", 2), (1e8, "亿", 1), (1e4, "万", 1))
_SCALES_EN = ((1e12, "tn", 2), (1e9, "bn", 1), (1e6, "m", 1))


class Wording:
    """Figures and counts as text, in Chinese or English.

    Args:
        language: ``zh`` or ``en``.
        currency: ISO code of the amounts, e.g. ``CNY``.
    """

    def __init__(self, language: Language, currency: str) -> None:
        self.language = language
        self.currency = currency

    def say(self, zh: str, en: str) -> str:
        """Whichever of the two texts is in the reader's language."""
        return zh if self.language == "zh" else en

    def label(self, name: str) -> str:
        """What a reader calls an item or ratio."""
        return self.say(CHINESE.get(name, name), _ENGLISH.get(name, name.replace("_", " ")))

    def money(self, amount: float) -> str:
        """An amount in the statement currency, e.g. ``838.0 亿元`` or ``CNY 83.8 bn``."""
        if self.language == "zh":
            unit = _CURRENCY_ZH.get(self.currency, f" {self.currency}")
            number, scale = _scaled(amount, _SCALES_ZH)
            return f"{number} {scale}{unit}"
        number, scale = _scaled(amount, _SCALES_EN)
        return f"{self.currency} {number}{' ' if scale else ''}{scale}"

    def price(self, amount: float, currency: str) -> str:
        """A price per share with two decimals."""
        if self.language == "zh":
            return f"{amount:.2f} {_CURRENCY_ZH.get(currency, currency)}"
        return f"{currency} {amount:.2f}"

    def percent(self, fraction: float) -> str:
        """A fraction as a percentage with one decimal: 0.125 is ``12.5%``."""
        return f"{_clean(fraction * 100, 1)}%"

    def times(self, multiple: float) -> str:
        """A multiple with one decimal: ``12.3 倍`` or ``12.3x``."""
        return self.say(f"{_clean(multiple, 1)} 倍", f"{_clean(multiple, 1)}x")

    def plain(self, number: float, decimals: int = 2) -> str:
        """A bare number, e.g. a score of a model such as Altman Z."""
        return _clean(number, decimals)

    def days(self, number: float) -> str:
        """A number of days without decimals."""
        return self.say(f"{number:.0f} 天", f"{number:.0f} days")

    def count(self, number: int) -> str:
        """A small count in words, so that the digits in a text are figures of the company only."""
        if not 0 <= number <= 10:
            return str(number)
        if self.language == "en":
            return _COUNTS_EN[number]
        return "两" if number == 2 else _COUNTS_ZH[number]

    def join(self, parts: Sequence[str]) -> str:
        """An enumeration: ``a、b`` or ``a, b``."""
        return self.say("、", ", ").join(parts)

    def sentences(self, parts: Sequence[str]) -> str:
        """Sentences run together; each part ends with its own full stop."""
        return self.say("", " ").join(part for part in parts if part)


def _clean(number: float, decimals: int) -> str:
    """Fixed decimals without a negative zero."""
    text = f"{number:.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def _scaled(amount: float, scales: Sequence[tuple[float, str, int]]) -> tuple[str, str]:
    for factor, name, decimals in scales:
        if abs(amount) >= factor:
            return _clean(amount / factor, decimals), name
    return _clean(amount, 0), ""
