"""Commands that check what strategies are made of: prompts, operators, the strategy files themselves."""

from __future__ import annotations

from collections.abc import Iterable

import click

from workbench.commands import console
from workbench.commands.common import print_lines, with_workspace
from workbench.errors import InputError
from workbench.strategy.findings import Finding
from workbench.workspace import Workspace


@click.group()
def prompts() -> None:
    """Look after the prompt files."""


@prompts.command("check")
@with_workspace
def check_prompts(workspace: Workspace) -> int:
    """Check every prompt, and that no released one was changed."""
    return _print_findings(workspace.prompts.check(), f"{len(workspace.prompts.names())} prompts are fine.")


@prompts.command("release")
@with_workspace
def release_prompts(workspace: Workspace) -> None:
    """Lock the prompt files that are not locked yet: from now on a change is a new version."""
    print_lines(workspace.prompts.release() or ["Every prompt is released already."])


@click.command()
@click.argument("names", metavar="[STRATEGY]...", nargs=-1)
@with_workspace
def lint(workspace: Workspace, names: tuple[str, ...]) -> int:
    """Check strategies, or all of them, with the operators and prompts they name."""
    known = workspace.strategies()
    if unknown := [name for name in names if name not in known]:
        raise InputError(f"there is no strategy {unknown[0]!r}.", remedy=f"There are: {', '.join(known)}.")
    checked = names or tuple(known)
    findings = [finding for name in checked for finding in workspace.lint(name)]
    return _print_findings(findings, f"{', '.join(checked)}: no finding.")


def _print_findings(findings: Iterable[Finding], all_fine: str) -> int:
    failed = False
    for finding in findings:
        all_fine = ""
        click.echo(console.one_line(str(finding)))
        failed = failed or finding.severity == "error"
    if all_fine:
        click.echo(all_fine)
    return int(failed)
