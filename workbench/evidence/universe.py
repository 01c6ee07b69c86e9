"""A universe: the companies of a file, one a line or in a column of a table."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.errors import InputError
from workbench.evidence.instruments import Instrument, Instruments
from workbench.evidence.readers.tables import decode, header, lines

CODE_COLUMNS = ("code", "ticker", "symbol", "代码", "股票代码", "证券代码")

SHOWN_LINES = 10
"""Bad lines named one by one; the rest is counted."""


def read_universe(content: bytes, instruments: Instruments, where: str = "") -> list[Instrument]:
    """The companies of a file in the order given, each once.

    Args:
        content: One code or name a line, where empty lines and those that begin with ``#`` are passed over;
            or CSV with a column named like one of ``CODE_COLUMNS``.
        instruments: The companies there are facts about.
        where: Name of the file, for the error.

    Raises:
        InputError: A line names no company, or several; or no line names any.
    """
    found: dict[str, Instrument] = {}
    bad: list[str] = []
    for number, text in _entries(decode(content, "gb18030")):
        try:
            instrument = instruments.resolve(text)
            found[instrument.code] = instrument
        except InputError as error:
            bad.append(f"line {number}: {error.what}")
    if bad:
        more = f" and {len(bad) - SHOWN_LINES} more lines." if len(bad) > SHOWN_LINES else ""
        raise InputError(
            " ".join(bad[:SHOWN_LINES]) + more,
            where=where,
            remedy="Correct or remove these lines; nothing was started.",
        )
    if not found:
        raise InputError("the file names no company.", where=where, remedy="Write one code a line.")
    return list(found.values())


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """Line number and code of each entry."""
    column = next((name for name in header(text) if name.casefold() in CODE_COLUMNS), None)
    if column is not None:
        yield from ((line.number, line.cells.get(column, "")) for line in lines(text) if line.cells)
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if (entry := line.strip()) and not entry.startswith("#"):
            yield number, entry
