"""What many signals say together: impact against confidence, and whether the second look helps."""

from __future__ import annotations

import streamlit as st

from workbench.evaluate.signals import DRIFT, RevisingLine, impact_change, revising_lines
from workbench.evidence.expectations import expected_directions
from workbench.ui import estimates, signal_charts, text
from workbench.ui.language import t, term
from workbench.ui.panels.signal_filter import signal_filter
from workbench.workspace import Workspace

MOST_MARKS = 500
QUADRANTS = ("high_high", "high_low", "low_high", "low_low")


def quadrants(workspace: Workspace) -> None:
    """The scatter of the signals that match the filters, and how to read its corners."""
    signals = workspace.store.signals
    filters = signal_filter(signals, workspace.evidence.instruments)
    rows = signals.find(limit=MOST_MARKS, **filters)
    if not rows:
        st.caption(t("signals.none_match"))
        return
    total = sum(signals.counts(**filters).values())
    if total > len(rows):
        st.caption(t("signals.newest_marks", shown=len(rows), total=text.number(total)))
    chart, words = st.columns([3, 2], gap="medium")
    with chart:
        st.vega_lite_chart(
            signal_charts.quadrants(rows, st.context.theme.type or "light"), alt=t("signals.quadrants_alt")
        )
    with words:
        st.caption(
            t(
                "signals.quadrant_lines",
                impact=text.number(signal_charts.IMPACT_LINE, 2),
                confidence=text.number(signal_charts.CONFIDENCE_LINE, 2),
            )
        )
        inside = {
            corner: sum(
                (row.impact >= signal_charts.IMPACT_LINE, row.confidence >= signal_charts.CONFIDENCE_LINE)
                == (corner.startswith("high"), corner.endswith("high"))
                for row in rows
            )
            for corner in QUADRANTS
        }
        st.table(
            {
                t("signals.quadrant"): [term("quadrant", corner) for corner in QUADRANTS],
                t("signals.meaning"): [term("quadrant_words", corner) for corner in QUADRANTS],
                t("signals.number"): [text.number(inside[corner]) for corner in QUADRANTS],
            },
            border="horizontal",
            alt=t("signals.quadrants_alt"),
        )


def revising(workspace: Workspace) -> None:
    """How drafts and revisions differ over all signals, per specialist and in the urgency."""
    looks = workspace.store.signals.second_looks()
    if not looks:
        st.caption(t("signals.no_looks"))
        return
    changes = [impact_change(look) for look in looks]
    within = sum(abs(change) <= DRIFT + 1e-9 for change in changes) / len(changes)
    st.markdown(
        t(
            "signals.drift_words",
            within=text.percent(within),
            n=text.number(len(changes)),
            drift=text.number(DRIFT, 2),
        )
    )
    st.vega_lite_chart(
        signal_charts.drift(changes, st.context.theme.type or "light"), alt=t("signals.drift_alt")
    )
    lines = revising_lines(looks, expected_directions(workspace.evidence.facts_dir))
    st.table(
        {
            t("column.agent"): [text.escape(line.title) for line in lines],
            t("signals.mean_impact"): [_signed(line.impact.value) for line in lines],
            t("signals.mean_confidence"): [_signed(line.confidence.value) for line in lines],
            t("signals.beyond"): [
                estimates.with_interval(line.beyond_drift, estimates.share) for line in lines
            ],
            t("signals.helped"): [_helped(line) for line in lines],
        },
        border="horizontal",
        alt=t("signals.drift_alt"),
    )
    st.caption(t("signals.helped_words"))
    moves = workspace.store.signals.revised_urgencies()
    listed = ", ".join(f"{before} → {after}: {count}" for (before, after), count in sorted(moves.items()))
    st.caption(t("signals.urgencies_moved", moves=text.escape(listed) or text.MISSING))


def _signed(value: float | None) -> str:
    if value is None:
        return text.MISSING
    written = text.number(value, 3)
    return f"+{written}" if value > 0 else written


def _helped(line: RevisingLine) -> str:
    if not line.judged:
        return text.MISSING
    return t("signals.helped_cell", corrected=line.corrected, spoiled=line.spoiled, n=line.judged)
