"""Every run of the workspace: filter, open, mark, and compare."""

import streamlit as st

from workbench.export import runs_csv
from workbench.ui.language import t
from workbench.ui.navigation import open_page
from workbench.ui.panels.download import download_csv
from workbench.ui.panels.heading import heading
from workbench.ui.panels.marks import mark_many
from workbench.ui.panels.runs_filter import PAGE_SIZE, runs_filter
from workbench.ui.panels.runs_table import runs_table
from workbench.ui.panels.states import empty
from workbench.ui.session import open_workspace

workspace = open_workspace()
store = workspace.store
heading(t("runs.title"), t("runs.lead"))
if store.count() == 0:
    empty(t("runs.empty"), button=t("home.start"), target="new_run", key="runs.first")
    st.stop()

filters, order = runs_filter(store, workspace.evidence.instruments)
total = store.count(**filters)
if total == 0:
    st.caption(t("runs.none_match"))
    st.stop()

bar = st.container(horizontal=True, vertical_alignment="center")
pages = -(-total // PAGE_SIZE)
place = st.container()
page = st.pagination(pages, key="runs.page", bind="query-params") if pages > 1 else 1
with place:
    rows = store.find(order=order, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE, **filters)
    marked = runs_table(rows, "runs")
with bar:
    st.caption(t("runs.count", shown=len(rows), total=total))
    st.space("stretch")
    download_csv("runs", lambda: runs_csv(store.find(order=order, limit=total, **filters)))
    mark_many(store, marked)
    if st.button(t("runs.compare", count=len(marked)), disabled=len(marked) < 2, key="runs.compare"):
        open_page("compare", runs=",".join(row.run_id for row in marked))
