"""One thread that writes for all runs, in the order in which things were handed in.

Whatever has piled up while it was busy shares one transaction: in a batch that is most of it, and beginning
and ending a transaction takes longer than filling it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from typing import Any

MOST_TOGETHER = 50
"""Writes in one transaction; other processes wait for its end."""

Write = tuple[Callable[[], Any], "Future[Any]"]


class Writer:
    """Carries out writes.

    Args:
        together: Opens a transaction which the writes inside it join.
    """

    def __init__(self, together: Callable[[], AbstractContextManager[None]]) -> None:
        self._together = together
        self._queue: SimpleQueue[Write | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="workbench-store", daemon=True)
        self._thread.start()

    def submit(self, write: Callable[[], Any]) -> Future[Any]:
        """Hand in a write; the future has its result once it is committed, or its exception."""
        future: Future[Any] = Future()
        self._queue.put((write, future))
        return future

    def close(self) -> None:
        """Carry out what was handed in, and end."""
        self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while (first := self._queue.get()) is not None:
            writes: list[Write] = [first]
            closing = False
            while len(writes) < MOST_TOGETHER and not closing:
                try:
                    following = self._queue.get_nowait()
                except Empty:
                    break
                if following is None:
                    closing = True
                else:
                    writes.append(following)
            self._carry_out(writes)
            if closing:
                return

    def _carry_out(self, writes: list[Write]) -> None:
        try:
            with self._together():
                results = [write() for write, _ in writes]
        except Exception as error:  # noqa: BLE001 - whoever handed it in decides what a failure means
            if len(writes) > 1:
                for each in writes:  # one that fails must not take the others with it
                    self._carry_out([each])
            else:
                writes[0][1].set_exception(error)
            return
        for (_, future), result in zip(writes, results, strict=True):
            future.set_result(result)
