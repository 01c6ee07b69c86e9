"""The exact prompts of a plan, before anybody is asked.

What an agent is told depends on what those before it reported. Reports of an earlier run are taken where
there are any; for the others the built-in baseline stands in, which is free and answers in the same form.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.engine.agent import prompt_variables
from workbench.engine.plan import Plan, Reports, Step
from workbench.engine.runner import run
from workbench.errors import WorkbenchError
from workbench.llm.base import Model
from workbench.records import Evidence, Models, Report, StageName
from workbench.strategy.prompts import Prompt


@dataclass(frozen=True)
class Question:
    """One prompt as it would be sent, and an answer of about the length to expect."""

    stage: StageName
    name: str
    version: str
    system: str
    prompt: str
    expected: str


@dataclass(frozen=True)
class AgentPreview:
    """What one agent would be asked.

    Attributes:
        step: The agent.
        evidence: What it would be shown.
        questions: Its prompts; none without evidence, and only the draft's where there is no second look.
        stand_ins: Earlier agents whose reports in these prompts are the baseline's.
        own_stand_in: Whether the draft the second look reads is the baseline's too.
        error: Why there is no prompt; empty where there is one, or no evidence.
    """

    step: Step
    evidence: Evidence
    questions: tuple[Question, ...] = ()
    stand_ins: tuple[str, ...] = ()
    own_stand_in: bool = False
    error: str = ""


async def preview(plan: Plan, baseline: Model, earlier: Reports | None = None) -> tuple[AgentPreview, ...]:
    """What each agent of a plan would be asked, in pipeline order.

    Args:
        plan: A plan that is not used for a run itself: its view keeps a receipt.
        baseline: Stands in where there is no earlier report.
        earlier: Reports of a stored run of the same subject, by agent.
    """
    rehearsal = (await run(plan, Models(), baseline)).reports
    stored = {
        agent: report for agent, report in (earlier or {}).items() if agent in rehearsal and report.counted
    }
    reports = {**rehearsal, **stored}
    return tuple(_of_agent(step, plan, reports, rehearsal[step.agent], stored) for step in plan.steps)


def _of_agent(step: Step, plan: Plan, reports: Reports, rehearsed: Report, stored: Reports) -> AgentPreview:
    try:
        evidence = step.gather(reports)
        if evidence.empty:
            return AgentPreview(step, evidence)
        questions = [_question("draft", step.draft, step, plan, evidence, reports, rehearsed)]
        if step.revise is not None:
            questions.append(_question("revised", step.revise, step, plan, evidence, reports, rehearsed))
    except WorkbenchError as error:
        return AgentPreview(step, Evidence(), error=str(error))
    read = tuple(need for need in step.needs if need not in stored)
    own = step.revise is not None and step.agent not in stored
    return AgentPreview(step, evidence, tuple(questions), read, own)


def _question(
    stage: StageName,
    prompt: Prompt,
    step: Step,
    plan: Plan,
    evidence: Evidence,
    reports: Reports,
    rehearsed: Report,
) -> Question:
    draft = None
    if stage == "revised":
        own = reports[step.agent].draft
        draft = own.fields if own else {}
    asked = prompt.render(prompt_variables(step, plan, evidence, reports, draft))
    return Question(
        stage=stage,
        name=prompt.agent,
        version=prompt.version,
        system=plan.hide(prompt.system),
        prompt=plan.hide(asked),
        expected=next((call.reply for call in rehearsed.calls if call.stage == stage), ""),
    )
