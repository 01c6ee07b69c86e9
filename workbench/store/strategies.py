"""What analysts did to their strategies: every saved version, and what is not saved yet.

A version is the whole text of a file with who saved it, when and why; it is never changed. A draft is the
text as it stands in the editor, with the text editing began from, so that it survives a refresh and a restart
and can still be told from what somebody else has written to the file meanwhile.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from sqlite_utils import Database as Connection

from workbench.errors import InputError
from workbench.store.database import Database, insert, utc_now
from workbench.store.rows import text_hash


@dataclass(frozen=True)
class Version:
    """One saved text of a strategy.

    Attributes:
        number: Counts over all strategies, in the order of saving.
        strategy: Name of the file without its ending.
        hash: sha256 of the file, as runs name it.
        author: Who saved it; empty for a text that was found on disk.
        note: Why.
        saved: When.
        text: The whole file, byte-order mark included.
    """

    number: int
    strategy: str
    hash: str
    author: str
    note: str
    saved: dt.datetime
    text: str


@dataclass(frozen=True)
class KeptDraft:
    """A text that is not saved yet, and the one it was begun from."""

    name: str
    base: str
    text: str
    edited: dt.datetime


class StrategyStore:
    """Versions and drafts of one workspace.

    Args:
        db: The database of the runs.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def keep_draft(self, name: str, base: str, text: str) -> None:
        """Keep an unsaved text, in place of an earlier one under this name."""
        row = {"strategy": name, "base_hash": text_hash(base), "body": text, "edited": utc_now()}
        with self._db.write() as db:
            _keep(db, [base])
            db.table("strategy_drafts").upsert(row, pk="strategy")

    def draft(self, name: str) -> KeptDraft | None:
        """The unsaved text under a name, if there is one."""
        with self._db.read() as db:
            row = db.execute(
                "select t.body, d.body, d.edited from strategy_drafts d join texts t on t.hash = d.base_hash"
                " where d.strategy = ?",
                [name],
            ).fetchone()
        return KeptDraft(name, row[0], row[1], dt.datetime.fromisoformat(row[2])) if row else None

    def drop_draft(self, name: str) -> None:
        """Forget an unsaved text; no effect where there is none."""
        with self._db.write() as db:
            db.execute("delete from strategy_drafts where strategy = ?", [name])

    def drafts(self) -> tuple[str, ...]:
        """The names with unsaved text, the latest edited first."""
        with self._db.read() as db:
            found = db.execute("select strategy from strategy_drafts order by edited desc").fetchall()
        return tuple(name for (name,) in found)

    def record(self, strategy: str, text: str, *, author: str, note: str) -> None:
        """Add a version to the history of a strategy."""
        row = {
            "strategy": strategy,
            "hash": text_hash(text),
            "text_hash": text_hash(text),
            "author": author,
            "note": note,
            "saved": utc_now(),
        }
        with self._db.write() as db:
            _keep(db, [text])
            insert(db, "strategy_versions", [row])

    def versions(self, strategy: str) -> list[Version]:
        """The history of a strategy, newest first."""
        with self._db.read() as db:
            return list(_versions(db, "v.strategy = ?", strategy))

    def version(self, number: int) -> Version:
        """One version.

        Raises:
            InputError: There is none of this number.
        """
        with self._db.read() as db:
            found = next(iter(_versions(db, "v.id = ?", number)), None)
        if found is None:
            raise InputError(f"there is no version {number} of a strategy.")
        return found

    def strategies(self) -> tuple[str, ...]:
        """Every name that has a history, whether its file still exists or not."""
        with self._db.read() as db:
            found = db.execute("select distinct strategy from strategy_versions order by 1").fetchall()
        return tuple(name for (name,) in found)

    def last_author(self) -> str | None:
        """Who saved last."""
        with self._db.read() as db:
            row = db.execute(
                "select author from strategy_versions where author != '' order by id desc limit 1"
            ).fetchone()
        return row[0] if row else None

    def runs_by_hash(self, strategy: str) -> dict[str, int]:
        """How many runs used each text of a strategy: sha256 of the file -> number of runs."""
        with self._db.read() as db:
            found = db.execute(
                "select strategy_hash, count(*) from runs where strategy = ? group by 1", [strategy]
            ).fetchall()
        return dict(found)


def _keep(db: Connection, texts: Iterable[str]) -> None:
    insert(db, "texts", [{"hash": text_hash(text), "body": text} for text in texts], ignore=True)


def _versions(db: Connection, where: str, value: object) -> Iterable[Version]:
    rows = db.execute(
        "select v.id, v.strategy, v.hash, v.author, v.note, v.saved, t.body"
        f" from strategy_versions v join texts t on t.hash = v.text_hash where {where} order by v.id desc",
        [value],
    )
    for number, strategy, digest, author, note, saved, body in rows:
        yield Version(number, strategy, digest, author, note, dt.datetime.fromisoformat(saved), body)
