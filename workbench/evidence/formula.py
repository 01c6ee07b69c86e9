"""How a ratio is declared and worked out.

A formula is a plain function. Each parameter is named after the statement item or ratio it takes; the
ending ``_before`` means the fiscal year before, ``_before2`` the one before that. ``compute`` finds the
inputs: a ratio whose inputs are incomplete is None with the missing inputs named, and one whose result
would mislead (a price multiple of a loss, a return on negative equity) raises ``NotMeaningful`` and is None
with that reason. Nothing is ever filled in.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workbench.evidence.instruments import FINANCIAL_KINDS, IndustryKind

Function = Callable[..., float]

Scope = Literal["any", "operating", "financial"]
"""For whom a ratio means something: every company, all but financial ones, or only banks and their like."""


class NotMeaningful(ValueError):
    """The inputs are known, but the ratio would say something untrue; the message says why."""


@dataclass(frozen=True)
class Ratio:
    """A value with what it was made of, or no value and the reason.

    Attributes:
        value: None when it cannot be given.
        reason: Why there is no value; empty when there is one.
        inputs: Name -> figure of everything that went in.
    """

    value: float | None
    reason: str = ""
    inputs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Formula:
    """One ratio: its function, the inputs it names, and for whom it means something."""

    name: str
    function: Function
    inputs: tuple[str, ...]
    scope: Scope


ANNUAL: dict[str, Formula] = {}
"""Ratios of one fiscal year, in the order in which they build on each other."""

VALUATION: dict[str, Formula] = {}
"""Ratios of today's price to the newest statement, in the order in which they build on each other."""


def annual(scope: Scope) -> Callable[[Function], Function]:
    """Declare a function as a ratio of one fiscal year."""
    return _declared(ANNUAL, scope)


def valuation(scope: Scope) -> Callable[[Function], Function]:
    """Declare a function as a ratio of today's price to the newest statement."""
    return _declared(VALUATION, scope)


def _declared(registry: dict[str, Formula], scope: Scope) -> Callable[[Function], Function]:
    def declare(function: Function) -> Function:
        name, inputs = function.__name__, tuple(inspect.signature(function).parameters)
        registry[name] = Formula(name, function, inputs, scope)
        return function

    return declare


def positive(value: float, what: str) -> float:
    """``value``, which must be above zero to divide by or to compare with.

    Raises:
        NotMeaningful: It is zero or negative.
    """
    if value <= 0:
        raise NotMeaningful(f"{what} is {'zero' if value == 0 else 'negative'}")
    return value


def mean(closing: float, opening: float, what: str) -> float:
    """Mean of the two ends of a fiscal year, both of which must be positive."""
    return (positive(closing, what) + positive(opening, f"opening {what}")) / 2


def compute(
    formulas: Iterable[Formula],
    years: Sequence[Mapping[str, float]],
    kind: IndustryKind,
    unknown: Mapping[str, str],
) -> dict[str, Ratio]:
    """Work out formulas for one fiscal year; later ones may take the values of earlier ones.

    Args:
        formulas: E.g. ``ANNUAL.values()``.
        years: Item -> value of the fiscal year, then of the year before and so on, these with their ratios.
        kind: Kind of business; decides which ratios mean nothing.
        unknown: Item -> why it is not known, where there is more to say than that it is not stated.

    Returns:
        Name -> ratio, with or without a value. Ratios of financial companies are left out for all others.
    """
    financial = kind in FINANCIAL_KINDS
    known = dict(years[0])
    reasons = dict(unknown)
    ratios: dict[str, Ratio] = {}
    for formula in formulas:
        if formula.scope == "financial" and not financial:
            continue
        if formula.scope == "operating" and financial:
            ratio = Ratio(None, f"not meaningful for a {kind}")
        else:
            ratio = _work_out(formula, (known, *years[1:]), reasons)
        ratios[formula.name] = ratio
        if ratio.value is None:
            reasons[formula.name] = ratio.reason
        else:
            known[formula.name] = ratio.value
    return ratios


def _work_out(formula: Formula, years: Sequence[Mapping[str, float]], reasons: Mapping[str, str]) -> Ratio:
    inputs: dict[str, float] = {}
    unstated: list[str] = []
    lacking: dict[str, None] = {}  # a set that keeps its order
    for name in formula.inputs:
        item, before, years_before = name.partition("_before")
        lag = int(years_before or 1) if before else 0
        if lag < len(years) and item in years[lag]:
            inputs[name] = years[lag][item]
        elif lag == 0 and item in reasons:
            lacking[reasons[item]] = None
        elif lag == 0:
            unstated.append(item)
        elif item not in unstated:
            lacking[f"{item} of {_AGO[lag]} is not known"] = None
    if unstated:
        lacking[f"{', '.join(unstated)} not stated"] = None
    if lacking:
        return Ratio(None, "; ".join(lacking), inputs)
    try:
        value = formula.function(**inputs)
    except NotMeaningful as reason:
        return Ratio(None, str(reason), inputs)
    if not math.isfinite(value):
        return Ratio(None, "the figures it is made of are out of any proportion", inputs)
    return Ratio(value, inputs=inputs)


_AGO = {1: "the year before", 2: "two years before"}
