"""The batches: many runs started together, of which each item is done once.

A batch is one row, and one row for each of its items: a subject as of a day, then the run that judges it.
Run and item are tied together in the transaction that starts the run, so that after a crash an item has
exactly the run that was begun for it. Where an item stands follows from its run and is stored nowhere else.

A running batch belongs to the process that carries it out; when that process is gone, whoever looks next
marks the batch ``interrupted``, as the runs themselves.
"""

from __future__ import annotations

import datetime as dt
import json
import secrets
from collections.abc import Iterable
from typing import Literal

from pydantic import TypeAdapter
from sqlite_utils import Database as Connection

from workbench.errors import InputError, StoreError
from workbench.records import Models, Subject
from workbench.store.batch_records import Batch, BatchItem, BatchOrder, ItemKey, ItemState, Spending
from workbench.store.database import Database, insert, utc_now
from workbench.store.owners import Owner, interrupt_orphans
from workbench.store.rows import Row, text_hash

_SUBJECT: TypeAdapter[Subject] = TypeAdapter(Subject)

_STATE = "case when i.error != '' then 'failed' when i.run_id is null then 'waiting' else r.status end"
_ITEMS = "batch_items i left join runs r on r.run_id = i.run_id"
_COUNTS = f"""
    select {_STATE} as state, count(*) as items, sum(r.finished >= ?) as settled
    from {_ITEMS} where i.batch_id = ? group by 1
"""
_SPENDING = """
    select sum(cost) as paid, max(cost) as dearest, sum(finished is not null) as ended,
        sum(unpriced) as unpriced
    from (
        select r.finished, sum(c.cost) as cost, count(c.run_id) - count(c.cost) as unpriced
        from runs r left join calls c on c.run_id = r.run_id and not c.cache_hit and c.reply_hash != :no_reply
        where r.batch_id = :batch_id group by r.run_id
    )
"""
_NO_REPLY = text_hash("")


class BatchStore:
    """The batches of one workspace; ``RunStore.batches`` is the one to use."""

    def __init__(self, database: Database, owner: Owner) -> None:
        self._db = database
        self._owner = owner

    def create(self, order: BatchOrder) -> str:
        """Record a batch with all its items, running in this process, and return its id."""
        now = utc_now()
        batch_id = f"b{now[:19].replace('-', '').replace(':', '').replace('T', '-')}-{secrets.token_hex(2)}"
        text = text_hash(order.strategy_text)
        spec = {
            "models": order.models.model_dump(),
            "concurrency": order.concurrency,
            "budget": order.budget,
        }
        row = {
            "batch_id": batch_id,
            "pipeline": order.pipeline,
            "title": order.title,
            "strategy": order.strategy,
            "strategy_text_hash": text,
            "spec": json.dumps(spec),
            "status": "running",
            "owner": self._owner.claim(),
            "created": now,
            "begun": now,
        }
        with self._db.write() as db:
            insert(db, "texts", [{"hash": text, "body": order.strategy_text}], ignore=True)
            insert(db, "batches", [row])
            insert(
                db,
                "batch_items",
                (
                    {
                        "batch_id": batch_id,
                        "position": position,
                        "subject": subject.model_dump_json(),
                        "subject_key": subject.key,
                        "subject_title": subject.title,
                        "as_of": as_of.isoformat(),
                    }
                    for position, (subject, as_of) in enumerate(order.items, start=1)
                ),
            )
        return batch_id

    def take_over(
        self,
        batch_id: str,
        *,
        retry_failed: bool = False,
        budget: float | None = None,
        concurrency: int | None = None,
    ) -> None:
        """Begin another session of a batch that is not running, in this process.

        Args:
            batch_id: Which batch.
            retry_failed: Let failed items wait again; their failed runs stay as they are.
            budget: Replaces the budget of the batch, which counts what was paid before.
            concurrency: Replaces the number of runs at once.

        Raises:
            StoreError: It is running.
            InputError: There is no such batch.
        """
        interrupt_orphans(self._db, self._owner)
        owner = self._owner.claim()
        with self._db.write() as db:
            row = _require(db, batch_id)
            if row["status"] == "running":
                raise StoreError("the batch is running.", where=batch_id)
            changes = {"budget": budget, "concurrency": concurrency}
            spec = json.loads(row["spec"]) | {k: v for k, v in changes.items() if v is not None}
            db.execute(
                "update batches set status = 'running', owner = ?, begun = ?, finished = null, error = '',"
                " spec = ? where batch_id = ?",
                [owner, utc_now(), json.dumps(spec), batch_id],
            )
            if retry_failed:
                failed = f"select i.position from {_ITEMS} where i.batch_id = ? and {_STATE} = 'failed'"
                db.execute(
                    "update batch_items set run_id = null, error = ''"
                    f" where batch_id = ? and position in ({failed})",
                    [batch_id, batch_id],
                )

    def spending(self, batch_id: str) -> Spending:
        """What the runs of a batch have cost so far."""
        with self._db.read() as db:
            return _spending(db, batch_id)

    def give_up(self, key: ItemKey, error: str) -> None:
        """Record why an item cannot be judged; it counts as failed."""
        with self._db.write() as db:
            db.execute("update batch_items set error = ? where batch_id = ? and position = ?", [error, *key])

    def finish(self, batch_id: str, status: Literal["done", "stopped", "cancelled"], error: str = "") -> None:
        """Record how the session of a batch ended."""
        with self._db.write() as db:
            db.execute(
                "update batches set status = ?, finished = ?, error = ? where batch_id = ?",
                [status, utc_now(), error, batch_id],
            )

    def load(self, batch_id: str) -> Batch:
        """One batch as it stands.

        Raises:
            InputError: There is no such batch.
        """
        interrupt_orphans(self._db, self._owner)
        with self._db.read() as db:
            return _batch(db, _require(db, batch_id))

    def find(self, *, limit: int = 50, offset: int = 0) -> list[Batch]:
        """One page of the batches, newest first."""
        interrupt_orphans(self._db, self._owner)
        with self._db.read() as db:
            page = "select * from batches order by created desc, batch_id desc limit ? offset ?"
            return [_batch(db, row) for row in db.query(page, [limit, offset])]

    def resolve(self, text: str) -> str:
        """The id of the batch that ``text`` names: a whole id, or the beginning or end of exactly one.

        Raises:
            InputError: No batch or several are named so.
        """
        asked = text.strip()
        with self._db.read() as db:
            ids = [str(row[0]) for row in db.execute("select batch_id from batches").fetchall()]
        found = [name for name in ids if name == asked] or [
            name for name in ids if len(asked) >= 4 and (name.startswith(asked) or name.endswith(asked))
        ]
        if len(found) == 1:
            return found[0]
        if not found:
            raise InputError(f"there is no batch {asked[:60]!r}.", remedy="See 'workbench batches'.")
        raise InputError(f"{asked!r} may be {', '.join(found[:3])}.", remedy="Give more of the id.")

    def item(self, key: ItemKey) -> BatchItem:
        """One item as it stands."""
        (item,) = self.items(key.batch_id, limit=1, offset=key.position - 1)
        return item

    def items(
        self, batch_id: str, states: Iterable[ItemState] = (), *, limit: int = -1, offset: int = 0
    ) -> list[BatchItem]:
        """The items of a batch in their order, all or those in some states."""
        interrupt_orphans(self._db, self._owner)
        with self._db.read() as db:
            found = db.query(
                f"select i.*, {_STATE} as state, coalesce(nullif(i.error, ''), r.error, '') as why"
                f" from {_ITEMS} where i.batch_id = :batch_id"
                f" and (:states = '[]' or {_STATE} in (select value from json_each(:states)))"
                " order by i.position limit :limit offset :offset",
                {
                    "batch_id": batch_id,
                    "states": json.dumps(list(states)),
                    "limit": limit,
                    "offset": offset,
                },
            )
            return [_item(row) for row in found]


