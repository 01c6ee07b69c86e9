"""Who forecast better, and by how much: scores with intervals, paired differences, calibration."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.evaluate.football import brier, hit, log_loss, rps
from workbench.evaluate.forecasts import Contestant, Forecast
from workbench.evaluate.uncertainty import Better, Estimate, mean
from workbench.evidence.view import Match
from workbench.records import Outcome
from workbench.rules.poisson import OUTCOMES

Metric = Literal["rps", "log_loss", "brier", "accuracy", "goal_mae"]
METRICS: tuple[Metric, ...] = get_args(Metric)

BINS = 10


@dataclass(frozen=True)
class _Measure:
    better: Better
    of: Callable[[Forecast], float | None]


def _goal_error(forecast: Forecast) -> float | None:
    """Mean over the two clubs of |expected - scored|, in goals; None without expected goals."""
    if forecast.goals is None:
        return None
    scored = forecast.match.home_goals or 0, forecast.match.away_goals or 0
    return sum(abs(said - was) for said, was in zip(forecast.goals, scored, strict=True)) / 2


_MEASURES: Mapping[Metric, _Measure] = {
    "rps": _Measure("lower", lambda f: rps(f.probabilities, f.outcome)),
    "log_loss": _Measure("lower", lambda f: log_loss(f.probabilities, f.outcome)),
    "brier": _Measure("lower", lambda f: brier(f.probabilities, f.outcome)),
    "accuracy": _Measure("higher", lambda f: float(hit(f.probabilities, f.outcome))),
    "goal_mae": _Measure("lower", _goal_error),
}


@dataclass(frozen=True)
class Line:
    """One contestant's line of the table.

    Attributes:
        contestant: Who.
        forecasts: Forecasts judged; a match forecast twice counts twice.
        matches: Different matches among them.
        scores: One estimate per metric, clustered by match day.
        scaled: Forecasts whose probabilities did not sum to 1.
        largest_gap: How far the worst of those was from 1.
    """

    contestant: Contestant
    forecasts: int
    matches: int
    scores: Mapping[Metric, Estimate]
    scaled: int
    largest_gap: float

    def row(self) -> dict[str, object]:
        """The line for a spreadsheet: ``rps``, and the ends of its interval ``rps_low`` and ``rps_high``."""
        scores = {
            f"{metric}{end}": figure
            for metric, score in self.scores.items()
            for end, figure in (("", score.value), ("_low", score.low), ("_high", score.high))
        }
        return {**self.contestant._asdict(), "n": self.forecasts, **scores, "scaled": self.scaled}


@dataclass(frozen=True)
class Bin:
    """Forecast probabilities of one tenth, and how often what they were about happened.

    ``forecast`` is the mean of the probabilities, None in an empty bin; ``happened`` carries n and interval.
    """

    low: float
    high: float
    forecast: float | None
    happened: Estimate


def scoreboard(forecasts: Iterable[Forecast]) -> list[Line]:
    """One line per contestant, the best RPS first."""
    groups: dict[Contestant, list[Forecast]] = defaultdict(list)
    for forecast in forecasts:
        groups[forecast.contestant].append(forecast)
    lines = [
        Line(
            contestant=contestant,
            forecasts=len(group),
            matches=len({_key(forecast.match) for forecast in group}),
            scores={metric: score(group, metric) for metric in METRICS},
            scaled=sum(forecast.scaled for forecast in group),
            largest_gap=max(abs(forecast.given_sum - 1) for forecast in group),
        )
        for contestant, group in groups.items()
    ]

    def rank(line: Line) -> float:
        value = line.scores["rps"].value
        return math.inf if value is None else value

    return sorted(lines, key=rank)


def in_common(forecasts: Iterable[Forecast]) -> list[Forecast]:
    """The forecasts of the matches that every contestant forecast: only over these can means be compared."""
    given = list(forecasts)
    seen: dict[Contestant, set[tuple[object, str, str]]] = defaultdict(set)
    for forecast in given:
        seen[forecast.contestant].add(_key(forecast.match))
    common = set.intersection(*seen.values()) if seen else set()
    return [forecast for forecast in given if _key(forecast.match) in common]


def score(forecasts: Sequence[Forecast], metric: Metric) -> Estimate:
    """The mean of one metric over forecasts, clustered by match day."""
    measure = _MEASURES[metric]
    pairs = [(value, f.match.date) for f in forecasts if (value := measure.of(f)) is not None]
    return mean([value for value, _ in pairs], [day for _, day in pairs], measure.better)


def difference(mine: Iterable[Forecast], theirs: Iterable[Forecast], metric: Metric) -> Estimate:
    """My score minus theirs over the matches both forecast, paired match by match.

    Several forecasts of one match by one side count with their mean. ``better`` says which sign favours me.
    """
    measure = _MEASURES[metric]
    left, right = _by_match(mine, measure), _by_match(theirs, measure)
    common = [key for key in left if key in right]
    gaps = [left[key] - right[key] for key in common]
    return mean(gaps, [key[0] for key in common], measure.better)


def calibration(forecasts: Sequence[Forecast], outcome: Outcome | None = None) -> list[Bin]:
    """Ten bins of forecast probabilities, each with how often the thing forecast happened.

    Args:
        forecasts: Forecasts of one contestant.
        outcome: Look at this outcome alone; None pools all three, so that each forecast counts three times.
    """
    outcomes = OUTCOMES if outcome is None else (outcome,)
    bins: list[list[tuple[float, float, object]]] = [[] for _ in range(BINS)]
    for forecast in forecasts:
        for each in outcomes:
            said = forecast.probabilities[each]
            happened = float(forecast.outcome == each)
            bins[min(int(said * BINS), BINS - 1)].append((said, happened, forecast.match.date))
    return [
        Bin(
            low=index / BINS,
            high=(index + 1) / BINS,
            forecast=sum(said for said, _, _ in inside) / len(inside) if inside else None,
            happened=mean([happened for _, happened, _ in inside], [day for *_, day in inside], "neither"),
        )
        for index, inside in enumerate(bins)
    ]


def _by_match(forecasts: Iterable[Forecast], measure: _Measure) -> dict[tuple[object, str, str], float]:
    values: dict[tuple[object, str, str], list[float]] = defaultdict(list)
    for forecast in forecasts:
        if (value := measure.of(forecast)) is not None:
            values[_key(forecast.match)].append(value)
    return {key: sum(found) / len(found) for key, found in values.items()}


def _key(match: Match) -> tuple[object, str, str]:
    return match.date, match.home, match.away
