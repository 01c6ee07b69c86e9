"""Text for one YAML value, in the style that is there already where that style can hold it.

Nothing here reads a file. Each function proposes a text; ``document`` keeps a proposal only after the whole
file, read again, says what was meant. So a proposal may be optimistic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from workbench.strategy.plain import Plain

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)

INDENT = 2


class Block(NamedTuple):
    """A value that needs lines of its own: what stands on the line of its key, and the lines below."""

    head: str
    lines: list[str]


def inline_texts(value: Plain, style: str, *, flow: bool) -> Iterator[str]:
    """Texts of a value on one line, the preferred one first.

    Args:
        value: A scalar, or a collection to be written in brackets.
        style: Style of the scalar that was there: ``'``, ``"``, or anything else for plain.
        flow: Whether the text stands within brackets.
    """
    if isinstance(value, list):
        yield "[" + ", ".join(_first(item, flow=True) for item in value) + "]"
    elif isinstance(value, dict):
        yield "{" + ", ".join(f"{key_text(k)}: {_first(v, flow=True)}" for k, v in value.items()) + "}"
    elif isinstance(value, str):
        plain = _plain_works(value, flow=flow)
        if plain and style not in ("'", '"'):
            yield value
        if _single_works(value) and (style == "'" or (style != '"' and re.search(r'["\\]', value))):
            yield _single(value)
        yield _double(value)
    else:
        yield yaml.safe_dump(value, allow_unicode=True).removesuffix("\n").removesuffix("\n...")


def key_text(key: Plain, style: str = "") -> str:
    """Text of a mapping key."""
    if not isinstance(key, str):
        return _first(key, flow=True)
    if style == "'" and _single_works(key):
        return _single(key)
    works = style != '"' and _plain_works(key, flow=True) and _reads_as(f"{key}: 1", {key: 1})
    return key if works else _double(key)


def literal(text: str, style: str, column: int, parent: int, width: int = 0) -> Block | None:
    """A text as ``|`` or ``>`` block; None where a block cannot hold it.

    Args:
        text: The value.
        style: ``|`` or ``>``.
        column: Column of its lines.
        parent: Column of the key or dash it hangs on.
        width: Where ``>`` breaks lines; 0 for nowhere.
    """
    content = text.rstrip("\n")
    if not content.strip() or _UNPRINTABLE.search(text):
        return None
    ending = len(text) - len(content)
    chomp = "-" if ending == 0 else "" if ending == 1 else "+"
    lines = content.split("\n") if style == "|" else _folded(content, width)
    first = next(line for line in lines if line.strip())
    leading = lines[: lines.index(first)]
    indicator = str(column - parent) if first[0] in " \t" or any(leading) else ""
    pad = " " * column
    body = [pad + line if line else "" for line in lines] + [""] * (ending - 1)
    return Block(style + indicator + chomp, body)


def block_lines(value: Plain, column: int, list_offset: int) -> list[str]:
    """Lines of a collection that is not empty, its keys or dashes at ``column``.

    Args:
        value: List or dict.
        column: Where it stands.
        list_offset: How far a list below a key is indented in this file.
    """
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            lines += entry_lines(f"{key_text(key)}:", item, column, list_offset)
    else:
        for item in value:
            lines += entry_lines("-", item, column, list_offset)
    return lines


def entry_lines(prefix: str, value: Plain, column: int, list_offset: int) -> list[str]:
    """Lines of one item (``-``) or one entry (``key:``) at ``column``."""
    pad = " " * column
    if value and isinstance(value, dict | list) and not _short_numbers(value):
        if prefix == "-":
            inner = block_lines(value, column + INDENT, list_offset)
            return [f"{pad}- {inner[0][column + INDENT :]}", *inner[1:]]
        offset = list_offset if isinstance(value, list) else INDENT
        return [pad + prefix, *block_lines(value, column + offset, list_offset)]
    if isinstance(value, str) and "\n" in value.rstrip("\n"):
        block = literal(value, "|", column + INDENT, column)
        if block is not None and not block.head.endswith("+"):
            return [f"{pad}{prefix} {block.head}", *block.lines]
    return [f"{pad}{prefix} {_first(value, flow=False)}"]


def _short_numbers(value: Plain) -> bool:
    return (
        isinstance(value, list) and len(value) <= 4 and all(isinstance(item, int | float) for item in value)
    )


def _first(value: Plain, *, flow: bool) -> str:
    return next(inline_texts(value, "", flow=flow))


def _folded(content: str, width: int) -> list[str]:
    """Lines which YAML folds back into ``content``.

    Between two ordinary lines one break is folded into a space, so each run of breaks gets one more. Breaks
    next to a line that begins with white space are kept as they are.
    """
    lines: list[str] = []
    ordinary_before = False
    for line in content.split("\n"):
        ordinary = bool(line) and line[0] not in " \t"
        if ordinary and ordinary_before:
            lines.append("")
        lines += _wrapped(line, width) if ordinary else [line]
        ordinary_before = ordinary or (ordinary_before and not line)
    return lines


def _wrapped(line: str, width: int) -> list[str]:
    """Break a line at single spaces so that folding restores it."""
    pieces = [""]
    for word in re.split(r"(?<=[^ \t]) (?=[^ \t])", line):
        joined = f"{pieces[-1]} {word}" if pieces[-1] else word
        if pieces[-1] and width and len(joined) > width:
            pieces.append(word)
        else:
            pieces[-1] = joined
    return pieces


def _plain_works(text: str, *, flow: bool) -> bool:
    # PyYAML's two parsers disagree on tabs, and on question marks in brackets; such a text is quoted.
    if not text or text != text.strip() or re.search(r"[\t\n]", text) or _UNPRINTABLE.search(text):
        return False
    if flow and re.search(r"[\[\]{},?]", text):
        return False
    return _reads_as(f"k: [{text}]", {"k": [text]}) if flow else _reads_as(f"k: {text}", {"k": text})


def _single_works(text: str) -> bool:
    return "\n" not in text and not _UNPRINTABLE.search(text)


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return yaml.safe_dump(text, default_style='"', allow_unicode=True, width=float("inf")).removesuffix("\n")


def _reads_as(text: str, value: Plain) -> bool:
    try:
        return bool(yaml.load(text, Loader=_LOADER) == value)
    except (yaml.YAMLError, ValueError):
        return False
