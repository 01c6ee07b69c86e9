"""Trying a draft: which calls are foreseen, which are made, and what the trial shows."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from workbench.engine.foresight import foresee
from workbench.engine.jobs import JobManager
from workbench.engine.preview import preview
from workbench.engine.runner import run
from workbench.llm.base import Reply, Request
from workbench.llm.baseline import Baseline
from workbench.llm.cache import Cached
from workbench.records import Models, TickerSubject
from workbench.strategy.files import LoadedStrategy, read_strategy
from workbench.tryout import Case, foresee_case, pairs, start_trial
from workbench.workspace import Workspace, program_files

MOUTAI = TickerSubject(code="600519.SH", name="贵州茅台")
CASE = Case(MOUTAI, dt.date(2021, 6, 30))
MODELS = Models(specialist="some/model", aggregator="some/model")


@dataclass
class Paid:
    """Plays a language model: answers as the baseline would, under another name, and counts."""

    asked: list[tuple[str, str]] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.asked.append((request.agent, request.stage))
        reply = await Baseline().complete(replace(request, model="baseline"))
        return replace(reply, resolved_model=request.model)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    for part in ("strategy", "prompts", "data/facts"):
        shutil.copytree(program_files() / part, tmp_path / part)
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    for variable in ("LLM_MODEL", "LLM_SPECIALIST_MODEL", "LLM_AGGREGATOR_MODEL"):
        monkeypatch.delenv(variable, raising=False)
    opened = Workspace.open(tmp_path)
    yield opened
    opened.jobs.close()
    opened.store.close()


def drafted(workspace: Workspace, old: str, new: str) -> LoadedStrategy:
    text = workspace.strategy("value").text
    assert old in text
    return read_strategy(text.replace(old, new), "value.yaml")


def plan(workspace: Workspace, strategy: LoadedStrategy):  # type: ignore[no-untyped-def]
    return workspace.plan(strategy, CASE.subject, CASE.as_of)


def foreseen(workspace: Workspace, strategy: LoadedStrategy, cached: Cached) -> dict[str, tuple[int, int]]:
    seen = asyncio.run(foresee(plan(workspace, strategy), MODELS, cached.known, Baseline()))
    return {agent.agent: (agent.calls, agent.cached) for agent in seen}


def test_the_calls_foreseen_are_those_made(workspace: Workspace, tmp_path: Path) -> None:
    saved = workspace.strategy("value")
    paid = Paid()
    cached = Cached(paid, tmp_path / "cache.db")
    before = foreseen(workspace, saved, cached)
    assert set(before.values()) == {(2, 0)}
    assert paid.asked == []
    asyncio.run(run(plan(workspace, saved), MODELS, cached))
    assert len(paid.asked) == sum(calls for calls, _ in before.values())
    assert set(foreseen(workspace, saved, cached).values()) == {(0, 2)}


def test_an_edited_synthesis_costs_the_calls_of_the_synthesis_alone(
    workspace: Workspace, tmp_path: Path
) -> None:
    paid = Paid()
    cached = Cached(paid, tmp_path / "cache.db")
    asyncio.run(run(plan(workspace, workspace.strategy("value")), MODELS, cached))
    paid.asked.clear()
    draft = drafted(workspace, "先找致命伤", "先看致命伤")
    seen = foreseen(workspace, draft, cached)
    assert seen.pop("synthesis") == (2, 0)
    assert set(seen.values()) == {(0, 2)}
    asyncio.run(run(plan(workspace, draft), MODELS, cached))
    assert sorted(paid.asked) == [("synthesis", "draft"), ("synthesis", "revised")]


def test_without_a_second_look_an_edited_synthesis_costs_one_call(
    workspace: Workspace, tmp_path: Path
) -> None:
    cached = Cached(Paid(), tmp_path / "cache.db")
    once = drafted(workspace, "revise: true", "revise: false")
    asyncio.run(run(plan(workspace, once), MODELS, cached))
    draft = read_strategy(once.text.replace("先找致命伤", "先看致命伤"), "value.yaml")
    assert sum(calls for calls, _ in foreseen(workspace, draft, cached).values()) == 1


def test_what_follows_from_an_unknown_answer_is_counted_as_asked(
    workspace: Workspace, tmp_path: Path
) -> None:
    cached = Cached(Paid(), tmp_path / "cache.db")
    asyncio.run(run(plan(workspace, workspace.strategy("value")), MODELS, cached))
    draft = drafted(workspace, "question: 这是一家什么样的公司", "question: 这是怎样的一家公司")
    seen = foreseen(workspace, draft, cached)
    assert seen["ch01_data"] == (0, 2)
    assert {agent for agent, (calls, _) in seen.items() if calls == 2} == set(seen) - {"ch01_data"}


def test_the_baseline_counts_its_calls_and_none_is_paid(workspace: Workspace) -> None:
    saved = workspace.strategy("value")
    ahead = foresee_case(workspace, drafted(workspace, "先找", "先看"), saved, CASE, Models())
    assert ahead.calls == 2 * 14
    assert (ahead.cached, ahead.paid) == (0, 0)


def test_a_first_trial_pays_for_what_both_sides_ask_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both sides were started together and paid for every chapter twice; twice as much was foreseen."""
    paid = Paid()
    cached = Cached(paid, workspace.data_dir / "cache.db")
    monkeypatch.setattr(workspace, "answers", lambda: cached)
    monkeypatch.setitem(workspace.__dict__, "jobs", JobManager(workspace.store, cached))
    draft, saved = drafted(workspace, "先找致命伤", "先看致命伤"), workspace.strategy("value")

    ahead = foresee_case(workspace, draft, saved, CASE, MODELS)
    trial = start_trial(workspace, draft, saved, [CASE], MODELS)
    for row in workspace.store.find(tag=trial):
        assert workspace.jobs.wait(row.run_id, 60).status == "done"

    assert len(paid.asked) == len(set(paid.asked)) + 2 == 14 + 2, "of the synthesis alone there are two"
    assert (ahead.paid, ahead.cached) == (16, 12)
    assert {agent.agent for agent in ahead.saved if agent.calls} == {"synthesis"}


