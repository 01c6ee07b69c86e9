"""Forecasts that can be judged: stored runs beside what happened, and what others said of the same matches.

The result after 90 minutes decides. A match that was postponed, abandoned, awarded or cancelled, or has not
been played, judges no forecast; neither does a run that failed. A match that has moved judges the forecasts
for its old day, unless they were made after it. All of these are named, none is dropped in silence.
"""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from workbench.evaluate.football import outcome_of
from workbench.evidence.fixtures import season_after
from workbench.evidence.view import Match
from workbench.records import BASELINE, MatchSubject, Models, Outcome, Run
from workbench.rules.poisson import OUTCOMES

Probabilities = Mapping[Outcome, float]
Yardstick = Literal["published", "odds", "base_rates"]

_Meeting = tuple[dt.date, str, str]

YARDSTICK = "yardstick"
"""Provider of the contestants that are no model."""

SUM_TOLERANCE = 1e-6
"""Probabilities whose sum is further from 1 are counted as scaled. All are scaled."""

Reason = Literal[
    "running",
    "failed",
    "run_cancelled",
    "interrupted",
    "no_forecast",
    "not_on_record",
    "moved",
    "scheduled",
    "postponed",
    "abandoned",
    "awarded",
    "cancelled",
]
"""Why a run cannot be judged: five are about the run, the others about its match."""

_RUN_REASONS: Mapping[str, Reason] = {
    "running": "running",
    "failed": "failed",
    "cancelled": "run_cancelled",
    "interrupted": "interrupted",
}


class Contestant(NamedTuple):
    """Who forecast: a model under one version of the prompts, or a yardstick.

    ``provider`` is the part of the model's name before the slash; a yardstick has provider ``yardstick`` and
    its own name as the model.
    """

    provider: str
    model: str
    prompt_version: str


PUBLISHED = Contestant(YARDSTICK, "published", "")
"""The forecast published before the match."""


@dataclass(frozen=True)
class Forecast:
    """What one contestant said about one match that has a result.

    Attributes:
        contestant: Who said it.
        match: The match with its result.
        probabilities: Scaled to sum to 1.
        goals: Expected goals of both clubs, where they were given.
        given_sum: What the probabilities summed to before.
    """

    contestant: Contestant
    match: Match
    probabilities: Probabilities
    goals: tuple[float, float] | None
    given_sum: float = 1.0

    @property
    def outcome(self) -> Outcome:
        return result_of(self.match)

    @property
    def scaled(self) -> bool:
        return abs(self.given_sum - 1) > SUM_TOLERANCE


@dataclass(frozen=True)
class Judged:
    """A run whose match has a result, with the forecast it made."""

    run: Run
    forecast: Forecast


@dataclass(frozen=True)
class LeftOut:
    """A run that cannot be judged."""

    run: Run
    reason: Reason


