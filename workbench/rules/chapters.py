"""From the reports of a chapters run to its verdict: hard rules, thresholds, and what is missing.

The synthesis judges; what follows here is arithmetic that holds whatever it says. Every change is an
adjustment which names the field that caused it. A field nobody answered is unknown: it triggers nothing
and passes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.records import Adjustment, Report, Verdict
from workbench.strategy.answer_fields import label_words, read_label, role_field
from workbench.strategy.parts import Language
from workbench.strategy.schema import (
    LABELS,
    SYNTHESIS,
    ChaptersStrategy,
    Condition,
    FieldRef,
    HardRule,
    Label,
)

Answers = Mapping[str, Mapping[str, Any]]
"""Agent -> field -> answer, of every agent that counted, in run order."""

COVERAGE_WEIGHT = {"high": 1.0, "medium": 1.0, "low": 0.5, "none": 0.0}
"""How much a chapter that came to a judgement contributes to the evidence, by its sufficiency."""

_MISSING = "证据覆盖"


@dataclass(frozen=True)
class Triggered:
    """A hard rule whose conditions hold, and the answers that made it so, each ``agent.field = value``."""

    rule: HardRule
    because: tuple[str, ...]

    def clause(self, language: Language) -> str:
        """Why the rule exists and what triggered it, without a full stop."""
        why = (self.rule.why or self.rule.name).rstrip("。. ")
        return (
            f"{why}（{'，'.join(self.because)}）"
            if language == "zh"
            else f"{why} ({', '.join(self.because)})"
        )


def judged(report: Report) -> bool:
    """Whether a chapter came to a judgement; one that answered without a score did not."""
    return report.counted and report.final is not None and report.final.score is not None


def conclude(reports: Mapping[str, Report], strategy: ChaptersStrategy) -> Verdict:
    """The verdict of a run whose synthesis has answered.

    The score is the synthesis' own after the hard rules; the label follows from the score by the strategy's
    thresholds and the labels the rules bar; the confidence is lowered by the share of the evidence missing.

    Args:
        reports: Agent -> report, the synthesis among them.
        strategy: The strategy of the run.
    """
    synthesis = reports[SYNTHESIS]
    chapters = [report for report in reports.values() if report.role == "chapter"]
    counted = sum(map(judged, chapters))
    warnings = _gaps(chapters, strategy)
    opinion = synthesis.final if synthesis.counted else None
    if opinion is None or opinion.score is None or not counted:
        return Verdict(warnings=tuple(warnings), counted=counted, total=len(chapters))
    answers = {agent: r.final.fields for agent, r in reports.items() if r.counted and r.final is not None}
    score, label, adjustments = apply_rules(opinion.score, triggered(strategy.hard_rules, answers), strategy)
    confidence, lowered = _confidence(opinion.confidence, chapters, strategy)
    names = [field.name for field in strategy.framework.synthesis.fields()]
    warnings += _own_label(opinion.fields, label, strategy)
    warnings += _unanswered([name for name in names if name not in opinion.fields], strategy)
    return Verdict(
        score=score,
        label=label,
        confidence=confidence,
        fields={name: opinion.fields.get(name) for name in (*names, "step_findings")},
        adjustments=(*adjustments, *lowered),
        warnings=tuple(warnings),
        counted=counted,
        total=len(chapters),
    )


def triggered(rules: Sequence[HardRule], answers: Answers) -> list[Triggered]:
    """The rules whose conditions hold, in file order."""
    found = []
    for rule in rules:
        held = [_holds(condition, answers) for condition in rule.when.conditions]
        if (all(held) if rule.when.all else any(held)) is True:
            facts = [
                _describe(ref, answers)
                for condition, holds in zip(rule.when.conditions, held, strict=True)
                if holds
                for ref in (condition, condition.other)
                if ref is not None
            ]
            found.append(Triggered(rule, tuple(dict.fromkeys(facts))))
    return found


def apply_rules(
    score: float, rules: Sequence[Triggered], strategy: ChaptersStrategy
) -> tuple[float, Label, list[Adjustment]]:
    """The score and label the rules leave, and one adjustment for every rule that was triggered.

    A rule the score already satisfies is recorded too, with the same score before and after.
    """
    thresholds = strategy.framework.synthesis.decision_thresholds
    words = label_words(strategy.language)
    adjustments = []
    barred: set[Label] = set()
    for found in rules:
        before, score = score, score if found.rule.cap is None else min(score, found.rule.cap)
        barred |= set(found.rule.label_bar)
        adjustments.append(
            Adjustment(
                rule=found.rule.name,
                field="score",
                before=before,
                after=score,
                why=found.clause(strategy.language),
            )
        )
    by_score = thresholds.label(score)
    label = _best_allowed(by_score, barred)
    if label != by_score:
        adjustments.append(
            Adjustment(
                rule="、".join(found.rule.name for found in rules if by_score in found.rule.label_bar),
                field="label",
                before=words[by_score],
                after=words[label],
                why="规则不允许这个建议。" if strategy.language == "zh" else "The rule bars this label.",
            )
        )
    return score, label, adjustments


def _best_allowed(label: Label, barred: set[Label]) -> Label:
    """``label``, or the next worse one that is not barred; a better one only when all worse are barred."""
    worse = LABELS[LABELS.index(label) :]
    better = reversed(LABELS[: LABELS.index(label)])
    return next(candidate for candidate in (*worse, *better) if candidate not in barred)


def _holds(condition: Condition, answers: Answers) -> bool | None:
    """Whether a condition is true; None when one of its fields was not answered or cannot be compared."""
    left = _look_up(condition, answers)
    right = condition.value if condition.other is None else _look_up(condition.other, answers)
    if left is None or right is None:
        return None
    match condition.op:
        case "==":
            return bool(left == right)
        case "!=":
            return bool(left != right)
        case "in":
            return left in right
        case "contains":
            return right in left if isinstance(left, str | list | tuple) else None
    if isinstance(left, str) or isinstance(right, str):
        return None
    match condition.op:
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case ">=":
            return bool(left >= right)


def _look_up(ref: FieldRef, answers: Answers) -> Any:
    agent = _agent_of(ref, answers)
    return None if agent is None else answers[agent].get(ref.field)


def _agent_of(ref: FieldRef, answers: Answers) -> str | None:
    if ref.chapter is not None:
        return ref.chapter if ref.chapter in answers else None
    return next((agent for agent, fields in answers.items() if ref.field in fields), None)


def _describe(ref: FieldRef, answers: Answers) -> str:
    return f"{_agent_of(ref, answers)}.{ref.field} = {_look_up(ref, answers)}"


def _confidence(
    confidence: float | None, chapters: Sequence[Report], strategy: ChaptersStrategy
) -> tuple[float | None, list[Adjustment]]:
    """The confidence left once missing and thin chapters are taken off, and the adjustment that did it."""
    if confidence is None or not chapters:
        return confidence, []
    weights = [COVERAGE_WEIGHT[r.evidence.sufficiency] if judged(r) else 0.0 for r in chapters]
    coverage = sum(weights) / len(weights)
    if coverage == 1.0:
        return confidence, []
    thin = [report.title for report, weight in zip(chapters, weights, strict=True) if weight < 1.0]
    zh = strategy.language == "zh"
    adjustment = Adjustment(
        rule=_MISSING if zh else "evidence coverage",
        field="confidence",
        before=confidence,
        after=round(confidence * coverage, 4),
        why=f"证据缺失或不足：{'、'.join(thin)}。" if zh else f"Missing or thin evidence: {', '.join(thin)}.",
    )
    return round(confidence * coverage, 4), [adjustment]


def _gaps(chapters: Sequence[Report], strategy: ChaptersStrategy) -> list[str]:
    zh = strategy.language == "zh"
    names = [report.title for report in chapters if not judged(report)]
    counted = len(chapters) - len(names)
    gaps = []
    if names:
        gaps.append(
            f"{len(chapters)} 章中计入 {counted} 章，未计入：{'、'.join(names)}。"
            if zh
            else f"{counted} of {len(chapters)} chapters counted; not counted: {', '.join(names)}."
        )
    thin = [report.title for report in chapters if judged(report) and report.evidence.sufficiency == "low"]
    if thin:
        gaps.append(f"证据不足：{'、'.join(thin)}。" if zh else f"Thin evidence: {', '.join(thin)}.")
    return gaps


def _unanswered(names: Sequence[str], strategy: ChaptersStrategy) -> list[str]:
    """Which fields the synthesis left out; a field it answered with null is unknown and not left out."""
    if not names:
        return []
    if strategy.language == "zh":
        return [f"综合研判没有回答：{'、'.join(names)}。"]
    return [f"The synthesis did not answer: {', '.join(names)}."]


def _own_label(fields: Mapping[str, Any], label: Label, strategy: ChaptersStrategy) -> list[str]:
    """A warning when the synthesis recommends something else than its score and the rules allow."""
    word = fields.get(role_field(strategy.framework.synthesis, "recommendation"))
    own = read_label(word)
    if own == label:
        return []
    derived = label_words(strategy.language)[label]
    if strategy.language == "zh":
        return [f"模型自己的建议是“{word}”，按评分与规则应为“{derived}”。"]
    return [f"The model itself recommends {word!r}; by score and rules it is {derived!r}."]
