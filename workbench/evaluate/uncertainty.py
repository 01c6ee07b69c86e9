"""Figures with an interval: bootstrap over whole clusters, because what happens on one day hangs together.

Matches of one day share weather, form of the season and often the same run of forecasts, so resampling single
matches would make every interval too narrow. Here whole clusters (match days, dates) are drawn with
replacement, 2,000 times, and the middle 95 % of the resampled figures is the interval. The draws come from a
fixed seed: the same data always give the same interval.

Source: A. C. Cameron, J. B. Gelbach and D. L. Miller, "Bootstrap-based improvements for inference with
clustered errors", Review of Economics and Statistics 90 (2008), for the idea; the percentile interval is
B. Efron's (1979).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Better = Literal["lower", "higher", "neither"]
"""Which direction of a figure is the better one."""

RESAMPLES = 2000
SEED = 20190512
COVERAGE = 0.95

MIN_CLUSTERS = 10
"""With fewer clusters the resampled figures say nothing about others, and no interval is given."""


@dataclass(frozen=True)
class Estimate:
    """A figure, or the statement that there is not enough data for it.

    Attributes:
        value: None without data, or where the figure is not defined (a correlation with a constant).
        low: Lower end of the 95 % interval; None with fewer than ``MIN_CLUSTERS`` clusters.
        high: Upper end.
        n: Observations behind it.
        clusters: Clusters they fall into.
        better: Which direction is the better one.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    better: Better

    @property
    def enough(self) -> bool:
        return self.value is not None

    @property
    def differs(self) -> bool:
        """Whether zero lies outside the interval; False without one."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


def mean(values: Sequence[float], clusters: Sequence[Hashable], better: Better) -> Estimate:
    """The plain mean of observations, with its interval.

    Args:
        values: One finite number per observation.
        clusters: The cluster of each observation, e.g. its day.
        better: Which direction is the better one.

    Raises:
        ValueError: A value is not finite, or there are not as many clusters as values.
    """
    sums = np.column_stack([_finite(values), np.ones(len(values))])
    return _estimate(sums, clusters, better, lambda s: s[..., 0] / s[..., 1])


def correlation(
    left: Sequence[float], right: Sequence[float], clusters: Sequence[Hashable], better: Better
) -> Estimate:
    """Pearson's correlation, -1..1, of two figures of the same observations.

    Raises:
        ValueError: A value is not finite, or the lengths differ.
    """
    x, y = _finite(left), _finite(right)
    if len(x):  # centred and scaled first, which changes nothing but keeps the sums of squares exact
        x, y = _standard(x), _standard(y)
    return _estimate(
        np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y]), clusters, better, _pearson
    )


def deviation(values: Sequence[float], clusters: Sequence[Hashable], better: Better) -> Estimate:
    """The standard deviation of observations with divisor n - 1; no value for fewer than two of them.

    Raises:
        ValueError: A value is not finite, or there are not as many clusters as values.
    """
    _, sums = _moments(values)
    return _estimate(sums, clusters, better, _deviation)


def mean_by_deviation(values: Sequence[float], clusters: Sequence[Hashable], better: Better) -> Estimate:
    """The mean of observations over their standard deviation; no value where they do not differ.

    Raises:
        ValueError: A value is not finite, or there are not as many clusters as values.
    """
    centre, sums = _moments(values)

    def ratio(s: Floats) -> Floats:
        spread = _deviation(s)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(spread > 1e-12, (centre + s[..., 1] / s[..., 0]) / spread, np.nan)

    return _estimate(sums, clusters, better, ratio)


def mean_difference(
    mine: Sequence[tuple[float, Hashable]], theirs: Sequence[tuple[float, Hashable]], better: Better
) -> Estimate:
    """The mean of mine minus the mean of theirs, where the two are different observations.

    Each comes with its cluster. There is no value where one side is empty, and no interval where one side
    falls into fewer than ``MIN_CLUSTERS`` clusters.

    Raises:
        ValueError: A value is not finite.
    """
    rows = [(1.0, value, 0.0, 0.0) for value in _finite([value for value, _ in mine])]
    rows += [(0.0, 0.0, 1.0, value) for value in _finite([value for value, _ in theirs])]
    sides = [[cluster for _, cluster in side] for side in (mine, theirs)]

    def gap(s: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = s[..., 1] / s[..., 0] - s[..., 3] / s[..., 2]
        return found

    found = _estimate(np.asarray(rows).reshape(-1, 4), [*sides[0], *sides[1]], better, gap)
    fewest = min(len(set(side)) for side in sides)
    return found if fewest >= MIN_CLUSTERS else replace(found, low=None, high=None)


def _moments(values: Sequence[float]) -> tuple[float, Floats]:
    """The mean, and per observation 1, its distance from the mean and the square of that."""
    x = _finite(values)
    centre = float(x.mean()) if len(x) else 0.0
    off = x - centre
    return centre, np.column_stack([np.ones(len(x)), off, off * off])


def _deviation(sums: Floats) -> Floats:
    n, x, xx = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(n > 1, np.sqrt(np.maximum(xx - x * x / n, 0) / (n - 1)), np.nan)


def _pearson(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.maximum(n * xx - x * x, 0) * np.maximum(n * yy - y * y, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(spread > 1e-12, (n * xy - x * y) / np.sqrt(spread), np.nan)
    return np.clip(found, -1, 1)


def _standard(values: Floats) -> Floats:
    centred = values - values.mean()
    spread = float(np.abs(centred).max())
    return (
        centred / spread if spread > 1e-12 * max(1.0, float(np.abs(values).max())) else np.zeros_like(values)
    )


def _estimate(
    columns: Floats, clusters: Sequence[Hashable], better: Better, statistic: Callable[[Floats], Floats]
) -> Estimate:
    """A statistic of column sums: of all rows, and of the sums over resampled clusters."""
    n = len(columns)
    if len(clusters) != n:
        raise ValueError(f"{n} observations in {len(clusters)} clusters do not pair up")
    # Numbered by name, so that the order of the observations does not decide which ones are drawn.
    number = {cluster: index for index, cluster in enumerate(sorted(set(clusters), key=str))}
    blank = Estimate(None, None, None, n, len(number), better)
    if n == 0:
        return blank
    sums = np.zeros((len(number), columns.shape[1]))
    np.add.at(sums, [number[cluster] for cluster in clusters], columns)
    value = float(statistic(sums.sum(axis=0)))
    if not np.isfinite(value):
        return blank
    if len(number) < MIN_CLUSTERS:
        return Estimate(value, None, None, n, len(number), better)
    resampled = statistic(_draws(len(number)) @ sums)
    tail = 100 * (1 - COVERAGE) / 2
    low, high = np.nanpercentile(resampled, [tail, 100 - tail])
    return Estimate(value, float(low), float(high), n, len(number), better)


@lru_cache(maxsize=8)
def _draws(clusters: int) -> Floats:
    """How often each cluster is drawn in each resample; the same for all figures over the same clusters."""
    generator = np.random.Generator(np.random.PCG64(SEED))
    return generator.multinomial(clusters, np.full(clusters, 1 / clusters), RESAMPLES).astype(np.float64)


def _finite(values: ArrayLike) -> Floats:
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError("a value is missing or infinite; leave it out and count it first")
    return numbers
