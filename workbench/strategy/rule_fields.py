"""Which fields the hard rules of a strategy read that nobody answers, so that they could never be checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from workbench.strategy.findings import KeyPath
from workbench.strategy.operators import Operator
from workbench.strategy.schema import SYNTHESIS, ChaptersStrategy, FieldRef, HardRule

CHAPTER_FIELDS = frozenset({"score", "confidence", "analysis", "key_evidence", "conclusion"})
"""What every chapter answers beside the outputs of its operators."""


class Unanswered(NamedTuple):
    """A field a hard rule reads and nobody answers, whatever the industry of the company.

    Attributes:
        at: Its place in the file.
        rule: The rule.
        ref: What it reads.
        known: The fields that are answered there.
    """

    at: KeyPath
    rule: HardRule
    ref: FieldRef
    known: Collection[str]


def unanswered(strategy: ChaptersStrategy, operators: Mapping[str, Operator]) -> Iterator[Unanswered]:
    """Every such field, in file order.

    Args:
        strategy: The strategy.
        operators: Its operators by id; of a chapter with one that is not among them nothing is said.
    """
    framework = strategy.framework
    names = (field.name for field in framework.synthesis.fields())
    answered: dict[str, frozenset[str]] = {SYNTHESIS: frozenset({"analysis", "key_evidence", *names})}
    for chapter in framework.chapters:
        if operators.keys() >= set(chapter.operators):
            outputs = (operators[id].outputs for id in chapter.operators)
            answered[chapter.id] = CHAPTER_FIELDS.union(*outputs)
    complete = len(answered) == len(framework.chapters) + 1
    for at, rule, ref in strategy.rule_references():
        if ref.chapter in answered or (ref.chapter is None and complete):
            fields = answered[ref.chapter] if ref.chapter else frozenset().union(*answered.values())
            if ref.field not in fields:
                yield Unanswered((*at, "field"), rule, ref, fields)
