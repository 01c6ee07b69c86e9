"""Commands that start, follow, resume and list batches."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import click

from workbench import crews
from workbench.commands import console
from workbench.commands.common import (
    INTERRUPTED,
    Dollars,
    blind_option,
    json_option,
    model_option,
    period_options,
    print_json,
    print_lines,
    terminal_width,
    with_workspace,
)
from workbench.commands.notify import push_what_is_due
from workbench.engine.batch import expected_calls
from workbench.errors import InputError
from workbench.evidence.fixtures import resolve_fixtures
from workbench.evidence.news import count_items, items
from workbench.evidence.news_text import Language
from workbench.evidence.universe import read_universe
from workbench.pipelines.batches import (
    Item,
    company_items,
    match_items,
    news_items,
    parse_dates,
    without_result,
)
from workbench.records import Blind, PipelineName
from workbench.store.batch_records import Batch, BatchOrder
from workbench.strategy.blinding import blinded, for_backtest
from workbench.workspace import Workspace

Engine = Literal["local", "dask"]

SHOWN_FAILURES = 10

concurrency_option = click.option(
    "--concurrency",
    type=click.IntRange(1, 512),
    help="Runs at once, and calls in flight to one provider; WORKBENCH_CONCURRENCY if absent.",
)
budget_option = click.option("--budget", type=Dollars(), help="USD the batch may cost.")


def crew_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say who carries out a batch."""
    for option in (
        click.option("--scheduler", metavar="ADDRESS", help="Scheduler of the Dask cluster."),
        click.option(
            "--engine",
            type=click.Choice(["local", "dask"]),
            default="local",
            show_default=True,
            help="This machine, or an existing Dask cluster.",
        ),
        click.option(
            "--processes",
            type=click.IntRange(1, 64),
            default=1,
            show_default=True,
            help="Worker processes on this machine.",
        ),
    ):
        command = option(command)
    return command


def order_options(strategy: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options every new batch has."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            json_option,
            crew_options,
            budget_option,
            concurrency_option,
            click.option("--limit", type=click.IntRange(1), help="Only the first so many."),
            model_option,
            click.option("--strategy", default=strategy, show_default=True),
        ):
            command = option(command)
        return command

    return add


@click.group()
def batch() -> None:
    """Run a pipeline over many subjects or dates."""


@batch.command("match")
@click.option("--competition", required=True, help="Its name, or an unmistakable part of it.")
@click.option("--season", help="E.g. 2018-19 or 2019.")
@period_options
@order_options("match")
@with_workspace
def match_batch(
    workspace: Workspace,
    competition: str,
    season: str | None,
    since: dt.date | None,
    until: dt.date | None,
    **options: Any,
) -> int:
    """Judge the matches of a season or of some days, each as of the day it is played.

    Matches that were postponed, abandoned, awarded or cancelled are left out and counted.
    """
    found = resolve_fixtures(workspace.evidence, competition, season=season, since=since, until=until)
    if not (season or since or until or options["limit"]):
        seasons = len({fixture.season for fixture in found})
        raise InputError(
            f"this would judge every match of {found[0].competition} on record:"
            f" {len(found):,} in {seasons} seasons.",
            remedy="Name a --season, or days with --from and --to, or a --limit.",
        )
    if left_out := without_result(found):
        each = ", ".join(f"{count:,} {status}" for status, count in left_out.items())
        click.echo(f"{left_out.total():,} are left out and get no result: {each}.", err=True)
    days = f" {found[0].date} to {found[-1].date}" if since or until or not season else ""
    title = " ".join(filter(None, (found[0].competition, season and found[0].season))) + days
    return _start(workspace, "match", title, match_items(found), **options)


@batch.command("chapters")
@click.option(
    "--universe",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with one code or name a line, or CSV with a column code.",
)
@click.option(
    "--dates", required=True, type=parse_dates, help="Days, or FIRST:LAST:STEP: 2018-06-30:2024-12-31:6M."
)
@blind_option
@order_options("value")
@with_workspace
def chapters_batch(workspace: Workspace, universe: Path, dates: list[dt.date], **options: Any) -> int:
    """Judge every company of a universe as of every date, blind unless the strategy or --blind says how."""
    companies = read_universe(universe.read_bytes(), workspace.evidence.instruments, str(universe))
    items = company_items(companies, dates, workspace.strategy(options["strategy"]).strategy.language)
    if unlisted := len(companies) * len(dates) - len(items):
        click.echo(f"{unlisted} are left out: the company was not listed yet on that day.", err=True)
    days = f"{dates[0]} to {dates[-1]}" if len(dates) > 1 else str(dates[0])
    return _start(workspace, "chapters", f"{universe.name}, {days}", items, **options)


@batch.command("signals")
@click.option("--text", default="", help="Appears in title or source.")
@click.option("--language", type=click.Choice(["zh", "en"]))
@period_options
@order_options("news")
@with_workspace
def signals_batch(
    workspace: Workspace,
    text: str,
    language: Language | None,
    since: dt.date | None,
    until: dt.date | None,
    **options: Any,
) -> int:
    """Judge the news items on record, or some of them, each as of the day it came out."""
    total = count_items(workspace.evidence, text=text, language=language, since=since, until=until)
    if not total:
        raise InputError("no news item matches.", remedy="Bring some in: workbench news import FILE")
    found = items(workspace.evidence, text=text, language=language, since=since, until=until, limit=total)
    title = f"news {found[-1].published} to {found[0].published}" + (f", {text}" if text else "")
    code = _start(workspace, "signals", title, news_items(found), **options)
    push_what_is_due(workspace)
    return code


