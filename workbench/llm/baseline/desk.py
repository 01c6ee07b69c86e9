"""What lies on the baseline's desk when it concludes: the chapters' reports and the strategy's framework."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from workbench.llm.base import Request
from workbench.llm.baseline.chapters import CONFIDENCE, DOUBT, NEUTRAL, PRICE_FIELDS
from workbench.llm.baseline.wording import Language, Wording
from workbench.rules.chapters import Triggered, triggered
from workbench.strategy.answer_fields import ROLE_NAMES, FieldRole
from workbench.strategy.schema import SYNTHESIS, HardRule, Thresholds

LEAN = 0.25
"""Points taken off for every point the weakest chapter lies below ``DOUBT``."""

Chapter = Mapping[str, Any]
"""A report as the facts hold it: agent, title, status, score, confidence, key_evidence, fields."""

_RULES: TypeAdapter[tuple[HardRule, ...]] = TypeAdapter(tuple[HardRule, ...])


class Desk:
    """The reports and the framework, and the arithmetic on them.

    Attributes:
        heard: Chapters that came to a view, in run order.
        silent: The others.
        answers: Agent -> its fields.
    """

    def __init__(self, request: Request) -> None:
        profile: Mapping[str, Any] = request.facts["profile"]
        chapters: Sequence[Chapter] = request.facts["chapters"]
        self.task = request.task
        self.language: Language = "en" if self.task["language"] == "en" else "zh"
        self.words = Wording(self.language, str(profile["statement_currency"]))
        self.price_currency = str(profile["currency"])
        self.say = self.words.say
        self.heard = [chapter for chapter in chapters if chapter["score"] is not None]
        self.silent = [chapter for chapter in chapters if chapter not in self.heard]
        self.answers = {str(chapter["agent"]): chapter["fields"] for chapter in chapters}
        self.thresholds = Thresholds.model_validate(self.task["thresholds"])
        self.rules = _RULES.validate_python(self.task["hard_rules"])

    @property
    def weakest(self) -> Chapter | None:
        return min(self.heard, key=_score, default=None)

    @property
    def risks(self) -> list[Chapter]:
        """Doubtful chapters, the worst first; one that only sets prices is the result of the others."""
        doubtful = (c for c in self.heard if _score(c) < DOUBT and "action" not in c["fields"])
        return sorted(doubtful, key=_score)

    @property
    def telling(self) -> list[Chapter]:
        """Chapters by how far they stand from neutral, the most telling first."""
        return sorted(self.heard, key=lambda chapter: abs(_score(chapter) - NEUTRAL), reverse=True)

    def found(self, field: str) -> Any:
        """A chapter's answer to one field; None when nobody gave it."""
        return next((f[field] for f in self.answers.values() if f.get(field) is not None), None)

    def says(self, field: str, value: str) -> bool:
        """Whether a chapter chose this value, given in Chinese, in whichever language it answered."""
        return self.words.means(self.found(field), (value,))

    @property
    def valued(self) -> bool:
        """Whether any chapter set the price against a value."""
        return any(self.found(field) is not None for field in PRICE_FIELDS)

    @property
    def decision(self) -> Chapter | None:
        """The chapter that says what to do at the present price; None where it could not."""
        return next((chapter for chapter in self.heard if chapter["fields"].get("action")), None)

    def name(self, role: FieldRole) -> str:
        """Name of the synthesis field that plays a role."""
        names = [str(field["name"]) for field in self.task["fields"]]
        return next(name for name in names if name in ROLE_NAMES[role])

    def score(self) -> float:
        """Mean of the chapters' scores by confidence, lowered for the weakest, capped by a veto.

        Where no chapter could say what the company is worth, the score stays below the buy band.
        """
        if not self.heard or self.weakest is None:
            return NEUTRAL
        weight = sum(map(_confidence, self.heard))
        mean = sum(_score(chapter) * _confidence(chapter) for chapter in self.heard) / weight
        leaning = mean - LEAN * max(0.0, DOUBT - _score(self.weakest))
        caps = [found.rule.cap for found in self.vetoes() if found.rule.cap is not None]
        if not self.valued:
            caps.append(self.thresholds.buy - 1.0)
        return min([leaning, *caps])

    def confidence(self) -> float:
        """Mean confidence of the chapters that came to a view."""
        if not self.heard:
            return CONFIDENCE["low"]
        return sum(map(_confidence, self.heard)) / len(self.heard)

    def vetoes(self) -> list[Triggered]:
        """The strategy's rules that end the matter: under their cap only the worst label is left."""
        return [found for found in triggered(self.rules, self.answers) if self._ends_it(found.rule)]

    def conflicts(self, own: Mapping[str, Any]) -> list[Triggered]:
        """The strategy's other rules that the chapters, together with this conclusion, run into."""
        answers = {**self.answers, SYNTHESIS: own}
        return [found for found in triggered(self.rules, answers) if not self._ends_it(found.rule)]

    def unknown_vetoes(self) -> list[str]:
        """Vetoes on a field that a chapter was asked for and could not answer."""
        return [
            re.split("[:：] ?", rule.name)[-1]
            for rule in self.rules
            if self._ends_it(rule)
            and any(self._unanswered(condition.field) for condition in rule.when.conditions)
        ]

    def _unanswered(self, field: str) -> bool:
        return self.found(field) is None and any(field in fields for fields in self.answers.values())

    def _ends_it(self, rule: HardRule) -> bool:
        return rule.cap is not None and self.thresholds.label(rule.cap) == "avoid"


def _score(chapter: Chapter) -> float:
    return float(chapter["score"])


def _confidence(chapter: Chapter) -> float:
    return float(chapter["confidence"] or 0.0)
