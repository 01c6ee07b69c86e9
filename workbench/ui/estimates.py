"""How an estimate is written: the figure with its interval and n, and which way it points."""

from __future__ import annotations

from collections.abc import Callable

from workbench.evaluate.uncertainty import Estimate
from workbench.ui import text
from workbench.ui.language import t

Write = Callable[[float | None], str]
"""How a bare number of some kind is written."""


def plain(value: float | None) -> str:
    """Scores in their usual four decimals."""
    return text.number(value, 4)


def signed(value: float | None) -> str:
    """A difference, with its sign."""
    written = text.number(value, 4)
    return f"+{written}" if value is not None and value > 0 else written


def share(value: float | None) -> str:
    return text.percent(value)


def signed_share(value: float | None) -> str:
    written = text.percent(value)
    return f"+{written}" if value is not None and value > 0 else written


def with_interval(estimate: Estimate, write: Write = plain) -> str:
    """``0.1872 (0.1793 … 0.1957)``; the figure alone where there is no interval, a dash without data."""
    if estimate.low is None or estimate.high is None:
        return write(estimate.value)
    return f"{write(estimate.value)} ({write(estimate.low)} … {write(estimate.high)})"


def verdict(difference: Estimate) -> str:
    """What a difference says: better, worse, cannot be told apart, or not enough data."""
    if difference.value is None:
        return t("estimate.no_data")
    if difference.low is None:
        return t("estimate.few_days")
    if difference.low == difference.high == 0:
        return t("estimate.equal")
    if not difference.differs:
        return t("estimate.unclear")
    gain = difference.value < 0 if difference.better == "lower" else difference.value > 0
    return t("estimate.better") if gain else t("estimate.worse")


def earned(gain: Estimate) -> str:
    """What leaving an expert out says about the weight it was given."""
    if gain.value is None:
        return t("estimate.no_data")
    if gain.low is None:
        return t("estimate.few_days")
    if not gain.differs:
        return t("estimate.unclear")
    return t("estimate.earned") if gain.value > 0 else t("estimate.not_earned")
