"""CSV as it is found: any of four encodings, ragged rows, unnamed columns, hard spaces around cells.

A reader turns every record of a file into something of ours or into a ``Problem``; none is lost in silence.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from workbench.errors import InputError

MAX_FILE = 64 * 2**20
"""Bytes of a file that is read; more is no table anybody wrote."""

SHOWN = 60
"""Characters of a value from outside that are repeated."""

Legacy = Literal["cp1252", "gb18030"]
"""What a file is that is not UTF-8: Western or Chinese. No guess is made, since each reads as the other."""


ProblemKind = Literal["dropped", "noted"]


class Line(NamedTuple):
    """One data line: where it ends in the file, and its cells by column name, without the empty ones."""

    number: int
    cells: dict[str, str]


@dataclass(frozen=True)
class Problem:
    """A record that was dropped, or kept with a remark.

    Attributes:
        record: Number of the line in CSV, of the entry in JSON.
        kind: What became of the record.
        reason: The same words for the same reason, so that they can be counted.
        shown: What the record is about.
        column: The cell that gave the reason, under its name in the file or, read, in the table of matches.
        value: What stands in it, shortened.
    """

    record: int
    kind: ProblemKind
    reason: str
    shown: str = ""
    column: str = ""
    value: str = ""


def shortened(text: object) -> str:
    """A value from outside as an error or a report repeats it: one line of at most ``SHOWN`` characters."""
    line = " ".join(str(text).split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def decode(content: bytes, legacy: Legacy) -> str:
    """The text of a file: UTF-8 with or without a byte order mark, UTF-16 with one, else the legacy encoding.

    Raises:
        InputError: It is larger than ``MAX_FILE``.
    """
    if len(content) > MAX_FILE:
        raise InputError(f"the file has {len(content):,} bytes, more than {MAX_FILE:,}.", remedy="Split it.")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode(legacy, errors="replace")


def read_json(text: str) -> Any:
    """The value of a JSON text, half characters (``\\ud83d``), which no database takes, replaced.

    Raises:
        ValueError: It is not JSON, or nested too deep to be data.
    """
    try:
        value = json.loads(text)
        if "\\ud" in text.lower():
            value = json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value


def header(text: str) -> list[str]:
    """The column names of the first line."""
    return [name.strip() for name in next(csv.reader(text.splitlines()[:1]), [])]


def lines(text: str) -> Iterator[Line]:
    """Every line below the header, an empty one with no cells.

    Cells beyond the header and under unnamed columns are left out; of two columns with one name the first
    counts. Spaces around a cell go, hard spaces too.

    Raises:
        InputError: The text is not CSV.
    """
    reader = csv.reader(text.splitlines())
    try:
        names = [name.strip() for name in next(reader, [])]
        for row in reader:
            cells: dict[str, str] = {}
            for name, cell in zip(names, row, strict=False):
                if name and (value := cell.strip()):
                    cells.setdefault(name, value)
            yield Line(reader.line_num, cells)
    except csv.Error as error:
        raise InputError(f"line {reader.line_num} cannot be read as CSV: {error}.") from error
