"""Checks of the scoring rubric: what its anchors leave out or cover twice, and whether they fit the labels.

They read the file rather than the validated strategy, so that an anchor which cannot be read hides nothing of
what is wrong with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

from pydantic import ValidationError

from workbench.strategy.document import Document, EditRefused
from workbench.strategy.findings import KeyPath
from workbench.strategy.parts import Part, Problem, RubricAnchor
from workbench.strategy.plain import Plain
from workbench.strategy.schema import LABEL_EN, LABEL_ZH, Label, Thresholds

SYNTHESIS_PATH: KeyPath = ("framework", "synthesis")
RUBRIC_PATH: KeyPath = (*SYNTHESIS_PATH, "scoring_rubric")
_CONCLUSION = re.compile(r"(?:→|->|=>|⇒)\s*(?:明确|直接)?\s*([\w]+)")

_Part = TypeVar("_Part", bound=Part)

Anchors = Sequence[tuple[int, RubricAnchor]]
"""The anchors that can be read, each with its position in the file."""


def rubric_problems(document: Document) -> Iterator[Problem]:
    """What will probably not do what was meant, in a strategy of chapters; nothing in others."""
    rows = _value_at(document, RUBRIC_PATH)
    anchors = [
        (index, anchor)
        for index, row in enumerate(rows if isinstance(rows, list) else [])
        if (anchor := _read(RubricAnchor, row))
    ]
    if not anchors:
        return
    yield from _range(anchors)
    if thresholds := _read(Thresholds, _value_at(document, (*SYNTHESIS_PATH, "decision_thresholds"))):
        yield from _against_thresholds(anchors, thresholds)


def _value_at(document: Document, path: KeyPath) -> Plain:
    try:
        return document.value(path)
    except EditRefused:
        return None


def _read(model: type[_Part], value: Plain) -> _Part | None:
    try:
        return model.model_validate(value)
    except ValidationError:
        return None


def _range(readable: Anchors) -> Iterator[Problem]:
    """Gaps and overlaps of the anchors, and scores outside all of them."""
    anchors = sorted(readable, key=lambda pair: (pair[1].low, pair[1].high))
    lower = anchors[0][1]
    for index, upper in anchors[1:]:
        at = (*RUBRIC_PATH, index, "range")
        step = max(lower.resolution, upper.resolution)
        if upper.low <= lower.high:
            what = f"the anchors {lower.range} and {upper.range} overlap."
            yield Problem(at, what, f"Let the upper one start above {lower.high:g}.")
        elif upper.low - lower.high > step * 1.001:
            what = f"no anchor covers the scores between {lower.high:g} and {upper.low:g}."
            yield Problem(at, what, f"Let {lower.range} reach up to {upper.low - step:g}, or add an anchor.")
        lower = max(lower, upper, key=lambda anchor: anchor.high)
    (bottom, lowest), (top, highest) = anchors[0], max(anchors, key=lambda pair: pair[1].high)
    if lowest.low > 0:
        at = (*RUBRIC_PATH, bottom, "range")
        yield Problem(
            at, f"no anchor covers the scores below {lowest.low:g}.", "Let the lowest anchor start at 0."
        )
    if highest.high != 100:
        at = (*RUBRIC_PATH, top, "range")
        yield Problem(
            at, f"the highest anchor ends at {highest.high:g}, not 100.", "Scores run from 0 to 100."
        )


def _against_thresholds(anchors: Anchors, thresholds: Thresholds) -> Iterator[Problem]:
    """Anchors that lie across a threshold, or announce another label than their scores get."""
    for index, anchor in anchors:
        at = (*RUBRIC_PATH, index)
        low, high = thresholds.label(anchor.low), thresholds.label(anchor.high)
        if low != high:
            bound = next(band.low for band in thresholds.bands() if anchor.low < band.low <= anchor.high)
            what = (
                f"the anchor {anchor.range} lies across the threshold {bound:g}: "
                f"its scores are {low} and {high}."
            )
            yield Problem((*at, "range"), what, f"Split it at {bound:g}, or move the threshold.")
        said = _announced(anchor.description)
        if said is not None and said not in (low, high):
            what = f"the anchor {anchor.range} says {said}, but its scores are {low}."
            yield Problem((*at, "description"), what, "Change the wording, the range or the thresholds.")


def _announced(description: str) -> Label | None:
    """The label a description announces behind its arrow, e.g. ``… → 买入区间``."""
    conclusion = _CONCLUSION.search(description)
    for words in (LABEL_ZH, LABEL_EN):
        for label, word in words.items():
            if conclusion and conclusion[1].lower().startswith(word.lower()):
                return label
    return None
