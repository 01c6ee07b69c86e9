"""Which of a strategy's synthesis fields carry the score, the recommendation and the confidence.

A strategy names its own synthesis fields. Three of them mean something to the workbench, and are found by
these names, in Chinese or English.
"""

from __future__ import annotations

from typing import Literal

from workbench.errors import StrategyError
from workbench.strategy.parts import Language
from workbench.strategy.schema import LABEL_EN, LABEL_ZH, LABELS, Label, Synthesis

FieldRole = Literal["score", "recommendation", "confidence"]

ROLE_NAMES: dict[FieldRole, tuple[str, ...]] = {
    "score": ("综合评分", "overall_score", "score"),
    "recommendation": ("最终建议", "recommendation"),
    "confidence": ("信心水平", "confidence"),
}

CONFIDENCE_LEVELS: dict[Language, tuple[str, str, str]] = {
    "zh": ("高", "中", "低"),
    "en": ("high", "medium", "low"),
}


def role_field(synthesis: Synthesis, role: FieldRole) -> str:
    """Name of the synthesis field that plays a role.

    Raises:
        StrategyError: The strategy has no such field.
    """
    for field in synthesis.fields():
        if field.name in ROLE_NAMES[role]:
            return field.name
    raise StrategyError(
        f"no synthesis field gives the {role}.",
        where="framework.synthesis.synthesis_fields",
        remedy=f"Add one of these fields: {', '.join(ROLE_NAMES[role])}.",
    )


def label_words(language: Language) -> dict[Label, str]:
    """What the labels are called in an answer: 买入, 观望, 回避, or buy, watch, avoid."""
    return LABEL_ZH if language == "zh" else {label: label for label in LABELS}


def read_label(word: object) -> Label | None:
    """The label an answer means; None for anything that is not exactly one of the known words."""
    for label in LABELS:
        if word in (label, LABEL_ZH[label], LABEL_EN[label]):
            return label
    return None
