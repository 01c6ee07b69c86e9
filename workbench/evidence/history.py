"""All that is on record in answer to one question, in the order in which it could be known.

A question is asked of the database once and its history kept while the database stays as it is: the runs of
a batch ask the same about many days. What a day may see of it is a matter for ``evidence.view``, the only
reader of this module.
"""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Row = TypeVar("Row", bound=tuple[Any, ...])
T = TypeVar("T")

Query = Callable[[str, tuple[object, ...]], list[tuple[Any, ...]]]
"""Runs one query with its parameters."""

_DATES = frozenset(
    {"date", "published", "period_end", "ex_date", "share_basis", "since", "until", "moved_to"}
)


@dataclass(frozen=True)
class Table(Generic[Row]):
    """How one table is read.

    Attributes:
        name: Table name.
        row: NamedTuple whose fields are the columns read.
        dated: Column with the day from which a row could be known.
        identity: Columns on which two rows state the same thing, so that the later one replaces the earlier.
        adds: What the later row leaves empty stays as the earlier one has it, because sources know different
            figures of one match.
        kept: Whether histories are worth keeping: not of texts, which are many and asked for once.
    """

    name: str
    row: type[Row]
    dated: str
    identity: tuple[str, ...]
    adds: bool = False
    kept: bool = True

    @property
    def columns(self) -> tuple[str, ...]:
        return self.row._fields  # type: ignore[attr-defined, no-any-return]


class History(Generic[Row]):
    """The rows of one question.

    Args:
        table: The table asked.
        rows: The dated rows, by the day from which each could be known.
        ids: Their ids.
        later: Ids of rows later than all of these, which were not read.
        undated: Ids of the rows whose day nobody knows.
    """

    def __init__(
        self,
        table: Table[Row],
        rows: Sequence[Row],
        ids: Iterable[int],
        later: Iterable[int],
        undated: Iterable[int],
    ) -> None:
        self._table = table
        self._rows = rows
        self._days: list[dt.date] = [getattr(row, table.dated) for row in rows]
        self._keys = [(table.name, id) for id in (*ids, *later)]
        self.undated = [(table.name, id) for id in undated]
        positions = [table.columns.index(column) for column in table.identity]
        self._identities = [tuple(row[position] for position in positions) for row in rows]
        self._plain = len(set(self._identities)) == len(rows)
        self._made: dict[Callable[[Row], Any], list[Any]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def before(self, day: dt.date) -> list[Row]:
        """What was known before a day: of each thing the latest statement, in the order they were made."""
        end = bisect_left(self._days, day)
        if self._plain:
            return list(self._rows[:end])
        known: dict[tuple[Any, ...], Row] = {}
        for identity, row in zip(self._identities[:end], self._rows, strict=False):
            earlier = known.pop(identity, None)  # so that a revision also takes its place in the order
            if earlier is not None and self._table.adds:
                cells = (old if cell is None else cell for cell, old in zip(row, earlier, strict=True))
                row = self._table.row(*cells)
            known[identity] = row
        return list(known.values())

    def made_before(self, day: dt.date, make: Callable[[Row], T | None]) -> list[T]:
        """What ``make`` makes of each row of ``before``, without those of which it makes nothing.

        ``make`` looks at one row alone. It is called once for each, whatever days are asked about.
        """
        if not self._plain:
            return [made for row in self.before(day) if (made := make(row)) is not None]
        if make not in self._made:
            self._made[make] = [make(row) for row in self._rows]
        return [made for made in self._made[make][: bisect_left(self._days, day)] if made is not None]

    def newest_before(self, day: dt.date) -> dt.date | None:
        """The day of the newest row known before ``day``."""
        end = bisect_left(self._days, day)
        return self._days[end - 1] if end else None

    def from_on(self, day: dt.date) -> list[tuple[str, int]]:
        """Keys of the rows that could be known from ``day`` on: to be counted, not to be seen."""
        return self._keys[bisect_left(self._days, day) :]


def read_history(
    query: Query,
    table: Table[Row],
    where: str,
    parameters: tuple[object, ...],
    until: dt.date | None = None,
) -> History[Row]:
    """Ask the database.

    Args:
        query: Asks the evidence database.
        table: The table.
        where: Condition over its columns, with ``?`` for each parameter.
        parameters: Values of the condition.
        until: Rows from this day on are only counted; None reads all.
    """
    columns, dated, end = table.columns, table.dated, (until or dt.date.max).isoformat()
    dates = [index for index, column in enumerate(columns) if column in _DATES]
    select = f"FROM {table.name} WHERE ({where}) AND {dated}"
    rows: list[Row] = []
    ids: list[int] = []
    for id, *cells in query(
        f"SELECT id, {', '.join(columns)} {select} < ? ORDER BY {dated}, origin != 'sample', id",
        (*parameters, end),
    ):
        for index in dates:
            cells[index] = cells[index] and dt.date.fromisoformat(cells[index])
        rows.append(table.row(*cells))
        ids.append(id)
    later = query(f"SELECT id {select} >= ?", (*parameters, end))
    undated = query(f"SELECT id {select} IS NULL", parameters)
    return History(table, rows, ids, (id for (id,) in later), (id for (id,) in undated))
