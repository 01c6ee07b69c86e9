"""Two or more runs side by side. ``?runs=ID,ID`` is its address; the first run is the reference."""

import streamlit as st

from workbench.compare import compare
from workbench.ui.language import t
from workbench.ui.panels.comparison import choose_runs, comparison
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import empty, errors_shown
from workbench.ui.session import open_workspace

store = open_workspace().store
heading(t("compare.title"), t("compare.lead"))
if store.count() < 2:
    empty(t("compare.empty"), button=t("home.start"), target="new_run", key="compare.first")
    st.stop()

chosen = choose_runs(store, st.query_params.get("runs", "").split(","))
if len(chosen) < 2:
    st.caption(t("compare.choose"))
    st.stop()
with errors_shown():
    rows = [store.find(run_id=run_id, limit=1)[0] for run_id in chosen]
    comparison(compare(store.load_many(chosen)), rows)
