"""Who carries out the runs of a batch: this process, worker processes, or a cluster.

A crew takes items and hands back futures; the batch decides which item is next and when to stop. All crews
work from one ``Bench``, so that an item is judged in the same way wherever that happens.
"""

from __future__ import annotations

import datetime as dt
import gc
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol

from workbench.engine.agent import RunOptions
from workbench.engine.jobs import JobManager
from workbench.engine.plan import Plan
from workbench.engine.runner import Result
from workbench.errors import WorkbenchError
from workbench.llm.budget import BudgetError
from workbench.records import Models, Subject
from workbench.store.batch_records import BatchItem


class WorkerDiedError(WorkbenchError):
    """The process that carried out a run ended in the middle of it."""


class Crew(Protocol):
    """Carries out the items of one batch."""

    size: int
    """Items it takes at once."""

    def begin(self, item: BatchItem) -> Future[None]:
        """Begin or resume the run of an item; the future ends when the run is stored, however it ended.

        Raises:
            StoreError, BatchError: Nothing more can be begun.
            WorkbenchError: This item cannot be judged.
        """
        ...

    def stop(self) -> None:
        """Cancel the runs in flight; their finished agents are kept."""
        ...

    def close(self) -> None:
        """Let go of everything; nothing is in flight any more."""
        ...


@dataclass(frozen=True)
class Bench:
    """What judging the items of one batch takes.

    Attributes:
        plan: The plan of an item, over a fresh point-in-time view.
        models: Model name of each tier.
        options: Deadline, sampling parameters and cache use.
    """

    plan: Callable[[Subject, dt.date], Plan]
    models: Models
    options: RunOptions


_THRESHOLD = gc.get_threshold()


def look_for_garbage(*, often: bool) -> None:
    """Set how often the interpreter looks for objects that only refer to each other.

    A run leaves next to none of these, but makes so many objects that looking takes a fifth of a batch's
    time: nearly all of it among what was loaded before and stays.
    """
    if often:
        gc.set_threshold(*_THRESHOLD)
        gc.unfreeze()
    else:
        gc.freeze()
        gc.set_threshold(200_000, 20, 100)


def why_cut_off(result: Result) -> str:
    """Which budget cut a run off; empty for a run that has ended, or was cancelled by somebody."""
    return result.error if result.status == "cancelled" else ""


class LocalCrew:
    """Carries out runs in this process, in the background threads all runs share.

    Args:
        bench: How an item is judged.
        jobs: The runs of this process.
        size: Runs at once.
    """

    def __init__(self, bench: Bench, jobs: JobManager, size: int) -> None:
        self.size = size
        self._bench = bench
        self._jobs = jobs
        self._flying: set[str] = set()
        self._lock = threading.Lock()
        look_for_garbage(often=False)

    def begin(self, item: BatchItem) -> Future[None]:
        plan = self._bench.plan(item.subject, item.as_of)
        run_id = self._jobs.start(
            plan, self._bench.models, run_id=item.run_id, item=item.key, options=self._bench.options
        )
        with self._lock:
            self._flying.add(run_id)
        landed: Future[None] = Future()

        def land(outcome: Future[Result]) -> None:
            with self._lock:
                self._flying.discard(run_id)
            self._jobs.forget(run_id)
            if why := why_cut_off(outcome.result()):
                landed.set_exception(BudgetError(why))
            else:
                landed.set_result(None)

        self._jobs.outcome(run_id).add_done_callback(land)
        return landed

    def stop(self) -> None:
        with self._lock:
            flying = list(self._flying)
        for run_id in flying:
            self._jobs.cancel(run_id)

    def close(self) -> None:
        look_for_garbage(often=True)
