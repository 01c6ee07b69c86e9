"""The same question asked again: how many times, and how far the answers agree."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.records import Run
from workbench.repeats import MAX_REPEATS, repeats, spread, start_repeats
from workbench.store.rows import RunRow
from workbench.ui import palette, text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.ui.panels.states import errors_shown
from workbench.workspace import Workspace

REFRESH_S = 1.0


def repeat(workspace: Workspace, run: Run, cost: float | None) -> None:
    """Ask how many times a run is repeated, and start it; ``cost`` is what the run cost, in USD."""
    with st.popover(t("repeats.title"), icon=":material/repeat:", key="run.repeat"):
        if run.models.baseline_only:
            st.caption(t("repeats.baseline"))
            return
        st.caption(t("repeats.lead"))
        count = st.number_input(t("repeats.count"), 1, MAX_REPEATS, 5, key="run.repeat.count")
        if cost:
            st.caption(text.escape(t("repeats.cost", cost=text.cost(cost), total=text.cost(cost * count))))
        if st.button(t("repeats.start", count=count), type="primary", key="run.repeat.start"):
            with errors_shown():
                start_repeats(workspace, run, count)
                st.rerun()


def agreement(workspace: Workspace, run: Run) -> None:
    """How far a run and its repeats agree; nothing where it was not repeated."""
    rows = repeats(workspace, run)
    if not rows:
        return
    going = any(row.status == "running" for row in rows)
    st.subheader(t("repeats.title"), anchor=False)

    @st.fragment(run_every=REFRESH_S if going else None)
    def follow() -> None:
        now = repeats(workspace, run) if going else rows
        over = sum(row.status != "running" for row in now)
        if going and over == len(now):
            st.rerun()
        if going:
            st.progress(over / len(now), t("repeats.over", over=over, total=len(now)))
        _spread(now)

    follow()
    if not going and st.button(t("actions.compare"), icon=":material/compare_arrows:", key="run.repeats"):
        open_page("compare", runs=",".join(row.run_id for row in rows))


def _spread(rows: Sequence[RunRow]) -> None:
    found = spread(rows)
    if found is None:
        return
    digits = 1 if rows[0].pipeline == "chapters" else 2
    mean, deviation, between = st.columns(3)
    mean.metric(t("repeats.mean"), text.number(found.mean, digits))
    deviation.metric(
        t("repeats.deviation"), text.number(found.deviation, digits), help=t("repeats.deviation_help")
    )
    between.metric(
        t("repeats.range"), f"{text.number(found.low, digits)} – {text.number(found.high, digits)}"
    )
    labels = [
        f"{palette.SIGNS.get(label, '')} {term('label', label)} {count}"
        for label, count in found.labels.items()
    ]
    st.caption(" · ".join((t("repeats.runs", count=found.runs), *labels)))
