"""The evidence database: the sample facts and whatever the user imports, in one SQLite file.

The facts are CSV files, one per table, with the table's own column names (statements are one line per
company and year, with one column per item). They are loaded on first use and loaded again when any of
them changes, in a single transaction: readers see the old facts or the new ones, never half of them, and
the file is never swapped under an open connection, which is what corrupts a database in WAL mode.

Every row carries its ``origin``. A reload replaces the rows of origin ``sample`` and no others, so what
the user imported stays. What an agent is shown comes through ``evidence.view`` and from nowhere else;
the lists of matches and news items to choose from show no result and no figure.
"""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock
from sqlite_utils import Database

from workbench.errors import EvidenceError, InputError
from workbench.evidence.history import History, Row, Table, read_history
from workbench.evidence.instruments import Instrument, Instruments
from workbench.evidence.migrations import migrations
from workbench.evidence.news_text import item_id
from workbench.evidence.view import View
from workbench.permission import require_editor

T = TypeVar("T")

SAMPLE = "sample"
"""Origin of the rows that come from the facts folder."""

FACT_FILES = {
    "instruments": "instruments",
    "statements": "statements",
    "prices": "prices",
    "dividends": "dividends",
    "events": "events",
    "matches": "matches",
    "indicators": "indicators",
    "relations": "relations",
    "documents": "documents",
    "news": "documents",
}
"""Name of each CSV file in the facts folder, and the table it belongs to. Absences start empty."""

IMPORT_TABLES = (*dict.fromkeys(FACT_FILES.values()), "absences")

KEPT_ROWS = 100_000
"""Rows of histories kept in memory, some tens of megabytes."""

KEPT_RESULTS = 200
"""Results worked out from histories that are kept in memory."""

LOCK_TIMEOUT_S = 30.0
"""How long a process waits while another loads the facts, which takes well under a second."""

_STATEMENT_KEYS = (
    "code",
    "fiscal_year",
    "period_end",
    "published",
    "published_estimated",
    "currency",
    "share_basis",
)


