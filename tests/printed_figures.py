"""Reading the figures back out of a text, to hold each against what its author could have known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from workbench.evidence.labels import CHINESE
from workbench.records import Evidence, Opinion

SCALES = {"万亿": 1e12, "亿": 1e8, "万": 1e4, "%": 0.01, "tn": 1e12, "bn": 1e9, "m": 1e6}
UNITS = (1.0, 0.01, 1e6)
"""Answers may be given plain, in per cent or in millions."""

_NUMBER = re.compile(r"(?<![\d.])(-?\d+(?:\.(\d+))?) ?(万亿|亿|万|%|tn\b|bn\b|m\b)?")
_YEAR = r"(?:19|20)\d{2}"
_NOT_A_FIGURE = re.compile(
    r"\d{4}-\d{2}-\d{2}"  # a date
    rf"|{_YEAR}[—-]{_YEAR}(?: 年)?"  # a span of years
    rf"|{_YEAR} 年|（{_YEAR}）|\({_YEAR}\)|(?:in|since|of|from|to|From) {_YEAR}(?:-{_YEAR})?"  # a year
    r"|ch0\d_"  # the name of a chapter
    r"|\d+(?:\.\d+)?-\d+(?:\.\d+)?(?= 一档|:)"  # the range of an anchor
)
_ONE_YEAR = re.compile(rf"([^\s；，。、：（]+(?:（税前）)?) (-?\d[^；，。、（]*)（({_YEAR})）")
_RUN_OF_YEARS = re.compile(
    rf"([^\s；，。、：（]+(?:（税前）)?) ((?:{_YEAR} 年 -?[\d.]+ ?[^\s；，。、]*、?)+)"
)
_YEAR_AND_VALUE = re.compile(rf"({_YEAR}) 年 (-?[\d.]+ ?[^\s；，。、]*)")
_NAMES = {chinese: name for name, chinese in CHINESE.items()}


class Figure(NamedTuple):
    """A figure as printed, its value in plain units, and half of its last printed digit."""

    printed: str
    value: float
    half: float


class Claim(NamedTuple):
    """That an item or ratio had a value in a fiscal year."""

    name: str
    year: str
    figure: Figure


def figures(text: str) -> Iterator[Figure]:
    """Every figure of a text; years, dates and names are none."""
    for match in _NUMBER.finditer(_NOT_A_FIGURE.sub(" ", text)):
        scale = SCALES.get(match[3] or "", 1.0)
        yield Figure(match[0], float(match[1]) * scale, 0.5 * scale * 10.0 ** -len(match[2] or ""))


def claims(text: str) -> Iterator[Claim]:
    """Every figure that stands behind the Chinese name of an item or ratio, with its year."""
    found = [(match[1], match[3], match[2]) for match in _ONE_YEAR.finditer(text)]
    for run in _RUN_OF_YEARS.finditer(text):
        found += [(run[1], match[1], match[2]) for match in _YEAR_AND_VALUE.finditer(run[2])]
    for label, year, printed in found:
        chinese = max((known for known in _NAMES if label.endswith(known)), key=len, default="")
        if chinese:
            (figure,) = figures(printed)
            yield Claim(_NAMES[chinese], year, figure)


def texts(opinion: Opinion) -> list[str]:
    """Everything of an opinion that is prose."""
    fields = {name: value for name, value in opinion.fields.items() if name != "why_changed"}
    return [*_strings(fields), opinion.analysis, *opinion.key_evidence]


def unexplained(evidence: Evidence, opinion: Opinion, text: str) -> list[str]:
    """Figures of ``text`` that its author was not shown and did not answer, to the last digit printed.

    Shown is a fact, also one inside a text among the facts, as the conclusion of an earlier chapter is.
    """
    facts = {**evidence.facts, "missing": None}
    given = {*_numbers(facts), *_numbers(opinion.fields)}
    known = {value * unit for value in given for unit in UNITS}
    known |= {figure.value for shown in _strings(facts) for figure in figures(shown)}
    return [
        figure.printed
        for figure in figures(text)
        if not any(abs(figure.value - number) <= figure.half * 1.02 + 1e-9 for number in known)
    ]


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    for part in _parts(value):
        yield from _numbers(part)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for part in _parts(value):
        yield from _strings(part)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
