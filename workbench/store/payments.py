"""What was paid to model providers, day by day: every call, whether or not a run came of it.

The calls of runs are on record one by one. This sum also holds what runs have not kept: questions about a
subject, tests of a model, answers to a process that was killed. Days are those of UTC.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.records import BASELINE
from workbench.store.database import Database

SpendBy = Literal["day", "model", "agent", "run", "batch"]
"""What the calls of runs may be added up by."""
SPEND_BY: tuple[SpendBy, ...] = get_args(SpendBy)

_GROUPS: dict[SpendBy, tuple[str, str]] = {
    "day": ("substr(c.started, 1, 10)", "''"),
    "model": ("coalesce(nullif(c.resolved_model, ''), c.requested_model)", "''"),
    "agent": ("r.pipeline || ' / ' || c.agent", "p.title"),
    "run": ("c.run_id", "r.subject_title"),
    "batch": ("r.batch_id", "b.title"),
}
"""Key and title of each group, in SQL."""

_SPEND = """
    select {key} as key, {title} as title,
        count(*) filter (where not c.cache_hit) as calls,
        count(*) filter (where c.error != '') as failed,
        count(*) filter (where c.cache_hit) as cached,
        sum(c.input_tokens) filter (where not c.cache_hit) as input_tokens,
        sum(c.output_tokens) filter (where not c.cache_hit) as output_tokens,
        sum(c.cost) filter (where not c.cache_hit) as cost,
        count(*) filter (where not c.cache_hit and c.cost is null and c.resolved_model != '') as unpriced
    from calls c
    join runs r on r.run_id = c.run_id
    join reports p on p.run_id = c.run_id and p.agent = c.agent
    left join batches b on b.batch_id = r.batch_id
    where c.requested_model != ? and c.started >= ? and {key} is not null
    group by 1 order by max(c.started) desc limit ?
"""


@dataclass(frozen=True)
class Spend:
    """What the calls of some runs took. Answers of the built-in rules are free and not among them.

    Attributes:
        key: Day, model, pipeline and agent, run id or batch id.
        title: What a reader calls it; empty where the key says it.
        calls: Calls made; answers from the cache are not among them.
        failed: Calls that brought no usable answer.
        cached: Answers that were stored before and cost nothing.
        input_tokens: Tokens asked; None where no provider counted them.
        output_tokens: Tokens answered.
        cost: USD paid, as far as prices are known; None where none is.
        unpriced: Answers whose price is not known.
    """

    key: str
    title: str
    calls: int
    failed: int
    cached: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    unpriced: int


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

    def spend(self, by: SpendBy, *, since: dt.date | None = None, limit: int = 50) -> list[Spend]:
        """What the calls of runs took, added up, the latest group first.

        Args:
            by: What to add up by.
            since: First day (UTC) that counts.
            limit: Groups at most.
        """
        key, title = _GROUPS[by]
        with self._db.read() as db:
            found = db.query(
                _SPEND.format(key=key, title=title), [BASELINE, since.isoformat() if since else "", limit]
            )
            return [Spend(**row | {"title": row["title"] or ""}) for row in found]


def _today() -> str:
    return dt.datetime.now(dt.UTC).date().isoformat()
