"""What every command shares: the workspace it works on, and how it prints JSON."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable
from typing import Any

import click

from workbench.workspace import Workspace

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def with_workspace(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Open the workspace named on the command line and pass it to the command as its first argument."""

    @functools.wraps(command)
    def opened(*args: Any, **kwargs: Any) -> int | None:
        home = click.get_current_context().find_root().params["home"]
        return command(Workspace.open(home), *args, **kwargs)

    return opened


def print_json(value: Any) -> None:
    """Print one JSON value, and nothing else, to standard output."""
    # Where the terminal has no Chinese, escapes keep the JSON readable for programs.
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(value, ensure_ascii=not unicode, allow_nan=False, indent=2))
