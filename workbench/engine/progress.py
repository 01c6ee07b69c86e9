"""How far a run is: the events of one run, added up into a snapshot that any thread may read."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Literal

from workbench.engine.plan import Plan, Reports, Step
from workbench.engine.runner import Event, Result
from workbench.records import PipelineName, Report, Role

AgentState = Literal["waiting", "gathering", "drafting", "revising", "done", "no_data", "failed"]
JobStatus = Literal["running", "done", "failed", "cancelled"]

_STATE_OF: dict[str, AgentState] = {"ok": "done", "no_data": "no_data"}


@dataclass(frozen=True)
class AgentProgress:
    """Where one agent is. ``elapsed_s`` is None before it starts and stands still once it is finished."""

    agent: str
    title: str
    role: Role
    state: AgentState = "waiting"
    elapsed_s: float | None = None
    error: str = ""


@dataclass(frozen=True)
class Progress:
    """Where a run is, at one moment.

    ``cost`` is what the answers of the finished agents cost in USD; None as soon as one of them has no known
    price. ``error`` is the run's, once it has failed.
    """

    run_id: str
    pipeline: PipelineName
    status: JobStatus
    agents: tuple[AgentProgress, ...]
    elapsed_s: float
    cost: float | None
    error: str = ""

    @property
    def finished(self) -> bool:
        return self.status != "running"


@dataclass
class _Clock:
    """When something started and finished, in seconds of the monotonic clock."""

    started: float | None = None
    finished: float | None = None

    @property
    def elapsed_s(self) -> float | None:
        if self.started is None:
            return None
        return (time.monotonic() if self.finished is None else self.finished) - self.started


class Tracker:
    """Follows one run. Written by the thread that runs it, read by any.

    Args:
        run_id: Id of the run.
        plan: What is being run.
        done: Reports the run already has.
    """

    def __init__(self, run_id: str, plan: Plan, done: Reports) -> None:
        self._run_id = run_id
        self._plan = plan
        self._revising = {step.agent for step in plan.steps if step.revise is not None}
        self._status: JobStatus = "running"
        self._error = ""
        self._cost: float | None = 0.0
        self._clock = _Clock(time.monotonic())
        self._clocks = {step.agent: _Clock() for step in plan.steps}
        self._states: dict[str, tuple[AgentState, str]] = {step.agent: ("waiting", "") for step in plan.steps}
        self._reports: dict[str, Report] = {}
        self._lock = threading.Lock()
        for step in plan.steps:
            if step.agent in done:
                self._hand_in(done[step.agent])

    def note(self, event: Event) -> None:
        """Take in one event."""
        with self._lock:
            if event.kind == "agent_started":
                self._clocks[event.agent].started = time.monotonic()
                self._set(event.agent, "gathering")
            elif event.kind == "gathered":
                self._set(event.agent, "drafting")
            elif event.kind == "draft_done" and event.agent in self._revising:
                self._set(event.agent, "revising")
            elif event.report is not None:
                self._clocks[event.agent].finished = time.monotonic()
                self._hand_in(event.report)

    def end(self, result: Result) -> None:
        """The run is over and stored."""
        with self._lock:
            self._status, self._error = result.status, result.error
            for clock in (self._clock, *self._clocks.values()):
                clock.finished = clock.finished or time.monotonic()

    def reports(self) -> Reports:
        """The reports so far, in plan order."""
        with self._lock:
            return {
                step.agent: self._reports[step.agent]
                for step in self._plan.steps
                if step.agent in self._reports
            }

    def progress(self) -> Progress:
        """A snapshot of this moment."""
        with self._lock:
            return Progress(
                run_id=self._run_id,
                pipeline=self._plan.pipeline,
                status=self._status,
                agents=tuple(self._progress_of(step) for step in self._plan.steps),
                elapsed_s=self._clock.elapsed_s or 0.0,
                cost=self._cost,
                error=self._error,
            )

    def _hand_in(self, report: Report) -> None:
        self._reports[report.agent] = report
        self._set(report.agent, _STATE_OF.get(report.status, "failed"), report.error)
        for call in report.calls:
            if call.reply and not call.cache_hit:
                self._cost = None if self._cost is None or call.cost is None else self._cost + call.cost

    def _set(self, agent: str, state: AgentState, error: str = "") -> None:
        self._states[agent] = state, error

    def _progress_of(self, step: Step) -> AgentProgress:
        state, error = self._states[step.agent]
        return AgentProgress(
            step.agent, step.title, step.role, state, self._clocks[step.agent].elapsed_s, error
        )
