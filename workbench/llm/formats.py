"""How each model lets the form of its answer be asked for: found out once, kept beside the answers."""

from __future__ import annotations

import logging
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from sqlite_utils import Database as Connection
from sqlite_utils import Migrations

from workbench.errors import StoreError
from workbench.store.database import Database, utc_now

log = logging.getLogger(__name__)

AnswerFormat = Literal["json_schema", "json_object_schema", "json_object", "plain"]
"""How an answer's form is asked for beside the prompt, most binding first.

``json_object_schema`` is JSON mode with a schema beside it, which only servers of one's own know.
"""
FORMATS: tuple[AnswerFormat, ...] = get_args(AnswerFormat)

migrations = Migrations("formats")


@migrations()
def create_formats(db: Connection) -> None:
    db.execute(
        "create table formats (model text not null, server text not null, format text not null,"
        " learnt text not null, primary key (model, server)) strict, without rowid"
    )


class AnswerFormats:
    """The form each model was found to accept.

    Args:
        path: The database file, made on first use; None remembers within this process only.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._known: dict[tuple[str, str], AnswerFormat] = {}

    def get(self, model: str, server: str | None) -> AnswerFormat | None:
        """The form a model accepts at a server; None while nobody has found out."""
        key = (model, server or "")
        if key not in self._known and self._db is not None:
            try:
                with self._db.read() as db:
                    found = "select format from formats where model = ? and server = ?"
                    row = db.execute(found, list(key)).fetchone()
            except StoreError as error:
                log.warning("the answer formats cannot be read: %s", error)
                return None
            if row:
                self._known[key] = row[0]
        return self._known.get(key)

    def learn(self, model: str, server: str | None, form: AnswerFormat) -> None:
        """Remember that a model answers when it is asked in this form."""
        key = (model, server or "")
        if self._known.get(key) == form:
            return
        self._known[key] = form
        self._write("insert or replace into formats values (?, ?, ?, ?)", [*key, form, utc_now()])

    def forget(self, model: str, server: str | None) -> None:
        """Find out anew: the server may have learnt something, too."""
        key = (model, server or "")
        self._known.pop(key, None)
        self._write("delete from formats where model = ? and server = ?", list(key))

    def _write(self, statement: str, values: list[str]) -> None:
        if self._db is None:
            return
        try:
            with self._db.write() as db:
                db.execute(statement, values)
        except StoreError as error:
            # It costs one refused call to find out again.
            log.warning("an answer format was not kept: %s", error)

    @cached_property
    def _db(self) -> Database | None:
        return None if self._path is None else Database(self._path, migrations)
