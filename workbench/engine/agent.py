"""One agent: gather the evidence, ask for a draft, ask for a second look, hand in a report.

This is the boundary at which the engine fails open. Whatever goes wrong with one agent (no evidence, a
prompt that does not render, a model that is silent or talks nonsense) ends as a report that says so, and
the other agents go on.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from workbench.engine.plan import Plan, Reports, Step, told_of
from workbench.engine.turns import turn
from workbench.errors import ModelError, WorkbenchError
from workbench.llm.base import CacheUse, Model, Reply, Request
from workbench.llm.budget import BudgetError
from workbench.llm.redaction import redacted
from workbench.llm.replies import ReplyError, parse_reply
from workbench.llm.schemas import reworded
from workbench.llm.skeleton import skeleton
from workbench.records import BASELINE, Call, Evidence, Opinion, Report, Sampling, StageName, Status, Tier
from workbench.strategy.prompts import Prompt

log = logging.getLogger(__name__)

Progress = Callable[[Literal["gathered", "draft_done", "revised_done"]], None]
"""Called as one agent reaches each point of its work."""

_ASK_AGAIN = {
    "zh": "\n\n你上一次的回答无法使用：{error}\n请重新作答，只输出一个符合上述格式的 JSON 对象。",
    "en": "\n\nYour previous answer could not be used: {error}\n"
    "Answer again with exactly one JSON object in the form given above.",
}


@dataclass(frozen=True)
class RunOptions:
    """How the agents of a run are conducted, as far as the plan does not say.

    Attributes:
        agent_deadline_s: Seconds one agent may take for all its calls together.
        sampling: Sampling parameters of each tier; those of the plan go before them, one by one.
        cache: Whether stored answers may be used.
        repeat: Index of a repeated run; repeats never share a stored answer.
    """

    agent_deadline_s: float = 600.0
    sampling: Mapping[Tier, Sampling] = field(default_factory=dict)
    cache: CacheUse = "use"
    repeat: int = 0


def prompt_variables(
    step: Step,
    plan: Plan,
    evidence: Evidence,
    reports: Reports,
    draft: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What a prompt template may refer to; the same names for every agent.

    Args:
        step: The agent whose prompt is rendered.
        plan: The plan it belongs to.
        evidence: What the agent is shown.
        reports: Reports so far; only those of ``step.needs`` are passed on.
        draft: Fields of the agent's own draft. ``draft`` is a variable of the second look only.

    Returns:
        ``subject as_of language evidence missing task reports answer`` and, with a draft, ``draft``.
    """
    variables: dict[str, Any] = {
        "subject": plan.subject.model_dump(mode="json") | {"title": plan.subject.title},
        "as_of": plan.as_of.isoformat(),
        "language": plan.language,
        "evidence": evidence.text,
        "missing": evidence.missing,
        "task": step.task,
        "reports": [
            told_of(report)
            for report in step.reads([reports[need] for need in step.needs if need in reports])
        ],
        "answer": skeleton(step.form.schema_of("draft" if draft is None else "revised")),
    }
    if draft is not None:
        variables["draft"] = draft
    return variables


async def run_agent(
    step: Step,
    plan: Plan,
    reports: Reports,
    model: Model,
    model_name: str,
    options: RunOptions | None = None,
    progress: Progress = lambda point: None,
) -> Report:
    """Carry out one step.

    A draft whose second look failed still counts: the report is ``ok``, has no revised opinion and
    carries the reason in ``error``.

    Args:
        step: What to do.
        plan: The plan the step belongs to.
        reports: Reports of the agents named in ``step.needs``.
        model: Who answers.
        model_name: Name under which the answer is requested.
        options: Deadline, sampling parameters, cache use.
        progress: Told when the evidence is gathered and when each opinion is ready.

    Returns:
        The report, whatever happened. Only cancellation leaves this function as an exception, and:

    Raises:
        BudgetError: Nothing more may be paid for today. What was answered before stays in the cache.
    """
    return await _Agent(step, plan, reports, model, model_name, options or RunOptions(), progress).report()


