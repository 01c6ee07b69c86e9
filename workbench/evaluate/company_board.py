"""Whether the scores of companies meant anything: a line of figures for each who scored.

Every figure has an interval from a bootstrap over whole as-of dates, because the shares of one date rise and
fall together. Where as-of dates lie closer together than the horizon, their returns overlap in time and are
not independent: the intervals are then too narrow, and ``Line.overlapping`` says so.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from workbench.errors import StrategyError
from workbench.evaluate.companies import Contestant, Judged
from workbench.evaluate.scores import BANDS, Band, DateIC, Returns, Scored, ic_by_date, ranks
from workbench.evaluate.uncertainty import (
    MIN_CLUSTERS,
    Estimate,
    correlation,
    deviation,
    mean,
    mean_by_deviation,
    mean_difference,
)
from workbench.evidence.days import months_later
from workbench.strategy.files import read_strategy
from workbench.strategy.schema import LABELS, ChaptersStrategy, Label

Finding = Literal["no_data", "few_dates", "unclear", "overlapping", "above", "below"]
"""What a figure says that is zero where scores mean nothing."""

Figure = Literal["ic", "std", "positive", "ir", "pooled"]

THRESHOLDS = (70.0, 75.0, 80.0)
"""Scores that everybody's returns are shown from, beside the thresholds of the contestant's own strategy."""


@dataclass(frozen=True)
class Group:
    """The returns that followed some judgements: all of one band, or of one label.

    Attributes:
        returns: Their number, mean, wins and spread.
        mean: The mean with its interval.
        win_rate: The share above zero with its interval.
    """

    returns: Returns
    mean: Estimate
    win_rate: Estimate

    @classmethod
    def of(cls, rows: Iterable[Scored]) -> Group:
        known = list(rows)
        values, days = [row.value for row in known], [row.as_of for row in known]
        return cls(
            returns=Returns.of(values),
            mean=mean(values, days, "higher"),
            win_rate=mean([float(value > 0) for value in values], days, "higher"),
        )

    @property
    def n(self) -> int:
        return self.returns.n


@dataclass(frozen=True)
class Line:
    """One contestant's line of the table.

    Attributes:
        contestant: Who scored.
        companies: Different companies judged.
        figures: Mean, spread and sign of the information coefficients over dates, their mean by their
            spread, and the rank correlation over all rows at once.
        by_date: The coefficient of each date, earliest first.
        all: Every judgement.
        bands: By stretch of the score.
        thresholds: From a score up.
        own: Which of the thresholds are those of the strategy, by the label they earn.
        labels: By label.
        buy_minus_avoid: Mean return of the buys minus that of the avoids.
        overlapping: Whether some dates lie closer together than the horizon.
    """

    contestant: Contestant
    companies: int
    figures: Mapping[Figure, Estimate]
    by_date: tuple[DateIC, ...]
    all: Group
    bands: Mapping[Band, Group]
    thresholds: Mapping[float, Group]
    own: Mapping[float, Label]
    labels: Mapping[Label, Group]
    buy_minus_avoid: Estimate
    overlapping: bool

    @property
    def n(self) -> int:
        return self.all.n

    @property
    def few_companies(self) -> bool:
        """Whether the same few companies come back date after date, which no interval over dates shows."""
        return self.companies < MIN_CLUSTERS

    def row(self) -> dict[str, object]:
        """The line for a spreadsheet: ``ic``, and the ends of its interval ``ic_low`` and ``ic_high``."""
        row = {
            **self.contestant._asdict(),
            "n": self.n,
            "dates": len(self.by_date),
            "companies": self.companies,
        }
        estimates = (
            *self.figures.items(),
            ("mean_return", self.all.mean),
            ("win_rate", self.all.win_rate),
            ("buy_minus_avoid", self.buy_minus_avoid),
        )
        for name, each in estimates:
            row |= {name: each.value, f"{name}_low": each.low, f"{name}_high": each.high}
        return row


def board(
    judged: Iterable[Judged], months: int, own: Callable[[Judged], Mapping[float, Label]]
) -> list[Line]:
    """One line per contestant, the one with most judgements first.

    Args:
        judged: Runs with their returns.
        months: The horizon of the returns.
        own: The thresholds of the strategy a run used, by the label they earn; asked of each contestant's
            newest run.
    """
    groups: dict[Contestant, list[Judged]] = defaultdict(list)
    for each in judged:
        groups[each.contestant].append(each)
    lines = [
        _line(contestant, group, months, own(max(group, key=lambda each: each.run.started)))
        for contestant, group in groups.items()
    ]
    return sorted(lines, key=lambda line: (-line.n, line.contestant))


def yardstick(judged: Iterable[Judged]) -> Group:
    """Every company and date that somebody judged, once each: what holding them all alike brought."""
    once = {(each.run.subject_key, each.run.as_of): each.scored for each in judged}
    return Group.of(once.values())


def own_thresholds(strategy_text: str) -> Mapping[float, Label]:
    """The lowest scores a strategy watches and buys, with the label; none where its text cannot be read."""
    try:
        strategy = read_strategy(strategy_text, "the strategy of a run").strategy
    except StrategyError:
        return {}
    if not isinstance(strategy, ChaptersStrategy):
        return {}
    bands = strategy.framework.synthesis.decision_thresholds.bands()
    return {band.low: band.label for band in bands if band.label != "avoid"}


def finding(estimate: Estimate, *, overlapping: bool) -> Finding:
    """What a figure says that is zero where scores mean nothing: the mean coefficient, or a difference.

    Args:
        estimate: The figure.
        overlapping: Its dates lie closer together than the horizon. The same months are then in several
            returns, the interval is too narrow, and one that leaves zero out says nothing.
    """
    if estimate.value is None:
        return "no_data"
    if estimate.low is None or estimate.high is None:
        return "few_dates"
    if not estimate.differs:
        return "unclear"
    if overlapping:
        return "overlapping"
    return "above" if estimate.value > 0 else "below"


def alike(groups: Iterable[Group]) -> bool | None:
    """Whether the intervals of all mean returns overlap; None where fewer than two of them have one."""
    ends = [(each.mean.low, each.mean.high) for each in groups]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    if len(known) < 2:
        return None
    return all(one[0] <= other[1] and other[0] <= one[1] for one, other in combinations(known, 2))


def _line(contestant: Contestant, group: Sequence[Judged], months: int, own: Mapping[float, Label]) -> Line:
    rows = [each.scored for each in group]
    by_date = ic_by_date(rows)
    labelled = {label: [each.scored for each in group if each.run.label == label] for label in LABELS}
    buys, avoids = ([(row.value, row.as_of) for row in labelled[label]] for label in ("buy", "avoid"))
    return Line(
        contestant=contestant,
        companies=len({each.run.subject_key for each in group}),
        figures=_figures(rows, by_date),
        by_date=tuple(by_date),
        all=Group.of(rows),
        bands={band: Group.of(row for row in rows if row.score in band) for band in BANDS},
        thresholds={
            low: Group.of(row for row in rows if row.score >= low) for low in sorted({*THRESHOLDS, *own})
        },
        own=own,
        labels={label: Group.of(labelled[label]) for label in LABELS},
        buy_minus_avoid=mean_difference(buys, avoids, "higher"),
        overlapping=_overlapping([date.as_of for date in by_date], months),
    )


def _figures(rows: Sequence[Scored], by_date: Iterable[DateIC]) -> Mapping[Figure, Estimate]:
    known = [(date.ic, date.as_of) for date in by_date if date.ic is not None]
    values, days = [ic for ic, _ in known], [day for _, day in known]
    # The ranks of all rows are held fixed while dates are resampled.
    scores, returns = ranks([row.score for row in rows]), ranks([row.value for row in rows])
    return {
        "ic": mean(values, days, "higher"),
        "std": deviation(values, days, "neither"),
        "positive": mean([float(ic > 0) for ic in values], days, "higher"),
        "ir": mean_by_deviation(values, days, "higher"),
        "pooled": correlation(scores, returns, [row.as_of for row in rows], "higher"),
    }


def _overlapping(days: Sequence[dt.date], months: int) -> bool:
    return any(months_later(one, months) > other for one, other in pairwise(days))
