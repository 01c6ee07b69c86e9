"""Blind runs: a model judges a company without being told which one, or when.

Names, codes and places become tokens and calendar years become years before the as-of date, in every prompt
of a run and in the same way; what the model answers is read back with the real ones. Where a run is fully
blind, amounts are also multiplied by one hidden factor, which leaves every ratio as it is. Evidence and
reports of such a run stay in these amounts, so that they agree; its conclusion is scaled back.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.evidence.history import Row, Table
from workbench.evidence.instruments import Instrument
from workbench.evidence.labels import unit_of
from workbench.evidence.view import Dividend, Figure, Price, View
from workbench.records import Receipt

NAME, NAME_EN, CODE, PLACE = "公司A", "Company A", "CODE-A", "某地"

YEARS_BACK = 60
"""Four digits further back than this are a figure, not a calendar year."""

_CODE = re.compile(r"(?<![\w.])(?:\d{6}\.(?:SH|SZ|BJ)|\d{5}\.HK)(?!\w)", re.IGNORECASE)
_UNIT = r"\.\d| ?(?:天|亿|万|元|美元|港元|倍|%|days?\b|x\b|tn\b|bn\b|m\b)"
_FOUR_DIGITS = re.compile(rf"(?<![\d.,])(?P<year>(?:19|20)\d{{2}})(?!\d|,\d)(?P<unit>{_UNIT})?")
_RELATIVE = re.compile(r"(?<!\w)T([+-])(\d{1,2})(?!\d)")
_GENERIC = frozenset(
    {
        *("agricultural", "and", "bank", "co", "company", "corp", "corporation", "development", "distillery"),
        *("fortune", "group", "holding", "holdings", "inc", "land", "limited", "ltd", "of", "plc", "the"),
    }
)
"""Words of English company names that give nothing away."""

PLACES = (
    *(
        "北京",
        "天津",
        "河北",
        "山西",
        "内蒙古",
        "辽宁",
        "吉林",
        "黑龙江",
        "上海",
        "江苏",
        "浙江",
        "安徽",
        "福建",
        "江西",
    ),
    *(
        "山东",
        "河南",
        "湖北",
        "湖南",
        "广东",
        "广西",
        "海南",
        "重庆",
        "四川",
        "贵州",
        "云南",
        "西藏",
        "陕西",
        "甘肃",
    ),
    *(
        "青海",
        "宁夏",
        "新疆",
        "香港",
        "澳门",
        "台湾",
        "深圳",
        "广州",
        "中国",
        "美国",
        "日本",
        "德国",
        "法国",
        "英国",
    ),
    *("Beijing", "Tianjin", "Hebei", "Shanxi", "Liaoning", "Jilin", "Heilongjiang", "Shanghai", "Jiangsu"),
    *(
        "Zhejiang",
        "Anhui",
        "Fujian",
        "Jiangxi",
        "Shandong",
        "Henan",
        "Hubei",
        "Hunan",
        "Guangdong",
        "Guangxi",
    ),
    *(
        "Hainan",
        "Chongqing",
        "Sichuan",
        "Guizhou",
        "Kweichow",
        "Yunnan",
        "Tibet",
        "Shaanxi",
        "Gansu",
        "Qinghai",
    ),
    *("Ningxia", "Xinjiang", "Hong Kong", "Macau", "Taiwan", "Shenzhen", "Guangzhou", "China", "Japan"),
    *("Germany", "France", "America", "American", "British"),
)
"""Places a company may be named after; only those in its own entry of the instrument table are hidden."""


class Blindfold:
    """Hides one company and the calendar from a model.

    Args:
        instrument: The company.
        as_of: The as-of date; its year becomes ``T-0``, the one before ``T-1``.
    """

    def __init__(self, instrument: Instrument, as_of: dt.date) -> None:
        self._year = as_of.year
        self._names = {
            NAME: instrument.name,
            NAME_EN: instrument.name_en or instrument.name,
            CODE: instrument.code,
        }
        self._hidden = _patterns(instrument)

    def hide(self, text: str) -> str:
        """A prompt as the model may see it."""
        for token, pattern in self._hidden:
            text = pattern.sub(token, text)
        return _FOUR_DIGITS.sub(self._relative, text)

    def reveal(self, text: str) -> str:
        """What the model answered, with the real name, code and years."""
        for token, name in self._names.items():
            text = text.replace(token, name)
        return _RELATIVE.sub(self._calendar, text)

    def _relative(self, match: re.Match[str]) -> str:
        year, unit = match["year"], match["unit"]
        if unit or not self._year - YEARS_BACK <= int(year) <= self._year + 1:
            return f"{year[0]},{year[1:]}{unit or ''}"  # a figure: the comma says that it is no year
        distance = int(year) - self._year
        return f"T+{distance}" if distance > 0 else f"T-{-distance}"

    def _calendar(self, match: re.Match[str]) -> str:
        return str(self._year + int(match[1] + match[2]))


class Rescaled(View):
    """A view whose amounts and prices are multiplied by one factor; counts of shares and dates stay.

    Args:
        view: The view of the run; its receipt stays the one to show.
        factor: The factor, above 0.
    """

    def __init__(self, view: View, factor: float) -> None:
        super().__init__(view._archive, view.as_of)
        self._seen = view
        self._factor = factor

    def statements(self, code: str) -> list[Figure]:
        return [
            figure._replace(value=figure.value * self._factor)
            if unit_of(figure.item) in ("amount", "per_share")
            else figure
            for figure in super().statements(code)
        ]

    def prices(self, code: str) -> list[Price]:
        return [price._replace(close=price.close * self._factor) for price in super().prices(code)]

    def dividends(self, code: str) -> list[Dividend]:
        return [
            row._replace(cash_per_share=row.cash_per_share * self._factor) for row in super().dividends(code)
        ]

    def receipt(self) -> Receipt:
        return self._seen.receipt()

    def _ask(self, table: Table[Row], where: str, *parameters: object) -> list[Row]:
        return self._seen._ask(table, where, *parameters)


def hidden_factor(code: str, as_of: dt.date) -> float:
    """A factor from 0.2 to 5 that looks random.

    It is the same for every run on one company and day, so that an edited strategy asks the same questions.
    """
    digest = hashlib.sha256(f"{code} {as_of}".encode()).hexdigest()
    return float(0.2 * 25.0 ** (int(digest[:8], 16) / 0xFFFFFFFF))


def scaled_back(value: Any, factor: float, name: str = "") -> Any:
    """An answer out of a rescaled run in real amounts.

    In a text every amount with its currency is divided by the factor; a number is where its name, or that of
    the field it is part of, speaks of a price.

    Args:
        value: A field of an answer: text, number, list or mapping.
        factor: What the amounts had been multiplied by.
        name: Name of the field.
    """
    match value:
        case str():
            return _AMOUNT.sub(lambda found: _divided(found, factor), value)
        case bool() | None:
            return value
        case int() | float():
            return float(f"{value / factor:.6g}") if _is_price(name) else value
        case Mapping():
            parts = ((key, f"{name} {key}" if _is_price(name) else str(key)) for key in value)
            return {key: scaled_back(value[key], factor, part) for key, part in parts}
        case list() | tuple():
            return [scaled_back(item, factor, name) for item in value]
    return value


_NUMBER = r"(?P<{0}>-?\d[\d,]*(?:\.\d+)?)"
_AMOUNT = re.compile(
    _NUMBER.format("before") + r"(?= ?(?:万亿|亿|百万|万)?(?:元|美元|港元))"
    r"|(?<=\b(?:CNY|HKD|USD|RMB) )" + _NUMBER.format("behind")
)
_RATIO = re.compile(r"[%％率倍比分位]|margin|yield|ratio|P/E|P/B", re.IGNORECASE)
_PRICE = re.compile(r"价(?!值)|买卖|price", re.IGNORECASE)


def _is_price(name: str) -> bool:
    return _PRICE.search(name) is not None and _RATIO.search(name) is None


def _divided(found: re.Match[str], factor: float) -> str:
    """The number of an amount scaled back, with as many decimals, or as many as three digits need."""
    written = found[0]
    value = float(written.replace(",", "")) / factor
    decimals = len(written.partition(".")[2])
    while decimals < 4 and value and abs(value) * 10**decimals < 100:
        decimals += 1
    return f"{value:{',' if ',' in written else ''}.{decimals}f}"


def _patterns(instrument: Instrument) -> list[tuple[str, re.Pattern[str]]]:
    """``(token, what it stands for)`` in the order in which they are replaced, the most specific first."""
    english = [name for name in instrument.names if name.isascii()]
    chinese = [name for name in instrument.names if not name.isascii()]
    words = {word for name in english for word in re.findall(r"[A-Za-z]{3,}", name)}
    places = [
        place for place in PLACES if any(place in text for text in (*instrument.names, instrument.note))
    ]
    telling = {word for word in words if word.lower() not in _GENERIC and word not in places}
    found = [
        (CODE, _CODE),
        (CODE, _words([instrument.code, instrument.code.split(".")[0]])),
        (NAME, _words(chinese)),
        (NAME_EN, _words([*english, *telling])),
        (PLACE, _words(places)),
    ]
    return [(token, pattern) for token, pattern in found if pattern is not None]


def _words(names: Iterable[str]) -> re.Pattern[str] | None:
    """Any of the names, longest first; a Latin one only as a whole word."""
    ordered = sorted(set(names), key=len, reverse=True)
    if not ordered:
        return None
    return re.compile(
        "|".join(
            rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])" if name.isascii() else re.escape(name)
            for name in ordered
        ),
        re.IGNORECASE,
    )