class EvidenceDB:
    """The evidence database of one workspace.

    Args:
        path: SQLite file; created with its folder when it does not exist.
        facts_dir: Folder holding one CSV file per name in ``FACT_FILES``.

    Raises:
        EvidenceError: The facts folder or a file of it is missing or malformed, or the database cannot be
            opened or written.
    """

    def __init__(self, path: Path, facts_dir: Path) -> None:
        self.path = path
        self.facts_dir = facts_dir
        self._files = [facts_dir / f"{name}.csv" for name in FACT_FILES]
        self._local = threading.local()
        self._loaded: tuple[tuple[int, int], ...] | None = None
        self._instruments: tuple[tuple[int, int], Instruments] | None = None
        self._histories: dict[tuple[object, ...], History[Any]] = {}
        self._shared: dict[Hashable, Any] = {}
        self._version: int | None = None
        self.refresh()

    def view(self, as_of: dt.date) -> View:
        """A fresh point-in-time view, after reloading facts that changed on disk."""
        self.refresh()
        self._forget_histories_that_changed()
        return View(self, as_of)

    def history(
        self, table: Table[Row], where: str, parameters: tuple[object, ...], day: dt.date
    ) -> History[Row]:
        """What is on record in answer to a question, complete up to ``day`` at least.

        For ``evidence.view`` alone: a history reaches beyond the day it is asked for.
        """
        if not table.kept:
            return read_history(self.rows, table, where, parameters, until=day)
        histories, question = self._histories, (table, where, parameters)
        if question not in histories:
            if sum(map(len, histories.values())) > KEPT_ROWS:
                histories.clear()
            histories[question] = read_history(self.rows, table, where, parameters)
        return histories[question]

    def shared(self, name: Hashable, work_out: Callable[[], T]) -> T:
        """What ``work_out`` makes of histories, done once while the database stays as it is."""
        shared = self._shared
        if name not in shared:
            if len(shared) >= KEPT_RESULTS:
                shared.clear()
            shared[name] = work_out()
        result: T = shared[name]
        return result

    def _forget_histories_that_changed(self) -> None:
        ((version,),) = self.rows("PRAGMA user_version")  # counts our own writes, see _transaction
        ((others,),) = self.rows("PRAGMA data_version")  # moves when another connection has written
        if version != self._version or others != getattr(self._local, "others", others):
            self._version = version
            self._histories, self._shared = {}, {}  # not cleared: what is being read is of the old state
        self._local.others = others

    @property
    def instruments(self) -> Instruments:
        """Every known instrument, read again when rows were added."""
        (state,) = self.rows("SELECT count(*), coalesce(max(id), 0) FROM instruments")
        if self._instruments is None or self._instruments[0] != state:
            columns = ", ".join(Instrument.model_fields)
            # An imported row comes after the sample row of the same code, and so replaces it.
            rows = self.rows(f"SELECT {columns} FROM instruments ORDER BY origin != '{SAMPLE}', id")
            self._instruments = (state, Instruments.load(rows))
        return self._instruments[1]

    def rows(self, sql: str, parameters: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        """Run one query on this thread's connection."""
        try:
            return self._db.execute(sql, tuple(parameters)).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def add(self, table: str, rows: Iterable[Mapping[str, Any]], *, origin: str) -> int:
        """Insert rows under an origin of the user's own, e.g. the name of an import or a feed.

        Args:
            table: One of ``IMPORT_TABLES``.
            rows: Column name -> value. A date is an ISO day or None; an absent column is NULL.
            origin: Where the rows come from; never ``sample``, which a reload would wipe.

        Returns:
            Number of rows inserted.

        Raises:
            AccessError: Whoever asks may only read.
            EvidenceError: A row breaks the table's rules; nothing of the call is kept.
        """
        require_editor()
        if table not in IMPORT_TABLES or origin == SAMPLE:
            raise ValueError(f"cannot import into {table!r} as {origin!r}")
        try:
            with self._transaction() as db:
                return _insert(
                    db, table, ((f"row {n}", {**row, "origin": origin}) for n, row in enumerate(rows, 1))
                )
        except sqlite3.IntegrityError as error:
            raise EvidenceError(
                f"a row does not fit the table: {error}.",
                where=table,
                remedy="Dates are YYYY-MM-DD or empty; required columns must be filled.",
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def forget(self, table: str, origin: str) -> int:
        """Delete the rows that were added under an origin, and return how many there were.

        Raises:
            AccessError: Whoever asks may only read.
            InputError: Nothing was imported under that name, or it is that of the sample.
            EvidenceError: The database cannot be written.
        """
        require_editor()
        if table not in IMPORT_TABLES:
            raise ValueError(f"cannot forget rows of {table!r}")
        if origin == SAMPLE:
            raise InputError("the sample belongs to the workbench.", remedy="Take out what you imported.")
        known = self.rows(f"SELECT DISTINCT origin FROM {table} WHERE origin != ? ORDER BY 1", (SAMPLE,))
        if (origin,) not in known:
            names = ", ".join(name for (name,) in known)
            raise InputError(
                f"no {table} were imported from {origin!r}.", remedy=f"Imported: {names or 'nothing'}."
            )
        try:
            with self._transaction() as db:
                return int(db.execute(f"DELETE FROM {table} WHERE origin = ?", (origin,)).rowcount)
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def refresh(self) -> None:
        """Create the tables and load the facts where either is behind.

        Raises:
            EvidenceError: See the class.
        """
        files = self._files
        try:
            stamps = tuple((stat.st_mtime_ns, stat.st_size) for stat in map(os.stat, files))
        except FileNotFoundError:
            raise self._incomplete() from None
        if stamps == self._loaded and self.path.exists():
            return
        digest = hashlib.sha256(
            b"".join(hashlib.sha256(file.read_bytes()).digest() for file in files)
        ).hexdigest()
        try:
            if not self._is_current(digest):
                self._load(files, digest)
        except (sqlite3.DatabaseError, OSError) as error:
            raise self._unusable(error) from error
        self._loaded = stamps
        self._instruments = None

    def _incomplete(self) -> EvidenceError:
        missing = ", ".join(file.name for file in self._files if not file.is_file())
        return EvidenceError(
            f"the facts folder lacks {missing}.",
            where=str(self.facts_dir),
            remedy="Restore it from the project, or lay out a new workspace with: workbench init DIR",
        )

    def _is_current(self, digest: str) -> bool:
        if not self.path.exists() or migrations.pending(self._db):
            return False
        return self._db.execute("SELECT sha256 FROM facts_loaded").fetchall() == [(digest,)]

    def _load(self, files: list[Path], digest: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.path}.lock", timeout=LOCK_TIMEOUT_S):
            # Set here and not on every connection: it lasts, and two processes that set it at the same
            # moment get "database is locked" whatever the timeout.
            self._db.execute("PRAGMA journal_mode = WAL")
            migrations.apply(self._db)
            if self._is_current(digest):  # another process was faster
                return
            with self._transaction() as db:
                for table in IMPORT_TABLES:
                    db.execute(f"DELETE FROM {table} WHERE origin = ?", (SAMPLE,))
                for table, file in zip(FACT_FILES.values(), files, strict=True):
                    try:
                        _insert(db, table, _read_facts(table, file))
                    except (sqlite3.IntegrityError, csv.Error, KeyError, ValueError) as error:
                        raise EvidenceError(f"cannot be loaded: {error}.", where=str(file)) from error
                db.execute("DELETE FROM facts_loaded")
                db.execute("INSERT INTO facts_loaded VALUES (?)", (digest,))

    @property
    def _db(self) -> Database:
        """This thread's connection; SQLite connections are not shared between threads."""
        db: Database | None = getattr(self._local, "db", None)
        if db is None or not self.path.exists():
            connection = sqlite3.connect(self.path, timeout=5.0)
            db = Database(connection)
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA foreign_keys = ON")
            self._local.db = db
        return db

    @contextmanager
    def _transaction(self) -> Iterator[Database]:
        # Immediate, because a deferred transaction that reads before it writes fails with
        # "database is locked" when another process wrote in between.
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
            (version,) = db.execute("PRAGMA user_version").fetchone()
            db.execute(f"PRAGMA user_version = {(version + 1) % 2**31}")
            db.execute("COMMIT")
        except BaseException:
            db.rollback()
            raise

    def _unusable(self, error: Exception) -> EvidenceError:
        return EvidenceError(
            f"the evidence database cannot be used: {error}.",
            where=str(self.path),
            remedy="Check that the folder is writable and the disk not full; a damaged file can be deleted, "
            "the sample facts are loaded again but imported rows are lost with it.",
        )


def _insert(db: Database, table: str, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> int:
    """Insert rows, each with its place among the others, e.g. ``line 7``, for the error."""
    known = {column.name for column in db.table(table).columns} - {"id"}
    count = 0
    for place, row in rows:
        if unknown := row.keys() - known:
            raise sqlite3.IntegrityError(f"there is no column {', '.join(sorted(unknown))}")
        marks = ", ".join("?" * len(row))
        try:
            db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        except sqlite3.IntegrityError as error:
            raise sqlite3.IntegrityError(f"{place}{_cell(table, row, str(error))}: {error}") from error
        count += 1
    return count


def _cell(table: str, row: Mapping[str, Any], problem: str) -> str:
    """Column and value SQLite complains about; empty where it names none of the columns given."""
    named = re.findall(r"\w+", problem)
    column = next((column for column in row if column in named), None)
    if column is None:
        return ""
    # A statement is stored item by item, but its file has a column for each.
    shown = row["item"] if table == "statements" and column == "value" else column
    value = "" if row[column] is None else str(row[column])
    return f", column {shown}, value {value[:80]!r}"


def _read_facts(table: str, file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows of one facts file as the table has them, each with its line; an empty cell is NULL."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, strict=True)
        for line in reader:
            if None in line or None in line.values():
                raise ValueError(f"line {reader.line_num} has not as many cells as the header")
            row: dict[str, Any] = {column: cell or None for column, cell in line.items()}
            row["origin"] = SAMPLE
            place = f"line {reader.line_num}"
            if table == "statements":
                yield from ((place, figure) for figure in _melt(row))
            elif table == "documents":
                yield place, _document(row)
            else:
                yield place, row


def _melt(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    keys = {name: row[name] for name in ("origin", *_STATEMENT_KEYS)}
    for item, value in row.items():
        if item not in keys and value is not None:
            yield keys | {"item": item, "value": value}


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    """A document with its identity, and without what its author expects of it, which no run may read."""
    document = {name: value for name, value in row.items() if not name.startswith("expected")}
    document["item"] = item_id(dt.date.fromisoformat(document["published"]), document["title"])
    return document
