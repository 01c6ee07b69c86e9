"""What can be done with a run next: compare it, run it again, mark it, take it away."""

from __future__ import annotations

from functools import partial
from typing import Literal, get_args

import streamlit as st

from workbench.export import FORMATS, export, file_name
from workbench.records import Run
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.ui.panels import marks, repeats
from workbench.ui.titles import subject_title
from workbench.workspace import Workspace

Again = Literal["same", "today", "change"]


def actions(workspace: Workspace, run: Run) -> None:
    """One row of buttons."""
    store = workspace.store
    row = store.find(run_id=run.run_id, limit=1)[0]
    with st.container(horizontal=True, gap="small"):
        _compare(workspace, run)
        again = st.menu_button(
            t("actions.again"),
            get_args(Again),
            format_func=lambda how: term("again", how),
            icon=":material/replay:",
            key="run.again",
        )
        repeats.repeat(workspace, run, row.cost)
        marks.star(store, row)
        marks.tags_and_note(store, row)
        _download(run)
    if row.note:
        st.text(row.note)
    if again:
        run_again(workspace, run, again)


def run_again(workspace: Workspace, run: Run, how: Again) -> None:
    """Start the run once more with the strategy it had or the one of today, or open the form to change it."""
    if how == "change":
        open_page(
            "new_run",
            pipeline=run.pipeline,
            subject=run.subject.key,
            as_of=run.as_of.isoformat(),
            strategy=run.strategy,
            specialist=run.models.specialist,
            aggregator=run.models.aggregator,
        )
    strategy = workspace.strategy(run.strategy) if how == "today" else workspace.strategy_of(run)
    plan = workspace.plan(strategy, run.subject, run.as_of)
    open_page("run", run=workspace.jobs.start(plan, run.models, retry_of=run.run_id))


def _download(run: Run) -> None:
    """The run as a file; it is only written when it is asked for."""
    with st.popover(t("actions.download"), icon=":material/download:", key="run.download"):
        for form in FORMATS:
            st.download_button(
                term("export", form),
                partial(export, run, form),
                file_name(run, form),
                on_click="ignore",
                type="tertiary",
                key=f"run.download.{form}",
            )


def _compare(workspace: Workspace, run: Run) -> None:
    """Choose another run of the same pipeline, those of the same subject first."""
    others = [
        row for row in workspace.store.find(pipeline=run.pipeline, limit=50) if row.run_id != run.run_id
    ]
    others.sort(key=lambda row: row.subject_key != run.subject.key)
    with st.popover(
        t("actions.compare"), icon=":material/compare_arrows:", disabled=not others, key="run.compare"
    ):
        other = st.selectbox(
            t("actions.compare_with"),
            others,
            format_func=lambda row: (
                f"{subject_title(row)} · {text.day(row.as_of)} · {row.strategy} · {row.run_id}"
            ),
            key="run.compare.with",
        )
        if other and st.button(t("actions.compare"), type="primary", key="run.compare.open"):
            open_page("compare", runs=f"{other.run_id},{run.run_id}")
