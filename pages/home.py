"""What the workbench is, how to begin, the latest runs, and what is installed."""

import streamlit as st

from workbench.ui.language import t
from workbench.ui.navigation import link
from workbench.ui.panels.heading import heading
from workbench.ui.panels.installed import installed
from workbench.ui.panels.runs_table import runs_table
from workbench.ui.panels.start import start
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("app.name"), t("home.lead"))
start(workspace)

st.subheader(t("home.latest"), anchor=False)
if rows := workspace.store.find(limit=5):
    runs_table(rows, "home", brief=True)
    link("runs", t("home.all_runs"))
else:
    st.caption(t("home.no_runs"))
installed(workspace)
