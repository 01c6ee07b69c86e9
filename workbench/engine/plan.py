"""A plan: the steps a pipeline asks the engine to run, as plain data and pure functions.

A pipeline writes the plan; ``engine.runner`` carries it out. Nothing here calls a model, a clock or
a database, so a plan can be previewed (every prompt rendered) without running it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from workbench.records import (
    LAST_ROLES,
    Blind,
    Evidence,
    Opinion,
    PipelineName,
    Receipt,
    Report,
    Role,
    Sampling,
    Scale,
    StageName,
    Subject,
    Tier,
    Verdict,
)
from workbench.strategy.prompts import Prompt

Reports = Mapping[str, Report]

CONFIDENCE_WORDS: Mapping[str, float] = {
    "高": 0.8,
    "中": 0.5,
    "低": 0.2,
    "high": 0.8,
    "medium": 0.5,
    "low": 0.2,
}
"""Where an answer gives its confidence as a word, the number it is drawn and compared at."""


@cache
def _revised(schema: type[BaseModel]) -> type[BaseModel]:
    if "why_changed" in schema.model_fields:
        return schema
    return create_model(f"{schema.__name__}Revised", __base__=schema, why_changed=(str, Field(min_length=1)))


@dataclass(frozen=True)
class AnswerForm:
    """How one agent answers: the schema, and which of its fields are the opinion's.

    Args:
        schema: Pydantic model the reply is parsed into. Fields that are no identifiers have an alias.
        scale: Scale of the score.
        score: Reads the score from the parsed fields; None for an agent that gives none.
        confidence: Field holding a 0..1 number or one of ``CONFIDENCE_WORDS``.
        analysis: Field holding the prose.
        key_evidence: Field holding the list of evidence lines.
    """

    schema: type[BaseModel]
    scale: Scale
    score: Callable[[Mapping[str, Any]], float | None]
    confidence: str
    analysis: str = "analysis"
    key_evidence: str = "key_evidence"

    def schema_of(self, stage: StageName) -> type[BaseModel]:
        """The schema of one stage: a revised answer also says what it changed and why."""
        return self.schema if stage == "draft" else _revised(self.schema)

    def opinion(self, stage: StageName, fields: Mapping[str, Any]) -> Opinion:
        """Turn parsed fields into the opinion of ``stage``."""
        confidence = fields.get(self.confidence)
        return Opinion(
            stage=stage,
            score=self.score(fields),
            confidence=CONFIDENCE_WORDS[confidence] if isinstance(confidence, str) else confidence,
            analysis=str(fields.get(self.analysis) or ""),
            key_evidence=tuple(str(line) for line in fields.get(self.key_evidence) or ()),
            fields=dict(fields),
            why_changed=str(fields.get("why_changed") or "") if stage == "revised" else "",
        )


@dataclass(frozen=True)
class Step:
    """One agent of a plan.

    Attributes:
        agent: Unique name within the plan.
        title: What a reader calls it.
        role: Decides fail-open and the model tier.
        needs: Agents that must have reported (with any status) before this one starts.
        gather: Reports so far -> evidence. Called once, just before the prompt is rendered. It must not
            block for long and may raise ``WorkbenchError``, which becomes the report's error.
        form: How the agent answers.
        draft: Prompt of the first call.
        revise: Prompt of the second call; None when the strategy does not ask for one.
        task: What the strategy asks of this agent; passed to the template and to the model as it is.
        reads: Makes of the reports it needs what the prompt shows of them, e.g. within a budget.
    """

    agent: str
    title: str
    role: Role
    needs: tuple[str, ...]
    gather: Callable[[Reports], Evidence]
    form: AnswerForm
    draft: Prompt
    revise: Prompt | None = None
    task: Mapping[str, Any] = field(default_factory=dict)
    reads: Callable[[Sequence[Report]], Sequence[Report]] = list

    @property
    def tier(self) -> Tier:
        return "aggregator" if self.role in LAST_ROLES else "specialist"


@dataclass(frozen=True)
class Plan:
    """Everything the engine needs to run one pipeline over one subject.

    ``conclude`` turns all reports into the verdict; ``receipt`` reads what the point-in-time view has
    let through and withheld so far. In a ``blind`` run ``hide`` is applied to everything a model is told and
    ``reveal`` to everything it answers. ``sampling`` is what the strategy asks for, tier by tier.
    """

    pipeline: PipelineName
    subject: Subject
    as_of: dt.date
    strategy: str
    strategy_text: str
    strategy_hash: str
    prompt_version: str
    language: Literal["zh", "en"]
    steps: tuple[Step, ...]
    conclude: Callable[[Reports], Verdict]
    receipt: Callable[[], Receipt]
    blind: Blind = "none"
    hide: Callable[[str], str] = str
    reveal: Callable[[str], str] = str
    sampling: Mapping[Tier, Sampling] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for step in self.steps:
            if step.agent in seen:
                raise ValueError(f"two steps are called {step.agent!r}")
            unknown = [need for need in step.needs if need not in seen]
            if unknown:
                raise ValueError(f"step {step.agent!r} needs {unknown}, which no earlier step provides")
            seen.add(step.agent)

    @property
    def last(self) -> Step | None:
        """The aggregator, synthesis or arbiter: the one step whose failure fails the run.

        None where the rules alone conclude; such a run fails only when no agent counts.
        """
        return next((step for step in reversed(self.steps) if step.role in LAST_ROLES), None)


def told_of(report: Report) -> dict[str, Any]:
    """What a later agent is told of a report: how it stands and, where it counts, its final opinion."""
    opinion = report.final if report.counted else None
    return {
        "agent": report.agent,
        "title": report.title,
        "status": report.status,
        "sufficiency": report.evidence.sufficiency,
        "score": opinion.score if opinion else None,
        "confidence": opinion.confidence if opinion else None,
        "analysis": opinion.analysis if opinion else "",
        "key_evidence": list(opinion.key_evidence) if opinion else [],
        "fields": opinion.fields if opinion else {},
    }
