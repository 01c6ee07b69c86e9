"""How the baseline writes a figure: one place, so that a printed number is a fact, rounded for display."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from workbench.evidence.labels import CHINESE, unit_of

Language = Literal["zh", "en"]

_ENGLISH = {
    "accounts_payable": "payables",
    "accounts_receivable": "receivables",
    "capex": "capital expenditure",
    "cfo": "operating cash flow",
    "cash_to_short_debt": "cash to short-term debt",
    "contract_liabilities": "customer prepayments",
    "debt_to_assets_ex_advances": "liabilities to assets without prepayments",
    "dividends_and_interest_paid": "dividends and interest paid",
    "equity_parent": "shareholders' equity",
    "ev_fcf": "EV/FCF",
    "fcf": "free cash flow",
    "fcf_margin": "free cash flow margin",
    "interest_bearing_debt": "interest-bearing debt",
    "long_term_debt": "long-term debt",
    "net_interest_to_assets": "net interest to average assets",
    "pb": "P/B",
    "pe": "P/E",
    "price_position_5y": "price position within five years",
    "rnd_expense": "research spending",
    "roe": "ROE",
    "roic": "ROIC before tax",
    "short_term_debt": "short-term debt",
}
"""English names that are not just the key with spaces."""

_CHOICES = {
    "可信": "credible", "存疑": "doubtful", "不可信": "not credible",
    "通过": "passed", "观察": "watch", "不通过": "failed",
    "低": "low", "中": "medium", "高": "high",
    "优秀": "excellent", "良好": "good", "一般": "fair", "差": "poor", "合格": "adequate",
    "优": "good", "良": "fair",
    "质量成长(GARP)": "quality growth (GARP)", "纯硬收息": "income", "烟蒂股": "cigar butt",
    "价值发现": "value recovery", "关联方资源": "related-party resources",
    "宽": "wide", "窄": "narrow", "无": "none",
    "底部": "bottom", "上行": "upswing", "顶部": "top", "下行": "downswing", "非周期": "not cyclical",
    "改善": "improving", "平稳": "steady", "恶化": "worsening", "持平": "flat",
    "健康": "sound", "可控": "bearable", "危险": "dangerous",
    "占用上下游": "financed by others", "被占用": "financing others", "均衡": "balanced",
    "轻": "light", "重": "heavy",
    "正": "positive", "负": "negative",
    "可持续": "sustainable", "需观察": "uncertain", "不可持续": "not sustainable", "不分红": "no dividend",
    "非陷阱": "no trap", "疑似": "possible trap", "陷阱": "trap",
    "低估": "cheap", "合理": "fair", "高估": "expensive",
    "充足": "ample", "不足": "thin", "为负": "negative",
    "低位": "low", "中位": "middle", "高位": "high",
    "买入": "buy", "观望": "watch", "回避": "avoid",
    "收窄": "narrowing", "稳健": "sound", "关注": "watch",
    "增长": "growing", "下滑": "falling",
    "偏弱": "weak", "有回报": "pays off", "回报不明": "unclear", "军备竞赛": "arms race",
    "低成本": "low cost", "中等": "in the middle", "高成本": "high cost",
    "稳定": "steady", "波动": "uneven", "偏低": "low",
    "低谷": "trough", "中段": "middle", "高峰": "peak",
}  # fmt: skip
"""The values operators choose from, in English."""

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

    def choice(self, value: str) -> str:
        """A value an operator chose, in the reader's language."""
        return self.say(value, _CHOICES.get(value, value))

    def means(self, answered: object, values: Collection[str]) -> bool:
        """Whether an answer is one of these values, given in Chinese, in either language."""
        return any(answered in (value, _CHOICES.get(value)) for value in values)

    def figure(self, name: str, value: float) -> str:
        """A value of an item or ratio in its own unit."""
        match unit_of(name):
            case "fraction":
                return self.percent(value)
            case "multiple":
                return self.times(value)
            case "days":
                return self.days(value)
            case "amount":
                return self.money(value)
        return self.plain(value)

    def money(self, amount: float) -> str:
        """An amount in the statement currency, e.g. ``838.0 亿元`` or ``CNY 83.8 bn``."""
        if self.language == "zh":
            unit = _CURRENCY_ZH.get(self.currency, self.currency)
            number, scale = _scaled(amount, _SCALES_ZH)
            return f"{number} {scale}{unit}".rstrip()
        number, scale = _scaled(amount, _SCALES_EN)
        return f"{self.currency} {number}{' ' if scale else ''}{scale}"

    def price(self, amount: float, currency: str) -> str:
        """A price per share with two decimals."""
        if self.language == "zh":
            return f"{amount:.2f} {_CURRENCY_ZH.get(currency, currency)}"
        return f"{currency} {amount:.2f}"

    def percent(self, fraction: float) -> str:
        """A fraction as a percentage: 0.125 is ``12.5%``; a small one with two decimals, ``1.47%``."""
        return f"{_clean(fraction * 100, 2 if 0 < abs(fraction) < 0.03 else 1)}%"

    def times(self, multiple: float) -> str:
        """A multiple: ``12.3 倍`` or ``12.3x``; a small one with two decimals, ``0.44 倍``."""
        number = _clean(multiple, 2 if abs(multiple) < 2 else 1)
        return self.say(f"{number} 倍", f"{number}x")

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

    def sentence(self, parts: Sequence[str], opening: str = "") -> str:
        """Clauses as one sentence after an opening; empty without any."""
        if not parts:
            return ""
        english = f"{opening}{'; '.join(parts)}."
        return self.say(f"{opening}{'；'.join(parts)}。", english[0].upper() + english[1:])

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
