"""Copies of a database in ``backups/`` beside it: one a day, and one before its schema changes.

A copy is made by SQLite itself while others go on reading and writing, is checked before it is kept, and
the oldest go when there are more than ``KEPT``.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from workbench.errors import StoreError

_LOG = logging.getLogger(__name__)

KEPT = 7
EVERY = dt.timedelta(days=1)

_LOCKED = "Another program holds the file: close it and try again."
_REMEDIES = {
    sqlite3.SQLITE_FULL: "Free some disk space; what was saved before is still there.",
    sqlite3.SQLITE_READONLY: "The file or its folder is read-only: change its permissions.",
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_CANTOPEN: "Check that the folder exists and may be written.",
}


def backups(database: Path) -> list[Path]:
    """The backups of a database, newest first."""
    return sorted(_folder(database).glob(f"{database.stem}-*.db"), reverse=True)


def back_up(database: Path) -> Path:
    """Copy a database, check the copy, and drop backups that are too many.

    Raises:
        StoreError: The database is damaged; earlier backups are left alone.
    """
    _folder(database).mkdir(exist_ok=True)
    now = dt.datetime.now(dt.UTC)
    kept = _folder(database) / f"{database.stem}-{now:%Y%m%d-%H%M%S}.db"
    partial = kept.with_suffix(f".{os.getpid()}.partial")
    try:
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(partial)) as copy:
            source.backup(copy)
            copy.execute("pragma journal_mode = delete")  # one file, without a log beside it
        if problem := find_damage(partial):
            raise damaged(database, problem)
        partial.replace(kept)
    finally:
        partial.unlink(missing_ok=True)
    for old in backups(database)[KEPT:]:
        old.unlink(missing_ok=True)
    return kept


def back_up_daily(database: Path) -> None:
    """Make a backup unless the newest one is younger than ``EVERY``.

    A backup that cannot be written, say on a full disk, is a warning: the runs can still be read.

    Raises:
        StoreError: The database is damaged.
    """
    newest = next(iter(backups(database)), None)
    if newest is not None and dt.datetime.now(dt.UTC) - made(newest) < EVERY:
        return
    try:
        back_up(database)
    except (OSError, sqlite3.OperationalError) as error:
        _LOG.warning("no backup of %s was made: %s", database, error)


def made(backup: Path) -> dt.datetime:
    """When a backup was made, out of its name."""
    stamp = "-".join(backup.stem.split("-")[-2:])
    return dt.datetime.strptime(stamp, "%Y%m%d-%H%M%S").replace(tzinfo=dt.UTC)


def find_damage(database: Path) -> str:
    """What SQLite finds wrong with a file; empty when it is sound. Reads the whole file.

    Raises:
        StoreError: It cannot be looked at, say because it is locked; that says nothing about damage.
    """
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            answer = str(connection.execute("pragma quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if is_damage(error):
            return str(error)
        raise unusable(database, error) from error
    return "" if answer == "ok" else answer


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether SQLite says that the content of a file is wrong, and not that it cannot get at it."""
    return _primary(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def unusable(database: Path, error: sqlite3.DatabaseError) -> StoreError:
    """The error that says a sound database cannot be used at present, and what to do about it."""
    remedy = _REMEDIES.get(_primary(error), "")
    return StoreError(f"the database cannot be used: {error}.", where=str(database), remedy=remedy)


def damaged(database: Path, problem: str) -> StoreError:
    """The error that says a database is damaged and offers the newest backup."""
    newest = next(iter(backups(database)), None)
    remedy = (
        f"Go back to the backup of {made(newest):%Y-%m-%d %H:%M} UTC: workbench doctor --restore"
        if newest
        else "There is no backup of it: move the file away to start with an empty history."
    )
    return StoreError(f"the database is damaged ({problem}).", where=str(database), remedy=remedy)


def restore(database: Path) -> tuple[Path, Path]:
    """Put the newest backup in the place of a database; the present file is kept under another name.

    No other process may have the database open.

    Returns:
        The backup used, and where the replaced file is now.

    Raises:
        StoreError: There is no backup.
    """
    newest = next(iter(backups(database)), None)
    if newest is None:
        raise StoreError("there is no backup to go back to.", where=str(_folder(database)))
    aside = database.with_name(f"{database.stem}.replaced-{dt.datetime.now(dt.UTC):%Y%m%d-%H%M%S}.db")
    copy = database.with_suffix(".restoring")
    shutil.copyfile(newest, copy)
    # The log of the old file would be applied to the new one.
    for suffix in ("-wal", "-shm"):
        old_log = database.with_name(database.name + suffix)
        if old_log.exists():
            old_log.replace(aside.with_name(aside.name + suffix))
    if database.exists():
        database.replace(aside)
    copy.replace(database)
    return newest, aside


def _primary(error: sqlite3.DatabaseError) -> int:
    # The low byte of an extended code, e.g. of SQLITE_READONLY_DIRECTORY; errors of the driver have none.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _folder(database: Path) -> Path:
    return database.parent / "backups"
