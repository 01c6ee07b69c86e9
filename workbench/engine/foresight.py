"""How many calls a run will make, before it is started.

The run is carried out with nobody to ask but the baseline and the answers already paid for. Where an answer
is missing, what follows from it cannot be known: those agents will be asked too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.engine.agent import RunOptions
from workbench.engine.plan import Plan, Step
from workbench.engine.runner import run
from workbench.errors import ModelError
from workbench.llm.base import Model, Reply, Request
from workbench.records import BASELINE, LAST_ROLES, Models, Report

Known = Callable[[Request], Reply | None]
"""The stored answer to a question, if there is one."""


@dataclass(frozen=True)
class Foresight:
    """What one agent will do.

    Attributes:
        agent: Its name.
        title: What a reader calls it.
        model: Who answers.
        calls: Questions that will be put to the model, apart from re-asking an unusable answer.
        cached: Questions already answered.
    """

    agent: str
    title: str
    model: str
    calls: int
    cached: int

    @property
    def paid(self) -> int:
        """Calls somebody may charge for."""
        return 0 if self.model == BASELINE else self.calls


class _Remembering:
    """Answers from memory or by the rules, and from nobody else."""

    def __init__(self, known: Known, baseline: Model) -> None:
        self._known = known
        self._baseline = baseline

    async def complete(self, request: Request) -> Reply:
        if request.model == BASELINE:
            return await self._baseline.complete(request)
        reply = self._known(request)
        if reply is None:
            raise ModelError("this question has not been asked yet.")
        return reply


async def foresee(
    plan: Plan, models: Models, known: Known, baseline: Model, options: RunOptions | None = None
) -> tuple[Foresight, ...]:
    """The calls a run will make, agent by agent.

    Args:
        plan: A plan that is not used for the run itself: its view keeps a receipt.
        models: Model name of each tier.
        known: Looks a question up.
        baseline: The built-in rules.
        options: Sampling parameters and repeat index, which are part of a question.
    """
    seen = (await run(plan, models, _Remembering(known, baseline), options=options)).reports
    unknown: set[str] = set()
    foreseen = []
    for step in plan.steps:
        model = models.of(step.tier)
        in_the_dark = not unknown.isdisjoint(step.needs)
        calls, cached = _calls(step, seen[step.agent], model, in_the_dark=in_the_dark)
        if in_the_dark or (calls and model != BASELINE):
            unknown.add(step.agent)
        foreseen.append(Foresight(step.agent, step.title, model, calls, cached))
    return tuple(foreseen)


def _calls(step: Step, report: Report, model: str, *, in_the_dark: bool) -> tuple[int, int]:
    """Calls to make and answers at hand; ``in_the_dark`` where what the agent reads is not known yet."""
    stages = 1 if step.revise is None else 2
    if in_the_dark:
        silent = report.status == "no_data" and step.role not in LAST_ROLES
        return (0 if silent else stages), 0
    answered = sum(not call.error for call in report.calls)
    if model == BASELINE or not report.calls:
        return answered, 0
    return stages - answered, answered
