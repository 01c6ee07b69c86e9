"""Runs in the background: one loop in one daemon thread, for pages and commands alike.

A run outlives the page that started it. Every report goes to the store as soon as its agent is done; the
store is written in a thread of its own, so that a slow disk never holds up the agents.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from workbench.engine.agent import RunOptions
from workbench.engine.plan import Plan, Reports
from workbench.engine.progress import Progress, Tracker
from workbench.engine.runner import Event, Result, run
from workbench.engine.writer import Writer
from workbench.errors import InputError
from workbench.llm.base import Model
from workbench.permission import require_editor
from workbench.records import Models, Receipt, Report, Verdict
from workbench.store.batch_records import ItemKey

log = logging.getLogger(__name__)

T = TypeVar("T")

KEPT_JOBS = 200
"""Finished runs whose progress is remembered; older ones are in the store."""


class Store(Protocol):
    """Where runs are kept; ``workbench.store.runs.RunStore`` is one."""

    def start(
        self,
        plan: Plan,
        models: Models,
        *,
        retry_of: str | None = None,
        repeat: int = 0,
        item: ItemKey | None = None,
    ) -> str: ...

    def resume(self, run_id: str) -> dict[str, Report]: ...

    def repeat_of(self, run_id: str) -> int: ...

    def save_report(self, run_id: str, report: Report) -> None: ...

    def finish(
        self,
        run_id: str,
        *,
        status: Literal["done", "failed", "cancelled"],
        verdict: Verdict | None = None,
        receipt: Receipt | None = None,
        error: str = "",
    ) -> None: ...

    def together(self) -> AbstractContextManager[None]: ...


class JobManager:
    """Starts runs, tells how far they are, and stops them. Safe to call from any thread.

    Args:
        store: Where runs and reports are kept.
        model: Answers the requests of every tier.
        options: Deadline, sampling parameters and cache use of runs that bring none of their own, asked for
            when a run starts.
        admit: Raises where no run by these models may begin now.
    """

    def __init__(
        self,
        store: Store,
        model: Model,
        options: Callable[[], RunOptions] = RunOptions,
        admit: Callable[[Models], None] = lambda models: None,
    ) -> None:
        self._store = store
        self._model = model
        self._options = options
        self._admit = admit
        self._jobs: dict[str, _Job] = {}
        self._finished: deque[str] = deque()
        self._lock = threading.Lock()
        self._writer = Writer(store.together)
        self._closing = asyncio.Event()
        loop: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._serve(loop)), name="workbench-runs", daemon=True
        )
        self._thread.start()
        self._loop = loop.result()

    def start(
        self,
        plan: Plan,
        models: Models,
        *,
        run_id: str | None = None,
        retry_of: str | None = None,
        item: ItemKey | None = None,
        options: RunOptions | None = None,
    ) -> str:
        """Start a run and return its id at once.

        Args:
            plan: What to run.
            models: Model name of each tier.
            run_id: An interrupted or cancelled run to take up again; its finished agents are not repeated.
            retry_of: The run this one is a new attempt at.
            item: The item of a batch it is for.
            options: Instead of the manager's own.

        Raises:
            BudgetError: Nothing more may be paid for today.
            StoreError: The run cannot be recorded, or cannot be resumed.
        """
        self._admit(models)
        options = options or self._options()
        done: Reports = {}
        if run_id is None:
            run_id = self._store.start(plan, models, retry_of=retry_of, repeat=options.repeat, item=item)
        else:
            done = self._store.resume(run_id)
            options = replace(options, repeat=self._store.repeat_of(run_id))
        job = _Job(run_id, plan, done, Tracker(run_id, plan, done))
        with self._lock:
            while len(self._finished) > KEPT_JOBS:
                oldest = self._finished.popleft()
                if oldest in self._jobs and self._jobs[oldest].outcome.done():  # and not running again
                    del self._jobs[oldest]
            self._jobs[run_id] = job
        self._loop.call_soon_threadsafe(self._begin, job, models, options)
        return run_id

    def progress(self, run_id: str) -> Progress | None:
        """How far a run is; None when this process did not start it (ask the store)."""
        job = self._jobs.get(run_id)
        return job.tracker.progress() if job else None

    def forget(self, run_id: str) -> None:
        """Let go of a finished run, which is in the store; the reports of a batch are many."""
        with self._lock:
            if run_id in self._jobs and self._jobs[run_id].outcome.done():
                del self._jobs[run_id]

    def running(self) -> tuple[str, ...]:
        """Ids of the runs not finished yet, oldest first."""
        with self._lock:
            return tuple(run_id for run_id, job in self._jobs.items() if not job.outcome.done())

    def cancel(self, run_id: str) -> None:
        """Stop a run: calls in flight are dropped, finished reports stay. No effect on a finished run.

        Raises:
            AccessError: Whoever asks may only read.
            InputError: This process did not start that run.
        """
        require_editor()
        self._loop.call_soon_threadsafe(self._job(run_id).cancel)

    def wait(self, run_id: str, timeout: float | None = None) -> Result:
        """Wait until a run is finished and stored.

        Args:
            run_id: A run started by this process.
            timeout: Seconds to wait at most; None waits for ever.

        Raises:
            TimeoutError: It is still running.
            InputError: This process did not start that run.
        """
        return self.outcome(run_id).result(timeout)

    def outcome(self, run_id: str) -> Future[Result]:
        """What ``wait`` waits for.

        Raises:
            InputError: This process did not start that run.
        """
        return self._job(run_id).outcome

    def ask(self, question: Coroutine[Any, Any, T]) -> Future[T]:
        """Carry out something else that asks models: they are all asked from one loop.

        Raises:
            AccessError: Whoever asks may only read.
        """
        require_editor()
        return asyncio.run_coroutine_threadsafe(question, self._loop)

    def close(self) -> None:
        """Cancel what is running, wait until that is stored, and end the threads."""
        for run_id in self.running():
            self.cancel(run_id)
            self.wait(run_id)
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()
        self._writer.close()

    async def _serve(self, loop: Future[asyncio.AbstractEventLoop]) -> None:
        loop.set_result(asyncio.get_running_loop())
        await self._closing.wait()

    def _job(self, run_id: str) -> _Job:
        job = self._jobs.get(run_id)
        if job is None:
            raise InputError("this process is not running that run.", where=run_id)
        return job

    def _begin(self, job: _Job, models: Models, options: RunOptions) -> None:
        def listen(event: Event) -> None:
            job.tracker.note(event)
            if event.report is not None:
                saving = self._writer.submit(partial(self._store.save_report, job.run_id, event.report))
                job.saves.append(saving)
                saving.add_done_callback(stop_if_lost)

        def stop_if_lost(saving: Future[None]) -> None:
            # What cannot be saved should not be paid for.
            if saving.exception() is not None:
                self._loop.call_soon_threadsafe(job.cancel)

        job.task = self._loop.create_task(
            run(job.plan, models, self._model, done=job.done, listen=listen, options=options)
        )
        job.ending = self._loop.create_task(self._end(job))

    async def _end(self, job: _Job) -> None:
        assert job.task is not None
        try:
            result = await job.task
        except asyncio.CancelledError:
            result = Result(job.tracker.reports(), None, None, "cancelled")
        except Exception as error:  # a defect of ours must not leave a run "running" for ever
            log.exception("run %s failed unexpectedly", job.run_id)
            what = f"unexpected {type(error).__name__}: {error}"
            result = Result(job.tracker.reports(), None, None, "failed", what)
        finishing = self._writer.submit(partial(self._finish, job, result))
        finishing.add_done_callback(partial(self._close_job, job, result))

    def _finish(self, job: _Job, result: Result) -> Result:
        """Store how a run ended, after its reports; a run that lost one has failed."""
        for saving in job.saves:
            if saving.done() and (error := saving.exception()) is not None:
                lost = f"A report was not saved. {error}"
                result = replace(result, verdict=None, status="failed", error=lost)
        self._store.finish(
            job.run_id,
            status=result.status,
            verdict=result.verdict,
            receipt=result.receipt,
            error=result.error,
        )
        return result

    def _close_job(self, job: _Job, result: Result, finishing: Future[Result]) -> None:
        if (error := finishing.exception()) is None:
            result = finishing.result()
        else:
            result = replace(result, verdict=None, status="failed", error=f"The run was not saved. {error}")
        job.saves.clear()  # their callbacks hold the job: a circle that only the collector would open
        job.tracker.end(result)
        self._finished.append(job.run_id)
        job.outcome.set_result(result)


@dataclass
class _Job:
    """One run as the manager knows it."""

    run_id: str
    plan: Plan
    done: Reports
    tracker: Tracker
    task: asyncio.Task[Result] | None = None
    ending: asyncio.Task[None] | None = None
    saves: list[Future[None]] = field(default_factory=list)
    outcome: Future[Result] = field(default_factory=Future)

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()