@dataclass
class _Agent:
    step: Step
    plan: Plan
    reports: Reports
    model: Model
    model_name: str
    options: RunOptions
    progress: Progress
    evidence: Evidence = field(default_factory=Evidence)
    draft: Opinion | None = None
    revised: Opinion | None = None
    calls: list[Call] = field(default_factory=list)

    async def report(self) -> Report:
        deadline = asyncio.timeout(self.options.agent_deadline_s)
        try:
            async with deadline:
                await turn()
                self.evidence = self.step.gather(self.reports)
                self.progress("gathered")
                if self.evidence.empty:
                    return self._report("no_data")
                self.draft = await self._opinion("draft", self.step.draft)
                self.progress("draft_done")
                if self.step.revise is not None:
                    self.revised = await self._opinion("revised", self.step.revise)
                    self.progress("revised_done")
                return self._report("ok")
        except BudgetError:
            raise  # nothing is wrong with the agent: the run goes on when it may be paid for
        except Exception as error:  # noqa: BLE001 - one broken agent must not stop the others
            reason = self._reason(error, timed_out=deadline.expired())
            if self.draft is not None:
                return self._report("ok", f"The second look failed, so the draft counts: {reason}")
            return self._report("parse_error" if isinstance(error, ReplyError) else "error", reason)

    async def _opinion(self, stage: StageName, prompt: Prompt) -> Opinion:
        draft = None if self.draft is None else self.draft.fields
        form = self.step.form
        request = Request(
            agent=self.step.agent,
            stage=stage,
            model=self.model_name,
            system=self.plan.hide(prompt.system),
            prompt=self.plan.hide(
                prompt.render(prompt_variables(self.step, self.plan, self.evidence, self.reports, draft))
            ),
            schema=reworded(form.schema_of(stage), self.plan.hide),
            facts=self.evidence.facts,
            task=self.step.task,
            draft=draft,
            params=self._params(),
            template_hash=prompt.hash,
            repeat=self.options.repeat,
            cache=self.options.cache,
        )
        try:
            fields = await self._ask(request, prompt, attempt=1)
        except ReplyError as error:
            # The bad answer itself is never shown again: models copy what they are shown.
            again = self.plan.hide(_ASK_AGAIN[self.plan.language].format(error=error))
            fields = await self._ask(replace(request, prompt=request.prompt + again), prompt, attempt=2)
        return form.opinion(stage, fields)

    def _params(self) -> dict[str, Any]:
        if self.model_name == BASELINE:
            return {}
        asked = (source.get(self.step.tier) for source in (self.options.sampling, self.plan.sampling))
        return {name: value for sampling in asked if sampling for name, value in sampling.params.items()}

    async def _ask(self, request: Request, prompt: Prompt, *, attempt: int) -> Mapping[str, Any]:
        """One call, recorded whether it succeeds or not."""
        call = Call(
            agent=request.agent,
            stage=request.stage,
            attempt=attempt,
            requested_model=request.model,
            params=dict(request.params),
            system=request.system,
            prompt=request.prompt,
            prompt_version=prompt.version,
            template_hash=prompt.hash,
            started=dt.datetime.now(dt.UTC),
        )
        answered: dict[str, Any] = {}
        try:
            reply = await self.model.complete(request)
            await turn(first=True)
            answered = {
                "reply": reply.text,
                "resolved_model": reply.resolved_model,
                "input_tokens": reply.input_tokens,
                "cached_tokens": reply.cached_tokens,
                "output_tokens": reply.output_tokens,
                "cost": reply.cost,
                "cost_source": reply.cost_source,
                "latency_s": reply.latency_s,
                "cache_hit": reply.cache_hit,
            }
            return self._fields(reply, request)
        except asyncio.CancelledError:
            answered["error"] = "stopped before an answer came"
            raise
        except Exception as error:
            answered["error"] = self._reason(error)
            raise
        finally:
            self.calls.append(call.model_copy(update=answered))

    def _fields(self, reply: Reply, request: Request) -> Mapping[str, Any]:
        try:
            schema = self.step.form.schema_of(request.stage)
            return parse_reply(self.plan.reveal(reply.text), schema).value
        except ReplyError as error:
            if reply.cut_off and error.kind == "parse":
                raise ReplyError("parse", "the limit of tokens cut the answer off.") from None
            raise

    def _reason(self, error: Exception, *, timed_out: bool = False) -> str:
        if timed_out:
            error = ModelError(
                f"no result within {self.options.agent_deadline_s:g} s.",
                where=self.step.agent,
                remedy="Raise WORKBENCH_AGENT_DEADLINE_S or choose a faster model.",
            )
        if isinstance(error, WorkbenchError):
            return redacted(str(error))
        log.error("agent %s failed unexpectedly", self.step.agent, exc_info=error)
        return redacted(f"unexpected {type(error).__name__}: {error}")

    def _report(self, status: Status, error: str = "") -> Report:
        return Report(
            agent=self.step.agent,
            title=self.step.title,
            role=self.step.role,
            scale=self.step.form.scale,
            status=status,
            evidence=self.evidence,
            draft=self.draft,
            revised=self.revised,
            error=error,
            calls=tuple(self.calls),
        )
