"""Batches and processes: the one that carries out a batch is killed, or its workers are."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.batch_samples import AGENTS, UNKNOWN, CountingModel, Workshop, calls, open_crew, order
from workbench.engine.processes import ProcessCrew
from workbench.store.batch_records import Batch

ROOT = Path(__file__).parents[2]
WAIT_S = 60
NAMES = tuple(f"C{number}" for number in range(8))
ALL_CALLS = Counter(f"{name} {agent}" for name in NAMES for agent in AGENTS)

CARRY_OUT = """
import sys
from pathlib import Path
from tests.batch_samples import CountingModel, Workshop, order

folder = Path(sys.argv[1])
shop = Workshop(folder, CountingModel(folder, delay_s=0.02))
print(shop.batches.start(order(*sys.argv[2:], concurrency=3), shop.here), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    shop = Workshop(tmp_path, CountingModel(tmp_path, delay_s=0.005))
    yield shop
    shop.close()


def eventually(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.002)


def workers(shop: Workshop, count: int) -> Callable[[Batch], ProcessCrew]:
    return lambda batch: ProcessCrew(count, partial(open_crew, shop.model, batch), batch.concurrency)


@pytest.mark.parametrize("killed_after", [1, 4, 9, 14])
def test_a_batch_goes_on_after_kill_minus_nine_and_repeats_no_finished_agent(
    shop: Workshop, killed_after: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", CARRY_OUT, str(shop.folder), *NAMES],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    batch_id = process.stdout.readline().strip()
    eventually(lambda: len(calls(shop.folder)) >= killed_after)
    process.kill()
    process.communicate()
    kept = {
        f"{row.subject_key} {report.agent}"
        for row in shop.store.find(batch_id=batch_id)
        for report in shop.store.load(row.run_id).reports
    }
    paid = Counter(calls(shop.folder))
    assert shop.store.batches.load(batch_id).status == "interrupted"
    begun = shop.store.count(batch_id=batch_id)

    shop.batches.resume(batch_id, shop.here)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done) == ("done", len(NAMES))
    assert shop.store.count(batch_id=batch_id) == len(NAMES) >= begun, "every item has one run"
    again = Counter(calls(shop.folder)) - paid
    assert not kept & set(again), "no agent that had reported was asked again"
    assert set(again) | kept == set(ALL_CALLS)


SESSIONS = """
import os, sys
from pathlib import Path
from tests.batch_samples import CountingModel, Workshop

folder = Path(sys.argv[1])
for _ in sys.stdin:  # each in a process of its own, forked from this one so that nothing is imported twice
    child = os.fork()
    if not child:
        shop = Workshop(folder, CountingModel(folder, delay_s=0.02))
        shop.batches.resume(sys.argv[2], shop.here)
        shop.batches.wait(sys.argv[2])
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""


def test_twenty_kills_at_any_moment_lose_and_repeat_nothing_that_was_stored(shop: Workshop) -> None:
    """Each session is killed after a few more calls, wherever it then is."""
    names = [f"C{number}" for number in range(30)]
    batch_id = shop.store.batches.create(order(*names, concurrency=3))
    shop.store.batches.finish(batch_id, "cancelled")
    dice = random.Random(20)
    kept: dict[str, str] = {}
    sessions = subprocess.Popen(
        [sys.executable, "-c", SESSIONS, str(shop.folder), batch_id],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for _ in range(20):
        wanted = len(calls(shop.folder)) + dice.randint(1, 4)
        sessions.stdin.write("go\n")
        sessions.stdin.flush()
        pid = int(sessions.stdout.readline())
        eventually(lambda wanted=wanted: len(calls(shop.folder)) >= wanted)
        os.kill(pid, signal.SIGKILL)
        assert sessions.stdout.readline() == "ended\n"
        stored = {
            f"{row.subject_key} {report.agent}": report.calls[0].started.isoformat()
            for row in shop.store.find(batch_id=batch_id, limit=-1)
            for report in shop.store.load(row.run_id).reports
        }
        assert stored.items() >= kept.items(), "every report is there, and with the call it was made by"
        kept = stored
    sessions.communicate()

    shop.batches.resume(batch_id, shop.here)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done) == ("done", len(names))
    assert shop.store.count(batch_id=batch_id) == len(names)


def test_worker_processes_share_a_batch(shop: Workshop) -> None:
    batch_id = shop.batches.start(order(*NAMES, UNKNOWN, concurrency=4), workers(shop, 2))
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done, batch.failed) == ("done", len(NAMES), 1)
    assert Counter(calls(shop.folder)) == ALL_CALLS
    (failed,) = shop.store.batches.items(batch_id, ["failed"])
    assert failed.error == "UNKNOWN: nothing is known of this company."
    owners = shop.store._db._connection().execute("select count(distinct owner) from runs").fetchone()
    assert owners == (2,), "both workers have carried out runs"


def test_a_killed_worker_is_replaced_and_its_runs_go_on(shop: Workshop) -> None:
    shop.model.delay_s = 0.02
    crews: list[ProcessCrew] = []

    def muster(batch: Batch) -> ProcessCrew:
        crews.append(workers(shop, 2)(batch))
        return crews[0]

    batch_id = shop.batches.start(order(*NAMES, concurrency=4), muster)
    eventually(lambda: len(calls(shop.folder)) >= 3)
    os.kill(crews[0]._workers[0]._process.pid, signal.SIGKILL)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done) == ("done", len(NAMES))
    assert shop.store.count(batch_id=batch_id) == len(NAMES), "the runs were resumed"
    twice = Counter(calls(shop.folder)) - ALL_CALLS
    assert sum(twice.values()) <= 4, "at most the agents that were in flight in that worker"


def test_an_item_that_kills_two_workers_is_given_up(shop: Workshop) -> None:
    shop.model.deadly = "C3"

    batch_id = shop.batches.start(order(*NAMES[:5], concurrency=1), workers(shop, 1))
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert (batch.status, batch.done, batch.failed) == ("done", 4, 1)
    (failed,) = shop.store.batches.items(batch_id, ["failed"])
    assert (failed.subject_title, failed.error) == ("C3 C3", "its worker process died.")


def test_workers_that_keep_dying_stop_the_batch(shop: Workshop) -> None:
    batch_id = shop.batches.start(order(*NAMES, concurrency=1), lambda batch: ProcessCrew(1, os.abort, 1))
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert batch.status == "stopped"
    assert "has died 5 times in a row" in batch.error


def test_cancelling_stops_the_workers_and_keeps_their_reports(shop: Workshop) -> None:
    shop.model.delay_s = 0.05
    batch_id = shop.batches.start(order(*NAMES, concurrency=4), workers(shop, 2))
    eventually(lambda: len(calls(shop.folder)) >= 4)
    shop.batches.cancel(batch_id)
    batch = shop.batches.wait(batch_id, WAIT_S)

    assert batch.status == "cancelled"
    assert batch.running == 0
    paid = Counter(calls(shop.folder))
    shop.model.delay_s = 0.0
    shop.batches.resume(batch_id, shop.here)
    assert shop.batches.wait(batch_id, WAIT_S).done == len(NAMES)
    twice = Counter(calls(shop.folder)) - ALL_CALLS
    assert not twice
    assert sum(paid.values()) < sum(ALL_CALLS.values())


ABANDONED = """
import sys
from functools import partial
from pathlib import Path
from tests.batch_samples import CountingModel, Workshop, open_crew, order
from workbench.engine.processes import ProcessCrew

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    shop = Workshop(folder, CountingModel(folder, delay_s=0.1))
    muster = lambda batch: ProcessCrew(2, partial(open_crew, shop.model, batch), batch.concurrency)
    print(shop.batches.start(order(*sys.argv[2:], concurrency=4), muster), flush=True)
    sys.stdin.read()
"""


def test_workers_whose_parent_is_killed_end_and_leave_runs_that_can_be_resumed(
    shop: Workshop, tmp_path: Path
) -> None:
    script = tmp_path / "abandoned.py"
    script.write_text(ABANDONED)
    process = subprocess.Popen(
        [sys.executable, str(script), str(shop.folder), *NAMES],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    batch_id = process.stdout.readline().strip()
    eventually(lambda: len(calls(shop.folder)) >= 2)
    process.kill()
    process.communicate()

    eventually(lambda: not shop.store.find(batch_id=batch_id, status="running"))
    assert shop.store.batches.load(batch_id).status == "interrupted"
    shop.batches.resume(batch_id, shop.here)
    assert shop.batches.wait(batch_id, WAIT_S).done == len(NAMES)
