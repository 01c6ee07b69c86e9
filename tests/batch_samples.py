"""A workspace in miniature for tests of batches, which worker processes can open too.

Each item is one company judged by two chapters and a synthesis. The model notes every call it answers in a
file, so that a test can count the calls of all processes, also of those that were killed.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import signal
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.engine_samples import GOOD, two_and_a_conclusion
from workbench.engine.agent import RunOptions
from workbench.engine.batch import BatchManager
from workbench.engine.crew import Bench, LocalCrew
from workbench.engine.jobs import JobManager
from workbench.engine.plan import Plan
from workbench.errors import InputError, ModelError
from workbench.llm.base import Reply, Request
from workbench.records import Evidence, Models, Subject, TickerSubject
from workbench.store.batch_records import Batch, BatchOrder
from workbench.store.runs import RunStore

AGENTS = ("a", "b", "end")
MODELS = Models(specialist="stub", aggregator="stub")
AS_OF = dt.date(2021, 6, 30)
UNKNOWN = "UNKNOWN"
"""A company nothing is known of."""
BUG = "BUG"
"""A company that brings a defect to light."""


@dataclass
class CountingModel:
    """Answers every agent the same after a pause.

    Attributes:
        folder: Where it notes the calls it has answered.
        delay_s: How long an answer takes.
        cost: USD for each answer; None for no known price.
        cache_hit: Whether its answers count as stored before.
        broken: Companies whose synthesis it refuses.
        deadly: A company whose synthesis kills the process.
    """

    folder: Path
    delay_s: float = 0.0
    cost: float | None = 0.01
    cache_hit: bool = False
    broken: set[str] = field(default_factory=set)
    deadly: str = ""

    async def complete(self, request: Request) -> Reply:
        await asyncio.sleep(self.delay_s)
        company = request.prompt.split()[0]
        if request.agent == "end":
            await self.conclude(company)
        with (self.folder / "calls").open("a") as calls:
            calls.write(f"{company} {request.agent}\n")
        return Reply(json.dumps(GOOD), "stub", cost=self.cost, cache_hit=self.cache_hit)

    async def conclude(self, company: str) -> None:
        """What becomes of the synthesis before it is answered."""
        if company == self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        if company in self.broken:
            raise ModelError("the model is out of order.")


@dataclass
class HoldingModel(CountingModel):
    """Lets syntheses wait.

    Attributes:
        hold: Until this is set, the syntheses of ``hold_only`` (of all companies where it is empty) wait.
        held: Released for each synthesis that begins to wait.
    """

    hold: threading.Event | None = None
    hold_only: set[str] = field(default_factory=set)
    held: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    async def conclude(self, company: str) -> None:
        await super().conclude(company)
        if self.hold is not None and company in (self.hold_only or {company}):
            self.held.release()
            while not self.hold.is_set():
                await asyncio.sleep(0.001)


def calls(folder: Path) -> list[str]:
    """The calls answered so far, each as company and agent."""
    noted = folder / "calls"
    return noted.read_text().splitlines() if noted.exists() else []


def company(name: str) -> TickerSubject:
    return TickerSubject(code=name, name=name)


def order(*names: str, concurrency: int = 2, budget: float | None = None) -> BatchOrder:
    return BatchOrder(
        pipeline="chapters",
        title="a few companies",
        strategy="value",
        strategy_text="kind: chapters\n",
        models=MODELS,
        items=[(company(name), AS_OF) for name in names],
        concurrency=concurrency,
        budget=budget,
    )


def plan(subject: Subject, as_of: dt.date) -> Plan:
    """The plan of one company; its prompts begin with its name."""
    if subject.key == UNKNOWN:
        raise InputError("nothing is known of this company.", where=subject.key)
    if subject.key == BUG:
        1 / 0  # noqa: B018
    evidence = Evidence(facts={"revenue": 1}, text=subject.key, sufficiency="high")
    shown = {"gather": lambda reports: evidence}
    return replace(two_and_a_conclusion(a=shown, b=shown, end=shown), subject=subject, as_of=as_of)


def bench() -> Bench:
    return Bench(plan, MODELS, RunOptions())


class Workshop:
    """A store, the runs of this process and its batches, over one folder."""

    def __init__(self, folder: Path, model: CountingModel) -> None:
        self.folder = folder
        self.model = model
        self.store = RunStore(folder / "runs.db")
        self.jobs = JobManager(self.store, model)
        self.batches = BatchManager(self.store.batches)

    def here(self, batch: Batch) -> LocalCrew:
        return LocalCrew(bench(), self.jobs, batch.concurrency)

    def close(self) -> None:
        self.jobs.close()
        self.store.close()


def open_crew(model: CountingModel, batch: Batch) -> LocalCrew:
    """What a worker process opens."""
    return Workshop(model.folder, model).here(batch)
