"""One SQLite file that several processes and threads read and write at the same time.

Write-ahead logging lets readers go on while one writer writes. Each thread has its own connection. Every
write takes the write lock at its start (``BEGIN IMMEDIATE``): a transaction that reads first and asks for
the lock later is refused without waiting when another writer came in between, which is where
"database is locked" comes from.
"""

from __future__ import annotations

import datetime as dt
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlite_utils import Database as Connection
from sqlite_utils import Migrations

from workbench.errors import StoreError
from workbench.permission import require_editor
from workbench.store.backups import back_up, damaged, is_damage, unusable

BUSY_TIMEOUT_S = 5.0
LOOK_AGAIN_S = 0.0005
A_FEW = 8


def utc_now() -> str:
    """The present moment as UTC ISO text, the one form of time in the database; sorts as text."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="microseconds")


def insert(
    connection: Connection, table: str, rows: Iterable[Mapping[str, Any]], *, ignore: bool = False
) -> int:
    """Insert rows which all have the columns of the first one, and return how many were inserted.

    Runs are stored while others are being carried out, and ``Table.insert`` of sqlite-utils, which looks the
    table up and builds its statement anew each time, takes several times as long. A few rows go in one
    statement: at each, Python lets go of its lock, and has to wait for the other threads to get it back.

    Args:
        connection: Inside a transaction.
        table: A table of ours.
        rows: Column -> value.
        ignore: Leave a row out when its key is there already.
    """
    given = list(rows)
    if not given:
        return 0
    columns = tuple(given[0])
    marks = f"({', '.join('?' * len(columns))})"
    cells = ([row[column] for column in columns] for row in given)
    statement = "insert into {} ({}) values {}{}".format(
        table,
        ", ".join(columns),
        ", ".join([marks] * (len(given) if len(given) <= A_FEW else 1)),
        " on conflict do nothing" if ignore else "",
    )
    if len(given) > A_FEW:
        return connection.conn.executemany(statement, cells).rowcount
    return connection.conn.execute(statement, [*chain(*cells)]).rowcount


class Database:
    """A database file with its schema brought up to date.

    Args:
        path: The file; made with its folder when absent.
        migrations: The steps that lead to the present schema.
        patience_s: How long to wait for another process that writes.

    Raises:
        StoreError: The file cannot be opened, is no database, or is damaged.
    """

    def __init__(self, path: Path, migrations: Migrations, patience_s: float = BUSY_TIMEOUT_S) -> None:
        self.path = path
        self._patience_s = patience_s
        self._local = threading.local()
        self._turn = threading.Lock()  # threads of this process need not ask the file whose turn it is
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._explained():
                if migrations.pending(self._connection()):
                    self._migrate(migrations)
        except OSError as error:
            raise StoreError(
                f"the data folder cannot be written: {error.strerror}.",
                where=str(path.parent),
                remedy="Choose another workspace or change the permissions of this one.",
            ) from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A consistent view of the database for several queries in a row."""
        with self._explained():
            connection = self._connection()
            with connection.atomic():
                yield connection

    @contextmanager
    def write(self, *, upkeep: bool = False) -> Iterator[Connection]:
        """One transaction that holds the write lock from its first statement; all or nothing.

        Inside another one of the same thread it is part of that one.

        Args:
            upkeep: The workbench looks after its own records; nobody needs a right to that.

        Raises:
            AccessError: Whoever asks may only read.
            StoreError: The disk is full, the file is read-only or damaged, or another process held the
                lock for longer than ``patience_s``.
        """
        if not upkeep:
            require_editor()
        with self._explained():
            connection = self._connection()
            if connection.conn.in_transaction:
                yield connection
                return
            with self._turn:
                self._begin(connection)
                try:
                    yield connection
                except BaseException:
                    connection.rollback()
                    raise
                connection.commit()

    def _begin(self, connection: Connection) -> None:
        """Take the write lock as soon as another process lets go of it.

        SQLite itself would look again after 1, 2, 5, 10 ms and so on, far longer than a transaction of ours
        takes: two processes that write all the time would spend a third of theirs asleep.
        """
        deadline = time.monotonic() + self._patience_s
        plain = connection.conn  # spares what sqlite-utils looks for in each statement
        plain.execute("pragma busy_timeout = 0")
        try:
            while True:
                try:
                    plain.execute("begin immediate")
                    return
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                        raise
                time.sleep(LOOK_AGAIN_S)
        finally:
            plain.execute(f"pragma busy_timeout = {int(self._patience_s * 1000)}")

    def close(self) -> None:
        """Close this thread's connection; those of other threads close when their thread ends."""
        if getattr(self._local, "pid", None) == os.getpid():
            self._local.connection.close()
            self._local.pid = None

    def _connection(self) -> Connection:
        # A connection must not cross a fork: parent and child would release each other's file locks.
        if getattr(self._local, "pid", None) != os.getpid():
            connection = Connection(sqlite3.connect(self.path, timeout=self._patience_s))
            connection.execute("pragma synchronous = normal")
            connection.execute("pragma foreign_keys = on")
            self._local.connection = connection
            self._local.pid = os.getpid()
        return self._local.connection  # type: ignore[no-any-return]

    def _migrate(self, migrations: Migrations) -> None:
        # Two processes that start on a new file would both see every step as pending.
        locks = self.path.parent / "locks"
        locks.mkdir(exist_ok=True)
        with FileLock(locks / f"{self.path.name}.migrating.lock"):
            connection = self._connection()
            connection.enable_wal()
            if migrations.applied(connection) and migrations.pending(connection):
                back_up(self.path)
            migrations.apply(connection)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
                raise  # a bug of ours, not a state of the file
            if is_damage(error):
                raise damaged(self.path, str(error)) from error
            raise unusable(self.path, error) from error
