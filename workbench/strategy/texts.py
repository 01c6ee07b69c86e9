"""Two texts of one file: what differs, line by line, and typing over one without losing its line breaks."""

from __future__ import annotations

import difflib

from workbench.strategy.layout import newline_of
from workbench.strategy.tree import BOM


def unified(before: str, after: str, names: tuple[str, str] = ("", ""), context: int = 3) -> str:
    """The differences as a unified diff; empty where there are none."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), *names, n=context, lineterm="")
    return "\n".join(lines)


def changes(before: str, after: str) -> int:
    """How many stretches of lines differ."""
    steps = difflib.SequenceMatcher(
        None, before.splitlines(), after.splitlines(), autojunk=False
    ).get_opcodes()
    return sum(tag != "equal" for tag, *_ in steps)


def typed_over(old: str, typed: str) -> str:
    """What a text becomes when an editor that knows only ``\\n`` hands it back.

    Lines that were not touched keep their own line break and the file its byte-order mark; new lines get the
    line break of the file.

    Args:
        old: The text as it is in the file.
        typed: The text as it stands in the editor.
    """
    mark = BOM if old.startswith(BOM) else ""
    before, after = old.removeprefix(BOM).splitlines(keepends=True), typed.splitlines(keepends=True)
    bare = [_bare(line) for line in before]
    newline = newline_of(old)
    steps = difflib.SequenceMatcher(None, bare, after, autojunk=False).get_opcodes()
    lines = [
        line
        for tag, i1, i2, j1, j2 in steps
        for line in (
            before[i1:i2]
            if tag == "equal"
            else (line.removesuffix("\n") + newline if line.endswith("\n") else line for line in after[j1:j2])
        )
    ]
    return mark + "".join(lines)


def shown(text: str) -> str:
    """A text as an editor that knows only ``\\n`` shows it."""
    return "".join(_bare(line) for line in text.removeprefix(BOM).splitlines(keepends=True))


def _bare(line: str) -> str:
    content = line.rstrip("\r\n")
    return content + "\n" if content != line else content
