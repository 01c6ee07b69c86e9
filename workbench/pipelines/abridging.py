"""What the synthesis reads of the chapters: their full texts as far as its budget goes, else their fields.

The text needed least goes first. What speaks against a company has to be read in full, so that is the text
of a chapter which came to no judgement, then of the chapter with the highest score, and so on down; of two
equal ones the earlier, because later chapters have read it. Conclusion and answered fields always stay.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from workbench.llm.prices import rough_tokens
from workbench.records import Report
from workbench.strategy.parts import Language

PROSE = frozenset({"analysis", "key_evidence", "why_changed"})
"""Fields of an answer that are for reading; the others are short and always passed on."""

LEFT_OUT: dict[Language, str] = {
    "zh": "（正文超出篇幅预算，从略；以结论与字段为准。）",
    "en": "(The text is left out to keep within the budget; the conclusion and the fields stand.)",
}


def abridged(reports: Sequence[Report], budget: int, language: Language) -> list[Report]:
    """The reports with as many full texts as fit.

    Args:
        reports: Chapters in run order.
        budget: Tokens that texts and fields may take together, as ``rough_tokens`` counts them.
        language: Language of the note that stands where a text was.
    """
    kept = list(reports)
    total = sum(map(_size, reports))
    for position in sorted(range(len(reports)), key=lambda at: _need(reports[at])):
        if total <= budget:
            break
        shorter = _without_text(reports[position], LEFT_OUT[language])
        total += _size(shorter) - _size(reports[position])
        kept[position] = shorter
    return kept


def left_out(reports: Sequence[Report], budget: int) -> list[str]:
    """Titles of the chapters whose text does not fit."""
    shorter = abridged(reports, budget, "en")
    return [before.title for before, after in zip(reports, shorter, strict=True) if before is not after]


def _need(report: Report) -> float:
    """The smaller, the sooner its text can be spared."""
    score = report.final.score if report.final else None
    return -math.inf if score is None else -score


def _size(report: Report) -> int:
    if not report.counted or report.final is None:
        return 0
    fields = {name: value for name, value in report.final.fields.items() if name not in PROSE}
    return rough_tokens(report.final.analysis) + rough_tokens(json.dumps(fields, ensure_ascii=False))


def _without_text(report: Report, note: str) -> Report:
    opinion = report.final
    if opinion is None or rough_tokens(opinion.analysis) <= rough_tokens(note):
        return report
    shorter = opinion.model_copy(update={"analysis": note})
    return report.model_copy(update={opinion.stage: shorter})
