"""Between the records of the workbench and the rows of its database. Pure; no connection in here."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, TypeAdapter

from workbench.records import (
    Blind,
    Call,
    Evidence,
    Models,
    Opinion,
    PipelineName,
    Receipt,
    Report,
    Run,
    RunStatus,
    Scale,
    Subject,
    Verdict,
)

_SUBJECT: TypeAdapter[Subject] = TypeAdapter(Subject)


class Named(Protocol):
    @property
    def agent(self) -> str: ...


class Planned(Protocol):
    """What the store keeps of a plan; ``workbench.engine.plan.Plan`` is one."""

    @property
    def pipeline(self) -> PipelineName: ...
    @property
    def subject(self) -> Subject: ...
    @property
    def as_of(self) -> dt.date: ...
    @property
    def strategy(self) -> str: ...
    @property
    def strategy_text(self) -> str: ...
    @property
    def strategy_hash(self) -> str: ...
    @property
    def prompt_version(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def blind(self) -> Blind: ...
    @property
    def steps(self) -> Sequence[Named]: ...


Row = dict[str, Any]
Texts = Mapping[str, str]
"""Stored texts by their hash."""


@dataclass(frozen=True)
class RunRow:
    """One line in a list of runs: what a reader sorts, filters and recognises runs by.

    ``failed`` is how many agents brought no usable answer, also in a run that was concluded without them.
    ``cost`` is in USD and None when no call had a known price; ``seconds`` is None while a run is going.
    """

    run_id: str
    pipeline: PipelineName
    status: RunStatus
    subject_key: str
    subject_title: str
    as_of: dt.date
    strategy: str
    strategy_hash: str
    prompt_version: str
    blind: Blind
    models: Models
    score: float | None
    label: str | None
    confidence: float | None
    counted: int | None
    total: int | None
    failed: int
    warnings: int
    cost: float | None
    started: dt.datetime
    finished: dt.datetime | None
    retry_of: str | None
    batch_id: str | None
    error: str
    starred: bool
    tags: tuple[str, ...]
    note: str

    @property
    def seconds(self) -> float | None:
        return (self.finished - self.started).total_seconds() if self.finished else None

    def to_json(self) -> Mapping[str, Any]:
        """The stable public shape printed by ``workbench runs --json``."""
        return {
            "run_id": self.run_id,
            "pipeline": self.pipeline,
            "status": self.status,
            "subject": self.subject_key,
            "title": self.subject_title,
            "as_of": self.as_of.isoformat(),
            "strategy": self.strategy,
            "blind": self.blind,
            "model": self.models.title,
            "score": self.score,
            "label": self.label,
            "confidence": self.confidence,
            "counted": self.counted,
            "total": self.total,
            "failed": self.failed,
            "cost": self.cost,
            "started": self.started.isoformat(),
            "finished": self.finished.isoformat() if self.finished else None,
            "starred": self.starred,
            "tags": list(self.tags),
            "note": self.note,
        }


def text_hash(text: str) -> str:
    """The name under which a text is stored: sha256 of its UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def as_json(record: BaseModel | None) -> str | None:
    return record.model_dump_json() if record is not None else None


def run_row(run_id: str, plan: Planned, models: Models, *, started: str, owner: str) -> tuple[Row, Texts]:
    """The row of a run that starts now, and the texts it names."""
    strategy = text_hash(plan.strategy_text)
    row = {
        "run_id": run_id,
        "pipeline": plan.pipeline,
        "status": "running",
        "subject_key": plan.subject.key,
        "subject_title": plan.subject.title,
        "subject": plan.subject.model_dump_json(),
        "as_of": plan.as_of.isoformat(),
        "strategy": plan.strategy,
        "strategy_hash": plan.strategy_hash,
        "strategy_text_hash": strategy,
        "prompt_version": plan.prompt_version,
        "language": plan.language,
        "blind": plan.blind,
        "specialist_model": models.specialist,
        "aggregator_model": models.aggregator,
        "agents": json.dumps([step.agent for step in plan.steps], ensure_ascii=False),
        "started": started,
        "owner": owner,
    }
    return row, {strategy: plan.strategy_text}


