"""Whether scores put in order what followed: rank correlation by date, and returns by band and threshold.

Rows are pooled and equally weighted, except that an information coefficient belongs to one date. Whether a
row is mature, that is, whether its horizon was over, has to be settled before: ``mature`` does it where the
months of data behind a row are known.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

NEAR_ZERO = 1e-12
"""Correlations of ranks this small are zero; only rounding keeps them from being so."""


@dataclass(frozen=True)
class Scored:
    """A score, and the return that followed as a decimal."""

    as_of: dt.date
    score: float
    value: float


@dataclass(frozen=True)
class DateIC:
    """The information coefficient of one date; None where scores or returns do not differ."""

    as_of: dt.date
    n: int
    ic: float | None


@dataclass(frozen=True)
class ICSummary:
    """Information coefficients over dates.

    Attributes:
        dates: How many have one.
        mean: Plain mean; None without dates.
        std: Standard deviation with divisor n - 1; None with fewer than two dates.
        positive: Dates with a coefficient above zero.
        ir: Mean over standard deviation, not annualised.
    """

    dates: int
    mean: float | None
    std: float | None
    positive: int
    ir: float | None


@dataclass(frozen=True)
class Returns:
    """The returns of some rows.

    Attributes:
        n: Rows.
        mean: Equally weighted mean; None without rows.
        wins: Rows with a return above zero.
        std: Standard deviation with divisor n - 1; None with fewer than two rows.
    """

    n: int
    mean: float | None
    wins: int
    std: float | None

    @classmethod
    def of(cls, values: Iterable[float]) -> Returns:
        known = list(values)
        return cls(
            n=len(known),
            mean=fmean(known) if known else None,
            wins=sum(value > 0 for value in known),
            std=stdev(known) if len(known) > 1 else None,
        )

    @property
    def win_rate(self) -> float | None:
        return self.wins / self.n if self.n else None

    @property
    def ratio(self) -> float | None:
        """Mean over standard deviation."""
        return None if self.mean is None or not self.std else self.mean / self.std


@dataclass(frozen=True)
class Band:
    """A range of scores: from ``low`` on, or only ``above`` it; below ``high``, or also ``up_to`` it."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    up_to: bool = False

    def __contains__(self, score: float) -> bool:
        over = score > self.low if self.above else score >= self.low
        return over and (score <= self.high if self.up_to else score < self.high)


BANDS = (
    Band(high=40),
    Band(40, 55),
    Band(55, 70),
    Band(70, 85, up_to=True),
    Band(85, above=True),
)


def mature(rows: Iterable[tuple[Scored, float]], months: float) -> tuple[list[Scored], int]:
    """The rows whose horizon was over, and how many were not.

    Args:
        rows: Each with the months of data there were after its date.
        months: The horizon.
    """
    given = list(rows)
    kept = [row for row, available in given if available >= months]
    return kept, len(given) - len(kept)


def spearman(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Pearson's correlation of ranks, ties sharing their mean rank; None where one side does not differ.

    Source: C. Spearman, "The proof and measurement of association between two things", 1904.

    Raises:
        ValueError: The lengths differ.
    """
    pairs = list(zip(ranks(left), ranks(right), strict=True))
    if not pairs:
        return None
    middle = (len(pairs) + 1) / 2
    xx = math.fsum((x - middle) ** 2 for x, _ in pairs)
    yy = math.fsum((y - middle) ** 2 for _, y in pairs)
    if not xx or not yy:
        return None
    found = math.fsum((x - middle) * (y - middle) for x, y in pairs) / math.sqrt(xx * yy)
    return 0.0 if abs(found) < NEAR_ZERO else found


def ic_by_date(rows: Iterable[Scored]) -> list[DateIC]:
    """Spearman's correlation of score and return within each date, earliest first."""
    dates: dict[dt.date, list[Scored]] = {}
    for row in rows:
        dates.setdefault(row.as_of, []).append(row)
    return [
        DateIC(day, len(found), spearman([row.score for row in found], [row.value for row in found]))
        for day, found in sorted(dates.items())
    ]


def ic_summary(coefficients: Iterable[DateIC]) -> ICSummary:
    """Mean, spread and sign of the coefficients; dates without one do not count."""
    known = [date.ic for date in coefficients if date.ic is not None]
    mean = fmean(known) if known else None
    std = stdev(known) if len(known) > 1 else None
    return ICSummary(
        dates=len(known),
        mean=mean,
        std=std,
        positive=sum(ic > 0 for ic in known),
        ir=None if mean is None or not std else mean / std,
    )


def by_band(rows: Iterable[Scored], bands: Sequence[Band] = BANDS) -> Mapping[Band, Returns]:
    """The returns of the rows in each band."""
    given = list(rows)
    return {band: Returns.of(row.value for row in given if row.score in band) for band in bands}


def by_threshold(rows: Iterable[Scored], thresholds: Iterable[float]) -> Mapping[float, Returns]:
    """The returns of the rows that score at least so much."""
    given = list(rows)
    return {
        threshold: Returns.of(row.value for row in given if row.score >= threshold)
        for threshold in thresholds
    }


def ranks(values: Sequence[float]) -> list[float]:
    """Rank of each value from 1; equal ones share the mean of their ranks."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for position in order[start:end]:
            found[position] = (start + 1 + end) / 2
        start = end
    return found
