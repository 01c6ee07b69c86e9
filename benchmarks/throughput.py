"""How many match runs a batch gets through, and what a call of it costs with evidence, prompts and storage.

- With a model in the same process that takes 50 ms and answers 64 calls at once, the runs of a batch should
  come close to what the model alone could do: calls x 50 ms / 64.
- Through litellm on a stub server, the CPU of a call should be little more than that of bare litellm making
  the very same calls. Bounded is what an agent framework does: run the agents, render their prompts, ask,
  read the answers. What a batch adds to that, gathering evidence and storing every report, is printed beside.

Every club has an absence to report and every pair has met before, so that all six agents are asked in every
run. Before each batch something is added to the evidence, so that none finds the work of another in memory.
The best of several batches counts: whatever else the machine does only makes them slower.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from statistics import median
from typing import Any

from benchmarks.bench import carry_out, conclude, new_workspace, stub_server, working_s
from benchmarks.concurrency import ANSWER
from workbench.engine.jobs import JobManager
from workbench.engine.plan import Plan, Step
from workbench.engine.runner import run
from workbench.evidence.fixtures import Fixture, resolve_fixtures
from workbench.llm.base import Model, Reply, Request
from workbench.llm.hosted import Hosted, load_library
from workbench.llm.limits import Gate
from workbench.pipelines.batches import match_items
from workbench.records import Models
from workbench.settings import Settings
from workbench.store.batch_records import BatchOrder
from workbench.strategy.files import LoadedStrategy, read_strategy
from workbench.workspace import Workspace

DELAY_S = 0.05
CONCURRENCY = 64
RUNS = 200
AGENTS = 6
SEASONS = ("2017-18", "2018-19")
REPEATS = 3
BLOCKS, BLOCK_RUNS = 3, 100

SHARE_BOUND = 0.85
CPU_BOUND = 1.2


class StubModel:
    """Answers after 50 ms, up to 64 calls at once."""

    def __init__(self) -> None:
        self._gate = Gate(CONCURRENCY)
        self.calls = 0

    async def complete(self, request: Request) -> Reply:
        async with self._gate.turn():
            self.calls += 1
            await asyncio.sleep(DELAY_S)
        return Reply(ANSWER, "stub", cost=0.0)


def drafts_only(workspace: Workspace) -> LoadedStrategy:
    text = (workspace.strategy_dir / "match.yaml").read_text(encoding="utf-8")
    return read_strategy(text.replace("revise: true", "revise: false"), "match.yaml")


def let_every_club_miss_somebody(workspace: Workspace) -> None:
    months = [f"{year}-{month:02d}-01" for year in (2017, 2018, 2019) for month in range(1, 13)]
    clubs = {fixture.home for fixture in resolve_fixtures(workspace.evidence, "Premier")}
    report_out(workspace, [(club, day) for club in sorted(clubs) for day in months])


def report_out(workspace: Workspace, reports: Sequence[tuple[str, str]]) -> None:
    rows = [{"team": team, "player": "X", "kind": "injury", "published": day} for team, day in reports]
    workspace.evidence.add("absences", rows, origin="benchmark")


def have_met(workspace: Workspace, fixture: Fixture) -> bool:
    earlier = workspace.evidence.view(fixture.date).matches(fixture.home)
    return any(fixture.away in (match.home, match.away) for match in earlier)


def order(workspace: Workspace, season: str, model: str, runs: int) -> BatchOrder:
    found = resolve_fixtures(workspace.evidence, "Premier", season=season)
    met = [fixture for fixture in found if have_met(workspace, fixture)][-runs:]
    return BatchOrder(
        pipeline="match",
        title=season,
        strategy="match",
        strategy_text=drafts_only(workspace).text,
        models=Models(specialist=model, aggregator=model),
        items=match_items(met),
        concurrency=CONCURRENCY,
    )


@contextmanager
def answered_by(workspace: Workspace, model: Model) -> Iterator[JobManager]:
    """The jobs of the workspace, answered by another model."""
    jobs = workspace.__dict__["jobs"] = JobManager(workspace.store, model)
    yield jobs
    jobs.close()
    del workspace.__dict__["jobs"]


def share_of_ideal(workspace: Workspace) -> float:
    """Throughput of a batch over that of the model alone."""
    stub = StubModel()
    with answered_by(workspace, stub):
        carry_out(workspace, order(workspace, SEASONS[0], "stub", 10))
        stub.calls = 0
        took = []
        for season in SEASONS * REPEATS:
            wanted = order(workspace, season, "stub", RUNS)
            report_out(workspace, [("Nobody's club", "2019-01-01")])
            gc.collect()
            took.append(working_s(workspace, carry_out(workspace, wanted)))
    assert stub.calls == len(took) * RUNS * AGENTS
    ideal = RUNS * AGENTS * DELAY_S / CONCURRENCY
    print(f"{RUNS} runs, {RUNS * AGENTS} calls: {min(took):.3f} s; the model alone: {ideal:.3f} s")
    return ideal / min(took)


def gathered(plan: Plan) -> Plan:
    """The plan with the evidence of its experts at hand."""

    def at_hand(step: Step) -> Step:
        evidence = step.gather({})
        return replace(step, gather=lambda reports: evidence)

    return replace(plan, steps=tuple(step if step.needs else at_hand(step) for step in plan.steps))


async def run_all(plans: Sequence[Plan], models: Models, model: Model) -> None:
    slots = asyncio.Semaphore(CONCURRENCY)

    async def one(plan: Plan) -> None:
        async with slots:
            result = await run(plan, models, model)
        assert result.status == "done", result.error

    await asyncio.gather(*map(one, plans))


def cpu_against_litellm(workspace: Workspace, address: str) -> float:
    """CPU of a call by the engine over CPU of the same call through bare litellm, in interleaved blocks."""
    litellm = load_library()
    asked: list[dict[str, Any]] = []
    bare_call = litellm.acompletion

    def noted(**call: Any) -> Coroutine[Any, Any, Any]:
        asked.append(call)
        return bare_call(**call)  # type: ignore[no-any-return]

    async def ask_again() -> None:
        slots = asyncio.Semaphore(CONCURRENCY)

        async def one(call: dict[str, Any]) -> None:
            async with slots:
                await bare_call(**call)

        await asyncio.gather(*map(one, asked))

    taken: dict[str, list[float]] = defaultdict(list)
    wanted = order(workspace, SEASONS[1], "openai/stub-1", BLOCK_RUNS)
    planned = workspace.planner(drafts_only(workspace))
    plans = [gathered(planned(*item)) for item in wanted.items]
    hosted = Hosted(Settings(api_base=address, concurrency=CONCURRENCY))
    litellm.acompletion = noted
    with answered_by(workspace, hosted) as jobs:
        ways: dict[str, Callable[[], object]] = {
            "batch": lambda: carry_out(workspace, wanted),
            "engine": lambda: jobs.ask(run_all(plans, wanted.models, hosted)).result(),
            "litellm": lambda: jobs.ask(ask_again()).result(),
        }
        for _ in range(BLOCKS + 1):
            for name, way in ways.items():
                if name != "litellm":
                    asked.clear()
                started = time.process_time()
                way()
                taken[name].append((time.process_time() - started) / len(asked))
    litellm.acompletion = bare_call
    batch, engine, bare = (median(taken[name][1:]) for name in ways)
    print(
        f"CPU of a call: {bare * 1000:.2f} ms through bare litellm, {engine * 1000:.2f} ms by the engine,"
        f" {batch * 1000:.2f} ms in a batch with evidence and storage ({batch / bare:.3f} of bare litellm's)"
    )
    return engine / bare


def main() -> None:
    with new_workspace() as workspace:
        let_every_club_miss_somebody(workspace)
        share = share_of_ideal(workspace)
        with stub_server(ANSWER) as address:
            cpu = cpu_against_litellm(workspace, address)
    conclude(
        ("CPU of a call by the engine over bare litellm's", cpu, CPU_BOUND),
        at_least=[("share of the throughput of the model alone", share, SHARE_BOUND)],
    )


if __name__ == "__main__":
    main()
