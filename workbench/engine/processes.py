"""A crew of worker processes on this machine, for batches that keep one processor core busy.

The parent hands out items, each worker carries out whole runs and writes them itself: SQLite's write-ahead
log takes their short transactions one after the other. One writing parent that is sent every report would
need some 5 % more processor time in all, and a crash would lose what was on its way.

A worker whose parent is gone cancels its runs and ends. When a worker dies, its runs are reported as lost
and another one takes its place.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Literal

from workbench.engine.crew import Crew, WorkerDiedError
from workbench.errors import BatchError
from workbench.store.batch_records import BatchItem, ItemKey

DEATHS = 5
"""A worker that dies this often without finishing a run has a reason that will not go away."""

CLOSING_S = 20.0
"""How long a worker may take to store what it was doing, once it is told to end."""

_CONTEXT = multiprocessing.get_context("spawn")  # a fork would copy open databases and held locks


class ProcessCrew:
    """Shares the items of a batch out among worker processes.

    Args:
        workers: How many processes.
        crew: Opens the crew that works inside each of them; must be picklable.
        size: Runs at once, in all workers together.
    """

    def __init__(self, workers: int, crew: Callable[[], Crew], size: int) -> None:
        self.size = max(size, workers)
        self._workers = [_Worker(crew) for _ in range(workers)]

    def begin(self, item: BatchItem) -> Future[None]:
        return min(self._workers, key=lambda worker: len(worker.flying)).begin(item)

    def stop(self) -> None:
        for worker in self._workers:
            worker.stop()

    def close(self) -> None:
        for worker in self._workers:
            worker.close()


class _Worker:
    """One place in the crew, with the process that fills it at the moment."""

    def __init__(self, crew: Callable[[], Crew]) -> None:
        self.flying: dict[ItemKey, Future[None]] = {}
        self._crew = crew
        self._deaths = 0
        self._closing = False
        self._lock = threading.Lock()
        self._start()

    def begin(self, item: BatchItem) -> Future[None]:
        landing: Future[None] = Future()
        with self._lock:
            if self._deaths == DEATHS:
                raise BatchError(
                    f"a worker process has died {DEATHS} times in a row.",
                    remedy="See what it wrote to the terminal, and resume with fewer processes.",
                )
            self.flying[item.key] = landing
            self._send(item)
        return landing

    def stop(self) -> None:
        with self._lock:
            self._send("stop")

    def close(self) -> None:
        with self._lock:
            self._closing = True
            self._send("close")
        self._process.join(CLOSING_S)
        self._process.kill()
        self._pipe.close()

    def _start(self) -> None:
        self._pipe, theirs = _CONTEXT.Pipe()
        self._process = _CONTEXT.Process(target=_work, args=(self._crew, theirs), daemon=True)
        self._process.start()
        theirs.close()
        threading.Thread(target=self._listen, args=(self._pipe,), daemon=True).start()

    def _send(self, order: BatchItem | Literal["stop", "close"]) -> None:
        with suppress(OSError):  # it has just died: the listening thread sees that too, and says what is lost
            self._pipe.send(order)

    def _listen(self, pipe: Connection) -> None:
        with suppress(EOFError, OSError):
            while True:
                key, error = pipe.recv()
                with self._lock:
                    self._deaths = 0
                    landing = self.flying.pop(key)
                landing.set_exception(error) if error else landing.set_result(None)
        with self._lock:
            lost, self.flying = list(self.flying.values()), {}
            self._deaths += 1
            if not self._closing and self._deaths < DEATHS:
                self._start()
        for landing in lost:
            landing.set_exception(WorkerDiedError("its worker process died."))


def _work(open_crew: Callable[[], Crew], pipe: Connection) -> None:
    """The life of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent decides what it means
    crew = open_crew()
    flying: dict[ItemKey, Future[None]] = {}
    sending = threading.Lock()

    def report(key: ItemKey, landing: Future[None]) -> None:
        flying.pop(key, None)
        with sending, suppress(OSError):  # the parent is gone, and all runs are about to be cancelled
            pipe.send((key, landing.exception()))

    with suppress(EOFError, OSError):
        while (order := pipe.recv()) != "close":
            if order == "stop":
                crew.stop()
                continue
            try:
                landing = crew.begin(order)
            except Exception as error:  # noqa: BLE001 - whatever it is, the parent has to know
                landing = Future()
                landing.set_exception(error)
            flying[order.key] = landing
            landing.add_done_callback(partial(report, order.key))
    crew.stop()
    for landing in list(flying.values()):
        landing.exception(CLOSING_S)
    crew.close()
