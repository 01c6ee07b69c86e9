"""Carry out a plan: every step starts as soon as the agents it needs have reported."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from workbench.engine.agent import RunOptions, run_agent
from workbench.engine.plan import Plan, Reports, Step
from workbench.llm.base import Model
from workbench.llm.budget import BudgetError
from workbench.records import Models, Receipt, Report, StageName, Verdict

log = logging.getLogger(__name__)

EventKind = Literal[
    "agent_started", "gathered", "draft_done", "revised_done", "agent_finished", "rule_applied", "finished"
]

_STAGES: Mapping[str, StageName] = {"draft_done": "draft", "revised_done": "revised"}

_UNREVISED = {
    "zh": "{title}：复核未完成，以初稿计入。",
    "en": "{title}: the second look failed, so its draft counts.",
}

_NO_EVIDENCE = {
    "zh": "{title}：没有可供判断的依据。",
    "en": "{title} had no evidence to judge.",
}

_NOBODY = {
    "zh": "没有一项作答计入，无法得出结论。",
    "en": "no agent counted, so there is no conclusion.",
}

_FAILED = {
    "zh": "作答失败、未计入：{titles}。{error}",
    "en": "Failed and not counted: {titles}. {error}",
}


@dataclass(frozen=True)
class Event:
    """Something that happened during a run.

    Attributes:
        kind: What happened.
        at: When, in UTC.
        agent: The agent concerned; empty for the run as a whole.
        stage: The stage that was completed, for ``draft_done`` and ``revised_done``.
        detail: Status of a finished agent or run; name of an applied rule.
        report: The report, for ``agent_finished``.
    """

    kind: EventKind
    at: dt.datetime
    agent: str = ""
    stage: StageName | None = None
    detail: str = ""
    report: Report | None = None


@dataclass(frozen=True)
class Result:
    """How a run ended. ``reports`` are in plan order; ``verdict`` is None unless the status is ``done``."""

    reports: Reports
    verdict: Verdict | None
    receipt: Receipt | None
    status: Literal["done", "failed", "cancelled"]
    error: str = ""


async def run(
    plan: Plan,
    models: Models,
    model: Model,
    *,
    done: Reports | None = None,
    listen: Callable[[Event], None] = lambda event: None,
    options: RunOptions | None = None,
) -> Result:
    """Run all agents of a plan and conclude.

    Only the last agent (aggregator, synthesis, arbiter) can fail the run; the others fail open. A plan
    without one fails when no agent counts.

    Args:
        plan: What to run.
        models: Model name of each tier.
        model: Answers the requests of every tier.
        done: Reports of an interrupted run; their steps are not repeated.
        listen: Told of every event, on the event loop: it must return at once. Its failure is logged
            and does not touch the run.
        options: Deadline, sampling parameters, cache use.

    Returns:
        The result, ``done`` or ``failed``; ``cancelled`` where the budget of the day ran out: without the
        reports of the agents it cut off, so that the run can be resumed.

    Raises:
        asyncio.CancelledError: The run was cancelled; agents in flight are cancelled with it.
    """
    reports: dict[str, Report] = {}

    def tell(
        kind: EventKind,
        agent: str = "",
        *,
        stage: StageName | None = None,
        detail: str = "",
        report: Report | None = None,
    ) -> None:
        try:
            listen(Event(kind, dt.datetime.now(dt.UTC), agent, stage, detail, report))
        except Exception:  # whoever watches a run must not be able to break it
            log.exception("a listener failed on %s", kind)

    async def carry_out(step: Step, needs: list[asyncio.Task[None]]) -> None:
        if needs:
            await asyncio.wait(needs)
        if refused:
            return
        tell("agent_started", step.agent)
        try:
            report = await run_agent(
                step,
                plan,
                {need: reports[need] for need in step.needs},
                model,
                models.of(step.tier),
                options,
                progress=lambda point: tell(point, step.agent, stage=_STAGES.get(point)),
            )
        except BudgetError as error:
            refused.append(error)
            return
        reports[step.agent] = report
        tell("agent_finished", step.agent, detail=report.status, report=report)

    async def take_over(step: Step, needs: list[asyncio.Task[None]], report: Report) -> None:
        if needs:
            await asyncio.wait(needs)
        # The receipt covers what this process has read, so what the finished agent saw is read again.
        # Its report stands whether or not that works.
        with suppress(Exception):
            step.gather({need: reports[need] for need in step.needs})
        reports[step.agent] = report

    refused: list[BudgetError] = []
    tasks: dict[str, asyncio.Task[None]] = {}
    async with asyncio.TaskGroup() as group:
        for step in plan.steps:
            needs = [tasks[need] for need in step.needs]
            known = (done or {}).get(step.agent)
            work = carry_out(step, needs) if known is None else take_over(step, needs, known)
            tasks[step.agent] = group.create_task(work, name=step.agent)

    if refused:
        ready = {step.agent: reports[step.agent] for step in plan.steps if step.agent in reports}
        tell("finished", detail="cancelled")
        return Result(ready, None, plan.receipt(), "cancelled", str(refused[0]))
    result = _conclude(plan, {step.agent: reports[step.agent] for step in plan.steps})
    for adjustment in result.verdict.adjustments if result.verdict else ():
        tell("rule_applied", detail=adjustment.rule)
    tell("finished", detail=result.status)
    return result


def _why_not(plan: Plan, reports: Reports) -> str:
    """Why there is nothing to conclude; empty where there is."""
    last = None if plan.last is None else reports[plan.last.agent]
    if last is not None and (last.counted or last.error):
        return "" if last.counted else last.error
    others = [report for report in reports.values() if report is not last]
    if others and not any(report.counted for report in others):
        first = next((f" {report.title}: {report.error}" for report in others if report.error), "")
        return _NOBODY[plan.language] + first
    return _NO_EVIDENCE[plan.language].format(title=last.title) if last is not None else ""


def _conclude(plan: Plan, reports: Reports) -> Result:
    receipt = plan.receipt()
    if reason := _why_not(plan, reports):
        return Result(reports, None, receipt, "failed", reason)
    try:
        verdict = plan.conclude(reports)
    except Exception as error:  # the reports are paid for: a failing rule must not lose them
        log.exception("the rules of %s failed", plan.pipeline)
        return Result(reports, None, receipt, "failed", f"the rules failed: {type(error).__name__}: {error}")
    verdict = verdict.model_copy(update={"warnings": verdict.warnings + tuple(_faults(plan, reports))})
    return Result(reports, verdict, receipt, "done")


def _faults(plan: Plan, reports: Reports) -> Iterator[str]:
    """What went wrong without failing the run, each a warning with its verdict."""
    separator = "、" if plan.language == "zh" else ", "
    if failed := [report for report in reports.values() if report.failed]:
        titles = separator.join(report.title for report in failed)
        yield _FAILED[plan.language].format(titles=titles, error=failed[0].error)
    for report in reports.values():
        if report.counted and report.error:
            yield _UNREVISED[plan.language].format(title=report.title)
