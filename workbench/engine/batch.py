"""Batches: many runs started together, begun as room and budget allow, and taken up again after any end.

What is known of a batch is in the store and nowhere else: its items, the run of each, what they cost. So a
batch goes on after ``kill -9`` from where it was, in whatever process, and any page can show how far it is.
A failed item is counted and named and stops nothing but itself.
"""

from __future__ import annotations

import datetime as dt
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Literal, Protocol

from workbench.engine.crew import Crew, WorkerDiedError
from workbench.engine.plan import Plan
from workbench.errors import BatchError, InputError, StoreError, WorkbenchError
from workbench.llm.budget import BudgetError
from workbench.permission import require_editor
from workbench.records import Models, Subject
from workbench.store.batch_records import Batch, BatchItem, BatchOrder, ItemKey, ItemState, Spending

log = logging.getLogger(__name__)

TO_DO: tuple[ItemState, ...] = ("waiting", "interrupted", "cancelled")
"""States of the items a session takes up."""

Ending = tuple[Literal["done", "stopped", "cancelled"], str]
"""How a session ended, and why it was stopped."""


class Store(Protocol):
    """Where batches are kept; ``workbench.store.batches.BatchStore`` is one."""

    def create(self, order: BatchOrder) -> str: ...

    def take_over(
        self,
        batch_id: str,
        *,
        retry_failed: bool = False,
        budget: float | None = None,
        concurrency: int | None = None,
    ) -> None: ...

    def load(self, batch_id: str) -> Batch: ...

    def items(self, batch_id: str, states: Sequence[ItemState] = ()) -> list[BatchItem]: ...

    def item(self, key: ItemKey) -> BatchItem: ...

    def spending(self, batch_id: str) -> Spending: ...

    def give_up(self, key: ItemKey, error: str) -> None: ...

    def finish(
        self, batch_id: str, status: Literal["done", "stopped", "cancelled"], error: str = ""
    ) -> None: ...


class BatchManager:
    """Starts batches and stops them. Safe to call from any thread. How far they are is in the store.

    Args:
        store: Where batches are kept.
        admit: Raises where no run by these models may begin now.
    """

    def __init__(self, store: Store, admit: Callable[[Models], None] = lambda models: None) -> None:
        self._store = store
        self._admit = admit
        self._sessions: dict[str, _Session] = {}

    def start(self, order: BatchOrder, crew: Callable[[Batch], Crew]) -> str:
        """Record a batch, begin it and return its id at once.

        Args:
            order: The batch.
            crew: Musters those who will carry it out.

        Raises:
            InputError: There is nothing in it.
            StoreError: It cannot be recorded.
        """
        if not order.items:
            raise InputError("there is nothing to run.", where=order.title)
        return self._begin(self._store.create(order), crew)

    def resume(
        self,
        batch_id: str,
        crew: Callable[[Batch], Crew],
        *,
        retry_failed: bool = False,
        budget: float | None = None,
        concurrency: int | None = None,
    ) -> str:
        """Go on with a batch that is not running: finished runs stay, begun ones are resumed.

        Args:
            batch_id: Which batch.
            crew: Musters those who will carry it out.
            retry_failed: Run failed items again, each as a new run.
            budget: Replaces the budget of the batch in USD, which includes what was paid before.
            concurrency: Replaces the number of runs at once.

        Raises:
            StoreError: It is running.
            InputError: There is no such batch.
        """
        self._store.take_over(batch_id, retry_failed=retry_failed, budget=budget, concurrency=concurrency)
        return self._begin(batch_id, crew)

    def cancel(self, batch_id: str) -> None:
        """Stop a batch: runs in flight are cancelled and keep their finished agents. It can be resumed.

        Raises:
            AccessError: Whoever asks may only read.
            InputError: This process does not carry it out.
        """
        require_editor()
        self._session(batch_id).cancel()

    def wait(self, batch_id: str, timeout: float | None = None) -> Batch:
        """Wait until the session of a batch has ended.

        Raises:
            TimeoutError: It has not, after ``timeout`` seconds.
            InputError: This process does not carry it out.
        """
        if not self._session(batch_id).ended.wait(timeout):
            raise TimeoutError
        return self._store.load(batch_id)

    def running(self) -> tuple[str, ...]:
        """Ids of the batches this process is carrying out."""
        return tuple(name for name, session in list(self._sessions.items()) if not session.ended.is_set())

    def _begin(self, batch_id: str, crew: Callable[[Batch], Crew]) -> str:
        session = _Session(self._store, self._store.load(batch_id), crew, self._admit)
        self._sessions[batch_id] = session
        threading.Thread(target=session.carry_out, name=f"workbench-{batch_id}", daemon=True).start()
        return batch_id

    def _session(self, batch_id: str) -> _Session:
        if batch_id not in self._sessions:
            raise InputError("this process is not carrying out that batch.", where=batch_id)
        return self._sessions[batch_id]


def expected_calls(plan: Callable[[Subject, dt.date], Plan], items: Sequence[tuple[Subject, dt.date]]) -> int:
    """About how many calls a batch makes, by the plan of the first item that has one.

    Agents without evidence make fewer, unreadable answers more.

    Raises:
        WorkbenchError: No item can be judged.
    """
    reason: WorkbenchError = InputError("there is nothing to run.")
    for number, (subject, as_of) in enumerate(items):
        try:
            steps = plan(subject, as_of).steps
        except WorkbenchError as error:
            reason = error if number == 0 else reason
            continue
        return len(items) * sum(2 if step.revise else 1 for step in steps)
    raise reason


