"""Commands that bring in news items and list them."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path

import click

from workbench.commands import console
from workbench.commands.common import (
    json_option,
    period_options,
    print_json,
    print_lines,
    terminal_width,
    with_workspace,
)
from workbench.evidence.news import NewsItem, add_items, count_items, items
from workbench.evidence.news_text import Language
from workbench.evidence.readers.news import NewsFile, read_news, read_pasted
from workbench.workspace import Workspace

PASTED = "pasted"
"""Origin of items that were typed or pasted."""

SHOWN_REFUSED = 5


@click.group()
def news() -> None:
    """Bring in news items of your own, and list them."""


@news.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@json_option
@with_workspace
def import_news(workspace: Workspace, file: Path, as_json: bool) -> None:
    """Add the items of FILE: CSV with a header, a JSON list, or one JSON object a line.

    Columns are known by their usual names in English and Chinese; a title and a date are needed. An item
    whose day and title are on record already is not added again.
    """
    _add(workspace, read_news(file.read_bytes(), file.name), origin=file.name, as_json=as_json)


@news.command("paste")
@click.option("--date", required=True, help="When it came out: YYYY-MM-DD, or with a time.")
@click.option("--source", default="", help="Who published it.")
@json_option
@with_workspace
def paste_news(workspace: Workspace, date: str, source: str, as_json: bool) -> None:
    """Add one item from standard input: the first line is its title, the rest its text."""
    item = read_pasted(sys.stdin.read(), date, source=source)
    _add(workspace, NewsFile((item,), ()), origin=PASTED, as_json=as_json)


@news.command("list")
@click.option("--text", default="", help="Appears in title or source.")
@click.option("--language", type=click.Choice(["zh", "en"]))
@period_options
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@click.option("--page", default=1, show_default=True, type=click.IntRange(1, 1_000_000))
@json_option
@with_workspace
def list_news(
    workspace: Workspace,
    text: str,
    language: Language | None,
    since: dt.date | None,
    until: dt.date | None,
    limit: int,
    page: int,
    as_json: bool,
) -> None:
    """List the items on record, newest first, with the companies they name."""
    db = workspace.evidence
    total = count_items(db, text=text, language=language, since=since, until=until)
    found = items(
        db,
        text=text,
        language=language,
        since=since,
        until=until,
        limit=limit,
        offset=limit * (page - 1),
    )
    if as_json:
        print_json({"total": total, "items": [_to_json(workspace, item) for item in found]})
    elif not total:
        click.echo("No item matches. Bring some in: workbench news import FILE")
    else:
        header = ("item", "", "source", "names", "title")
        rows = [(i.id, i.language, i.source, " ".join(_codes(workspace, i)), i.title) for i in found]
        print_lines(console.table(header, rows, width=terminal_width()))
        click.echo(f"{len(found)} of {total} items" + (f", page {page}" if total > limit else ""))


@news.command("forget")
@click.argument("name")
@with_workspace
def forget_news(workspace: Workspace, name: str) -> None:
    """Take out the items imported from the file NAME; the sample stays. Runs over them are kept."""
    click.echo(f"{workspace.evidence.forget('documents', name)} items taken out.")


def _add(workspace: Workspace, file: NewsFile, *, origin: str, as_json: bool) -> None:
    added = add_items(workspace.evidence, file.items, origin=origin)
    if as_json:
        print_json(
            {
                "new": list(added.new),
                "known": list(added.known),
                "refused": [{"entry": refused.number, "why": refused.why} for refused in file.refused],
            }
        )
        return
    click.echo(
        f"{len(added.new)} items added, {len(file.items) - len(added.new)} were known, "
        f"{len(file.refused)} left out."
    )
    for refused in file.refused[:SHOWN_REFUSED]:
        click.echo(f"  entry {refused.number}: {console.one_line(refused.why)}")
    if added.new:
        click.echo(f"Next: workbench run signals {added.new[0]}")


def _to_json(workspace: Workspace, item: NewsItem) -> dict[str, object]:
    return item.model_dump(mode="json") | {"names": list(_codes(workspace, item))}


def _codes(workspace: Workspace, item: NewsItem) -> tuple[str, ...]:
    return tuple(link.code for link in item.links(workspace.evidence.instruments))
