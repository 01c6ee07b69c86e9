"""Commands that fill the evidence from services on the web."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence

import click

from workbench.commands import console
from workbench.commands.common import json_option, print_json, print_lines, terminal_width, with_workspace
from workbench.errors import InputError
from workbench.evidence.feeds import FEEDS, feed_named, last_pulled, pull
from workbench.evidence.feeds.fetch import FeedError
from workbench.evidence.view import parse_day
from workbench.workspace import Workspace

DAYS_BACK = 30


@click.group()
def feeds() -> None:
    """Fill the evidence from services on the web (extra: feeds)."""


@feeds.command("list")
@json_option
@with_workspace
def list_feeds(workspace: Workspace, as_json: bool) -> None:
    """List the feeds: what each brings, where from, what it needs, when it last brought something new."""
    pulled = last_pulled(workspace.evidence)
    rows = [
        {
            "feed": feed.name,
            "brings": feed.title,
            "address": feed.shown_address(os.environ) or None,
            "key": feed.key or None,
            "key_set": bool(os.environ.get(feed.key)) if feed.key else None,
            "needs_subject": feed.needs == "subject",
            "last_new": pulled.get(feed.name),
        }
        for feed in FEEDS.values()
    ]
    if as_json:
        print_json({"feeds": rows})
        return
    header = ("feed", "brings", "key", "last new", "address")
    cells = [
        (
            str(row["feed"]),
            str(row["brings"]),
            f"{row['key']} {'set' if row['key_set'] else 'missing'}" if row["key"] else "none",
            str(row["last_new"] or console.MISSING),
            str(row["address"] or "set it"),
        )
        for row in rows
    ]
    print_lines(console.table(header, cells, width=terminal_width()))


@feeds.command("pull")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--ticker", "tickers", multiple=True, help="Company to ask about; the watchlist if absent.")
@click.option("--query", "words", default="", help="Words to search for.")
@click.option("--since", type=parse_day, help=f"First day wanted; {DAYS_BACK} days ago if absent.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000))
@json_option
@with_workspace
def pull_feeds(
    workspace: Workspace,
    names: Sequence[str],
    tickers: Sequence[str],
    words: str,
    since: dt.date | None,
    limit: int,
    as_json: bool,
) -> int:
    """Ask the feeds NAME for what is new. What fails does not stop the rest, and is told beside it."""
    chosen = [feed_named(name) for name in names]
    if not (tickers or words):
        tickers = workspace.store.signals.watched()
    first = since or dt.datetime.now(dt.UTC).date() - dt.timedelta(days=DAYS_BACK)
    found: list[dict[str, object]] = []
    for feed in chosen:
        try:
            kept = pull(workspace.evidence, feed, tickers=tickers, words=words, since=first, limit=limit)
        except (FeedError, InputError) as error:
            found.append({"feed": feed.name, "error": str(error)})
            continue
        counts = {"new": kept.new, "known": kept.known, "left_out": kept.left_out}
        found.append(
            {"feed": feed.name, **counts} | ({"error": " ".join(kept.failed)} if kept.failed else {})
        )
    if as_json:
        print_json({"feeds": found})
        return int(any("error" in each for each in found))
    for each in found:
        if any(each.get(name) for name in ("new", "known", "left_out")) or "error" not in each:
            click.echo(
                f"{each['feed']}: {each['new']} new, {each['known']} known, {each['left_out']} left out"
            )
        if "error" in each:
            click.echo(console.one_line(str(each["error"])), err=True)
    return int(any("error" in each for each in found))
