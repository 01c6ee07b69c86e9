"""How a ratio is declared and worked out.

A formula is a plain function. Each parameter is named after the statement item or ratio it takes; the
ending ``_before`` means the fiscal year before, ``_before2`` the one before that. ``compute`` finds the
inputs: a ratio whose inputs are incomplete is None with the missing inputs named, and one whose result
would mislead (a price multiple of a loss, a return on negative equity) raises ``NotMeaningful`` and is None
with that reason. Nothing is ever filled in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.evidence.instruments import FINANCIAL_KINDS, IndustryKind

Function = Callable[..., float]


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
    """One ratio: its function, and whether it means something for a bank, insurer or broker."""

    function: Function
    for_financials: bool

    @property
    def name(self) -> str:
        return self.function.__name__

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.function).parameters)


ANNUAL: dict[str, Formula] = {}
"""Ratios of one fiscal year, in the order in which they build on each other."""

VALUATION: dict[str, Formula] = {}
"""Ratios of today's price to the newest statement, in the order in which they build on each other."""


def annual(*, for_financials: bool = False) -> Callable[[Function], Function]:
    """Declare a function as a ratio of one fiscal year."""
    return _declared(ANNUAL, for_financials)


def valuation(*, for_financials: bool = False) -> Callable[[Function], Function]:
    """Declare a function as a ratio of today's price to the newest statement."""
    return _declared(VALUATION, for_financials)


def _declared(registry: dict[str, Formula], for_financials: bool) -> Callable[[Function], Function]:
    def declare(function: Function) -> Function:
        formula = Formula(function, for_financials)
        registry[formula.name] = formula
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
        Name -> ratio, with or without a value.
    """
    known = dict(years[0])
    reasons = dict(unknown)
    ratios: dict[str, Ratio] = {}
    for formula in formulas:
        ratio = _work_out(formula, (known, *years[1:]), kind, reasons)
        ratios[formula.name] = ratio
        if ratio.value is None:
            reasons[formula.name] = ratio.reason
        else:
            known[formula.name] = ratio.value
    return ratios


def _work_out(
    formula: Formula, years: Sequence[Mapping[str, float]], kind: IndustryKind, reasons: Mapping[str, str]
) -> Ratio:
    if kind in FINANCIAL_KINDS and not formula.for_financials:
        return Ratio(None, f"not meaningful for a {kind}")
    inputs: dict[str, float] = {}
    missing: dict[str, None] = {}
    for name in formula.inputs:
        item, before, years_before = name.partition("_before")
        lag = int(years_before or 1) if before else 0
        if lag >= len(years):
            missing["no statement of the year before" if lag == 1 else "no statement of two years before"] = (
                None
            )
        elif item in years[lag]:
            inputs[name] = years[lag][item]
        elif lag == 0:
            missing[reasons.get(item, f"{item} is not stated")] = None
        else:
            missing[f"{item} of the year before is not known"] = None
    if missing:
        return Ratio(None, "; ".join(missing), inputs)
    try:
        return Ratio(formula.function(**inputs), inputs=inputs)
    except NotMeaningful as reason:
        return Ratio(None, str(reason), inputs)
