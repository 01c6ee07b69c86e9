"""The ``workbench`` command: each command is a few lines over the same functions as the pages.

Exit codes: 0 done; 1 the run, a check or the storage failed; 2 the input cannot be used, and nothing was
stored; 130 interrupted. With ``--json``, standard output holds one JSON object and nothing else.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn, get_args

import click

from workbench.commands import console
from workbench.commands.batch import batch, batches
from workbench.commands.common import (
    INTERRUPTED,
    blind_option,
    json_option,
    model_option,
    print_json,
    print_lines,
    terminal_width,
    with_workspace,
)
from workbench.commands.evaluate import evaluate
from workbench.commands.feeds import feeds
from workbench.commands.football import absences, matches
from workbench.commands.models import models, spend
from workbench.commands.news import news
from workbench.commands.notify import notify, push_what_is_due
from workbench.commands.outcomes import outcomes
from workbench.commands.strategy import lint, prompts
from workbench.compare import compare as compare_runs
from workbench.doctor import examine
from workbench.engine.plan import Plan
from workbench.errors import (
    AmbiguousError,
    InputError,
    ModelError,
    StoreError,
    WorkbenchError,
)
from workbench.evidence.fixtures import resolve_match
from workbench.evidence.news import resolve_item
from workbench.evidence.view import parse_day
from workbench.export import FORMATS, Format, file_name
from workbench.export import export as export_run
from workbench.llm.base import CacheUse
from workbench.login import SECRETS, is_loopback, login_of
from workbench.records import Blind, Models, PipelineName, Run, RunStatus
from workbench.store import backups
from workbench.strategy.blinding import blinded
from workbench.workspace import Workspace, init_workspace

LOOPBACK = "127.0.0.1"

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Half surrogate pairs, as bytes that are no UTF-8 arrive, fit in no database; a zero fits in no path."""


class OneLineErrors(click.Group):
    """A group whose errors are one line on standard error."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if no_text := next(filter(_NO_TEXT.search, args), None):
            raise InputError(f"{ascii(no_text)[:80]} is no text.", remedy="Write it in UTF-8.")
        return super().parse_args(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        kwargs["standalone_mode"] = False
        try:
            sys.exit(super().main(*args, **kwargs))
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            _complain(error.format_message(), error.exit_code)
        except WorkbenchError as error:
            _complain(_described(error), 1 if isinstance(error, (StoreError, ModelError)) else 2)
        except OSError as error:  # a name too long, a full disk under a pipe: the system's words are the best
            _complain(f"{error.filename or 'writing'}: {error.strerror or error}.", 1)
        except (click.Abort, KeyboardInterrupt):
            _complain("interrupted.", INTERRUPTED)


def _complain(message: str, code: int) -> NoReturn:
    click.echo(f"Error: {console.one_line(message)}", err=True)
    sys.exit(code)


def _described(error: WorkbenchError) -> str:
    candidates = error.candidates if isinstance(error, AmbiguousError) else ()
    unnamed = [candidate for candidate in candidates if candidate not in error.remedy]
    return f"{error} It may be: {'; '.join(unnamed)}." if unnamed else str(error)


@click.group(cls=OneLineErrors, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="analyst-workbench")
@click.option(
    "--workspace",
    "home",
    type=click.Path(path_type=Path),
    help="Folder of the workspace; else WORKBENCH_HOME, else the current folder.",
)
def cli(home: Path | None) -> None:
    """Shape how agents judge companies, news and matches, and find out whether the judging is any good."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A letter the terminal cannot show, or bytes that are none, must not end the command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


cli.add_command(matches)
cli.add_command(absences)
cli.add_command(evaluate)
cli.add_command(news)
cli.add_command(feeds)
cli.add_command(notify)
cli.add_command(batch)
cli.add_command(batches)
cli.add_command(outcomes)
cli.add_command(prompts)
cli.add_command(lint)
cli.add_command(models)
cli.add_command(spend)


def main() -> None:
    cli()


cache_option = click.option(
    "--cache",
    type=click.Choice(get_args(CacheUse)),
    default="use",
    show_default=True,
    help="Stored answers of models: take them, ask again and store, or neither.",
)


@cli.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def init(folder: Path) -> None:
    """Lay out a new workspace in DIR: strategies, prompts and sample facts."""
    made = init_workspace(folder)
    click.echo(f"The workspace is {made}")
    click.echo(f"Next: workbench --workspace {shlex.quote(str(folder))} app")


