"""The records of a batch: what is ordered, its items, and how far it is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from workbench.records import BatchStatus, Models, PipelineName, RunStatus, Subject
from workbench.store.rows import RunRow

ItemState = Literal["waiting", RunStatus]


class ItemKey(NamedTuple):
    """One item of one batch."""

    batch_id: str
    position: int


@dataclass(frozen=True)
class BatchOrder:
    """A batch as it is ordered.

    Attributes:
        pipeline: Which pipeline carries it out.
        title: What a reader calls it, e.g. ``English Premier League 2018-19``.
        strategy: Name of the strategy.
        strategy_text: The strategy itself; every run of the batch uses this text, whenever it is begun.
        models: Model name of each tier.
        items: What is judged, and as of when.
        concurrency: Runs at once.
        budget: USD the batch may cost; None for no limit.
    """

    pipeline: PipelineName
    title: str
    strategy: str
    strategy_text: str
    models: Models
    items: Sequence[tuple[Subject, dt.date]]
    concurrency: int
    budget: float | None = None


@dataclass(frozen=True)
class BatchItem:
    """One item. ``run_id`` is its run, ``error`` says why it could not be begun; neither while it waits."""

    key: ItemKey
    subject: Subject
    subject_title: str
    as_of: dt.date
    state: ItemState
    run_id: str | None
    error: str

    def to_json(self, row: RunRow | None) -> dict[str, Any]:
        """The stable public shape printed by ``workbench batch show --json``, with its run's verdict."""
        return {
            "position": self.key.position,
            "subject": self.subject.model_dump(mode="json"),
            "as_of": self.as_of.isoformat(),
            "state": self.state,
            "run_id": self.run_id,
            "score": row.score if row else None,
            "label": row.label if row else None,
            "error": self.error or None,
        }


@dataclass(frozen=True)
class Batch:
    """A batch and how far it is.

    Attributes:
        counts: Items in each state; a state without items is absent.
        cost: USD paid so far; None as soon as one answer has no known price.
        begun: When the present or last session began; ``created`` is when the first one did.
        settled: Items whose run ended in that session.
        error: Why it was stopped.
    """

    batch_id: str
    pipeline: PipelineName
    title: str
    status: BatchStatus
    strategy: str
    strategy_text: str
    models: Models
    concurrency: int
    budget: float | None
    counts: Mapping[ItemState, int]
    cost: float | None
    created: dt.datetime
    begun: dt.datetime
    finished: dt.datetime | None
    settled: int
    error: str

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        return self.counts.get("done", 0)

    @property
    def failed(self) -> int:
        return self.counts.get("failed", 0)

    @property
    def running(self) -> int:
        return self.counts.get("running", 0)

    @property
    def open(self) -> int:
        """Items that are neither done nor failed."""
        return self.total - self.done - self.failed

    def seconds(self, now: dt.datetime) -> float:
        """How long the present or last session has taken."""
        return ((self.finished or now) - self.begun).total_seconds()

    def eta_s(self, now: dt.datetime) -> float | None:
        """Seconds left at the pace of this session; None while nothing is known of it."""
        if self.status != "running" or not self.settled:
            return None
        return self.seconds(now) / self.settled * self.open

    def to_json(self, now: dt.datetime) -> dict[str, Any]:
        """The stable public shape printed by ``workbench batches --json``."""
        return {
            "batch_id": self.batch_id,
            "pipeline": self.pipeline,
            "title": self.title,
            "status": self.status,
            "strategy": self.strategy,
            "model": self.models.title,
            "total": self.total,
            "done": self.done,
            "failed": self.failed,
            "running": self.running,
            "open": self.open,
            "cost": self.cost,
            "budget": self.budget,
            "created": self.created.isoformat(),
            "begun": self.begun.isoformat(),
            "finished": self.finished.isoformat() if self.finished else None,
            "seconds": round(self.seconds(now), 3),
            "eta_s": self.eta_s(now),
            "error": self.error or None,
        }


class Spending(NamedTuple):
    """What the runs of a batch have cost, without answers that were stored before.

    Attributes:
        paid: USD for every answer whose price is known.
        dearest: USD for the dearest run.
        runs: How many runs have ended.
        unpriced: How many answers have no known price.
    """

    paid: float
    dearest: float
    runs: int
    unpriced: int
