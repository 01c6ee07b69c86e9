"""What was pushed to whom. One row for each item, urgency and target: that pair is pushed once.

A delivery is claimed before it is sent, so two processes never send the same one, and is claimed anew when
its sender has died. A signal that becomes louder is pushed again, one that is merely run again is not.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from workbench.records import Urgency
from workbench.store.database import Database, utc_now

DeliveryState = Literal["sending", "sent", "waiting", "given_up"]

PUSHED: tuple[Urgency, ...] = ("FLASH", "ALERT")
"""Urgencies that are pushed; the others are only shown."""

LEASE = dt.timedelta(minutes=2)
"""How long a sender may take before another one may send in its place."""

PAUSES = tuple(dt.timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 3600))
"""Pause before each new attempt; after the last one the delivery is given up."""


@dataclass(frozen=True)
class Delivery:
    """One delivery. ``due`` is when it may be attempted next; ``error`` says why the last attempt failed."""

    id: int
    item: str
    urgency: Urgency
    target: str
    run_id: str
    state: DeliveryState
    attempts: int
    due: dt.datetime
    error: str
    updated: dt.datetime
    title: str


_DUE = f"""
    select s.item, s.urgency, s.run_id, d.id from signals s
    left join deliveries d on d.item = s.item and d.urgency = s.urgency and d.target = :target
    where s.urgency in ({", ".join(f"'{urgency}'" for urgency in PUSHED)}) and s.published >= :since
        and (d.id is null or (d.state in ('sending', 'waiting') and d.due <= :now))
    order by s.urgency = 'FLASH' desc, s.finished limit 1
"""
_DELIVERIES = "select d.*, r.subject_title as title from deliveries d join runs r on r.run_id = d.run_id"


class DeliveryStore:
    """The deliveries of one workspace; ``RunStore.deliveries`` is the one to use."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def claim(self, target: str, *, since: dt.date) -> Delivery | None:
        """Take the next delivery to a target that is due, the loudest first; None when none is.

        Args:
            target: Name of the target.
            since: Older news is not pushed.
        """
        now = dt.datetime.now(dt.UTC)
        lease = (now + LEASE).isoformat(timespec="microseconds")
        with self._db.write() as db:
            asked = {"target": target, "since": since.isoformat(), "now": utc_now()}
            found = db.execute(_DUE, asked).fetchone()
            if found is None:
                return None
            item, urgency, run_id, known = found
            if known is None:
                cursor = db.execute(
                    "insert into deliveries (item, urgency, target, run_id, state, attempts, due, updated)"
                    " values (?, ?, ?, ?, 'sending', 1, ?, ?)",
                    [item, urgency, target, run_id, lease, utc_now()],
                )
                known = cursor.lastrowid
            else:
                db.execute(
                    "update deliveries set state = 'sending', attempts = attempts + 1, run_id = ?, due = ?,"
                    " updated = ? where id = ?",
                    [run_id, lease, utc_now(), known],
                )
            return _delivery(next(db.query(f"{_DELIVERIES} where d.id = ?", [known])))

    def sent(self, delivery: Delivery) -> None:
        """Record that a claimed delivery reached its target."""
        self._end(delivery, "sent", delivery.due, "")

    def failed(self, delivery: Delivery, error: str) -> DeliveryState:
        """Record that a claimed delivery did not; it waits for another attempt, or is given up."""
        if delivery.attempts > len(PAUSES):
            return self._end(delivery, "given_up", delivery.due, error)
        pause = PAUSES[delivery.attempts - 1]
        return self._end(delivery, "waiting", dt.datetime.now(dt.UTC) + pause, error)

    def find(self, *, limit: int = 50) -> list[Delivery]:
        """The deliveries, the one that was touched last first."""
        with self._db.read() as db:
            found = db.query(f"{_DELIVERIES} order by d.updated desc, d.id desc limit ?", [limit])
            return [_delivery(row) for row in found]

    def _end(self, delivery: Delivery, state: DeliveryState, due: dt.datetime, error: str) -> DeliveryState:
        with self._db.write() as db:
            db.execute(
                "update deliveries set state = ?, due = ?, error = ?, updated = ? where id = ?",
                [state, due.isoformat(timespec="microseconds"), error, utc_now(), delivery.id],
            )
        return state


def _delivery(row: dict[str, object]) -> Delivery:
    moments = {name: dt.datetime.fromisoformat(str(row[name])) for name in ("due", "updated")}
    return Delivery(**{**row, **moments})  # type: ignore[arg-type]  # the columns are of these types
