"""How many calls a run will make, before it is started.

The run is carried out with nobody to ask but the baseline and the answers already paid for. Where an answer
is missing, what follows from it cannot be known: those agents will be asked too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.engine.agent import RunOptions
from workbench.engine.plan import Plan, Step
from workbench.engine.runner import run
from workbench.errors import ModelError
from workbench.llm.base import Model, Reply, Request
from workbench.llm.schemas import json_schema
from workbench.records import BASELINE, LAST_ROLES, Evidence, Models, Report

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
        needs: The agents whose reports it reads.
        question: The same for two agents that ask the same, as far as that does not hang on what those it
            needs have said.
    """

    agent: str
    title: str
    model: str
    calls: int
    cached: int
    needs: tuple[str, ...]
    question: str

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
        question = _question(step, plan, seen[step.agent].evidence, model)
        foreseen.append(Foresight(step.agent, step.title, model, calls, cached, step.needs, question))
    return tuple(foreseen)


def after(first: Sequence[Foresight], second: Sequence[Foresight]) -> tuple[Foresight, ...]:
    """What a second run will do beside a first one: a question both ask is put to the model once."""
    asked = {agent.agent: agent for agent in first}
    same: set[str] = set()
    foreseen = []
    for agent in second:
        other = asked.get(agent.agent)
        if other is not None and other.question == agent.question and same.issuperset(agent.needs):
            same.add(agent.agent)
            if agent.paid:
                agent = replace(agent, calls=0, cached=agent.cached + agent.calls)
        foreseen.append(agent)
    return tuple(foreseen)


def _question(step: Step, plan: Plan, evidence: Evidence, model: str) -> str:
    prompts = [prompt and prompt.hash for prompt in (step.draft, step.revise)]
    schema = json_schema(step.form.schema_of("draft"))
    settings = [plan.language, plan.blind, model, repr(plan.sampling.get(step.tier)), step.title]
    asked = [settings, prompts, step.task, schema, evidence.text, evidence.missing, step.needs]
    return json.dumps(asked, ensure_ascii=False, sort_keys=True, default=repr)


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