def test_a_trial_pairs_the_runs_of_each_subject(workspace: Workspace) -> None:
    text = workspace.strategy("value").text.replace("buy: 75", "buy: 40").replace("[30, 74]", "[30, 39]")
    trial = start_trial(
        workspace, read_strategy(text, "value.yaml"), workspace.strategy("value"), [CASE], Models()
    )
    for row in workspace.store.find(tag=trial):
        workspace.jobs.wait(row.run_id, 60)
    (pair,) = pairs(workspace, trial)
    assert pair.saved is not None
    assert pair.draft is not None
    assert pair.finished
    assert pair.saved.strategy_hash == workspace.strategy("value").hash != pair.draft.strategy_hash
    assert pair.flipped == (pair.saved.label != pair.draft.label)
    assert pair.change == pytest.approx(pair.draft.score - pair.saved.score)  # type: ignore[operator]


def test_a_preview_shows_the_prompts_a_run_sends_and_asks_nobody(workspace: Workspace) -> None:
    strategy = workspace.strategy("value")
    result = asyncio.run(run(plan(workspace, strategy), Models(), Baseline()))
    sent = {
        (call.agent, call.stage): (call.system, call.prompt)
        for report in result.reports.values()
        for call in report.calls
    }
    shown = {
        (agent.step.agent, question.stage): (question.system, question.prompt)
        for agent in asyncio.run(preview(plan(workspace, strategy), Baseline()))
        for question in agent.questions
    }
    assert shown == sent


def test_a_preview_takes_the_reports_of_an_earlier_run_and_names_its_stand_ins(workspace: Workspace) -> None:
    strategy = workspace.strategy("value")
    result = asyncio.run(run(plan(workspace, strategy), Models(), Baseline()))
    assert all(
        not agent.stand_ins and not agent.own_stand_in
        for agent in asyncio.run(preview(plan(workspace, strategy), Baseline(), result.reports))
    )
    alone = asyncio.run(preview(plan(workspace, strategy), Baseline()))
    assert [agent.stand_ins for agent in alone[:2]] == [(), ("ch01_data",)]
    assert all(agent.own_stand_in for agent in alone)


def test_the_synthesis_reads_the_reports_of_the_chapters_and_not_its_own(workspace: Workspace) -> None:
    """Its preview spoke of the reports of 7 agents where there are 6 chapters."""
    *chapters, synthesis = asyncio.run(preview(plan(workspace, workspace.strategy("value")), Baseline()))
    assert synthesis.stand_ins == tuple(agent.step.agent for agent in chapters)
