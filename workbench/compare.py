"""Stored runs side by side: what each says, how it differs from the first, and what weakens the comparison.

Pure: runs in, figures and words out. The first run is the reference; every change is signed against it.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from workbench.errors import InputError
from workbench.records import Report, Run

Section = Literal["verdict", "agents", "rules", "evidence", "config", "cost"]
SECTIONS: tuple[Section, ...] = get_args(Section)

Value = float | str | None

WeaknessKind = Literal[
    "subject",
    "as_of",
    "language",
    "blind",
    "prompt_version",
    "unfinished",
    "not_all_counted",
    "several_changes",
]

_WEAKNESSES: dict[WeaknessKind, str] = {
    "subject": "different subjects: {}",
    "as_of": "different as-of dates: {}",
    "language": "different languages: {}",
    "blind": "not equally blind: {}",
    "prompt_version": "different prompt versions: {}",
    "unfinished": "without a verdict: {}",
    "not_all_counted": "not every agent counted: {}",
    "several_changes": "more than one thing changed, so no difference has one cause: {}",
}


class Cell(NamedTuple):
    """One value of one run.

    Attributes:
        value: None when the run has no such value.
        change: Value minus the reference's; None for texts, for the reference, and when either is missing.
    """

    value: Value
    change: float | None = None


@dataclass(frozen=True)
class Row:
    """One thing compared.

    Attributes:
        section: Where it belongs.
        agent: Name of the agent it is about; empty where it is about the run.
        name: What is compared, e.g. ``score``, ``draft``, a rule, a field of the answer.
        cells: One per run, in the order of the runs.
    """

    section: Section
    agent: str
    name: str
    cells: tuple[Cell, ...]

    @property
    def same(self) -> bool:
        """Whether every run has the same value, so that the row may be folded away."""
        return len({cell.value for cell in self.cells}) == 1


@dataclass(frozen=True)
class Weakness:
    """A reason to trust the comparison less: its kind, and the differing values or the runs concerned."""

    kind: WeaknessKind
    values: tuple[str, ...]

    def __str__(self) -> str:
        return _WEAKNESSES[self.kind].format(", ".join(self.values))


@dataclass(frozen=True)
class Comparison:
    """Runs compared.

    Attributes:
        runs: The runs; the first is the reference.
        titles: What a reader calls each agent, by name, in the order of the pipeline.
        rows: Everything compared, section by section.
        weakened_by: Why the comparison says less than it seems to.
        strategy_diffs: How the text of the strategy differs from the reference's, as a unified difference by
            run id; only of runs whose strategy differs.
    """

    runs: tuple[Run, ...]
    titles: Mapping[str, str]
    rows: tuple[Row, ...]
    weakened_by: tuple[Weakness, ...]
    strategy_diffs: Mapping[str, str]

    @property
    def reference(self) -> Run:
        return self.runs[0]

    def section(self, section: Section, *, differing: bool = False) -> list[Row]:
        """The rows of a section, or only those that differ."""
        return [row for row in self.rows if row.section == section and not (differing and row.same)]

    def to_json(self) -> Mapping[str, Any]:
        """The stable public shape printed by ``workbench compare --json``."""
        return {
            "runs": [run.run_id for run in self.runs],
            "weakened_by": [str(weakness) for weakness in self.weakened_by],
            "rows": [
                {
                    "section": row.section,
                    "agent": row.agent,
                    "name": row.name,
                    "same": row.same,
                    "values": [cell.value for cell in row.cells],
                    "changes": [cell.change for cell in row.cells],
                }
                for row in self.rows
            ],
            "strategy_diffs": dict(self.strategy_diffs),
        }


def compare(runs: Sequence[Run]) -> Comparison:
    """Compare two or more runs of one pipeline; the first is the reference.

    Raises:
        InputError: Fewer than two runs, one run twice, or runs of different pipelines.
    """
    if len({run.run_id for run in runs}) < max(2, len(runs)):
        raise InputError("a comparison needs two or more different runs.")
    pipelines = sorted({run.pipeline for run in runs})
    if len(pipelines) > 1:
        raise InputError(
            f"runs of {' and '.join(pipelines)} have nothing to compare.",
            remedy="Choose runs of one pipeline.",
        )
    reference = runs[0]
    return Comparison(
        runs=tuple(runs),
        titles={report.agent: report.title for run in runs for report in run.reports},
        rows=tuple(_rows(runs)),
        weakened_by=tuple(_weaknesses(runs)),
        strategy_diffs={
            run.run_id: strategy_diff(reference, run)
            for run in runs[1:]
            if run.strategy_text != reference.strategy_text
        },
    )


def strategy_diff(before: Run, after: Run) -> str:
    """Unified difference of the strategy texts of two runs; empty when they are equal."""
    lines = difflib.unified_diff(
        before.strategy_text.splitlines(),
        after.strategy_text.splitlines(),
        f"{before.strategy} ({before.run_id})",
        f"{after.strategy} ({after.run_id})",
        lineterm="",
    )
    return "\n".join(lines)


class _Key(NamedTuple):
    section: Section
    agent: str
    name: str


def _rows(runs: Sequence[Run]) -> Iterator[Row]:
    values = [dict(_values(run)) for run in runs]
    keys = dict.fromkeys(key for known in values for key in known)
    agents = list(dict.fromkeys(key.agent for key in keys))
    # What only a later run has is named where it belongs, not at the end.
    for key in sorted(keys, key=lambda key: (SECTIONS.index(key.section), agents.index(key.agent))):
        first, *others = (known.get(key) for known in values)
        cells = (Cell(first), *(Cell(value, _change(first, value)) for value in others))
        yield Row(key.section, key.agent, key.name, cells)


def _change(before: Value, after: Value) -> float | None:
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        return after - before
    return None


def _values(run: Run) -> Iterator[tuple[_Key, Value]]:
    """Every comparable value of a run."""
    for name, value in (*_verdict(run), *_fields(run)):
        yield _Key("verdict", "", name), value
    for adjustment in run.verdict.adjustments if run.verdict else ():
        text = f"{_plain(adjustment.before)} → {_plain(adjustment.after)}"
        yield _Key("rules", "", f"{adjustment.rule}: {adjustment.field}"), text
    for name, value in _config(run):
        yield _Key("config", "", name), value
    if run.receipt:
        yield _Key("evidence", "", "newest_evidence"), str(run.receipt.newest_evidence or "") or None
        yield _Key("evidence", "", "withheld"), run.receipt.withheld
    for name, value in _cost(run):
        yield _Key("cost", "", name), value
    for report in run.reports:
        for section, name, value in _report(report):
            yield _Key(section, report.agent, name), value


def _verdict(run: Run) -> Iterator[tuple[str, Value]]:
    yield "status", run.status
    if verdict := run.verdict:
        yield "score", verdict.score
        yield "label", verdict.label
        yield "confidence", verdict.confidence
        yield "counted", verdict.counted
        yield "warnings", len(verdict.warnings)


def _fields(run: Run) -> Iterator[tuple[str, Value]]:
    """The single values of the answer; lists and findings step by step are for reading, not for comparing."""
    for name, value in (run.verdict.fields if run.verdict else {}).items():
        if name == "step_findings":
            continue
        inner: Mapping[str, Any] = value if isinstance(value, Mapping) else {"": value}
        for part, single in inner.items():
            if isinstance(single, (int, float, str)):
                shown = single if not isinstance(single, bool) else str(single).lower()
                yield f"{name}.{part}".rstrip("."), shown


def _report(report: Report) -> Iterator[tuple[Section, str, Value]]:
    yield "agents", "status", report.status
    if report.draft:
        yield "agents", "draft", report.draft.score
    if report.revised:
        yield "agents", "revised", report.revised.score
    if report.final:
        yield "agents", "confidence", report.final.confidence
    yield "evidence", "sufficiency", report.evidence.sufficiency
    yield "evidence", "content", _fingerprint(report.evidence.text)
    if report.calls:
        yield "config", "prompt", report.calls[0].template_hash[:8]
        yield "config", "model", report.calls[0].resolved_model or report.calls[0].requested_model


def _config(run: Run) -> Iterator[tuple[str, Value]]:
    yield "subject", run.subject.title
    yield "as_of", run.as_of.isoformat()
    yield "strategy", run.strategy
    yield "strategy_hash", run.strategy_hash[:8]
    yield "prompt_version", run.prompt_version
    yield "models", run.models.title
    yield "language", run.language
    yield "blind", run.blind


def _cost(run: Run) -> Iterator[tuple[str, Value]]:
    """Money in USD, tokens and seconds; what a cache answered was paid for by another run."""
    calls = [call for report in run.reports for call in report.calls]
    paid = [call for call in calls if not call.cache_hit]
    yield "calls", len(calls)
    yield "cache_hits", len(calls) - len(paid)
    yield "input_tokens", _total([call.input_tokens for call in paid])
    yield "output_tokens", _total([call.output_tokens for call in paid])
    yield "cost", _total([call.cost for call in paid])
    yield "seconds", (run.finished - run.started).total_seconds() if run.finished else None


def _total(values: Sequence[float | None]) -> float | None:
    """The sum of what is known; None when nothing is, which is not the same as 0."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _fingerprint(text: str) -> str | None:
    return hashlib.sha256(text.encode()).hexdigest()[:8] if text else None


