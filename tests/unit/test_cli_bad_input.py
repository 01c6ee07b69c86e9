"""Every command, given what it cannot use: one line on standard error and exit code 2, never a traceback."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from workbench.cli import cli
from workbench.workspace import Workspace

BAD = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "\udc80",
    "\U0001f984\u202e\u200f",
    "茅台",
    "../../etc/passwd",
    "/etc/passwd",
    "..\\..\\x",
    "CON",
    "{{ 7 * 7 }} {0} %s",
    "'; drop table runs; --",
    "<script>alert(1)</script>",
    "-1",
    "9" * 30,
    "1e999",
    "nan",
    "0001-01-01",
    "9999-12-31",
    "2019-02-30",
    "600519",
    "x" * 5000,
    "\n",
)
"""What a shell may hand over; ``\\udc80`` is how Python reads a byte that is no UTF-8."""

LEFT_OUT = {
    ("app",),  # becomes the server
    ("models", "test"),  # asks whom it is told to
}


def leaves(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that is no group, with its words."""
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from leaves(child, (*path, name))
    elif path not in LEFT_OUT:
        yield path, command


COMMANDS = dict(leaves(cli))


def arguments(command: click.Command, chance: random.Random) -> Sequence[str]:
    """Bad values for all arguments and required options, and for some of the others."""
    given: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            given.append(chance.choice(BAD))
        elif (
            not parameter.is_flag
            and parameter.name != "model"
            and (parameter.required or chance.random() < 0.3)
        ):
            given += [parameter.opts[0], chance.choice(BAD)]
    return given


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_bad_input_ends_in_one_line_and_never_in_a_traceback(
    workspace: Workspace, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    chance = random.Random(" ".join(words))

    tried = set()
    for _ in range(60):
        given = arguments(COMMANDS[words], chance)
        if tuple(given) in tried:  # a command that takes nothing would do the same sixty times
            continue
        tried.add(tuple(given))
        done = CliRunner().invoke(
            cli, [*words, *given], input=chance.choice(BAD).encode(errors="surrogateescape")
        )

        assert isinstance(done.exception, SystemExit | None), (given, done.exception)
        assert done.exit_code in (0, 1, 2), given
        assert "Traceback" not in done.output
        if done.exit_code == 2:
            assert done.stderr.count("\n") == 1 or done.stderr.startswith("Usage: "), given


@pytest.mark.parametrize("words", [("runs",), ("news", "list")], ids=" ".join)
def test_a_page_no_database_can_count_to_is_refused(workspace: Workspace, words: tuple[str, ...]) -> None:
    """The number was handed to SQLite, which ended in an OverflowError."""
    done = CliRunner().invoke(cli, [*words, "--page", "9" * 30])

    assert done.exit_code == 2
    assert "is not in the range" in done.stderr
