"""A run whose model failed looks like it everywhere: in lists, on the terminal, in files, side by side."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import FakeModel
from tests.engine_samples import GOOD, two_and_a_conclusion
from workbench.commands import console
from workbench.compare import compare
from workbench.engine.jobs import JobManager
from workbench.engine.runner import run
from workbench.errors import ModelError
from workbench.export import export
from workbench.records import Evidence, Models, Run
from workbench.store.runs import RunStore

PAID = Models(specialist="fake/m", aggregator="fake/m")
NO_KEY = ModelError("no answer (401): bad key.", where="fake/m", remedy="Set the key.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "runs.db")
    yield store
    store.close()


def judged(store: RunStore, model: FakeModel) -> Run:
    jobs = JobManager(store, model)
    run_id = jobs.start(two_and_a_conclusion(), PAID)
    jobs.wait(run_id, 20)
    jobs.close()
    return store.load(run_id)


@pytest.fixture
def partial(store: RunStore, fake_model: FakeModel) -> Run:
    """Concluded although one of two experts had failed."""
    fake_model.enqueue(NO_KEY, agent="a")
    fake_model.enqueue(GOOD, agent="b")
    fake_model.enqueue(GOOD, agent="end")
    return judged(store, fake_model)


@pytest.fixture
def failed(store: RunStore, fake_model: FakeModel) -> Run:
    """The last agent failed, after both experts had scored 70."""
    fake_model.enqueue(GOOD, agent="a")
    fake_model.enqueue(GOOD, agent="b")
    fake_model.enqueue(NO_KEY, agent="end")
    return judged(store, fake_model)


def csv_lines(one: Run) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export(one, "csv").decode("utf-8-sig"))))


def test_a_failed_run_has_no_score_anywhere(store: RunStore, failed: Run) -> None:
    [row] = store.find()
    assert (row.status, row.score, row.label, row.failed) == ("failed", None, None, 1)
    assert row.to_json()["failed"] == 1
    assert list(console.runs_lines([row], 200))[1].split()[:2] == [failed.run_id, "failed"]
    shown = "\n".join(console.run_lines(failed, 200))
    assert "No verdict: the run is failed. fake/m: no answer (401): bad key." in shown
    for line in csv_lines(failed):
        assert (line["run_status"], line["verdict_score"], line["verdict_label"]) == ("failed", "", "")
    page = export(failed, "html").decode()
    assert "No verdict (failed)" in page
    assert "no answer (401): bad key." in page
    value = failed.to_json()
    assert (value["status"], value["verdict"]) == ("failed", None)
    assert "(401)" in value["error"]


def test_a_failed_run_weakens_a_comparison_and_is_last_of_the_highest(
    store: RunStore, failed: Run, fake_model: FakeModel
) -> None:
    fake_model.enqueue(GOOD | {"score": 1}, GOOD | {"score": 1}, GOOD | {"score": 1})
    done = judged(store, fake_model)

    assert [row.run_id for row in store.find(order="highest")] == [done.run_id, failed.run_id]
    weaknesses = {weakness.kind: weakness.values for weakness in compare([done, failed]).weakened_by}
    assert weaknesses["unfinished"] == (failed.run_id,)


def test_a_run_concluded_although_an_agent_failed_says_so(store: RunStore, partial: Run) -> None:
    """It was listed as finished like any other; only the count of agents gave it away."""
    [row] = store.find()
    assert (row.status, row.failed) == ("done", 1)
    assert "done, 1 failed" in list(console.runs_lines([row], 200))[1]
    assert partial.verdict is not None
    assert partial.verdict.warnings == (
        "Failed and not counted: A. fake/m: no answer (401): bad key. Set the key.",
    )
    assert "note: Failed and not counted: A." in "\n".join(console.run_lines(partial, 200))
    assert "Failed and not counted: A." in export(partial, "html").decode()
    assert [line["status"] for line in csv_lines(partial)] == ["error", "ok", "ok"]


def test_an_agent_without_evidence_is_no_failure(store: RunStore, fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD)
    plan = two_and_a_conclusion(a={"gather": lambda reports: Evidence()})

    result = asyncio.run(run(plan, PAID, fake_model))

    assert result.verdict is not None
    assert result.verdict.warnings == ()


def test_a_run_that_ended_before_any_report_is_still_a_line_of_the_table(
    store: RunStore, fake_model: FakeModel
) -> None:
    """Its CSV held the header alone, as if there had been nothing to say."""
    run_id = store.start(two_and_a_conclusion(), PAID)
    store.finish(run_id, status="failed", error="the rules failed: ValueError")

    [line] = csv_lines(store.load(run_id))

    assert (line["run_id"], line["run_status"], line["agent"]) == (run_id, "failed", "")
    assert line["error"] == "the rules failed: ValueError"
