"""Figures quoted in a thinking step, and whether the last evaluation still bears them out.

A step may say that a group's 12-month win rate was only 47 %. Such a sentence steers every run, so it must
not outlive the evidence for it. What is looked for is a sentence that names a group, a horizon in months, a
measure and a percentage; anything vaguer is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Measure = Literal["win_rate", "mean_return"]

_WORDS: dict[Measure, str] = {
    "win_rate": r"胜率|win rate|hit rate",
    "mean_return": r"平均收益|收益率|mean return|average return",
}
_NAMES: dict[Measure, str] = {"win_rate": "win rate", "mean_return": "mean return"}
_SENTENCE = re.compile(r"[。！？；;!?\n]|(?<!\d)\.(?!\d)|\.(?=\s)")
_MONTHS = re.compile(r"(\d{1,2})\s*(?:m\b|M\b|m(?=[^A-Za-z])|个月|months?)")
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*[%％]")


@dataclass(frozen=True)
class Measured:
    """One figure of an evaluation.

    Attributes:
        group: What was measured, as a strategy would name it: a stream, a label.
        months: Horizon.
        measure: ``win_rate`` (share of positive returns) or ``mean_return``.
        value: As a fraction.
        low: Lower bound of its 95 % interval, as a fraction.
        high: Upper bound.
        n: Number of runs behind it.
    """

    group: str
    months: int
    measure: Measure
    value: float
    low: float
    high: float
    n: int


def contradictions(text: str, measured: Sequence[Measured]) -> Iterator[tuple[str, str]]:
    """What is wrong and the remedy, for every figure quoted in ``text`` outside its measured interval."""
    for sentence in _SENTENCE.split(text):
        for figure in measured:
            quoted = _quoted(sentence, figure)
            if quoted is not None and not figure.low <= quoted <= figure.high:
                name = f"{figure.months}-month {_NAMES[figure.measure]} of {figure.group}"
                interval = f"{figure.low:.1%} to {figure.high:.1%}, n={figure.n}"
                measured_now = f"{figure.value:.1%} ({interval})"
                what = (
                    f"the step quotes {quoted:.1%} as the {name}, which was last measured at {measured_now}."
                )
                yield what, "Quote the new figure, or say which evaluation the old one is from."


def _quoted(sentence: str, figure: Measured) -> float | None:
    """The percentage a sentence gives for this figure."""
    if figure.group not in sentence:
        return None
    word = re.search(_WORDS[figure.measure], sentence, re.IGNORECASE)
    months = {int(match[1]) for match in _MONTHS.finditer(sentence)}
    percent = _PERCENT.search(sentence, word.end()) if word else None
    if percent is None or figure.months not in months:
        return None
    return float(percent[1]) / 100
