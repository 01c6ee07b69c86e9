"""Runs in the background: progress, saving, cancelling, resuming, and a store that fails."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import FakeModel
from tests.engine_samples import GOOD, REVISED, plan_of, step, two_and_a_conclusion
from workbench.engine.jobs import JobManager
from workbench.engine.progress import Progress
from workbench.errors import InputError, ModelError, StoreError
from workbench.llm.base import Reply, Request
from workbench.records import Evidence, Models, Report
from workbench.store.runs import RunStore

WAIT_S = 20
MODELS = Models(specialist="fake/small", aggregator="fake/large")


class GatedModel:
    """Answers each agent when the test opens its gate."""

    def __init__(self) -> None:
        self.asked: dict[str, threading.Event] = {}
        self._gates: dict[str, threading.Event] = {}

    def arrived(self, agent: str) -> threading.Event:
        return self.asked.setdefault(agent, threading.Event())

    def gate(self, agent: str) -> threading.Event:
        return self._gates.setdefault(agent, threading.Event())

    async def complete(self, request: Request) -> Reply:
        self.arrived(request.agent).set()
        while not self.gate(request.agent).is_set():
            await asyncio.sleep(0.001)
        return Reply(json.dumps(GOOD), "fake", cost=0.25)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "runs.db")
    yield store
    store.close()


@pytest.fixture
def gated() -> GatedModel:
    return GatedModel()


def jobs_of(store: RunStore, model: object) -> JobManager:
    return JobManager(store, model)  # type: ignore[arg-type]


def states(progress: Progress | None) -> dict[str, str]:
    assert progress is not None
    return {agent.agent: agent.state for agent in progress.agents}


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something another thread does has happened."""
    end = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.001)


def test_a_run_is_stored_with_its_reports_and_verdict(store: RunStore, fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD, GOOD)
    jobs = jobs_of(store, fake_model)

    run_id = jobs.start(two_and_a_conclusion(), MODELS)
    result = jobs.wait(run_id, WAIT_S)

    assert result.status == "done"
    stored = store.load(run_id)
    assert stored.status == "done"
    assert [report.agent for report in stored.reports] == ["a", "b", "end"]
    assert stored.verdict == result.verdict
    progress = jobs.progress(run_id)
    assert progress is not None
    assert progress.finished
    assert states(progress) == {"a": "done", "b": "done", "end": "done"}
    jobs.close()


def test_progress_follows_every_agent_and_adds_up_the_cost(store: RunStore, gated: GatedModel) -> None:
    jobs = jobs_of(store, gated)
    plan = two_and_a_conclusion(b={"gather": lambda reports: Evidence()})

    run_id = jobs.start(plan, MODELS)
    eventually(lambda: states(jobs.progress(run_id)) == {"a": "drafting", "b": "no_data", "end": "waiting"})
    early = jobs.progress(run_id)
    assert early is not None
    assert (early.status, early.cost) == ("running", 0.0)
    assert [agent.elapsed_s is None for agent in early.agents] == [False, False, True]
    assert jobs.running() == (run_id,)

    gated.gate("a").set()
    assert gated.arrived("end").wait(WAIT_S)
    assert states(jobs.progress(run_id)) == {"a": "done", "b": "no_data", "end": "drafting"}
    eventually(lambda: store.load(run_id).report("a") is not None)

    gated.gate("end").set()
    jobs.wait(run_id, WAIT_S)
    late = jobs.progress(run_id)
    assert late is not None
    assert late.cost == 0.5
    assert jobs.running() == ()
    jobs.close()


def test_the_second_look_shows_as_revising(store: RunStore) -> None:
    class RevisingModel(GatedModel):
        async def complete(self, request: Request) -> Reply:
            if request.stage == "draft":
                return Reply(json.dumps(GOOD), "fake")
            await super().complete(request)
            return Reply(json.dumps(REVISED), "fake")

    model = RevisingModel()
    jobs = jobs_of(store, model)

    run_id = jobs.start(plan_of(step("end", last=True, revise=True)), MODELS)
    assert model.arrived("end").wait(WAIT_S)

    assert states(jobs.progress(run_id)) == {"end": "revising"}
    model.gate("end").set()
    assert jobs.wait(run_id, WAIT_S).status == "done"
    progress = jobs.progress(run_id)
    assert progress is not None
    assert progress.cost is None
    jobs.close()


def test_cancelling_keeps_what_is_finished_and_the_run_can_go_on(store: RunStore, gated: GatedModel) -> None:
    jobs = jobs_of(store, gated)
    run_id = jobs.start(two_and_a_conclusion(), MODELS)
    gated.gate("a").set()
    assert gated.arrived("b").wait(WAIT_S)
    eventually(lambda: states(jobs.progress(run_id))["a"] == "done")

    jobs.cancel(run_id)
    result = jobs.wait(run_id, WAIT_S)

    assert (result.status, list(result.reports)) == ("cancelled", ["a"])
    stored = store.load(run_id)
    assert (stored.status, [report.agent for report in stored.reports]) == ("cancelled", ["a"])

    gated.arrived("a").clear()
    gated.gate("b").set()
    gated.gate("end").set()
    jobs.start(two_and_a_conclusion(), MODELS, run_id=run_id)
    assert jobs.wait(run_id, WAIT_S).status == "done"
    assert not gated.arrived("a").is_set()
    assert [report.agent for report in store.load(run_id).reports] == ["a", "b", "end"]
    jobs.close()


