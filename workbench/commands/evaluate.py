"""Commands that hold stored runs against what happened."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import click

from workbench.commands.common import (
    json_option,
    only,
    print_json,
    print_lines,
    terminal_width,
    with_workspace,
)
from workbench.commands.console import MISSING, table
from workbench.commands.evaluate_companies import evaluate_companies
from workbench.evaluate.forecasts import (
    PUBLISHED,
    YARDSTICK,
    Contestant,
    Forecast,
    Judgement,
    judge,
    yardsticks,
)
from workbench.evaluate.scoreboard import METRICS, Line, difference, in_common, scoreboard
from workbench.evaluate.uncertainty import Estimate
from workbench.records import MatchSubject, Run
from workbench.workspace import Workspace


@click.group()
def evaluate() -> None:
    """Hold stored runs against what happened."""


evaluate.add_command(evaluate_companies)


@evaluate.command("football")
@click.option("--competition", help="Only this competition, as recorded.")
@click.option("--season", help="Only this season, e.g. 2018-19 or 2019.")
@click.option("--strategy", help="Only runs of this strategy.")
@click.option("--common", is_flag=True, help="Only matches that all of them forecast.")
@json_option
@with_workspace
def evaluate_football(
    workspace: Workspace,
    competition: str | None,
    season: str | None,
    strategy: str | None,
    common: bool,
    as_json: bool,
) -> None:
    """Score match runs by model and prompt version, beside yardsticks on the same matches.

    Each figure comes with its 95 % interval, from a bootstrap over whole match days. "vs published" is
    over the matches both forecast: means over different matches cannot be compared.
    """
    runs = workspace.store.outlines(pipeline="match")
    for name, wanted, value in (
        ("competition", competition, _competition),
        ("season", season, _season),
        ("strategy", strategy, _strategy),
    ):
        runs = only(runs, name, wanted, value)
    history = workspace.evidence.view(dt.date.max).matches()
    judgement = judge(runs, history)
    own = [each.forecast for each in judgement.judged]
    matches = dict.fromkeys(forecast.match for forecast in own)
    forecasts = [*own, *yardsticks(matches, history)]
    if common:
        forecasts = in_common(forecasts)
    lines = scoreboard(forecasts)
    against = {line.contestant: _against_published(forecasts, line.contestant) for line in lines}
    if as_json:
        print_json(
            {
                "judged": len(judgement.judged),
                "left_out": [
                    {"run_id": each.run.run_id, "reason": each.reason} for each in judgement.left_out
                ],
                "table": [
                    asdict(line)
                    | {"contestant": line.contestant._asdict()}
                    | {"rps_against_published": _as_json(against[line.contestant])}
                    for line in lines
                ],
            }
        )
        return
    print_lines(_judged(judgement))
    if lines:
        header = ("who", "n", *METRICS, "scaled", "rps vs published")
        cells = ((*_cells(line), _gap(against[line.contestant])) for line in lines)
        print_lines(table(header, cells, right={1}, width=terminal_width()))


def _competition(run: Run) -> str:
    return run.subject.competition if isinstance(run.subject, MatchSubject) else ""


def _season(run: Run) -> str:
    return run.subject.season if isinstance(run.subject, MatchSubject) else ""


def _strategy(run: Run) -> str:
    return run.strategy


def _against_published(forecasts: Sequence[Forecast], contestant: Contestant) -> Estimate | None:
    """The RPS of a contestant minus that of the published forecast, match by match; None for that itself."""
    if contestant == PUBLISHED:
        return None
    mine = [forecast for forecast in forecasts if forecast.contestant == contestant]
    theirs = [forecast for forecast in forecasts if forecast.contestant == PUBLISHED]
    return difference(mine, theirs, "rps") if theirs else None


def _as_json(estimate: Estimate | None) -> dict[str, object] | None:
    return None if estimate is None else asdict(estimate)


def _gap(estimate: Estimate | None) -> str:
    if estimate is None or estimate.value is None:
        return MISSING
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:+.4f}, n {estimate.n}"
    return f"{estimate.value:+.4f} ({estimate.low:+.4f} to {estimate.high:+.4f}), n {estimate.n}"


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
