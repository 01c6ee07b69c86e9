"""What the rule of one operator returns, and which rule belongs to which operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.llm.baseline.book import Book

FATAL = 25.0
"""A finding at or below this is a reason not to own the company."""


@dataclass(frozen=True)
class Finding:
    """The view of one operator.

    Attributes:
        score: 0 (a reason not to own it) .. 100 (as good as it gets); None for no view.
        gist: The finding in one clause, for conclusions and lists of risks.
        note: The reasoning, in full sentences with figures.
        outputs: Values of the operator's declared outputs; an output left out is unknown.
        evidence: The figures relied on, one line each.
    """

    score: float | None
    gist: str
    note: str
    outputs: Mapping[str, Any] = field(default_factory=dict)
    evidence: Sequence[str] = ()

    @property
    def blank(self) -> bool:
        """Whether there was nothing to look at."""
        return self.score is None and not self.outputs

    @property
    def fatal(self) -> bool:
        return self.score is not None and self.score <= FATAL


Rule = Callable[[Book], Finding]

RULES: dict[str, Rule] = {}
"""Operator id -> its rule."""


def rule(operator: str) -> Callable[[Rule], Rule]:
    """Register the rule of one operator.

    Raises:
        ValueError: The operator has a rule already.
    """

    def register(function: Rule) -> Rule:
        if RULES.get(operator, function) is not function:
            raise ValueError(f"two rules for the operator {operator!r}")
        RULES[operator] = function
        return function

    return register


def no_view(book: Book, zh: str, en: str) -> Finding:
    """No view, and why: the note names what is missing. Unknown is neither a pass nor a veto."""
    return Finding(score=None, gist="", note=book.say(zh, en))


def ladder(value: float, *steps: tuple[float, float], below: float) -> float:
    """The score of the first step whose bound ``value`` reaches, bounds descending; ``below`` under the last.

    >>> ladder(0.16, (0.20, 85), (0.15, 72), (0.10, 58), below=30)
    72
    """
    return next((score for bound, score in steps if value >= bound), below)


def unread(book: Book, zh: str, en: str) -> Finding:
    """No view on what only a text can tell: the rules read figures. Topic in Chinese and English."""
    if book.documents:
        return no_view(
            book,
            f"证据里有文件，但内置规则不读文字，{zh}不作判断。",
            f"There are documents, but the built-in rules do not read text: no view on {en}.",
        )
    return no_view(
        book,
        f"证据里没有可查的文件，{zh}未知，既不算通过也不构成否决。",
        f"There are no documents in the evidence: {en} unknown, neither a pass nor a veto.",
    )
