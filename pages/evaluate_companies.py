"""Whether the scores of companies meant anything: held against the returns that followed."""

import streamlit as st

from workbench.ui.company_evaluation import company_runs, evaluation
from workbench.ui.language import t
from workbench.ui.panels import company_runs as runs_panel
from workbench.ui.panels import company_scores
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import empty, errors_shown
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("companies.title"), t("companies.lead"))
with errors_shown():
    runs = company_runs(workspace)
    if not runs:
        empty(t("companies.empty"), button=t("companies.start"), target="batch", key="companies.first")
        st.stop()
    found = evaluation(workspace, runs_panel.choose_runs(runs))
    runs_panel.left_out(found.judgement)
    if not found.lines:
        st.caption(t("companies.none_judged"))
        st.stop()
    company_scores.standings(found)
    line = company_scores.choose_contestant(found)
    company_scores.conclusion(line)
    company_scores.marks(found, line)
    company_scores.bands(line)
    thresholds, labels = st.columns(2, gap="medium")
    with thresholds:
        company_scores.thresholds(line)
    with labels:
        company_scores.labels(line)