def _plain(value: Value) -> str:
    if value is None:
        return "–"
    return f"{value:g}" if isinstance(value, (int, float)) else value


def _weaknesses(runs: Sequence[Run]) -> Iterator[Weakness]:
    differing: dict[WeaknessKind, list[str]] = {
        "subject": [run.subject.title for run in runs],
        "as_of": [run.as_of.isoformat() for run in runs],
        "language": [run.language for run in runs],
        "blind": [run.blind for run in runs],
        "prompt_version": [run.prompt_version for run in runs],
    }
    if len({run.subject.key for run in runs}) == 1:
        del differing["subject"]  # one company, called by its names in two languages
    for kind, values in differing.items():
        if len(distinct := dict.fromkeys(values)) > 1:
            yield Weakness(kind, tuple(distinct))
    if unfinished := [run.run_id for run in runs if run.verdict is None]:
        yield Weakness("unfinished", tuple(unfinished))
    partial = [
        f"{run.run_id} ({run.verdict.counted} of {run.verdict.total})"
        for run in runs
        if run.verdict and run.verdict.counted < run.verdict.total
    ]
    if partial:
        yield Weakness("not_all_counted", tuple(partial))
    changed = {
        "strategy": {run.strategy_hash for run in runs},
        "models": {run.models.title for run in runs},
        "prompts": {run.prompt_version for run in runs},
    }
    if len(several := [name for name, values in changed.items() if len(values) > 1]) > 1:
        yield Weakness("several_changes", tuple(several))