def report_rows(run_id: str, report: Report, *, saved: str) -> tuple[Row, list[Row], Texts]:
    """The row of a report, the rows of its calls, and the texts they name."""
    texts: dict[str, str] = {}

    def kept(text: str) -> str:
        # Half an emoji, which the JSON escapes of a cut-off answer decode to, has no UTF-8 form.
        text = text.encode("utf-8", "replace").decode()
        texts[name := text_hash(text)] = text
        return name

    row = {
        "run_id": run_id,
        "agent": report.agent,
        "title": report.title,
        "role": report.role,
        "scale": report.scale.model_dump_json(),
        "status": report.status,
        "evidence_hash": kept(report.evidence.model_dump_json()),
        "draft": as_json(report.draft),
        "revised": as_json(report.revised),
        "error": report.error,
        "saved": saved,
    }
    calls = [
        call.model_dump(mode="json", exclude={"params", "system", "prompt", "reply", "started"})
        | {
            "run_id": run_id,
            "position": position,
            "params": json.dumps(call.params, ensure_ascii=False),
            "system_hash": kept(call.system),
            "prompt_hash": kept(call.prompt),
            "reply_hash": kept(call.reply),
            "started": call.started.astimezone(dt.UTC).isoformat(timespec="microseconds"),
        }
        for position, call in enumerate(report.calls)
    ]
    return row, calls, texts


def report_record(row: Row, calls: Sequence[Row], texts: Texts) -> Report:
    """A report out of its rows."""
    return Report(
        agent=row["agent"],
        title=row["title"],
        role=row["role"],
        scale=Scale.model_validate_json(row["scale"]),
        status=row["status"],
        evidence=Evidence.model_validate_json(texts[row["evidence_hash"]]),
        draft=Opinion.model_validate_json(row["draft"]) if row["draft"] else None,
        revised=Opinion.model_validate_json(row["revised"]) if row["revised"] else None,
        error=row["error"],
        calls=tuple(_call_record(call, texts) for call in calls),
    )


def _call_record(row: Row, texts: Texts) -> Call:
    known = {name: row[name] for name in Call.model_fields if name in row}
    return Call.model_validate(
        known
        | {
            "params": json.loads(row["params"]),
            "system": texts[row["system_hash"]],
            "prompt": texts[row["prompt_hash"]],
            "reply": texts[row["reply_hash"]],
        }
    )


def named_texts(reports: Iterable[Row], calls: Iterable[Row]) -> Iterator[str]:
    """The hashes of every text these rows name."""
    for row in reports:
        yield row["evidence_hash"]
    for row in calls:
        yield from (row["system_hash"], row["prompt_hash"], row["reply_hash"])


def run_record(row: Row, strategy_text: str, reports: Sequence[Report]) -> Run:
    """A run out of its row; reports come in the order of the plan."""
    order = {agent: position for position, agent in enumerate(json.loads(row["agents"]))}
    return Run(
        run_id=row["run_id"],
        pipeline=row["pipeline"],
        status=row["status"],
        subject=_SUBJECT.validate_json(row["subject"]),
        as_of=row["as_of"],
        models=_models(row),
        strategy=row["strategy"],
        strategy_text=strategy_text,
        strategy_hash=row["strategy_hash"],
        prompt_version=row["prompt_version"],
        language=row["language"],
        blind=row["blind"],
        started=row["started"],
        finished=row["finished"],
        retry_of=row["retry_of"],
        repeat=row["repeat"],
        reports=tuple(sorted(reports, key=lambda report: order.get(report.agent, len(order)))),
        verdict=Verdict.model_validate_json(row["verdict"]) if row["verdict"] else None,
        receipt=Receipt.model_validate_json(row["receipt"]) if row["receipt"] else None,
        error=row["error"],
    )


def list_row(row: Row) -> RunRow:
    """A line of a list out of the columns that ``RunStore.find`` selects."""
    return RunRow(
        run_id=row["run_id"],
        pipeline=row["pipeline"],
        status=row["status"],
        subject_key=row["subject_key"],
        subject_title=row["subject_title"],
        as_of=dt.date.fromisoformat(row["as_of"]),
        strategy=row["strategy"],
        strategy_hash=row["strategy_hash"],
        prompt_version=row["prompt_version"],
        blind=row["blind"],
        models=_models(row),
        score=row["score"],
        label=row["label"],
        confidence=row["confidence"],
        counted=row["counted"],
        total=row["total"],
        failed=row["failed"],
        warnings=row["warnings"] or 0,
        cost=row["cost"],
        started=dt.datetime.fromisoformat(row["started"]),
        finished=dt.datetime.fromisoformat(row["finished"]) if row["finished"] else None,
        retry_of=row["retry_of"],
        batch_id=row["batch_id"],
        error=row["error"],
        starred=bool(row["starred"]),
        tags=tuple(sorted(json.loads(row["tags"]))),
        note=row["note"] or "",
    )


def _models(row: Row) -> Models:
    return Models(specialist=row["specialist_model"], aggregator=row["aggregator_model"])
