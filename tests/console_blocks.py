"""The documentation's console blocks: run them, compare them, write them anew.

A block is fenced as ``console``. A line that starts with ``$ `` is a command of ``workbench``; what follows
up to the next one is its output. A line ``...`` stands for any number of lines. A command ``$ edit FILE:
OLD -> NEW`` changes a file of the workspace, as a reader would in an editor.

``python -m tests.console_blocks docs/tutorial.md`` writes the outputs of today into the file.
"""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from workbench.cli import cli
from workbench.workspace import init_workspace

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_RUN = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")
_SECONDS = re.compile(r"\d+\.\d+ s\b|^seconds .*$", re.MULTILINE)
_HASH = re.compile(r"\b[0-9a-f]{8}\b")


@dataclass(frozen=True)
class Step:
    """One command of a document and the output the document shows for it."""

    command: str
    shown: str


def steps(document: str) -> list[Step]:
    """Every command of a document, in order."""
    found = []
    for block in _BLOCK.findall(document):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append(Step(command, shown.rstrip("\n")))
    return found


class Reader:
    """Somebody who follows a document in a workspace of their own."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.runs: dict[str, str] = {}

    def follow(self, step: Step) -> str:
        """Carry out one step and return what it prints, in the run ids of the document."""
        if step.command.startswith("edit "):
            return self._edit(step.command)
        command = _RUN.sub(lambda found: self.runs.get(found[0], found[0]), step.command)
        words = shlex.split(command)
        if words[0] != "workbench":
            raise ValueError(f"not a command of the workbench: {step.command}")
        result = CliRunner().invoke(cli, ["--workspace", str(self.workspace), *words[1:]])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        new = [run for run in _RUN.findall(result.output) if run not in self.runs.values()]
        for shown, real in zip(dict.fromkeys(_RUN.findall(step.shown)), dict.fromkeys(new), strict=False):
            self.runs.setdefault(shown, real)
        known = {real: shown for shown, real in self.runs.items()}
        return _RUN.sub(lambda found: known.get(found[0], found[0]), result.output).rstrip("\n")

    def _edit(self, command: str) -> str:
        name, _, change = command.removeprefix("edit ").partition(": ")
        old, _, new = change.partition(" -> ")
        path = self.workspace / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{name} has {old!r} {text.count(old)} times, not once")
        path.write_text(text.replace(old, new), encoding="utf-8")
        return ""


def same(shown: str, printed: str) -> bool:
    """Whether an output is what the document shows, apart from run ids, hashes and durations."""
    pattern = ".*".join(
        re.escape(_plain(part.strip("\n"))) for part in re.split(r"^\.\.\.$", shown, flags=re.MULTILINE)
    )
    return re.fullmatch(pattern, _plain(printed), flags=re.DOTALL) is not None


def _plain(text: str) -> str:
    for pattern, word in ((_RUN, "RUN"), (_SECONDS, "TIME"), (_HASH, "HASH")):
        text = pattern.sub(word, text)
    return "\n".join(re.sub(r"(?<=\S)  +", "  ", line).rstrip() for line in text.splitlines())


def rewrite(path: Path) -> None:
    """Put today's outputs into a document. A block that elides lines keeps its first and last lines."""
    document = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(init_workspace(Path(folder) / "desk"))
        for step in steps(document):
            printed = reader.follow(step)
            if "\n...\n" in f"\n{step.shown}\n":
                head, _, tail = step.shown.partition("...")
                lines = printed.splitlines()
                first, last = len(head.splitlines()), len(tail.strip("\n").splitlines())
                printed = "\n".join([*lines[:first], "...", *(lines[-last:] if last else [])])
            old = f"$ {step.command}\n{step.shown}\n" if step.shown else f"$ {step.command}\n"
            new = f"$ {step.command}\n{printed}\n" if printed else f"$ {step.command}\n"
            document = document.replace(old, new, 1)
    path.write_text(document, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(Path(name))
