"""Commands around the pushing of loud signals: try the targets, send what is due, list what was sent."""

from __future__ import annotations

import click

from workbench.commands import console
from workbench.commands.common import json_option, print_json, print_lines, terminal_width, with_workspace
from workbench.errors import InputError
from workbench.records import NewsSubject
from workbench.workspace import Workspace


@click.group()
def notify() -> None:
    """Push FLASH and ALERT signals to the addresses in WORKBENCH_NOTIFY."""


@notify.command("test")
@with_workspace
def test_targets(workspace: Workspace) -> int:
    """Send a test message to every target."""
    _require_targets(workspace)
    found = workspace.courier.test()
    for name, problem in found.items():
        click.echo(f"{name}: {console.one_line(problem) or 'taken'}")
    return int(any(found.values()))


@notify.command("send")
@with_workspace
def send(workspace: Workspace) -> int:
    """Attempt every delivery that is due, once. The app does so by itself while it runs."""
    _require_targets(workspace)
    ended = workspace.courier.deliver()
    click.echo(
        ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in ended.items()) or "Nothing is due."
    )
    return int(ended["given_up"] + ended["waiting"] > 0)


@notify.command("list")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@json_option
@with_workspace
def list_deliveries(workspace: Workspace, limit: int, as_json: bool) -> None:
    """List what was sent to whom, and what is still to be sent, newest first."""
    found = workspace.store.deliveries.find(limit=limit)
    if as_json:
        print_json(
            {
                "deliveries": [
                    {
                        "item": each.item,
                        "run_id": each.run_id,
                        "urgency": each.urgency,
                        "target": each.target,
                        "state": each.state,
                        "attempts": each.attempts,
                        "updated": each.updated.isoformat(),
                        "error": each.error or None,
                    }
                    for each in found
                ]
            }
        )
    elif not found:
        click.echo("Nothing has been pushed.")
    else:
        header = ("when", "urgency", "target", "state", "tries", "news", "error")
        rows = [
            (
                f"{each.updated:%Y-%m-%d %H:%M}",
                each.urgency,
                each.target,
                each.state.replace("_", " "),
                str(each.attempts),
                each.title,
                each.error,
            )
            for each in found
        ]
        print_lines(console.table(header, rows, width=terminal_width()))


def push_what_is_due(workspace: Workspace, item: NewsSubject | None = None) -> None:
    """Push the signals that a command has concluded, and say so on standard error.

    Args:
        workspace: Does nothing where it has no target.
        item: The one item that was judged, for saying that it is too old.
    """
    if not workspace.courier.targets:
        return
    ended = workspace.courier.deliver()
    if ended["sent"]:
        click.echo(f"Pushed: {ended['sent']}.", err=True)
    if ended["waiting"]:
        click.echo(f"{ended['waiting']} not taken; try again with: workbench notify send", err=True)
    if item and workspace.courier.too_old(item.published):
        days = workspace.settings.notify_days
        click.echo(f"Not pushed: the news is of {item.published}, more than {days} days ago.", err=True)


def _require_targets(workspace: Workspace) -> None:
    if not workspace.courier.targets:
        raise InputError(
            "there is no target.",
            where="WORKBENCH_NOTIFY",
            remedy="Set it to addresses as apprise knows them.",
        )