def _start(
    workspace: Workspace,
    pipeline: PipelineName,
    title: str,
    items: Sequence[Item],
    *,
    strategy: str,
    model: str | None,
    limit: int | None,
    concurrency: int | None,
    budget: float | None,
    processes: int,
    engine: Engine,
    scheduler: str | None,
    as_json: bool,
    blind: Blind | None = None,
) -> int:
    loaded = workspace.strategy(strategy)
    loaded = for_backtest(loaded) if blind is None else blinded(loaded, blind)
    workspace = _with_concurrency(workspace, concurrency)
    order = BatchOrder(
        pipeline=pipeline,
        title=title,
        strategy=strategy,
        strategy_text=loaded.text,
        models=workspace.models(loaded, model),
        items=items[:limit],
        concurrency=workspace.settings.concurrency,
        budget=budget,
    )
    calls = expected_calls(workspace.planner(loaded), order.items)
    muster = _muster(workspace, processes, engine, scheduler)
    if sys.stderr.isatty():
        who = console.model_title(order.models)
        click.echo(f"{len(order.items)} runs, about {calls:,} calls, {who}", err=True)
    return _follow(workspace, workspace.batches.start(order, muster), as_json)


@batch.command("resume")
@click.argument("batch_id", metavar="BATCH")
@click.option("--retry-failed", is_flag=True, help="Run failed items again, each as a new run.")
@concurrency_option
@budget_option
@crew_options
@json_option
@with_workspace
def resume_batch(
    workspace: Workspace,
    batch_id: str,
    retry_failed: bool,
    concurrency: int | None,
    budget: float | None,
    processes: int,
    engine: Engine,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Go on with a batch: finished runs and agents are kept, whatever ended it."""
    old = workspace.store.batches.load(workspace.store.batches.resolve(batch_id))
    workspace = _with_concurrency(workspace, concurrency or old.concurrency)
    muster = _muster(workspace, processes, engine, scheduler)
    workspace.batches.resume(
        old.batch_id,
        muster,
        retry_failed=retry_failed,
        budget=budget,
        concurrency=workspace.settings.concurrency,
    )
    return _follow(workspace, old.batch_id, as_json)


@batch.command("show")
@click.argument("batch_id", metavar="BATCH")
@click.option("--failed", is_flag=True, help="Only what failed, with every reason.")
@json_option
@with_workspace
def show_batch(workspace: Workspace, batch_id: str, failed: bool, as_json: bool) -> None:
    """Show a batch and where each of its items stands."""
    store = workspace.store
    found = store.batches.load(store.batches.resolve(batch_id))
    items = store.batches.items(found.batch_id, ["failed"] if failed else ())
    rows = {row.run_id: row for row in store.find(batch_id=found.batch_id, limit=-1)}
    if as_json:
        print_json(
            found.to_json(dt.datetime.now(dt.UTC))
            | {"items": [item.to_json(rows.get(item.run_id or "")) for item in items]}
        )
        return
    print_lines(console.batch_lines(found, (), dt.datetime.now(dt.UTC)))
    print_lines(console.items_lines(items, rows, terminal_width()))


@click.command()
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@json_option
@with_workspace
def batches(workspace: Workspace, limit: int, as_json: bool) -> None:
    """List the batches, newest first."""
    found = workspace.store.batches.find(limit=limit)
    now = dt.datetime.now(dt.UTC)
    if as_json:
        print_json({"batches": [each.to_json(now) for each in found]})
    elif not found:
        click.echo("There are no batches yet: workbench batch --help")
    else:
        print_lines(console.batches_lines(found, now, terminal_width()))


def _with_concurrency(workspace: Workspace, concurrency: int | None) -> Workspace:
    if concurrency is None:
        return workspace
    settings = workspace.settings.model_copy(update={"concurrency": concurrency})
    return Workspace(workspace.root, settings)


def _muster(workspace: Workspace, processes: int, engine: Engine, scheduler: str | None) -> crews.Muster:
    if engine == "dask":
        if scheduler is None:
            raise InputError("a Dask cluster needs the address of its scheduler.", remedy="Add --scheduler.")
        return crews.on_cluster(workspace, scheduler)
    if scheduler is not None:
        raise InputError("--scheduler is for a Dask cluster.", remedy="Add --engine dask.")
    return crews.in_processes(workspace, processes) if processes > 1 else crews.here(workspace)


def _follow(workspace: Workspace, batch_id: str, as_json: bool) -> int:
    """Wait for a batch, say on a terminal how far it is, print what became of it, return the exit code."""
    try:
        ended = _wait(workspace, batch_id)
    except KeyboardInterrupt:
        workspace.batches.cancel(batch_id)
        ended = workspace.batches.wait(batch_id)
    failed = workspace.store.batches.items(batch_id, ["failed"], limit=SHOWN_FAILURES)
    now = dt.datetime.now(dt.UTC)
    if as_json:
        print_json(ended.to_json(now))
    else:
        print_lines(console.batch_lines(ended, failed, now))
    if ended.status != "done":
        click.echo(f"Go on with: workbench batch resume {batch_id}", err=True)
    if ended.status == "cancelled":
        return INTERRUPTED
    return 0 if ended.status == "done" and not ended.failed else 1


def _wait(workspace: Workspace, batch_id: str) -> Batch:
    live = sys.stderr.isatty()
    try:
        while True:
            try:
                ended: Batch = workspace.batches.wait(batch_id, timeout=0.5)
                return ended
            except TimeoutError:
                if live:
                    batch = workspace.store.batches.load(batch_id)
                    line = console.batch_progress(batch, dt.datetime.now(dt.UTC))
                    click.echo(f"\r\x1b[K{console.cut(line, terminal_width() - 1)}", nl=False, err=True)
    finally:
        if live:
            click.echo("\r\x1b[K", nl=False, err=True)