@dataclass(frozen=True)
class Judgement:
    """Every run once: judged or left out."""

    judged: tuple[Judged, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def reasons(self) -> Counter[Reason]:
        return Counter(each.reason for each in self.left_out)


def judge(runs: Iterable[Run], matches: Iterable[Match]) -> Judgement:
    """Put stored runs beside the matches they are about.

    Args:
        runs: Runs of the match pipeline in any state; others are ignored.
        matches: What is known of the matches, at best as of today.
    """
    known = {(match.date, match.home, match.away): match for match in matches}
    judged: list[Judged] = []
    left_out: list[LeftOut] = []
    for run in runs:
        if not isinstance(run.subject, MatchSubject):
            continue
        match = _on_its_day(run.subject, known)
        if run.status != "done":
            left_out.append(LeftOut(run, _RUN_REASONS[run.status]))
        elif match is not None and match.date < min(run.as_of, run.subject.date):
            left_out.append(LeftOut(run, "moved"))
        elif match is None or not match.settled:
            left_out.append(LeftOut(run, _unsettled(match)))
        elif (forecast := forecast_of(run, match)) is None:
            left_out.append(LeftOut(run, "no_forecast"))
        else:
            judged.append(Judged(run, forecast))
    return Judgement(tuple(judged), tuple(left_out))


def _on_its_day(subject: MatchSubject, known: Mapping[_Meeting, Match]) -> Match | None:
    """The match on record, on the day it has moved to in the end."""
    match = known.get((subject.date, subject.home, subject.away))
    days = {subject.date}
    while match is not None and match.moved_to is not None and match.moved_to not in days:
        days.add(match.moved_to)
        match = known.get((match.moved_to, match.home, match.away))
    return match


def forecast_of(run: Run, match: Match) -> Forecast | None:
    """The forecast of a run; None where its verdict has no probabilities that can be used."""
    fields = run.verdict.fields if run.verdict else {}
    given = fields.get("probabilities")
    scaled = _scaled(given) if isinstance(given, Mapping) else None
    if scaled is None:
        return None
    probabilities, total = scaled
    stated = _stated_sum(run)
    goals = numbers((fields.get("pred_home_goals"), fields.get("pred_away_goals")))
    return Forecast(
        contestant=contestant_of(run),
        match=match,
        probabilities=probabilities,
        goals=(goals[0], goals[1]) if goals else None,
        given_sum=total if stated is None else stated,
    )


def contestant_of(run: Run) -> Contestant:
    """The group of runs a run is compared in."""
    return Contestant(provider_of(run.models), run.models.title, run.prompt_version)


def provider_of(models: Models) -> str:
    """Who serves the models: the part of their names before the slash."""
    names = dict.fromkeys((models.specialist, models.aggregator))
    providers = dict.fromkeys(BASELINE if name == BASELINE else name.partition("/")[0] for name in names)
    return " + ".join(providers)


def yardsticks(matches: Iterable[Match], history: Sequence[Match]) -> list[Forecast]:
    """What the yardsticks said about matches that have a result, where they said anything.

    Args:
        matches: The matches; those without a result are skipped.
        history: All matches on record, for the seasons before.
    """
    rates = base_rates(history)
    found = []
    for match in matches:
        if match.settled:
            for name, (probabilities, total) in _said(match, rates).items():
                # The margin in odds is meant to be taken out; only a forecast is expected to sum to 1.
                given = 1.0 if name == "odds" else total
                found.append(Forecast(Contestant(YARDSTICK, name, ""), match, probabilities, None, given))
    return found


def others_on(match: Match, history: Iterable[Match]) -> Mapping[Yardstick, Probabilities]:
    """The probabilities each yardstick gave a match, played or not, as far as it gave any."""
    return {name: said for name, (said, _) in _said(match, base_rates(history)).items()}


def _said(
    match: Match, rates: Mapping[tuple[str, str], Probabilities]
) -> Mapping[Yardstick, tuple[Probabilities, float]]:
    """Per yardstick its probabilities for a match, scaled, and what they summed to.

    - ``published``: the forecast published before the match;
    - ``odds``: the inverses of bookmaker odds, so that scaling takes the margin in proportion;
    - ``base_rates``: the shares of the three results in the competition's season directly before.
    """
    published = {"1": match.ref_home, "X": match.ref_draw, "2": match.ref_away}
    prices = numbers((match.odds_home, match.odds_draw, match.odds_away))
    odds = prices if prices and min(prices) > 1 else []
    given: Mapping[Yardstick, Mapping[Any, Any]] = {
        "published": published,
        "odds": {o: 1 / price for o, price in zip(OUTCOMES, odds, strict=False)},
        "base_rates": rates.get((match.competition, match.season), {}),
    }
    return {name: scaled for name, shares in given.items() if (scaled := _scaled(shares)) is not None}


def result_of(match: Match) -> Outcome:
    """The result after 90 minutes.

    Raises:
        ValueError: The match has none.
    """
    if match.home_goals is None or match.away_goals is None or not match.settled:
        raise ValueError(f"{match.home} – {match.away} of {match.date} has no result")
    return outcome_of(match.home_goals, match.away_goals)


def base_rates(history: Iterable[Match]) -> Mapping[tuple[str, str], Probabilities]:
    """For each (competition, season) the shares of the three results in the season directly before.

    There are none where that season is not on record, or had not ended when this one began.
    """
    results: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    days: dict[tuple[str, str], list[dt.date]] = defaultdict(list)
    for match in history:
        if match.settled:
            results[match.competition, match.season].append(result_of(match))
            days[match.competition, match.season].append(match.date)
    rates: dict[tuple[str, str], Probabilities] = {}
    for (competition, before), known in results.items():
        season = season_after(before)
        if season and max(days[competition, before]) < min(days.get((competition, season), [dt.date.max])):
            rates[competition, season] = {outcome: known.count(outcome) / len(known) for outcome in OUTCOMES}
    return rates


def _scaled(given: Mapping[Outcome, Any]) -> tuple[Probabilities, float] | None:
    """Probabilities scaled to sum to 1, and what they summed to; None where they are none."""
    values = numbers(given.get(outcome) for outcome in OUTCOMES)
    if values is None or min(values) < 0 or sum(values) <= 0:
        return None
    total = sum(values)
    return {outcome: value / total for outcome, value in zip(OUTCOMES, values, strict=True)}, total


def _stated_sum(run: Run) -> float | None:
    """What the answer's own probabilities summed to where a rule has scaled them already."""
    scaled = run.verdict and any(each.rule == "renormalise" for each in run.verdict.adjustments)
    last = run.reports[-1].final if run.reports else None
    given = last.fields.get("probabilities") if last else None
    if not scaled or not isinstance(given, Mapping):
        return None
    stated = numbers(given.get(outcome) for outcome in OUTCOMES)
    return sum(stated) if stated else None


def numbers(values: Iterable[Any]) -> list[float] | None:
    """The values as finite numbers; None where one is missing or none."""
    found = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        found.append(float(value))
    return found


def _unsettled(match: Match | None) -> Reason:
    if match is None:
        return "not_on_record"
    return match.status if match.status and match.status != "played" else "scheduled"
