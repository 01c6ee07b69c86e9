"""How figures, dates and untrusted text are written. A missing figure is a dash, never 0 and never NaN."""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from workbench.records import BASELINE, Models, Scale
from workbench.ui.language import language, t

MINUS = "\N{MINUS SIGN}"
MISSING = "–"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~:$&=^\"'/@])")
_ADDRESS = re.compile(r"(?i)(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?<=\w)(?=@[\w-]+\.)")
"""Where an address is taken for one by Markdown, whether its signs are escaped or not."""
_STEPS = {
    "en": ((1e12, "tn"), (1e9, "bn"), (1e6, "m"), (1e3, "k")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}


def escape(text: str) -> str:
    """Text that Markdown shows letter by letter: no links, images, colours, formulas or HTML come of it.

    Addresses are parted by a word joiner, which has no width.
    """
    return _MARKDOWN.sub(r"\\\1", _ADDRESS.sub("\N{WORD JOINER}", text))


def number(value: float | None, digits: int = 0) -> str:
    """``1234567.8`` -> ``1,234,568``."""
    if value is None or not math.isfinite(value):
        return MISSING
    return _minus(f"{value:,.{digits}f}")


def figure(value: float | None) -> str:
    """A figure whose unit nobody has told us, in about three digits: ``128.82`` -> ``128.8``."""
    if value is None or not math.isfinite(value):
        return MISSING
    shown = number(value, 1 if abs(value) >= 10 else 2)
    return shown.rstrip("0").rstrip(".")


def amount(value: float | None, currency: str = "") -> str:
    """Money in the reader's own steps: ``1.23e11`` -> ``123.0 bn`` or ``1,230.0 亿``."""
    if value is None or not math.isfinite(value):
        return MISSING
    unit = f" {currency}" if currency else ""
    for size, name in _STEPS[language()]:
        if abs(value) >= size:
            return f"{number(value / size, 1)} {name}{unit}"
    return f"{number(value, 2 if abs(value) < 100 else 0)}{unit}"


def percent(share: float | None) -> str:
    """``0.1234`` -> ``12.3%``."""
    return MISSING if share is None else f"{number(share * 100, 1)}%"


def probability(share: float | None) -> str:
    """``0.4483`` -> ``45%``: a forecast is not known to a tenth of a percent."""
    return MISSING if share is None else f"{number(share * 100)}%"


def score(value: float | None, scale: Scale) -> str:
    """A score in the digits of its scale: whole points on 0-100, two decimals on a short one, signed."""
    if value is None:
        return MISSING
    text = number(value, scale.digits)
    return f"+{text}" if scale.low < 0 < value else text


def change(difference: float | None, scale: Scale) -> str:
    """The difference of two scores of a scale, with its sign: ``+7``, ``−0.10``, ``0``."""
    if not difference:
        return MISSING if difference is None else "0"
    shown = number(difference, scale.digits)
    return shown if difference < 0 else f"+{shown}"


def moment(when: dt.datetime | None) -> str:
    """A time on the reader's own clock, to the minute."""
    if when is None:
        return MISSING
    try:
        zone: dt.tzinfo = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = dt.UTC
    return when.astimezone(zone).strftime("%Y-%m-%d %H:%M")


def day(date: dt.date | None) -> str:
    return MISSING if date is None else date.isoformat()


def duration(seconds: float | None) -> str:
    """``0.42`` -> ``0.4 s``, ``75`` -> ``1 min 15 s``."""
    if seconds is None:
        return MISSING
    if seconds < 60:
        return t("number.seconds", seconds=number(seconds, 0 if seconds >= 10 else 1))
    return t("number.minutes", minutes=int(seconds // 60), seconds=int(seconds % 60))


def cost(dollars: float | None) -> str:
    if dollars is None:
        return MISSING
    return t("number.free") if dollars == 0 else f"${dollars:,.4f}"


def dollars(value: float) -> str:
    """Money nobody counts in fractions of a cent: ``0.4`` -> ``$0.40``; small sums keep four decimals."""
    return f"${value:,.2f}" if value == 0 or abs(value) >= 0.1 else f"${value:,.4f}"


def model_name(name: str) -> str:
    """A model as it is named everywhere: the baseline never without saying that it is no model."""
    return t("model.baseline") if name == BASELINE else name


def models_title(models: Models) -> str:
    names = dict.fromkeys((models.specialist, models.aggregator))
    return " + ".join(model_name(name) for name in names)


def columns(text: str) -> int:
    """Room a text takes on one line, a Chinese character counting twice."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def short(text: str, limit: int = 160) -> str:
    """The first line of ``text``, cut where it would take more than ``limit`` columns."""
    line = text.strip().split("\n", 1)[0]
    room = limit
    for index, character in enumerate(line):
        room -= columns(character)
        if room < 0:
            return line[:index].rstrip() + "…"
    return line


def _minus(text: str) -> str:
    return text.replace("-", MINUS)
