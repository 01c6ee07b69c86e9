"""The command that holds company scores against the returns that followed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

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
from workbench.evaluate.companies import Judged, Judgement, judge
from workbench.evaluate.company_board import Finding, Group, Line, board, finding, own_thresholds, yardstick
from workbench.evaluate.returns import HORIZONS, MONTHS, ShareHistory
from workbench.evaluate.scores import Band
from workbench.evaluate.uncertainty import Estimate
from workbench.strategy.schema import Label
from workbench.workspace import Workspace

_FINDINGS: Mapping[Finding, str] = {
    "no_data": "no data",
    "few_dates": "too few dates for an interval",
    "unclear": "cannot be told from zero",
    "overlapping": "cannot be told: the returns overlap in time",
    "above": "above zero",
    "below": "below zero",
}


@click.command("companies")
@click.option("--horizon", type=click.Choice(list(HORIZONS)), default="6m", show_default=True)
@click.option("--strategy", help="Only runs of this strategy.")
@json_option
@with_workspace
def evaluate_companies(workspace: Workspace, horizon: str, strategy: str | None, as_json: bool) -> None:
    """Hold the scores of companies against the total returns that followed, by who scored.

    Of several runs over one company and date the latest counts. Intervals are of 95 %, from a bootstrap over
    whole as-of dates.
    """
    today = dt.datetime.now(dt.UTC).date()
    measure = HORIZONS[horizon]
    found = workspace.store.find(pipeline="chapters", limit=-1)
    runs = only(found, "strategy", strategy, lambda run: run.strategy)
    judgement = judge(runs, measure, ShareHistory.known(workspace.evidence, today), today)

    def own(each: Judged) -> Mapping[float, Label]:
        return own_thresholds(workspace.store.load(each.run.run_id).strategy_text)

    lines = board(judgement.judged, MONTHS[measure], own)
    held = yardstick(judgement.judged)
    if as_json:
        print_json(
            {
                "horizon": horizon,
                "judged": len(judgement.judged),
                "left_out": [
                    {"run_id": each.run.run_id, "reason": each.reason} for each in judgement.left_out
                ],
                "yardstick": _group(held),
                "table": [_whole(line) for line in lines],
            }
        )
        return
    print_lines(_judged(judgement, horizon))
    if not lines:
        return
    print_lines([f"yardstick, all judged held alike: {_percent(held.mean)}, n {held.n}", ""])
    header = ("who", "n", "dates", "mean IC", "std", "IC > 0", "IR", "pooled", "buy - avoid")
    print_lines(table(header, map(_cells, lines), right={1, 2}, width=terminal_width()))
    for line in lines:
        print_lines(_groups(line))


def _judged(judgement: Judgement, horizon: str) -> Iterator[str]:
    total = len(judgement.judged) + len(judgement.left_out)
    yield f"{len(judgement.judged)} of {total} runs judged over {horizon}"
    for reason, count in judgement.reasons.most_common():
        yield f"left out: {count} {reason.replace('_', ' ')}"


def _cells(line: Line) -> list[str]:
    figures = line.figures
    return [
        _who(line),
        str(line.n),
        str(figures["ic"].n),
        _plain(figures["ic"]),
        _plain(figures["std"]),
        _percent(figures["positive"]),
        _plain(figures["ir"]),
        _plain(figures["pooled"]),
        _percent(line.buy_minus_avoid),
    ]


def _groups(line: Line) -> Iterator[str]:
    """What came of one contestant's scores by band, from thresholds up, and by label; and what it shows."""
    rows = [(_band(band), group) for band, group in line.bands.items()]
    rows += [(f">= {low:g} {line.own.get(low, '')}".strip(), group) for low, group in line.thresholds.items()]
    rows += [(label, group) for label, group in line.labels.items()]
    rows.append(("all", line.all))
    cells = [(name, str(group.n), _percent(group.mean), _percent(group.win_rate)) for name, group in rows]
    yield from ("", _who(line))
    yield from table(("score", "n", "mean return", "win rate"), cells, right={1}, width=terminal_width())
    for name, figure in (("mean IC", line.figures["ic"]), ("buy - avoid", line.buy_minus_avoid)):
        yield f"{name}: {_FINDINGS[finding(figure, overlapping=line.overlapping)]}"
    if line.few_companies:
        yield f"the same {line.companies} companies date after date: nothing is shown for others"
    if line.overlapping:
        yield "dates lie closer together than the horizon: the intervals are too narrow"


def _whole(line: Line) -> dict[str, Any]:
    return {
        "contestant": line.contestant._asdict(),
        "n": line.n,
        "companies": line.companies,
        "figures": {name: asdict(figure) for name, figure in line.figures.items()},
        "ic_by_date": [
            {"as_of": date.as_of.isoformat(), "n": date.n, "ic": date.ic} for date in line.by_date
        ],
        "all": _group(line.all),
        "bands": [{"band": _band(band)} | _group(group) for band, group in line.bands.items()],
        "thresholds": [
            {"from": low, "label": line.own.get(low)} | _group(group)
            for low, group in line.thresholds.items()
        ],
        "labels": {label: _group(group) for label, group in line.labels.items()},
        "buy_minus_avoid": asdict(line.buy_minus_avoid),
        "overlapping": line.overlapping,
    }


def _group(group: Group) -> dict[str, Any]:
    return {"n": group.n, "mean_return": asdict(group.mean), "win_rate": asdict(group.win_rate)}


def _who(line: Line) -> str:
    who = line.contestant
    return (
        f"{who.model} {who.strategy} {who.prompt_version} {'' if who.blind == 'none' else who.blind}".strip()
    )


def _band(band: Band) -> str:
    low = f"{'>' if band.above else '>='} {band.low:g}"
    high = f"{'<=' if band.up_to else '<'} {band.high:g}"
    return high if band.low == float("-inf") else low if band.high == float("inf") else f"{low} {high}"


def _plain(estimate: Estimate) -> str:
    return _written(estimate, "{:.2f}")


def _percent(estimate: Estimate) -> str:
    return _written(estimate, "{:.1%}")


def _written(estimate: Estimate, form: str) -> str:
    if estimate.value is None:
        return MISSING
    if estimate.low is None or estimate.high is None:
        return form.format(estimate.value)
    return f"{form.format(estimate.value)} ({form.format(estimate.low)} to {form.format(estimate.high)})"