def test_a_repeat_that_is_resumed_stays_the_repeat_it_was(store: RunStore, fake_model: FakeModel) -> None:
    """Resumed as no repeat, it would be answered from the cache with what the first run was told."""
    fake_model.enqueue(GOOD, GOOD, GOOD)
    run_id = store.start(two_and_a_conclusion(), MODELS, repeat=3)
    store.finish(run_id, status="cancelled")
    jobs = jobs_of(store, fake_model)

    jobs.start(two_and_a_conclusion(), MODELS, run_id=run_id)

    assert jobs.wait(run_id, WAIT_S).status == "done"
    assert {request.repeat for request in fake_model.history} == {3}
    jobs.close()


def test_cancelling_before_the_first_step_leaves_a_cancelled_run(
    store: RunStore, fake_model: FakeModel
) -> None:
    """A task cancelled before it has begun runs none of its code, so the run used to stay 'running'."""
    jobs = jobs_of(store, fake_model)
    hold = threading.Event()
    jobs._loop.call_soon_threadsafe(hold.wait)
    run_id = jobs.start(two_and_a_conclusion(), MODELS)
    jobs.cancel(run_id)
    hold.set()

    assert jobs.wait(run_id, WAIT_S).status == "cancelled"
    assert store.load(run_id).status == "cancelled"
    assert fake_model.history == []
    jobs.close()


def test_a_failed_run_is_stored_as_failed_with_its_reason(store: RunStore, fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD)
    fake_model.enqueue(ModelError("no key."), agent="end")
    jobs = jobs_of(store, fake_model)

    run_id = jobs.start(two_and_a_conclusion(), MODELS)
    jobs.wait(run_id, WAIT_S)

    stored = store.load(run_id)
    assert (stored.status, stored.error, stored.verdict) == ("failed", "no key.", None)
    progress = jobs.progress(run_id)
    assert progress is not None
    assert (progress.status, progress.error) == ("failed", "no key.")
    assert states(progress)["end"] == "failed"
    jobs.close()


class FullDisk:
    """A store whose disk is full after the run has begun."""

    def __init__(self, store: RunStore, failing: str) -> None:
        self._store = store
        self._failing = failing
        self.start, self.resume, self.together = store.start, store.resume, store.together
        self.repeat_of = store.repeat_of

    def save_report(self, run_id: str, report: Report) -> None:
        if self._failing == "save_report":
            raise StoreError("the disk is full.")
        self._store.save_report(run_id, report)

    def finish(self, run_id: str, **how: object) -> None:
        if self._failing == "finish":
            raise StoreError("the disk is full.")
        self._store.finish(run_id, **how)  # type: ignore[arg-type]


def test_a_report_that_cannot_be_saved_stops_the_run_before_more_is_paid_for(
    store: RunStore, gated: GatedModel
) -> None:
    jobs = JobManager(FullDisk(store, "save_report"), gated)
    run_id = jobs.start(two_and_a_conclusion(), MODELS)
    gated.gate("a").set()

    result = jobs.wait(run_id, WAIT_S)

    assert (result.status, result.verdict) == ("failed", None)
    assert result.error == "A report was not saved. the disk is full."
    assert not gated.arrived("end").is_set()
    assert store.load(run_id).status == "failed"
    jobs.close()


def test_a_run_that_cannot_be_finished_does_not_look_like_a_success(
    store: RunStore, fake_model: FakeModel
) -> None:
    fake_model.enqueue(GOOD)
    jobs = JobManager(FullDisk(store, "finish"), fake_model)
    run_id = jobs.start(plan_of(step("end", last=True)), MODELS)

    result = jobs.wait(run_id, WAIT_S)

    assert (result.status, result.error) == ("failed", "The run was not saved. the disk is full.")
    progress = jobs.progress(run_id)
    assert progress is not None
    assert progress.status == "failed"
    jobs.close()


def test_several_runs_share_one_loop_and_do_not_wait_for_each_other(
    store: RunStore, gated: GatedModel
) -> None:
    jobs = jobs_of(store, gated)
    slow = jobs.start(plan_of(step("slow", last=True)), MODELS)
    fast = jobs.start(plan_of(step("fast", last=True)), MODELS)
    gated.gate("fast").set()

    assert jobs.wait(fast, WAIT_S).status == "done"
    with pytest.raises(TimeoutError):
        jobs.wait(slow, 0.01)
    gated.gate("slow").set()
    assert jobs.wait(slow, WAIT_S).status == "done"
    jobs.close()


def test_closing_stops_and_stores_what_is_still_running(store: RunStore, gated: GatedModel) -> None:
    jobs = jobs_of(store, gated)
    run_id = jobs.start(two_and_a_conclusion(), MODELS)
    assert gated.arrived("a").wait(WAIT_S)

    jobs.close()

    assert store.load(run_id).status == "cancelled"


def test_runs_of_other_processes_are_unknown_here(store: RunStore, fake_model: FakeModel) -> None:
    jobs = jobs_of(store, fake_model)

    assert jobs.progress("20200101-000000-abcdef") is None
    with pytest.raises(InputError):
        jobs.wait("20200101-000000-abcdef")
    jobs.close()
