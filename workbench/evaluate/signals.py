"""What the second look of the news specialists changed, over many items, and whether it helped.

A change smaller than what two runs over the same item differ by anyway cannot be told from noise. The scoring
document of the pipeline puts that drift at about 0.03. Whether a change helped is only known for items whose
direction was written down before any run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.evaluate.uncertainty import Estimate, mean
from workbench.records import Direction
from workbench.store.signals import SecondLook

DRIFT = 0.03
"""Typical difference of an impact between two runs over one item, 0..1."""

_EPSILON = 1e-9


@dataclass(frozen=True)
class RevisingLine:
    """One specialist over many items; changes are revised minus draft.

    Attributes:
        title: Its name to a reader.
        impact: Mean change of the impact.
        confidence: Mean change of the confidence.
        beyond_drift: Share of items whose impact moved by more than ``DRIFT``.
        corrected: Items whose expected direction only the revision names.
        spoiled: Items whose expected direction only the draft names.
        judged: Items with an expectation.
    """

    title: str
    impact: Estimate
    confidence: Estimate
    beyond_drift: Estimate
    corrected: int
    spoiled: int
    judged: int


def impact_change(look: SecondLook) -> float:
    """Revised minus draft impact, -1..1."""
    return round(look.impact - look.draft_impact, 6)


def revising_lines(looks: Iterable[SecondLook], expected: Mapping[str, Direction]) -> list[RevisingLine]:
    """Each specialist's changes, by the specialist's name.

    Args:
        looks: Drafts and revisions.
        expected: The direction each item was expected to have, by item.
    """
    by_agent: dict[str, list[SecondLook]] = defaultdict(list)
    for look in looks:
        by_agent[look.agent].append(look)
    return [_line(listed, expected) for _, listed in sorted(by_agent.items())]


def _line(looks: list[SecondLook], expected: Mapping[str, Direction]) -> RevisingLine:
    items = [look.item for look in looks]
    judged = [look for look in looks if look.item in expected]
    hits = [
        (look.draft_direction == expected[look.item], look.direction == expected[look.item])
        for look in judged
    ]
    moved = [float(abs(impact_change(look)) > DRIFT + _EPSILON) for look in looks]
    return RevisingLine(
        title=looks[0].title,
        impact=mean([impact_change(look) for look in looks], items, "neither"),
        confidence=mean([look.confidence - look.draft_confidence for look in looks], items, "neither"),
        beyond_drift=mean(moved, items, "neither"),
        corrected=hits.count((False, True)),
        spoiled=hits.count((True, False)),
        judged=len(judged),
    )