@cli.command()
@click.option("--port", default=8501, show_default=True, type=click.IntRange(1024, 65535))
@click.option(
    "--address",
    default=LOOPBACK,
    show_default=True,
    help="Address to listen on; one that others can reach needs a login: see docs/security.md.",
)
@with_workspace
def app(workspace: Workspace, port: int, address: str) -> int | None:
    """Open the workbench in a browser."""
    login = login_of(workspace.root)
    if login is None and not is_loopback(address):
        raise InputError(
            f"{address} can be reached from elsewhere, and this workspace has no login.",
            remedy=f"Add [auth] to {SECRETS} of the workspace, as docs/security.md describes.",
        )
    free = _free_port(address, port)
    if free != port:
        click.echo(f"Port {port} is taken, using {free}.")
    click.echo(f"Analyst Workbench on http://{address}:{free} (workspace {workspace.root}, Ctrl-C to stop)")
    sys.stdout.flush()
    # All other settings, safe for a machine with neighbours, are in .streamlit/config.toml beside the app.
    options: dict[str, Any] = {"server.address": address, "server.port": free}
    if login is not None:
        options["secrets.files"] = [str(workspace.root / SECRETS)]
        options["server.allowedHosts"] = [login.host, LOOPBACK, "localhost"]
        options["browser.serverAddress"] = login.host
    command = [sys.executable, "-m", "workbench.server", json.dumps(options)]
    os.environ["WORKBENCH_HOME"] = str(workspace.root)
    if os.name == "nt":  # where exec does not replace the process
        return subprocess.call(command)
    os.execv(sys.executable, command)


def _free_port(address: str, first: int) -> int:
    for port in range(first, min(first + 50, 65536)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name != "nt")
            try:
                probe.bind((address, port))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise InputError(f"cannot listen on {address}: {error.strerror}.") from error
                continue
            return port
    raise InputError(f"no port is free between {first} and {first + 49}.", remedy="Name another: --port.")


@cli.group()
def run() -> None:
    """Run a pipeline over a subject."""


@run.command()
@click.argument("ticker")
@click.option("--as-of", required=True, type=parse_day, help="Nothing from this day (YYYY-MM-DD) on is seen.")
@click.option("--strategy", default="value", show_default=True)
@blind_option
@model_option
@cache_option
@json_option
@with_workspace
def chapters(
    workspace: Workspace,
    ticker: str,
    as_of: Any,
    strategy: str,
    blind: Blind | None,
    model: str | None,
    cache: CacheUse,
    as_json: bool,
) -> int:
    """Judge a company: TICKER is a code in any common spelling, or a name."""
    instrument = workspace.evidence.instruments.resolve(ticker)
    loaded = workspace.strategy(strategy)
    subject = instrument.subject(loaded.strategy.language)
    loaded = loaded if blind is None else blinded(loaded, blind)
    return _run(
        workspace, workspace.plan(loaded, subject, as_of), workspace.models(loaded, model), cache, as_json
    )


@run.command()
@click.argument("home")
@click.argument("away")
@click.option("--date", required=True, type=parse_day, help="Day of the match (YYYY-MM-DD).")
@click.option("--competition", help="Where the clubs alone do not decide it.")
@click.option("--strategy", default="match", show_default=True)
@model_option
@cache_option
@json_option
@with_workspace
def match(
    workspace: Workspace,
    home: str,
    away: str,
    date: Any,
    competition: str | None,
    strategy: str,
    model: str | None,
    cache: CacheUse,
    as_json: bool,
) -> int:
    """Judge a football match between HOME and AWAY as of the day it is played."""
    subject = resolve_match(workspace.evidence, home, away, date, competition)
    loaded = workspace.strategy(strategy)
    return _run(
        workspace, workspace.plan(loaded, subject, date), workspace.models(loaded, model), cache, as_json
    )


@run.command()
@click.argument("item")
@click.option("--strategy", default="news", show_default=True)
@model_option
@cache_option
@json_option
@with_workspace
def signals(
    workspace: Workspace, item: str, strategy: str, model: str | None, cache: CacheUse, as_json: bool
) -> int:
    """Judge a news item: ITEM is its id, the beginning of one, or a part of its title."""
    subject = resolve_item(workspace.evidence, item).subject
    loaded = workspace.strategy(strategy)
    plan = workspace.plan(loaded, subject, subject.published)
    code = _run(workspace, plan, workspace.models(loaded, model), cache, as_json)
    push_what_is_due(workspace, subject)
    return code


def _run(workspace: Workspace, plan: Plan, models: Models, cache: CacheUse, as_json: bool) -> int:
    run_id = workspace.jobs.start(plan, models, options=workspace.run_options(cache))
    return _follow(workspace, run_id, as_json)


@cli.command()
@click.argument("run_id", metavar="RUN")
@json_option
@with_workspace
def resume(workspace: Workspace, run_id: str, as_json: bool) -> int:
    """Go on with an interrupted or cancelled run; its finished agents are kept."""
    old = workspace.store.load(workspace.store.resolve(run_id))
    plan = workspace.plan(workspace.strategy_of(old), old.subject, old.as_of)
    return _follow(workspace, workspace.jobs.start(plan, old.models, run_id=old.run_id), as_json)


def _follow(workspace: Workspace, run_id: str, as_json: bool) -> int:
    """Wait for a run, say on a terminal which agents are done, print it, and return the exit code."""
    told: set[str] = set()
    try:
        while True:
            try:
                workspace.jobs.wait(run_id, timeout=0.2)
                break
            except TimeoutError:
                _tell_progress(workspace, run_id, told)
    except KeyboardInterrupt:
        workspace.jobs.cancel(run_id)
        workspace.jobs.wait(run_id)
        click.echo(f"Cancelled. Go on with: workbench resume {run_id}", err=True)
        return INTERRUPTED
    finished = workspace.store.load(run_id)
    _print_run(finished, as_json)
    return 0 if finished.status == "done" else 1


