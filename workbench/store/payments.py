"""What was paid to model providers, day by day: every call, whether or not a run came of it.

The calls of runs are on record one by one. This sum also holds what runs have not kept: questions about a
subject, tests of a model, answers to a process that was killed. Days are those of UTC.
"""

from __future__ import annotations

import datetime as dt

from workbench.store.database import Database


class Payments:
    """The payments of one workspace; ``RunStore.payments`` is the one to use."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, cost: float) -> None:
        """Record that a call was paid for just now, in USD."""
        with self._db.write() as db:
            db.execute(
                "insert into payments values (?, ?, 1) on conflict (day)"
                " do update set cost = cost + excluded.cost, calls = calls + 1",
                [_today(), cost],
            )

    def today(self) -> float:
        """USD paid since the day began."""
        with self._db.read() as db:
            row = db.execute("select cost from payments where day = ?", [_today()]).fetchone()
        return float(row[0]) if row else 0.0

    def days(self, limit: int) -> dict[dt.date, float]:
        """USD paid on each of the last days that saw a payment, newest first."""
        with self._db.read() as db:
            found = db.execute("select day, cost from payments order by day desc limit ?", [limit])
            return {dt.date.fromisoformat(day): cost for day, cost in found}


def _today() -> str:
    return dt.datetime.now(dt.UTC).date().isoformat()
