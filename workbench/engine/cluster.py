"""A crew on an existing Dask cluster (extra ``dask``).

A worker of the cluster carries out one whole run in each of its threads and sends the result home, where
one thread stores it. Workers open the workspace under the path it has here. When a worker dies, Dask gives
its runs to another one; what had been paid for them is found in the cache if the workers share the folder.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from workbench.engine.crew import Bench, why_cut_off
from workbench.engine.jobs import Store
from workbench.engine.plan import Reports
from workbench.engine.runner import Result, run
from workbench.errors import BatchError
from workbench.llm.base import Model
from workbench.llm.budget import BudgetError
from workbench.records import Subject
from workbench.store.batch_records import BatchItem

if TYPE_CHECKING:
    from distributed import Client

OpenBench = Callable[[], tuple[Bench, Model]]
"""Opens, inside a worker, what judging takes, and the model that answers."""

CONNECT_S = 10.0


def connect(address: str) -> Client:
    """A client of the cluster whose scheduler listens on ``address``, e.g. ``tcp://127.0.0.1:8786``.

    Raises:
        BatchError: Dask is not installed, or nobody answers there.
    """
    try:
        from distributed import Client
        from distributed.comm.addressing import parse_address, parse_host_port
    except ImportError:
        raise BatchError(
            "Dask is not installed.", remedy="Install it: pip install 'analyst-workbench[dask]'"
        ) from None
    try:
        # A client that finds nobody complains once more, at length, when it is thrown away.
        socket.create_connection(parse_host_port(parse_address(address)[1]), CONNECT_S).close()
        return Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise BatchError(
            f"no Dask scheduler answers: {error}.",
            where=address,
            remedy="Start one with: dask scheduler, and workers with: dask worker ADDRESS",
        ) from None


class ClusterCrew:
    """Sends the runs of a batch to a cluster and stores what comes back.

    Args:
        client: Connected to the cluster; closed with the crew.
        bench: How an item is judged, for planning it here.
        open_bench: The same in a worker; must be picklable.
        store: Where runs and reports are kept.
        size: Runs handed out at once.
    """

    def __init__(self, client: Client, bench: Bench, open_bench: OpenBench, store: Store, size: int) -> None:
        self.size = size
        self._client = client
        self._bench = bench
        self._open_bench = open_bench
        self._store = store
        self._flying: dict[str, Any] = {}
        self._lock = threading.Lock()

    def begin(self, item: BatchItem) -> Future[None]:
        if self._client.status != "running":
            raise BatchError("the connection to the Dask cluster is lost.", remedy="Resume the batch.")
        plan = self._bench.plan(item.subject, item.as_of)  # what cannot be judged is not sent away
        done: Reports = {}
        if item.run_id is None:
            run_id = self._store.start(plan, self._bench.models, item=item.key)
        else:
            run_id = item.run_id
            done = self._store.resume(run_id)
        landing: Future[None] = Future()
        sent = self._client.submit(
            _carry_out, self._open_bench, item.subject, item.as_of, done, key=f"run-{run_id}", pure=False
        )
        with self._lock:
            self._flying[run_id] = sent
        sent.add_done_callback(partial(self._land, run_id, done, landing))
        return landing

    def stop(self) -> None:
        # Dask cannot interrupt a thread: what a worker has begun it finishes, and nobody listens.
        with self._lock:
            self._client.cancel(list(self._flying.values()))

    def close(self) -> None:
        self._client.close()

    def _land(self, run_id: str, done: Reports, landing: Future[None], sent: Any) -> None:
        with self._lock:
            del self._flying[run_id]
        try:
            self._keep(run_id, done, sent)
        except Exception as error:  # noqa: BLE001 - the batch decides what a failure means
            landing.set_exception(error)
        else:
            landing.set_result(None)

    def _keep(self, run_id: str, done: Reports, sent: Any) -> None:
        if sent.cancelled():
            self._store.finish(run_id, status="cancelled")
            return
        if (error := sent.exception()) is not None:
            self._store.finish(run_id, status="failed", error=f"the cluster gave up on it: {error}")
            return
        result: Result = sent.result()
        with self._store.together():
            for agent, report in result.reports.items():
                if agent not in done:
                    self._store.save_report(run_id, report)
            self._store.finish(
                run_id,
                status=result.status,
                verdict=result.verdict,
                receipt=result.receipt,
                error=result.error,
            )
        if why := why_cut_off(result):
            raise BudgetError(why)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of this worker process: model clients tie their connections to one."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="workbench-runs", daemon=True).start()
    return loop


def _carry_out(open_bench: OpenBench, subject: Subject, as_of: dt.date, done: Reports) -> Result:
    """One whole run, in a thread of a worker."""
    bench, model = open_bench()
    plan = bench.plan(subject, as_of)
    work = run(plan, bench.models, model, done=done, options=bench.options)
    return asyncio.run_coroutine_threadsafe(work, _loop()).result()
