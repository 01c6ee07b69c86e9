"""What the experts of a match pipeline are worth: does an edge predict, does the second look help, who earns
the weight the aggregator gives?

A home edge is the probability of a home win minus that of an away win, so the result is taken as 1 (home
win), 0 (draw) or -1 (away win): the mean of that is what an honest edge states, and the squared error of the
edge against it is a proper score.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.evaluate.forecasts import Judged, numbers
from workbench.evaluate.uncertainty import Estimate, correlation, mean
from workbench.records import EDGE_SCALE, LAST_ROLES, Opinion, Outcome, Report
from workbench.rules.match import heard

RESULT: Mapping[Outcome, int] = {"1": 1, "X": 0, "2": -1}

WORTH_SAYING = 0.005
"""An edge nearer to zero than this names no winner."""


@dataclass(frozen=True)
class ExpertLine:
    """One expert over many runs.

    Attributes:
        agent: Its name in the strategy.
        title: Its title.
        runs: Runs that asked it.
        heard: Runs in which it had something to say.
        sign: Share of matches with a winner in which the sign of its final edge named the winner.
        draft_sign: The same of its drafts.
        error: Mean squared error of the final edge, 0..4.
        revision: Mean squared error of the draft minus that of the revision; above 0 the revision is better.
        moved: Revisions that changed the edge, of ``revision.n``.
        correlation: Correlation of the final edge with the result.
    """

    agent: str
    title: str
    runs: int
    heard: int
    sign: Estimate
    draft_sign: Estimate
    error: Estimate
    revision: Estimate
    moved: int
    correlation: Estimate


@dataclass(frozen=True)
class WeightLine:
    """What the weight of one expert is worth.

    Attributes:
        agent: Its name in the strategy.
        title: Its title.
        weight: Mean weight it was given where it was heard.
        drop_one: Mean squared error of the weighted edge without this expert, minus that with it; above 0 it
            earns its weight.
        correlation: Correlation, over matches, of the weight it was given with minus its squared error; above
            0 it is trusted more where it is right. Not defined where the weight never varies.
    """

    agent: str
    title: str
    weight: Estimate
    drop_one: Estimate
    correlation: Estimate


@dataclass(frozen=True)
class _Vote:
    """One heard expert in one run. ``result`` is 1, 0 or -1; ``edge`` the one that counts."""

    agent: str
    edge: float
    draft: float | None
    revised: float | None
    weight: float | None
    result: int
    day: dt.date

    @property
    def error(self) -> float:
        return (self.edge - self.result) ** 2


def always_home(judged: Sequence[Judged]) -> Estimate:
    """Share of matches with a winner that the home club won: what naming it every time would score."""
    decided = [each.forecast for each in judged if each.forecast.outcome != "X"]
    return mean([float(f.outcome == "1") for f in decided], [f.match.date for f in decided], "higher")


def expert_lines(judged: Sequence[Judged]) -> list[ExpertLine]:
    """One line per expert, in the order of the pipeline."""
    votes = [vote for each in judged for vote in _votes(each)]
    return [
        _expert_line(agent, reports, [vote for vote in votes if vote.agent == agent])
        for agent, reports in _reports(judged).items()
    ]


def weight_lines(judged: Sequence[Judged]) -> list[WeightLine]:
    """One line per expert that was ever given a weight, in the order of the pipeline."""
    runs = [_votes(each) for each in judged]
    lines = [_weight_line(agent, reports, runs) for agent, reports in _reports(judged).items()]
    return [line for line in lines if line.weight.n]


def _expert_line(agent: str, reports: Sequence[Report], votes: Sequence[_Vote]) -> ExpertLine:
    days = [vote.day for vote in votes]
    edges, results = [vote.edge for vote in votes], [float(vote.result) for vote in votes]
    gains, gain_days, moved = [], [], 0
    for vote in votes:
        if vote.draft is not None and vote.revised is not None:
            gains.append((vote.draft - vote.result) ** 2 - (vote.revised - vote.result) ** 2)
            gain_days.append(vote.day)
            moved += vote.draft != vote.revised
    return ExpertLine(
        agent=agent,
        title=reports[-1].title,
        runs=len(reports),
        heard=len(votes),
        sign=_sign((vote.edge, vote) for vote in votes),
        draft_sign=_sign((vote.draft, vote) for vote in votes),
        error=mean([vote.error for vote in votes], days, "lower"),
        revision=mean(gains, gain_days, "higher"),
        moved=moved,
        correlation=correlation(edges, results, days, "higher"),
    )


def _weight_line(agent: str, reports: Sequence[Report], runs: Sequence[Sequence[_Vote]]) -> WeightLine:
    weights, errors, days = [], [], []
    gains, gain_days = [], []
    for votes in runs:
        own = next((vote for vote in votes if vote.agent == agent and vote.weight is not None), None)
        if own is None or own.weight is None:
            continue
        weights.append(own.weight)
        errors.append(own.error)
        days.append(own.day)
        together, without = _together(votes), _together([vote for vote in votes if vote is not own])
        if together is not None and without is not None:
            gains.append((without - own.result) ** 2 - (together - own.result) ** 2)
            gain_days.append(own.day)
    return WeightLine(
        agent=agent,
        title=reports[-1].title,
        weight=mean(weights, days, "neither"),
        drop_one=mean(gains, gain_days, "higher"),
        correlation=correlation(weights, [-error for error in errors], days, "higher"),
    )


def _reports(judged: Iterable[Judged]) -> dict[str, list[Report]]:
    """Every report of every expert, by its name, in the order of the pipeline."""
    found: dict[str, list[Report]] = {}
    for each in judged:
        for report in each.run.reports:
            if _is_expert(report):
                found.setdefault(report.agent, []).append(report)
    return found


def _votes(each: Judged) -> list[_Vote]:
    """The experts of a run that had something to say."""
    verdict = each.run.verdict
    weights: Mapping[str, Any] = (verdict.fields.get("agent_weights") if verdict else None) or {}
    votes = []
    for report in each.run.reports:
        edge = _edge(report.final)
        if not _is_expert(report) or not heard(report) or edge is None:
            continue
        weight = numbers([weights.get(report.agent)])
        votes.append(
            _Vote(
                agent=report.agent,
                edge=edge,
                draft=_edge(report.draft),
                revised=_edge(report.revised),
                weight=weight[0] if weight else None,
                result=RESULT[each.forecast.outcome],
                day=each.forecast.match.date,
            )
        )
    return votes


def _is_expert(report: Report) -> bool:
    return report.role not in LAST_ROLES and report.scale == EDGE_SCALE


def _edge(opinion: Opinion | None) -> float | None:
    stated = numbers([opinion.score if opinion else None])
    return stated[0] if stated else None


def _sign(edges: Iterable[tuple[float | None, _Vote]]) -> Estimate:
    """Of the matches with a winner for which the edge named one: how often it named the right one."""
    named = [
        (edge, vote) for edge, vote in edges if edge is not None and vote.result and abs(edge) >= WORTH_SAYING
    ]
    return mean([float(edge * vote.result > 0) for edge, vote in named], [v.day for _, v in named], "higher")


def _together(votes: Sequence[_Vote]) -> float | None:
    """The weighted mean of the edges; None where nobody has weight."""
    total = sum(vote.weight or 0 for vote in votes)
    return sum((vote.weight or 0) * vote.edge for vote in votes) / total if total > 0 else None
