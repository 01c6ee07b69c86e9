"""What every command shares: the workspace it works on, options, and how it prints."""

from __future__ import annotations

import datetime as dt
import functools
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, get_args

import click

from workbench.errors import InputError
from workbench.evidence.days import require_order
from workbench.evidence.view import parse_day
from workbench.records import Blind
from workbench.workspace import Workspace

INTERRUPTED = 130
"""Exit code of a command that Ctrl-C ended."""

model_option = click.option("--model", help="Model of every agent: a litellm model string, or baseline.")
blind_option = click.option(
    "--blind",
    type=click.Choice(get_args(Blind)),
    help="Hide from the models who and when (identity), or the size of amounts as well (full).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def with_workspace(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Open the workspace named on the command line and pass it to the command as its first argument."""

    @functools.wraps(command)
    def opened(*args: Any, **kwargs: Any) -> int | None:
        home = click.get_current_context().find_root().params["home"]
        return command(Workspace.open(home), *args, **kwargs)

    return opened


def period_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """``--from`` and ``--to``, both days included; the wrong order is refused."""

    @functools.wraps(command)
    def ordered(*args: Any, since: dt.date | None, until: dt.date | None, **kwargs: Any) -> int | None:
        require_order(since, until)
        return command(*args, since=since, until=until, **kwargs)

    first = click.option("--from", "since", type=parse_day, help="First day (YYYY-MM-DD).")
    return first(click.option("--to", "until", type=parse_day, help="Last day.")(ordered))


T = TypeVar("T")


def only(rows: Sequence[T], name: str, wanted: str | None, value: Callable[[T], str]) -> list[T]:
    """The rows with the value asked for; all without one, and an error where there are rows but none of them.

    Raises:
        InputError: No row has the value.
    """
    if wanted is None:
        return list(rows)
    asked = wanted.strip().casefold()
    found = [row for row in rows if value(row).casefold() == asked] or [
        row for row in rows if asked in value(row).casefold()
    ]
    if rows and not found:
        known = ", ".join(sorted(set(map(value, rows))))
        raise InputError(f"no run has the {name} {wanted[:60]!r}.", remedy=f"There are: {known}.")
    return found


class Dollars(click.FloatRange):
    """An amount of USD. A plain range also lets through ``nan`` and ``inf``, which no amount is."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        amount = float(super().convert(value, param, ctx))
        if not math.isfinite(amount):
            self.fail(f"{value} is no amount of money.", param, ctx)
        return amount


def print_json(value: Any) -> None:
    """Print one JSON value, and nothing else, to standard output."""
    # Where the terminal has no Chinese, escapes keep the JSON readable for programs.
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(value, ensure_ascii=not unicode, allow_nan=False, indent=2))


def print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def terminal_width() -> int:
    """Columns of the terminal; a pipe gets the whole lines."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
