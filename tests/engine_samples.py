"""A small plan for tests of the engine: experts who each give a score, and one who concludes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from workbench.engine.plan import AnswerForm, Plan, Reports, Step
from workbench.records import PERCENT_SCALE, Evidence, Receipt, TickerSubject, Verdict
from workbench.strategy.prompts import Prompt

EVIDENCE = Evidence(facts={"revenue": 1}, text="revenue 1", sufficiency="high")
GOOD = {"score": 70, "confidence": 0.6, "analysis": "steady", "key_evidence": ["revenue 1"]}
REVISED = GOOD | {"score": 60, "why_changed": "one year only"}


class Answer(BaseModel):
    score: float = Field(ge=0, le=100)
    confidence: float = Field(ge=0, le=1)
    analysis: str
    key_evidence: list[str]


FORM = AnswerForm(Answer, PERCENT_SCALE, lambda fields: fields["score"], "confidence")
DRAFT = Prompt(
    "expert", "v1", "You judge.", "{{ evidence }} {{ reports | length }} {{ answer }}", "draft-hash"
)
REVISE = Prompt("expert", "v1", "You judge.", "{{ draft.score }} {{ answer }}", "revise-hash")


def step(
    agent: str,
    *,
    needs: Sequence[str] = (),
    last: bool = False,
    revise: bool = False,
    gather: Callable[[Reports], Evidence] = lambda reports: EVIDENCE,
    draft: Prompt = DRAFT,
) -> Step:
    return Step(
        agent=agent,
        title=agent.title(),
        role="synthesis" if last else "chapter",
        needs=tuple(needs),
        gather=gather,
        form=FORM,
        draft=draft,
        revise=REVISE if revise else None,
        task={"kind": "chapter"},
    )


def mean_verdict(reports: Reports) -> Verdict:
    """Mean of the counted scores."""
    scores = [report.final.score for report in reports.values() if report.counted and report.final]
    return Verdict(score=sum(score for score in scores if score is not None) / len(scores))


def plan_of(
    *steps: Step, conclude: Callable[[Reports], Verdict] = mean_verdict, language: Any = "en"
) -> Plan:
    return Plan(
        pipeline="chapters",
        subject=TickerSubject(code="AAPL", name="Apple"),
        as_of=dt.date(2021, 6, 30),
        strategy="value",
        strategy_text="kind: chapters\n",
        strategy_hash="0" * 64,
        prompt_version="v1",
        language=language,
        steps=steps,
        conclude=conclude,
        receipt=lambda: Receipt(as_of=dt.date(2021, 6, 30)),
    )


def two_and_a_conclusion(**changes: Mapping[str, Any]) -> Plan:
    """Experts ``a`` and ``b``, then ``end``; ``changes`` are arguments of ``step`` by agent."""
    return plan_of(
        step("a", **changes.get("a", {})),
        step("b", **changes.get("b", {})),
        step("end", needs=("a", "b"), last=True, **changes.get("end", {})),
    )
