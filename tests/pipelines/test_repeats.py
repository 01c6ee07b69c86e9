"""Repeating a run: every repeat is asked anew, all of them are tied together, and their spread is told."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from workbench.llm.base import Reply, Request
from workbench.llm.baseline import Baseline
from workbench.records import Models, Run, TickerSubject
from workbench.repeats import repeats, spread, start_repeats
from workbench.store.rows import RunRow
from workbench.workspace import Workspace

MOUTAI = TickerSubject(code="600519.SH", name="贵州茅台")
AS_OF = dt.date(2021, 6, 30)
MODELS = Models(specialist="some/model", aggregator="some/model")
WAIT_S = 60


@dataclass
class Moody:
    """Plays a language model that scores every question two points higher than the last time."""

    times: dict[tuple[str, str], int] = field(default_factory=dict)

    async def complete(self, request: Request) -> Reply:
        question = request.agent, request.stage
        self.times[question] = self.times.get(question, 0) + 1
        reply = await Baseline().complete(replace(request, model="baseline"))
        answer = json.loads(reply.text)
        for name in ("score", "综合评分"):
            if answer.get(name) is not None:
                answer[name] = 40 + 2 * self.times[question]
        return replace(reply, text=json.dumps(answer, ensure_ascii=False), resolved_model=request.model)


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def asked(workspace: Workspace, moody: Moody) -> Iterator[Run]:
    """A finished run of a language model."""
    workspace.__dict__["hosted"] = moody
    plan = workspace.plan(workspace.strategy("quick_scan"), MOUTAI, AS_OF)
    run_id = workspace.jobs.start(plan, MODELS)
    workspace.jobs.wait(run_id, WAIT_S)
    yield workspace.store.load(run_id)
    workspace.jobs.close()
    workspace.store.close()


def repeated(workspace: Workspace, run: Run, count: int) -> list[Run]:
    started = start_repeats(workspace, run, count)
    for run_id in started:
        workspace.jobs.wait(run_id, WAIT_S)
    return workspace.store.load_many(started)


def test_every_repeat_is_asked_anew(workspace: Workspace, moody: Moody, asked: Run) -> None:
    once = dict(moody.times)
    assert set(once.values()) == {1}

    runs = repeated(workspace, asked, 3)

    assert [run.repeat for run in runs] == [1, 2, 3]
    assert moody.times == {question: 4 for question in once}
    assert not any(call.cache_hit for run in runs for report in run.reports for call in report.calls)


def test_repeating_again_answers_nothing_from_the_cache(
    workspace: Workspace, moody: Moody, asked: Run
) -> None:
    first = repeated(workspace, asked, 2)

    again = repeated(workspace, first[0], 2)

    assert [run.repeat for run in again] == [3, 4]
    assert set(moody.times.values()) == {5}


def test_a_run_and_its_repeats_know_each_other(workspace: Workspace, asked: Run) -> None:
    assert repeats(workspace, asked) == []

    runs = repeated(workspace, asked, 2)

    family = [asked.run_id, *(run.run_id for run in runs)]
    for run in (asked, *runs):
        assert [row.run_id for row in repeats(workspace, run)] == family
    assert {run.retry_of for run in runs} == {asked.run_id}


def test_how_far_repeats_agree(workspace: Workspace, asked: Run) -> None:
    """By hand: 42, 44 and 46 have the mean 44 and, with n - 1, the standard deviation 2."""
    repeated(workspace, asked, 2)

    found = spread(repeats(workspace, asked))

    assert found is not None
    assert (found.runs, found.low, found.high, found.mean) == (3, 42, 46, 44)
    assert found.deviation == pytest.approx(2)
    assert dict(found.labels) == {"watch": 3}


def test_runs_without_a_score_say_nothing_of_agreement(workspace: Workspace, asked: Run) -> None:
    row: RunRow = workspace.store.find(limit=1)[0]
    unfinished = replace(row, status="cancelled")

    assert spread([unfinished]) is None
    alone = spread([row, unfinished])
    assert alone is not None
    assert (alone.runs, alone.deviation) == (1, None)