def refusal(budget: float, spending: Spending, flying: int) -> str:
    """Why no further run may begin under a budget; empty when one may.

    Every run in flight, and the one that would begin, is taken to cost as much as the dearest so far. What
    a run costs is learnt from the first one, which goes alone.

    Args:
        budget: USD.
        spending: What was paid so far.
        flying: Runs in flight.
    """
    if spending.unpriced:
        return f"the price of {spending.unpriced} answers is not known, so the budget cannot be kept."
    if not spending.runs:
        return "the first run tells what a run costs." if flying else ""
    if spending.paid + (flying + 1) * spending.dearest > budget:
        return (
            f"${spending.paid:.4f} of the budget of ${budget:.4f} are spent, and one more run may cost"
            f" ${spending.dearest:.4f}."
        )
    return ""


class _Session:
    """One batch being carried out, in a thread of its own."""

    def __init__(
        self,
        store: Store,
        batch: Batch,
        muster: Callable[[Batch], Crew],
        admit: Callable[[Models], None],
    ) -> None:
        self.ended = threading.Event()
        self._store = store
        self._batch = batch
        self._muster = muster
        self._admit = admit
        self._crew: Crew | None = None
        self._to_do: deque[BatchItem] = deque()
        self._flying = 0
        self._died: set[ItemKey] = set()
        self._ending: Ending | None = None
        self._changed = threading.Condition()

    def cancel(self) -> None:
        self._end("cancelled")
        if self._crew is not None:
            self._crew.stop()

    def carry_out(self) -> None:
        try:
            ending = self._conduct()
        except WorkbenchError as error:
            ending = ("stopped", str(error))
        except Exception as error:  # a defect of ours must not leave a batch "running" for ever
            log.exception("batch %s failed unexpectedly", self._batch.batch_id)
            ending = ("stopped", f"unexpected {type(error).__name__}: {error}")
        try:
            self._store.finish(self._batch.batch_id, *ending)
        except StoreError:
            # The batch stays "running" until this process ends, and is interrupted then.
            log.exception("how batch %s ended cannot be stored", self._batch.batch_id)
        finally:
            self.ended.set()

    def _conduct(self) -> Ending:
        self._to_do.extend(self._store.items(self._batch.batch_id, TO_DO))
        crew = self._crew = self._muster(self._batch)
        try:
            while (item := self._next(crew.size)) is not None:
                self._begin(crew, item)
            if self._ending is not None and self._ending[0] == "cancelled":
                crew.stop()  # also what was begun while the cancel was on its way
            with self._changed:
                self._changed.wait_for(lambda: not self._flying)
            return self._ending or ("done", "")
        finally:
            crew.close()

    def _next(self, room: int) -> BatchItem | None:
        """The next item as soon as it may begin; None when the session is over."""
        with self._changed:
            while self._ending is None and (self._to_do or self._flying):
                refused = self._refusal() if self._to_do and self._flying < room else ""
                if self._to_do and self._flying < room and not refused:
                    self._flying += 1
                    return self._to_do.popleft()
                if refused and not self._flying:
                    self._ending = ("stopped", refused)
                    break
                self._changed.wait()
            return None

    def _refusal(self) -> str:
        try:
            self._admit(self._batch.models)
        except BudgetError as error:
            return str(error)
        budget = self._batch.budget
        if budget is None:
            return ""
        return refusal(budget, self._store.spending(self._batch.batch_id), self._flying)

    def _begin(self, crew: Crew, item: BatchItem) -> None:
        try:
            landing = crew.begin(item)
        except Exception as error:  # noqa: BLE001 - an item that cannot be judged must not stop the others
            self._give_up(item, error)
            self._land()
        else:
            landing.add_done_callback(partial(self._landed, item))

    def _landed(self, item: BatchItem, landing: Future[None]) -> None:
        error = landing.exception()
        again = None
        if isinstance(error, WorkerDiedError) and item.key not in self._died:
            self._died.add(item.key)
            again = self._store.item(item.key)
        elif error is not None:
            self._give_up(item, error)
        self._land(again)

    def _land(self, again: BatchItem | None = None) -> None:
        with self._changed:
            self._flying -= 1
            if again is not None:
                self._to_do.appendleft(again)
            self._changed.notify_all()

    def _give_up(self, item: BatchItem, error: BaseException) -> None:
        if isinstance(error, (StoreError, BatchError, BudgetError)):
            self._end("stopped", str(error))
            return
        if isinstance(error, WorkbenchError):
            reason = str(error)
        else:
            log.error("an item of batch %s failed unexpectedly", self._batch.batch_id, exc_info=error)
            reason = f"unexpected {type(error).__name__}: {error}"
        try:
            self._store.give_up(item.key, reason)
        except StoreError as broken:
            self._end("stopped", str(broken))

    def _end(self, status: Literal["stopped", "cancelled"], why: str = "") -> None:
        with self._changed:
            self._ending = self._ending or (status, why)
            self._changed.notify_all()