def _tell_progress(workspace: Workspace, run_id: str, told: set[str]) -> None:
    progress = workspace.jobs.progress(run_id)
    if progress is None or not sys.stderr.isatty():
        return
    for agent in progress.agents:
        if agent.state in ("done", "no_data", "failed") and agent.agent not in told:
            told.add(agent.agent)
            click.echo(
                f"{console.one_line(agent.title)}: {agent.state} {agent.elapsed_s or 0:.1f} s", err=True
            )


@cli.command("runs")
@click.option("--pipeline", type=click.Choice(get_args(PipelineName)))
@click.option("--subject", help="Code or key of the subject, exactly.")
@click.option("--strategy")
@click.option("--status", type=click.Choice(get_args(RunStatus)))
@click.option("--label", help="buy, watch, avoid; 1, X, 2; FLASH, ALERT, NOTE, FYI.")
@click.option("--tag")
@click.option("--batch", "batch_id", metavar="BATCH", help="Id of a batch, exactly.")
@click.option("--starred", is_flag=True, default=None)
@click.option("--text", help="Appears in subject, strategy, model, verdict, tags or note.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000))
@click.option("--page", default=1, show_default=True, type=click.IntRange(1, 1_000_000))
@json_option
@with_workspace
def list_runs(workspace: Workspace, limit: int, page: int, as_json: bool, **filters: Any) -> None:
    """List the runs, newest first."""
    total = workspace.store.count(**filters)
    rows = workspace.store.find(limit=limit, offset=limit * (page - 1), **filters)
    if as_json:
        print_json({"total": total, "runs": [row.to_json() for row in rows]})
    elif not total:
        click.echo(
            "No run matches." if any(filters.values()) else "There are no runs yet: workbench run --help"
        )
    else:
        print_lines(console.runs_lines(rows, terminal_width()))
        click.echo(f"{len(rows)} of {total} runs" + (f", page {page}" if total > limit else ""))


@cli.command()
@click.argument("run_id", metavar="RUN")
@click.option("--agent", help="One agent in full: opinions, evidence, prompts and raw answers.")
@json_option
@with_workspace
def show(workspace: Workspace, run_id: str, agent: str | None, as_json: bool) -> None:
    """Show a run. RUN is its id, or an unmistakable beginning or end of it."""
    found = workspace.store.load(workspace.store.resolve(run_id))
    if agent is None or as_json:
        _print_run(found, as_json)
        return
    report = found.report(agent)
    if report is None:
        known = ", ".join(report.agent for report in found.reports)
        raise InputError(f"the run has no report of {agent!r}.", remedy=f"It has: {known}.")
    print_lines(console.agent_lines(found, report))


@cli.command()
@click.argument("run_ids", metavar="RUN RUN...", nargs=-1, required=True)
@click.option("--all", "every_row", is_flag=True, help="Show the equal rows too.")
@json_option
@with_workspace
def compare(workspace: Workspace, run_ids: tuple[str, ...], every_row: bool, as_json: bool) -> None:
    """Put runs side by side; the first is the reference."""
    store = workspace.store
    comparison = compare_runs(store.load_many([store.resolve(text) for text in run_ids]))
    if as_json:
        print_json(comparison.to_json())
    else:
        print_lines(console.comparison_lines(comparison, every_row=every_row, width=terminal_width()))


@cli.command()
@click.argument("run_id", metavar="RUN")
@click.option("--format", "form", type=click.Choice(FORMATS), default="html", show_default=True)
@click.option("--output", type=click.Path(path_type=Path), help="File to write; - is standard output.")
@with_workspace
def export(workspace: Workspace, run_id: str, form: Format, output: Path | None) -> None:
    """Write a run to a file: a page to read, a table, or the whole record."""
    found = workspace.store.load(workspace.store.resolve(run_id))
    content = export_run(found, form)
    if output == Path("-"):
        click.echo(content, nl=False)
        return
    target = output or Path(file_name(found, form))
    try:
        target.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write the file: {error.strerror}.", where=str(target)) from error
    click.echo(target)


@cli.command()
@click.option("--restore", is_flag=True, help="Put the last backup in the place of the run database.")
@with_workspace
def doctor(workspace: Workspace, restore: bool) -> int:
    """Say what is installed, what the workspace holds and what is wrong. Calls no model."""
    if restore:
        backup, replaced = backups.restore(workspace.data_dir / "runs.db")
        click.echo(f"The runs are those of {backups.made(backup):%Y-%m-%d %H:%M} UTC, and none saved later.")
        click.echo(f"The file before: {replaced}")
    failed = False
    for check in examine(workspace):
        click.echo(f"{check.status:8}{check.name:12}{console.one_line(check.detail)}")
        failed = failed or check.status == "error"
    return int(failed)


def _print_run(found: Run, as_json: bool) -> None:
    if as_json:
        print_json(found.to_json())
    else:
        print_lines(console.run_lines(found, terminal_width()))
