"""The 0-100 scale of a verdict as its strategy draws it: anchors, and the range of each label."""

from __future__ import annotations

from workbench.records import PERCENT_SCALE
from workbench.strategy.schema import Synthesis
from workbench.ui.charts import Band


def anchors(synthesis: Synthesis) -> tuple[Band, ...]:
    """The rubric anchors from the lowest up, each in the colour of the label its lower bound earns.

    A band reaches to the next one above it, because "75-84" and "85-100" leave no score between them.
    """
    rising = sorted(synthesis.scoring_rubric, key=lambda anchor: anchor.low)
    ends = [anchor.low for anchor in rising[1:]] + [PERCENT_SCALE.high]
    label = synthesis.decision_thresholds.label
    return tuple(
        Band(anchor.low, end, label(anchor.low), anchor.description)
        for anchor, end in zip(rising, ends, strict=True)
    )


def label_ranges(synthesis: Synthesis) -> tuple[Band, ...]:
    """The stretch of the scale which earns each label."""
    return tuple(Band(band.low, band.high, band.label) for band in synthesis.decision_thresholds.bands())
