"""What happened after the as-of dates of runs: facts, recorded once; a correction is one more row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlite_utils import Database as Connection

from workbench.store.database import Database, insert, utc_now


@dataclass(frozen=True)
class Outcome:
    """One figure about a subject after a day.

    Attributes:
        subject_key: Key of the subject, e.g. ``600519.SH``.
        as_of: The day of the runs it is held against.
        measure: What was measured, e.g. ``return_6m``.
        value: The figure; returns are decimals.
        observed: The day it is of.
        source: What it was worked out from.
    """

    subject_key: str
    as_of: dt.date
    measure: str
    value: float
    observed: dt.date
    source: str


class OutcomeStore:
    """The outcomes of one workspace; ``RunStore.outcomes`` is the one to use."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, outcomes: Iterable[Outcome]) -> int:
        """Record what is not on record yet, or was so with another figure; returns how many that were."""
        now = utc_now()
        with self._db.write() as db:
            known = {_key(outcome): outcome for outcome in _latest(db)}
            new = [outcome for outcome in outcomes if known.get(_key(outcome)) != outcome]
            insert(
                db,
                "outcomes",
                (
                    {
                        "subject_key": outcome.subject_key,
                        "as_of": outcome.as_of.isoformat(),
                        "measure": outcome.measure,
                        "value": outcome.value,
                        "observed": outcome.observed.isoformat(),
                        "source": outcome.source,
                        "recorded": now,
                    }
                    for outcome in new
                ),
            )
        return len(new)

    def version(self) -> int:
        """A number that changes whenever something is recorded; 0 when nothing ever was."""
        with self._db.read() as db:
            return int(db.execute("select coalesce(max(id), 0) from outcomes").fetchone()[0])

    def find(self, measure: str | None = None) -> list[Outcome]:
        """The outcomes on record, of one measure or all, each as recorded last."""
        with self._db.read() as db:
            return [outcome for outcome in _latest(db) if measure in (None, outcome.measure)]


def _latest(db: Connection) -> Iterator[Outcome]:
    """The row recorded last of each figure, by subject, day and measure."""
    for row in db.query(
        "select subject_key, as_of, measure, value, observed, source, max(id) from outcomes"
        " where value is not null group by subject_key, as_of, measure order by 1, 2, 3"
    ):
        yield Outcome(
            row["subject_key"],
            dt.date.fromisoformat(row["as_of"]),
            row["measure"],
            row["value"],
            dt.date.fromisoformat(row["observed"]),
            row["source"],
        )


def _key(outcome: Outcome) -> tuple[str, dt.date, str]:
    return outcome.subject_key, outcome.as_of, outcome.measure
