"""Answers already paid for, kept in ``data/cache.db``.

An answer is found again only for exactly the same question: model, server, parameters, both messages,
template, answer schema and repeat index. What could not be used (an error, an unreadable answer) is never
kept, so that asking again can bring something better. The file holds nothing but copies: runs keep their
own replies, and deleting it loses money at most.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from functools import cached_property
from pathlib import Path
from weakref import WeakValueDictionary

from sqlite_utils import Database as Connection
from sqlite_utils import Migrations

from workbench.errors import StoreError
from workbench.llm.base import Model, Reply, Request
from workbench.llm.replies import ReplyError, parse_reply
from workbench.llm.schemas import json_schema
from workbench.store.database import Database, utc_now

log = logging.getLogger(__name__)

_PATIENCE_S = 0.2
"""Reading and keeping an answer take microseconds, several times less than handing them to a thread, so both
happen on the event loop; a lock held for longer than this costs the copy of one answer."""

migrations = Migrations("cache")


@migrations()
def create_answers(db: Connection) -> None:
    db.execute(
        "create table answers (key text primary key, model text not null, reply text not null,"
        " stored text not null) strict"
    )


class Cached:
    """Another model's answers, remembered.

    Args:
        model: Answers what is not known yet.
        path: The database file; made on first use.
        server: Address of the server that answers, part of the question's identity.
    """

    def __init__(self, model: Model, path: Path, server: str | None = None) -> None:
        self._model = model
        self._path = path
        self._server = server
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def complete(self, request: Request) -> Reply:
        """Answer one request, from memory where the request allows it.

        A remembered answer shows the latency and cost it once had and is marked as a cache hit.

        Raises:
            ModelError: The model did not answer.
        """
        if request.cache == "off":
            return await self._model.complete(request)
        key = question_key(request, self._server)
        async with self._asking.setdefault(key, asyncio.Lock()):  # who asks the same meanwhile waits for it
            if request.cache == "use" and (known := self._find(key)):
                return known
            reply = await self._model.complete(request)
            self._keep(key, request, reply)
            return reply

    def known(self, request: Request) -> Reply | None:
        """The answer remembered for exactly this question, if there is one."""
        return self._find(question_key(request, self._server))

    @cached_property
    def _db(self) -> Database:
        return Database(self._path, migrations, _PATIENCE_S)

    def _find(self, key: str) -> Reply | None:
        try:
            with self._db.read() as db:
                row = db.execute("select reply from answers where key = ?", [key]).fetchone()
        except StoreError as error:
            # The question can still be asked; the run's own store reports what is wrong with the disk.
            log.warning("the cache cannot be read: %s", error)
            return None
        return Reply(**json.loads(row[0]) | {"cache_hit": True}) if row else None

    def _keep(self, key: str, request: Request, reply: Reply) -> None:
        try:
            parse_reply(reply.text, request.schema)
            with self._db.write() as db:
                row = [key, request.model, json.dumps(vars(reply), ensure_ascii=False), utc_now()]
                db.execute("insert or replace into answers values (?, ?, ?, ?)", row)
        except ReplyError:
            return
        except StoreError as error:
            # The answer is paid for: it must reach the run even when no copy can be kept.
            log.warning("an answer was not kept in the cache: %s", error)


def question_key(request: Request, server: str | None = None) -> str:
    """What makes two questions the same, as a sha256."""
    identity = {
        "model": request.model,
        "server": server,
        "params": dict(request.params),
        "system": request.system,
        "prompt": request.prompt,
        "template": request.template_hash,
        "schema": json_schema(request.schema),
        "repeat": request.repeat,
    }
    return hashlib.sha256(json.dumps(identity, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
