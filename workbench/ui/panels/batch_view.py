"""One batch: how far it is while it goes on, how it ended, what failed, and its runs."""

from __future__ import annotations

import datetime as dt

import streamlit as st

from workbench import crews
from workbench.export import runs_csv
from workbench.store.batch_records import Batch
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.panels.download import download_csv
from workbench.ui.panels.runs_table import runs_table
from workbench.ui.panels.states import errors_shown
from workbench.ui.titles import subject_title
from workbench.workspace import Workspace

REFRESH_S = 1.0
PAGE_SIZE = 25
SHOWN_FAILURES = 200
SHOWN_LATEST = 10
"""Runs shown while a batch goes on, the newest first."""


def progress(workspace: Workspace, batch: Batch) -> None:
    """Follow a running batch until it ends; then show the page anew."""

    @st.fragment(run_every=REFRESH_S)
    def follow() -> None:
        now = workspace.store.batches.load(batch.batch_id)
        if now.status != "running":
            st.rerun()
        _state(now)
        with st.container(horizontal=True, vertical_alignment="center"):
            here = batch.batch_id in workspace.batches.running()
            st.caption(t("batch.safe") if here else t("batch.elsewhere"))
            st.space("stretch")
            if here and st.button(t("batch.cancel"), icon=":material/stop_circle:", key="batch.cancel"):
                workspace.batches.cancel(batch.batch_id)
        if latest := workspace.store.find(batch_id=batch.batch_id, limit=SHOWN_LATEST):
            runs_table(latest, "batch.latest", brief=True)

    follow()


def ending(workspace: Workspace, batch: Batch) -> None:
    """What became of a batch, and the way on where something is left to do."""
    _state(batch)
    with st.container(horizontal=True, vertical_alignment="center"):
        if batch.open:
            words = text.escape(batch.error) or term("batch_ending", batch.status)
            st.warning(words, icon=":material/pause_circle:")
        retry = bool(batch.failed) and st.checkbox(
            t("batch.retry_failed", count=batch.failed), key="batch.retry_failed"
        )
        if (batch.open or retry) and st.button(
            t("batch.resume"), type="primary", icon=":material/play_arrow:", key="batch.resume"
        ):
            _resume(workspace, batch, retry)


def _resume(workspace: Workspace, batch: Batch, retry: bool) -> None:
    budget = st.session_state.get("batch.new_budget")
    with errors_shown():
        workspace.batches.resume(batch.batch_id, crews.here(workspace), retry_failed=retry, budget=budget)
        st.rerun()


def new_budget(batch: Batch) -> None:
    """Where a batch has a budget, it may be raised before going on."""
    if batch.budget is None or not batch.open:
        return
    st.number_input(
        t("batch.budget"),
        min_value=0.0,
        value=batch.budget,
        step=1.0,
        width=200,
        help=t("batch.new_budget_help", paid=text.cost(batch.cost)),
        key="batch.new_budget",
    )


def _state(batch: Batch) -> None:
    """The bar, and under it time, pace and cost."""
    now = dt.datetime.now(dt.UTC)
    over = batch.done + batch.failed
    st.progress(over / batch.total, t("batch.over", over=over, total=batch.total))
    seconds, left = batch.seconds(now), batch.eta_s(now)
    facts = [
        t("batch.done", count=batch.done),
        t("batch.failed", count=batch.failed) if batch.failed else "",
        t("batch.running", count=batch.running) if batch.running else "",
        t("live.elapsed", elapsed=text.duration(seconds)) if batch.open else text.duration(seconds),
        t("batch.pace", pace=text.number(batch.settled / seconds, 1)) if batch.settled else "",
        t("batch.left", left=text.duration(left)) if left is not None else "",
        t("live.cost", cost=text.cost(batch.cost)) if batch.cost != 0 else text.cost(0),
        t("batch.of_budget", budget=text.cost(batch.budget)) if batch.budget is not None else "",
    ]
    st.caption(" · ".join(filter(None, facts)))


def failures(workspace: Workspace, batch: Batch) -> None:
    """What failed, each with its reason; folded, because one is as good as another."""
    if not batch.failed:
        return
    with st.expander(t("batch.failures", count=batch.failed), icon=":material/error:"):
        failed = workspace.store.batches.items(batch.batch_id, ["failed"], limit=SHOWN_FAILURES)
        st.dataframe(
            {
                t("column.subject"): [subject_title(item) for item in failed],
                t("column.as_of"): [item.as_of for item in failed],
                t("column.reason"): [text.short(item.error, 300) for item in failed],
            },
            hide_index=True,
            alt=t("batch.failures", count=batch.failed),
        )


def results(workspace: Workspace, batch: Batch) -> None:
    """The runs of the batch, in the order in which they were begun."""
    total = workspace.store.count(batch_id=batch.batch_id)
    if not total:
        return
    st.subheader(t("batch.results"), anchor=False)
    pages = -(-total // PAGE_SIZE)
    place = st.container()
    page = st.pagination(pages, key="batch.page") if pages > 1 else 1
    with place:
        offset = (page - 1) * PAGE_SIZE
        rows = workspace.store.find(batch_id=batch.batch_id, order="oldest", limit=PAGE_SIZE, offset=offset)
        runs_table(rows, "batch", brief=True)
    download_csv(
        batch.batch_id,
        lambda: runs_csv(workspace.store.find(batch_id=batch.batch_id, order="oldest", limit=total)),
    )
