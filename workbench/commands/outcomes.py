"""Commands that record what happened after the as-of dates of runs."""

from __future__ import annotations

import datetime as dt

import click

from workbench.commands.common import json_option, print_json, with_workspace
from workbench.evaluate.returns import Missing, ShareHistory, followed
from workbench.workspace import Workspace

_WORDS: dict[Missing, str] = {
    "not_over": "not over yet",
    "no_first_price": "without a price near the as-of date",
    "no_last_price": "without a price near the end of the horizon",
}


@click.group()
def outcomes() -> None:
    """Record what happened after runs."""


@outcomes.command()
@json_option
@with_workspace
def fill(workspace: Workspace, as_json: bool) -> None:
    """Fill in the returns over 1, 3, 6 and 12 months after every chapters run, as far as they are known."""
    today = dt.datetime.now(dt.UTC).date()
    judged = workspace.store.judged("chapters")
    found = followed(judged, ShareHistory.known(workspace.evidence, today), today)
    new = workspace.store.outcomes.record(found.outcomes)
    if as_json:
        print_json(
            {
                "judged": len(judged),
                "known": len(found.outcomes),
                "new": new,
                "missing": dict(found.missing),
            }
        )
        return
    click.echo(f"{len(judged)} companies and dates: {len(found.outcomes)} returns known, {new} of them new")
    for reason, count in found.missing.items():
        click.echo(f"{count} returns {_WORDS[reason]}")
