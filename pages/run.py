"""One run: live while it runs, in full when it is done. ``?run=ID`` is its address from start to end."""

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.panels import (
    actions,
    agents,
    live,
    opinions,
    receipt,
    repeats,
    rules,
    signal_verdict,
    verdict,
)
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import empty, show_error
from workbench.ui.rubric import label_ranges
from workbench.ui.session import open_workspace
from workbench.ui.titles import subject_title

workspace = open_workspace()
asked = st.query_params.get("run", "").strip()
run, trouble = None, None
try:
    run = workspace.store.load(workspace.store.resolve(asked)) if asked else None
except WorkbenchError as error:
    trouble = error
if run is None:
    heading(t("run.title"))
    if trouble:
        show_error(trouble)
    empty(t("run.none"), button=t("run.choose"), target="runs", key="run.choose")
    st.stop()
heading(
    subject_title(run),
    t("run.as_of", date=text.day(run.as_of)),
    t("run.strategy", strategy=text.escape(run.strategy)),
    text.escape(text.models_title(run.models)),
    *([f"**{term('blind', run.blind)}**"] if run.blind != "none" else []),
    text.moment(run.started),
    f"**{term('run_status', run.status)}**",
)
if run.status == "running":
    live.progress(workspace, run)
    st.stop()
live.ending(workspace, run)

synthesis = verdict.synthesis_of(workspace, run)
if run.pipeline == "signals":
    signal_verdict.signal_band(run)
else:
    verdict.verdict_band(run, synthesis, verdict.published_forecast(workspace, run))


def open_agent(agent: str) -> None:
    st.query_params["agent"] = agent


if run.reports:
    opinions.draft_and_revised(run, label_ranges(synthesis) if synthesis else (), open_agent)
if run.verdict:
    rules.rules_applied(run.verdict)
repeats.agreement(workspace, run)
agents.expanders(run, open_agent)
receipt.receipt(run)
actions.actions(workspace, run)
if report := run.report(st.query_params.get("agent", "")):
    agents.drawer(report)
