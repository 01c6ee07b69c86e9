"""Commands that hold stored runs against what happened."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict

import click

from workbench.commands.common import json_option, print_json, print_lines, terminal_width, with_workspace
from workbench.commands.console import MISSING, table
from workbench.evaluate.forecasts import YARDSTICK, Judgement, judge, yardsticks
from workbench.evaluate.scoreboard import METRICS, Line, scoreboard
from workbench.evaluate.uncertainty import Estimate
from workbench.records import MatchSubject
from workbench.workspace import Workspace


@click.group()
def evaluate() -> None:
    """Hold stored runs against what happened."""


@evaluate.command("football")
@click.option("--competition", help="Only this competition, exactly as recorded.")
@click.option("--season", help="Only this season, e.g. 2018-19 or 2019.")
@click.option("--strategy", help="Only runs of this strategy.")
@json_option
@with_workspace
def evaluate_football(
    workspace: Workspace, competition: str | None, season: str | None, strategy: str | None, as_json: bool
) -> None:
    """Score match runs by model and prompt version, beside yardsticks on the same matches.

    Each figure comes with its 95 % interval, from a bootstrap over whole match days.
    """
    runs = [
        run
        for run in workspace.store.outlines(pipeline="match", strategy=strategy)
        if isinstance(run.subject, MatchSubject)
        and competition in (None, run.subject.competition)
        and season in (None, run.subject.season)
    ]
    history = workspace.evidence.view(dt.date.max).matches()
    judgement = judge(runs, history)
    forecasts = [each.forecast for each in judgement.judged]
    matches = dict.fromkeys(forecast.match for forecast in forecasts)
    lines = scoreboard([*forecasts, *yardsticks(matches, history)])
    if as_json:
        print_json(
            {
                "judged": len(judgement.judged),
                "left_out": [
                    {"run_id": each.run.run_id, "reason": each.reason} for each in judgement.left_out
                ],
                "table": [asdict(line) | {"contestant": line.contestant._asdict()} for line in lines],
            }
        )
        return
    print_lines(_judged(judgement))
    if lines:
        header = ("who", "n", *METRICS, "scaled")
        print_lines(table(header, map(_cells, lines), right={1}, width=terminal_width()))


def _judged(judgement: Judgement) -> Iterator[str]:
    yield f"{len(judgement.judged)} of {len(judgement.judged) + len(judgement.left_out)} runs judged"
    for reason, count in judgement.reasons.most_common():
        yield f"left out: {count} {reason.replace('_', ' ')}"


def _cells(line: Line) -> list[str]:
    who = line.contestant
    name = who.model.replace("_", " ") if who.provider == YARDSTICK else f"{who.model} {who.prompt_version}"
    return [
        name,
        str(line.forecasts),
        *(_figure(line.scores[metric]) for metric in METRICS),
        str(line.scaled),
    ]


def _figure(estimate: Estimate) -> str:
    if estimate.value is None:
        return MISSING
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.4f}"
    return f"{estimate.value:.4f} ({estimate.low:.4f} to {estimate.high:.4f})"
