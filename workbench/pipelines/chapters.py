"""The chapters pipeline: a ticker judged chapter by chapter, then concluded by a synthesis.

Chapters form a dependency graph; each sees what the chapters it needs have concluded. What a chapter asks,
what it is shown and how it answers all come from its operators; an operator that does not apply to the
company's industry is in none of the three.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from workbench.engine.plan import Plan, Reports, Step, told_of
from workbench.errors import InputError
from workbench.evidence import filings  # noqa: F401 - registers the slice of documents
from workbench.evidence.blind import Blindfold, Rescaled, hidden_factor, scaled_back
from workbench.evidence.company import require_history
from workbench.evidence.slices import get_slice
from workbench.evidence.view import View
from workbench.pipelines import checklists
from workbench.pipelines.abridging import PROSE, abridged, left_out
from workbench.pipelines.answers import chapter_form, synthesis_form
from workbench.records import Evidence, Report, StageName, Subject, Sufficiency, TickerSubject, Verdict
from workbench.rules.chapters import conclude, judged
from workbench.strategy.answer_fields import label_words
from workbench.strategy.files import LoadedStrategy
from workbench.strategy.operators import Operator, OperatorLibrary
from workbench.strategy.prompts import Prompt, PromptLibrary
from workbench.strategy.rule_fields import unanswered
from workbench.strategy.schema import SYNTHESIS, Chapter, ChaptersStrategy

_GRADES: tuple[Sufficiency, ...] = ("none", "low", "medium", "high")

_AHEAD = dt.timedelta(days=1)
"""In some time zone it is tomorrow already."""


def build(
    loaded: LoadedStrategy,
    strategy: ChaptersStrategy,
    subject: Subject,
    *,
    view: View,
    prompts: PromptLibrary,
    operators: OperatorLibrary,
) -> Plan:
    """The plan of one run over one ticker.

    Raises:
        InputError: The subject is no ticker, none of its statements had been published by the as-of date, or
            that lies in the future.
        StrategyError: An operator is missing, or two of one chapter answer the same field.
        PromptError: A prompt is missing or was changed after its release.
    """
    if not isinstance(subject, TickerSubject):
        raise InputError(f"the strategy {strategy.name!r} judges tickers, not a {subject.kind}.")
    if view.as_of > dt.datetime.now(dt.UTC).date() + _AHEAD:
        raise InputError(f"{view.as_of} lies in the future.", remedy="Choose an as-of date up to today.")
    require_history(view, subject.code)
    instrument = view.instrument(subject.code)
    subject = instrument.subject(strategy.language)
    factor = hidden_factor(subject.code, view.as_of) if strategy.blind == "full" else 1.0
    view = view if factor == 1.0 else Rescaled(view, factor)
    blindfold = None if strategy.blind == "none" else Blindfold(instrument, view.as_of)
    dossier = Dossier(view, subject)

    def prompt(role: Literal["chapter", "synthesis"], stage: StageName) -> Prompt:
        return prompts.get(strategy.prompt_name(role, stage), strategy.prompt_version)

    steps: list[Step] = []
    for chapter in strategy.framework.run_order():
        lenses = tuple(
            lens.in_language(strategy.language)
            for lens in map(operators.get, chapter.operators)
            if lens.applies(instrument.industry_kind)
        )
        if not lenses:
            continue
        planned = {step.agent for step in steps}
        needs = tuple(need for need in strategy.framework.needs(chapter) if need in planned)
        steps.append(
            Step(
                agent=chapter.id,
                title=chapter.title,
                role="chapter",
                needs=needs,
                gather=dossier.gatherer(lenses, needs),
                form=chapter_form(lenses, strategy.language),
                draft=prompt("chapter", "draft"),
                revise=prompt("chapter", "revised") if strategy.revise else None,
                task=_chapter_task(strategy, chapter, lenses, view),
            )
        )
    chapters = tuple(step.agent for step in steps)
    unchecked = _unchecked(strategy, operators)
    steps.append(
        Step(
            agent=SYNTHESIS,
            title="综合研判" if strategy.language == "zh" else "Synthesis",
            role="synthesis",
            needs=chapters,
            gather=lambda reports: dossier.overview([reports[chapter] for chapter in chapters]),
            form=synthesis_form(strategy),
            draft=prompt("synthesis", "draft"),
            revise=prompt("synthesis", "revised") if strategy.revise else None,
            task=_synthesis_task(strategy, view),
            reads=lambda reports: abridged(
                reports, strategy.framework.synthesis.token_budget, strategy.language
            ),
        )
    )
    return Plan(
        pipeline="chapters",
        subject=subject,
        as_of=view.as_of,
        strategy=strategy.name,
        strategy_text=loaded.text,
        strategy_hash=loaded.hash,
        prompt_version=strategy.prompt_version,
        language=strategy.language,
        steps=tuple(steps),
        conclude=lambda reports: _conclude(reports, chapters, strategy, factor, unchecked),
        receipt=view.receipt,
        blind=strategy.blind,
        hide=blindfold.hide if blindfold else str,
        reveal=blindfold.reveal if blindfold else str,
    )


def _conclude(
    reports: Reports,
    chapters: Sequence[str],
    strategy: ChaptersStrategy,
    factor: float,
    unchecked: Sequence[str],
) -> Verdict:
    """The verdict by the rules, in real amounts, with what is particular about this run as first warnings."""
    verdict = conclude(reports, strategy)
    unread = _unread([reports[chapter] for chapter in chapters], strategy)
    notes = [*_blindness(strategy, factor), *unchecked, *unread]
    fields = verdict.fields
    if factor != 1.0:
        fields = {name: scaled_back(value, factor, name) for name, value in fields.items()}
    return verdict.model_copy(update={"fields": fields, "warnings": (*notes, *verdict.warnings)})


def _blindness(strategy: ChaptersStrategy, factor: float) -> list[str]:
    """That a run was blind, so that it is never mistaken for one that was not."""
    if strategy.blind == "none":
        return []
    zh = strategy.language == "zh"
    if factor == 1.0:
        return ["盲测：名称与年份已隐去。" if zh else "Blind run: names and years hidden."]
    return [
        f"盲测：名称与年份已隐去，金额与价格乘了隐藏系数 {factor:.4g}；"
        "证据与各章仍是乘过的数，结论里的价格与带货币的金额已还原。"
        if zh
        else f"Blind run: names and years hidden, amounts and prices multiplied by {factor:.4g}; evidence and"
        " chapters are left so, prices and amounts with a currency in the conclusion are scaled back."
    ]


def _unchecked(strategy: ChaptersStrategy, operators: OperatorLibrary) -> list[str]:
    """Which hard rules read a field that nobody answers in any industry, so that they are silently off."""
    known = {id: operators.get(id) for chapter in strategy.framework.chapters for id in chapter.operators}
    found = dict.fromkeys((rule.name, ref.field) for _, rule, ref, _ in unanswered(strategy, known))
    if strategy.language == "zh":
        return [f"硬规则“{rule}”无法检查：它所读的章不回答字段 {field}。" for rule, field in found]
    return [
        f"The hard rule {rule!r} cannot be checked: the chapters it reads do not answer {field!r}."
        for rule, field in found
    ]


def _unread(reports: Sequence[Report], strategy: ChaptersStrategy) -> list[str]:
    """Which texts the synthesis has not read, because they did not fit its budget."""
    budget = strategy.framework.synthesis.token_budget
    titles = left_out(reports, budget)
    if not titles:
        return []
    if strategy.language == "zh":
        return [f"综合研判未读正文、只读结论与字段：{'、'.join(titles)}（篇幅预算 {budget} 个 token）。"]
    return [
        f"The synthesis read only conclusion and fields of: {', '.join(titles)} (budget {budget} tokens)."
    ]


class Dossier:
    """What one run has gathered about its company; a slice several chapters need is worked out once."""

    def __init__(self, view: View, subject: TickerSubject) -> None:
        self._view = view
        self._subject = subject
        self._slices: dict[str, Evidence] = {}

    def slice(self, name: str) -> Evidence:
        if name not in self._slices:
            self._slices[name] = get_slice(name)(self._view, self._subject)
        return self._slices[name]

    def gatherer(self, operators: Sequence[Operator], needs: Sequence[str]) -> Callable[[Reports], Evidence]:
        """How a chapter with these operators gathers what it is shown."""
        return lambda reports: self._gather(operators, [reports[need] for need in needs])

    def _gather(self, operators: Sequence[Operator], earlier: Sequence[Report]) -> Evidence:
        """The company's profile, every slice the operators need, and what the earlier chapters concluded.

        An operator is as good as the weakest of its slices and cannot be answered without one of them. The
        chapter is as good as the middle one of its operators, at most medium when one of them cannot be
        answered, and without evidence when none can.
        """
        names = dict.fromkeys(["profile", *(name for op in operators for name in op.data_needed)])
        slices = {name: self.slice(name) for name in names}
        facts: dict[str, Any] = {}
        missing: dict[str, str] = {}
        for evidence in slices.values():
            facts |= evidence.facts
            missing |= evidence.missing
        facts["missing"] = missing
        facts["sources"] = list(dict.fromkeys(source for e in slices.values() for source in e.sources))
        facts["sufficiency"] = sufficiency = _sufficiency(operators, slices)
        facts["chapters"] = [_concluded(report) for report in earlier]
        return Evidence(
            facts=facts,
            text="\n\n".join(evidence.text for evidence in slices.values() if evidence.text),
            sources=tuple(facts["sources"]),
            newest=max((e.newest for e in slices.values() if e.newest), default=None),
            sufficiency=sufficiency,
            missing=missing,
        )

    def overview(self, reports: Sequence[Report]) -> Evidence:
        """What the synthesis is shown beside the chapters' full texts: one line for each of them.

        Sufficiency is high when every chapter came to a judgement, medium when at least half did, else low;
        none where not one report counts.
        """
        counted = [report for report in reports if report.counted]
        if not counted:
            return Evidence()
        scored = sum(map(judged, reports))
        sufficiency: Sufficiency = "high" if scored == len(reports) else "low"
        if scored < len(reports) <= 2 * scored:
            sufficiency = "medium"
        return Evidence(
            facts=self.slice("profile").facts | {"chapters": [_concluded(report) for report in reports]},
            text="\n".join(_line(report) for report in reports),
            sources=tuple(dict.fromkeys(source for r in counted for source in r.evidence.sources)),
            newest=max((r.evidence.newest for r in counted if r.evidence.newest), default=None),
            sufficiency=sufficiency,
            missing={report.title: _why_silent(report) for report in reports if not judged(report)},
        )


def _sufficiency(operators: Sequence[Operator], slices: Mapping[str, Evidence]) -> Sufficiency:
    grades = sorted(
        (
            min((slices[name].sufficiency for name in operator.data_needed), key=_GRADES.index)
            for operator in operators
        ),
        key=_GRADES.index,
    )
    if grades[-1] == "none":
        return "none"
    middle = max(grades[len(grades) // 2], "low", key=_GRADES.index)
    return min(middle, "medium", key=_GRADES.index) if grades[0] == "none" else middle


def _concluded(report: Report) -> dict[str, Any]:
    """What a later agent knows of a report, as facts: all it is told but the prose."""
    told = {name: value for name, value in told_of(report).items() if name != "analysis"}
    return told | {"fields": {name: value for name, value in told["fields"].items() if name not in PROSE}}


def _line(report: Report) -> str:
    opinion = report.final
    if not report.counted or opinion is None:
        return f"{report.title}: {report.status}"
    score = "–" if opinion.score is None else f"{opinion.score:g}"
    return f"{report.title}: {score} ({opinion.confidence:g}) {opinion.fields.get('conclusion', '')}"


def _why_silent(report: Report) -> str:
    if report.counted:
        return "its evidence allows no judgement"
    return report.error or report.status


def _chapter_task(
    strategy: ChaptersStrategy, chapter: Chapter, operators: Sequence[Operator], view: View
) -> dict[str, Any]:
    return {
        "kind": "chapter",
        "language": strategy.language,
        "as_of": view.as_of.isoformat(),
        "chapter": {"id": chapter.id, "title": chapter.title, "question": chapter.question},
        "operators": [
            {
                "id": operator.id,
                "title": operator.title,
                "question": operator.question,
                "outputs": {
                    name: output.model_dump(mode="json") for name, output in operator.outputs.items()
                },
            }
            for operator in operators
        ],
        "checklist": list(checklists.CHAPTER[strategy.language]),
    }


def _synthesis_task(strategy: ChaptersStrategy, view: View) -> dict[str, Any]:
    synthesis = strategy.framework.synthesis
    words = label_words(strategy.language)
    return {
        "kind": "synthesis",
        "language": strategy.language,
        "as_of": view.as_of.isoformat(),
        "steps": [step.model_dump(mode="json") for step in synthesis.thinking_steps],
        "rubric": [
            {"range": anchor.range, "low": anchor.low, "description": anchor.description}
            for anchor in synthesis.scoring_rubric
        ],
        "thresholds": synthesis.decision_thresholds.model_dump(mode="json"),
        "bands": [
            band._asdict() | {"name": words[band.label]} for band in synthesis.decision_thresholds.bands()
        ],
        "fields": [field._asdict() for field in synthesis.fields()],
        "hard_rules": [rule.model_dump(mode="json") for rule in strategy.hard_rules],
        "checklist": list(checklists.SYNTHESIS[strategy.language]),
    }
