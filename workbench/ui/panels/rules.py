"""The rules that were applied after the agents: what each changed, from what, to what, and why."""

from __future__ import annotations

import streamlit as st

from workbench.records import Adjustment, Verdict
from workbench.ui import text
from workbench.ui.language import t, term


def rules_applied(verdict: Verdict) -> None:
    """The adjustments in the order they were applied, or that there were none."""
    st.subheader(t("rules.title"), anchor=False)
    if not verdict.adjustments:
        st.caption(t("rules.none"))
        return
    st.table(
        {
            t("column.rule"): [text.escape(a.rule) for a in verdict.adjustments],
            t("column.changed"): [_changed(a) for a in verdict.adjustments],
            t("column.why"): [text.escape(a.why) for a in verdict.adjustments],
        },
        border="horizontal",
        alt=t("rules.title"),
    )


def _changed(adjustment: Adjustment) -> str:
    before, after = (_value(adjustment.field, value) for value in (adjustment.before, adjustment.after))
    return f"{text.escape(term('compare_row', adjustment.field))} {before} → **{after}**"


def _value(field: str, value: float | str | None) -> str:
    if isinstance(value, str):
        return text.escape(term("label", value))
    return text.escape(text.probability(value) if field == "confidence" else text.figure(value))
