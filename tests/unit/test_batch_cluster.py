"""A batch on a Dask cluster of two workers, one of which is killed in the middle of it."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pytest

from tests.batch_samples import AGENTS, UNKNOWN, CountingModel, Workshop, bench, calls, order
from workbench.engine.cluster import ClusterCrew, connect
from workbench.engine.crew import Bench
from workbench.errors import BatchError
from workbench.llm.base import Model
from workbench.store.batch_records import Batch

distributed = pytest.importorskip("distributed", reason="needs the extra 'dask'")
pytestmark = pytest.mark.xdist_group("dask")

WAIT_S = 60
NAMES = tuple(f"C{number}" for number in range(8))
ALL_CALLS = Counter(f"{name} {agent}" for name in NAMES for agent in AGENTS)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    shop = Workshop(tmp_path, CountingModel(tmp_path, delay_s=0.02))
    yield shop
    shop.close()


@cache
def open_bench(folder: Path, delay_s: float, deadly: str) -> tuple[Bench, Model]:
    return bench(), CountingModel(folder, delay_s, deadly=deadly)


def muster(shop: Workshop, address: str, batch: Batch) -> ClusterCrew:
    opener = partial(open_bench, shop.folder, shop.model.delay_s, shop.model.deadly)
    return ClusterCrew(connect(address), bench(), opener, shop.store, batch.concurrency)


def test_the_workers_of_a_cluster_carry_out_a_batch_and_one_process_stores_it(
    shop: Workshop, cluster: distributed.LocalCluster
) -> None:
    crew = partial(muster, shop, cluster.scheduler_address)
    batch_id = shop.batches.start(order(*NAMES, UNKNOWN, concurrency=4), crew)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done, batch.failed) == ("done", len(NAMES), 1)
    assert Counter(calls(shop.folder)) == ALL_CALLS
    assert batch.cost == pytest.approx(0.01 * sum(ALL_CALLS.values()))
    for row in shop.store.find(batch_id=batch_id):
        assert [report.agent for report in shop.store.load(row.run_id).reports] == list(AGENTS)


def test_a_worker_killed_in_mid_batch_loses_no_run(shop: Workshop, cluster: distributed.LocalCluster) -> None:
    pids = [worker.pid for worker in cluster.workers.values()]
    crew = partial(muster, shop, cluster.scheduler_address)
    batch_id = shop.batches.start(order(*NAMES, concurrency=4), crew)
    end = time.monotonic() + WAIT_S
    while len(calls(shop.folder)) < 4:
        assert time.monotonic() < end
        time.sleep(0.002)

    os.kill(pids[0], signal.SIGKILL)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done) == ("done", len(NAMES))
    assert shop.store.count(batch_id=batch_id) == len(NAMES)
    assert not ALL_CALLS - Counter(calls(shop.folder))


def test_a_cancelled_batch_goes_on_in_this_process(shop: Workshop, cluster: distributed.LocalCluster) -> None:
    shop.model.delay_s = 0.5
    crew = partial(muster, shop, cluster.scheduler_address)
    batch_id = shop.batches.start(order(*NAMES, concurrency=8), crew)
    while not shop.store.batches.load(batch_id).running:
        time.sleep(0.002)

    shop.batches.cancel(batch_id)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert batch.status == "cancelled"
    assert batch.running == 0
    shop.batches.resume(batch_id, shop.here)
    assert shop.batches.wait(batch_id, WAIT_S).done == len(NAMES)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "garbage", "tcp://", "127.0.0.1:99999999", ""])
def test_an_address_where_nobody_answers_is_one_clear_line(address: str) -> None:
    """One without a port was tried for 20 seconds, and the client complained when it was thrown away."""
    with pytest.raises(BatchError, match="no Dask scheduler answers"):
        connect(address)