def begin_item(db: Connection, key: ItemKey, run_id: str) -> None:
    """Tie an item to the run that is just being started, within its transaction."""
    db.execute("update batch_items set run_id = ? where batch_id = ? and position = ?", [run_id, *key])


def _batch(db: Connection, row: Row) -> Batch:
    spec = json.loads(row["spec"])
    counts = list(db.query(_COUNTS, [row["begun"], row["batch_id"]]))
    spending = _spending(db, row["batch_id"])
    (text,) = db.execute("select body from texts where hash = ?", [row["strategy_text_hash"]]).fetchone()
    return Batch(
        batch_id=row["batch_id"],
        pipeline=row["pipeline"],
        title=row["title"],
        status=row["status"],
        strategy=row["strategy"],
        strategy_text=text,
        models=Models(**spec["models"]),
        concurrency=spec["concurrency"],
        budget=spec["budget"],
        counts={count["state"]: count["items"] for count in counts},
        cost=None if spending.unpriced else spending.paid,
        created=dt.datetime.fromisoformat(row["created"]),
        begun=dt.datetime.fromisoformat(row["begun"]),
        finished=dt.datetime.fromisoformat(row["finished"]) if row["finished"] else None,
        settled=sum(count["settled"] or 0 for count in counts),
        error=row["error"],
    )


def _spending(db: Connection, batch_id: str) -> Spending:
    (row,) = db.query(_SPENDING, {"batch_id": batch_id, "no_reply": _NO_REPLY})
    return Spending(row["paid"] or 0.0, row["dearest"] or 0.0, row["ended"] or 0, row["unpriced"] or 0)


def _item(row: Row) -> BatchItem:
    return BatchItem(
        key=ItemKey(row["batch_id"], row["position"]),
        subject=_SUBJECT.validate_json(row["subject"]),
        subject_title=row["subject_title"],
        as_of=dt.date.fromisoformat(row["as_of"]),
        state=row["state"],
        run_id=row["run_id"],
        error=row["why"],
    )


def _require(db: Connection, batch_id: str) -> Row:
    found: Row | None = next(db.query("select * from batches where batch_id = ?", [batch_id]), None)
    if found is None:
        raise InputError(f"there is no batch {batch_id[:60]!r}.", remedy="See 'workbench batches'.")
    return found
