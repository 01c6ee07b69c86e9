"""Several processes on one workspace, and processes that die."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.store_samples import AGENTS, make_plan, make_report
from workbench.errors import StoreError
from workbench.records import Models, Verdict
from workbench.store.backups import find_damage
from workbench.store.runs import RunStore

ROOT = Path(__file__).parents[2]
RUNS = 25

WRITER = f"""
import sys
from pathlib import Path
from tests.store_samples import AGENTS, make_plan, make_report
from workbench.records import Models, Verdict
from workbench.store.runs import RunStore

store = RunStore(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range({RUNS}):
    run_id = store.start(make_plan(), Models())
    for agent in AGENTS:
        store.save_report(run_id, make_report(agent))
    store.finish(run_id, status="done", verdict=Verdict(score=70, label="watch"))
"""

HALF_A_RUN = """
import sys
from pathlib import Path
from tests.store_samples import make_plan, make_report
from workbench.records import Models
from workbench.store.runs import RunStore

store = RunStore(Path(sys.argv[1]))
run_id = store.start(make_plan(), Models())
store.save_report(run_id, make_report("ch01"))
print(run_id, flush=True)
sys.stdin.readline()
"""

ENDLESS_RUNS = """
import sys
from pathlib import Path
from tests.store_samples import AGENTS, make_plan, make_report
from workbench.records import Models, Verdict
from workbench.store.runs import RunStore

store = RunStore(Path(sys.argv[1]))
while True:
    run_id = store.start(make_plan(), Models())
    for agent in AGENTS:
        store.save_report(run_id, make_report(agent))
        print(run_id, agent, flush=True)
    store.finish(run_id, status="done", verdict=Verdict(score=70, label="watch"))
    print(run_id, "finished", flush=True)
"""


def start(script: str, database: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(database)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_two_writing_processes_and_a_reader_never_find_the_database_locked(tmp_path: Path) -> None:
    database = tmp_path / "runs.db"
    writers = [start(WRITER, database), start(WRITER, database)]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    reader, stop, pages = RunStore(database), threading.Event(), []

    def read() -> None:
        while not stop.is_set():
            rows = reader.find(limit=5)
            pages.append(len(rows))
            for row in rows:
                assert len(reader.load(row.run_id).reports) <= len(AGENTS)

    thread = threading.Thread(target=read)
    thread.start()
    outcomes = [writer.communicate("go\n", timeout=60) for writer in writers]
    stop.set()
    thread.join()

    assert [writer.returncode for writer in writers] == [0, 0]
    assert [errors for _, errors in outcomes] == ["", ""]
    assert pages, "the reader read while the writers wrote"
    assert reader.count(status="done") == reader.count() == 2 * RUNS


def test_two_processes_may_create_the_database_at_the_same_moment(tmp_path: Path) -> None:
    writers = [start(WRITER, tmp_path / "runs.db") for _ in range(3)]

    outcomes = [writer.communicate("go\n", timeout=60) for writer in writers]

    assert [errors for _, errors in outcomes] == ["", "", ""]
    assert RunStore(tmp_path / "runs.db").count() == 3 * RUNS


def test_a_killed_process_leaves_an_interrupted_run_that_resumes_with_its_reports(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.db")
    process = start(HALF_A_RUN, store.path)
    run_id = process.stdout.readline().strip()
    assert store.load(run_id).status == "running", "its process lives"

    kill(process)

    assert store.load(run_id).status == "interrupted"
    kept = store.resume(run_id)
    assert list(kept) == ["ch01"]
    for agent in AGENTS[1:]:
        store.save_report(run_id, make_report(agent))
    store.finish(run_id, status="done", verdict=Verdict(score=70, label="watch"))
    run = store.load(run_id)
    assert [report.agent for report in run.reports] == list(AGENTS)
    assert run.status == "done"


def test_an_open_page_sees_the_death_of_another_process_without_reopening(tmp_path: Path) -> None:
    page = RunStore(tmp_path / "runs.db")
    process = start(HALF_A_RUN, page.path)
    process.stdout.readline()
    kill(process)

    assert [row.status for row in page.find()] == ["interrupted"]


def test_a_run_cannot_be_resumed_while_its_process_lives(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.db")
    process = start(HALF_A_RUN, store.path)
    run_id = process.stdout.readline().strip()
    try:
        with pytest.raises(StoreError, match="the run is running"):
            store.resume(run_id)
        with pytest.raises(StoreError, match="running in another process"):
            store.save_report(run_id, make_report("ch02"))
    finally:
        kill(process)


def test_only_one_of_two_processes_takes_over_an_interrupted_run(tmp_path: Path) -> None:
    database = tmp_path / "runs.db"
    process = start(HALF_A_RUN, database)
    run_id = process.stdout.readline().strip()
    kill(process)
    first, second = RunStore(database), RunStore(database)

    first.resume(run_id)

    with pytest.raises(StoreError, match="the run is running"):
        second.resume(run_id)


def test_a_finished_run_cannot_be_resumed(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.db")
    run_id = store.start(make_plan(), Models())
    store.finish(run_id, status="done")

    with pytest.raises(StoreError, match="the run is done"):
        store.resume(run_id)


def test_a_cancelled_run_goes_on_from_where_it_was(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.db")
    run_id = store.start(make_plan(), Models())
    store.save_report(run_id, make_report("ch01"))
    store.finish(run_id, status="cancelled", error="cancelled by the user")

    assert list(store.resume(run_id)) == ["ch01"]

    run = store.load(run_id)
    assert (run.status, run.error, run.finished) == ("running", "", None)


def test_kill_minus_nine_at_any_moment_loses_no_saved_report(tmp_path: Path) -> None:
    database = tmp_path / "runs.db"
    announced: list[tuple[str, str]] = []
    for lines in (1, 2, 3, 5, 8, 13):
        process = start(ENDLESS_RUNS, database)
        announced += [tuple(process.stdout.readline().split()) for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        announced += [tuple(line.split()) for line in rest.splitlines() if len(line.split()) == 2]

    store = RunStore(database)

    assert find_damage(database) == ""
    runs = {row.run_id: store.load(row.run_id) for row in store.find(limit=10_000)}
    for run_id, agent in announced:
        if agent == "finished":
            assert runs[run_id].status == "done"
        else:
            assert [report.agent for report in runs[run_id].reports].count(agent) == 1
    assert {run.status for run in runs.values()} <= {"done", "interrupted"}
    assert sum(run.status == "interrupted" for run in runs.values()) <= 6
