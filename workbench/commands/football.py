"""Commands that bring football of the user's own into the workspace: matches, and who is out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from workbench.commands.common import json_option, print_json, with_workspace
from workbench.commands.console import one_line
from workbench.evidence.football_imports import (
    ClubNames,
    ImportReport,
    import_absences,
    import_matches,
    read_club_names,
)
from workbench.evidence.view import parse_day
from workbench.workspace import Workspace

SHOWN_CLUBS = 20
"""Clubs not on record that are listed; a file of all leagues has hundreds."""

file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
names_option = click.option(
    "--names",
    "names_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV file with the columns name and known_as: what the file calls a club, and its name on record.",
)


@click.group()
def matches() -> None:
    """Bring in matches of your own."""


@matches.command("import")
@file_argument
@click.option("--competition", help="Name of the competition, instead of the one in the file.")
@click.option("--season", help="Season of all matches, e.g. 2018-19 or 2019, instead of the one in the file.")
@names_option
@json_option
@with_workspace
def import_matches_command(
    workspace: Workspace,
    file: Path,
    competition: str | None,
    season: str | None,
    names_file: Path | None,
    as_json: bool,
) -> None:
    """Add the matches of FILE: football-data.co.uk, openfootball, FiveThirtyEight, FBref, or our own columns.

    A match on record is completed by what the file knows besides; the newer result counts.
    """
    _report(
        import_matches(
            workspace.evidence,
            file.read_bytes(),
            origin=file.name,
            competition=competition,
            season=season,
            names=_club_names(workspace, names_file),
        ),
        as_json,
    )


@matches.command("forget")
@click.argument("name")
@with_workspace
def forget_matches(workspace: Workspace, name: str) -> None:
    """Take out what the file NAME brought: its matches, what it completed and what it moved."""
    click.echo(f"{workspace.evidence.forget('matches', name)} rows taken out.")


@click.group()
def absences() -> None:
    """Bring in who is injured or suspended."""


@absences.command("import")
@file_argument
@click.option("--published", type=parse_day, help="Day a file without dates was published (YYYY-MM-DD).")
@names_option
@json_option
@with_workspace
def import_absences_command(
    workspace: Workspace, file: Path, published: Any, names_file: Path | None, as_json: bool
) -> None:
    """Add the absences of FILE: CSV or JSON with team, player and the day of publication.

    Matches from the day after publication on are shown them.
    """
    _report(
        import_absences(
            workspace.evidence,
            file.read_bytes(),
            origin=file.name,
            published=published,
            names=_club_names(workspace, names_file),
        ),
        as_json,
    )


@absences.command("forget")
@click.argument("name")
@with_workspace
def forget_absences(workspace: Workspace, name: str) -> None:
    """Take out the absences imported from the file NAME."""
    click.echo(f"{workspace.evidence.forget('absences', name)} absences taken out.")


def _club_names(workspace: Workspace, file: Path | None) -> ClubNames:
    return read_club_names(file.read_bytes(), workspace.evidence) if file else {}


def _report(report: ImportReport, as_json: bool) -> None:
    if as_json:
        print_json(report.to_json())
        return

    def show(line: str) -> None:
        click.echo(one_line(line))

    show(f"{report.format}: {report.records} records, {report.added} added, {report.dropped} dropped")
    if report.flags:
        show(", ".join(f"{count} {flag}" for flag, count in report.flags.items()))
    for (kind, reason), count in report.counts().most_common():
        first = next(p for p in report.problems if (p.kind, p.reason) == (kind, reason))
        cell = f", {first.column} {first.value!r}" if first.column else ""
        about = f": {first.shown}" if first.shown else ""
        show(f"{count} {kind}: {reason} (first record {first.record}{cell}{about})")
    if report.strangers:
        show(f"{len(report.strangers)} clubs were not on record under the name in the file:")
    for name, near in list(report.strangers.items())[:SHOWN_CLUBS]:
        show(name + (f" (on record: {', '.join(near)})" if near else ""))
    if len(report.strangers) > SHOWN_CLUBS:
        show("... see --json for all of them.")
    if any(report.strangers.values()):
        show("To join a club to one on record: forget this file, then import it with --names FILE.")
