"""How good football forecasts were: contestants beside yardsticks, their experts and the weights."""

import streamlit as st

from workbench.ui.football_evaluation import evaluation, experts_of, match_runs
from workbench.ui.language import t
from workbench.ui.panels import football_experts, football_runs, football_scores
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import empty, errors_shown
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("football.title"), t("football.lead"))
with errors_shown():
    runs = match_runs(workspace)
    if not runs:
        empty(t("football.empty"), button=t("football.find"), target="fixtures", key="football.first")
        st.stop()
    selection = football_runs.choose_runs(runs)
    found = evaluation(workspace, selection)
    football_runs.left_out(found.judgement)
    if not found.lines:
        st.caption(t("football.none_judged"))
        st.stop()
    metric = football_scores.choose_metric()
    football_scores.standings(found, metric)
    football_scores.differences(found, metric)
    football_scores.calibration(found)
    st.subheader(t("football.experts"), anchor=False)
    if contestant := football_experts.choose_contestant(found):
        experts = experts_of(workspace, selection, contestant)
        football_experts.experts(experts)
        football_experts.weights(experts)
