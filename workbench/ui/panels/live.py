"""A run while it goes on, and how it ended where it did not end well."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from workbench.engine.progress import AgentProgress, Progress
from workbench.records import Run
from workbench.store.pace import Pace
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.messages import translated
from workbench.workspace import Workspace

REFRESH_S = 1.0

STATE_SIGNS: Mapping[str, str] = {
    "waiting": ":gray[:material/hourglass_empty:]",
    "gathering": ":primary[:material/inventory_2:]",
    "drafting": ":primary[:material/edit_note:]",
    "revising": ":primary[:material/rate_review:]",
    "done": ":green[:material/check_circle:]",
    "no_data": ":gray[:material/do_not_disturb_on:]",
    "failed": ":red[:material/error:]",
}
"""A shape and a colour per state; the word stands beside it."""

_OVER = ("done", "no_data", "failed")


def progress(workspace: Workspace, run: Run) -> None:
    """Follow a running run until it ends; then show the page anew."""
    pace = workspace.store.pace(run.run_id)

    @st.fragment(run_every=REFRESH_S)
    def follow() -> None:
        now = workspace.jobs.progress(run.run_id)
        if now is None:
            _elsewhere(workspace, run.run_id)
        elif now.finished:
            st.rerun()
        else:
            _here(workspace, now, pace)

    follow()


def _here(workspace: Workspace, now: Progress, pace: Pace | None) -> None:
    """A run of this process: every agent's state, what it took so far, and how to stop it."""
    over = sum(agent.state in _OVER for agent in now.agents)
    st.progress(over / len(now.agents), t("live.finished", done=over, total=len(now.agents)))
    facts = [t("live.elapsed", elapsed=text.duration(now.elapsed_s))]
    if pace is not None:
        facts.append(t("live.expected", expected=text.duration(pace.seconds)))
    if now.cost != 0:
        facts.append(t("live.cost", cost=text.cost(now.cost)))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(facts))
        st.space("stretch")
        if st.button(t("live.cancel"), icon=":material/stop_circle:", key="run.cancel"):
            workspace.jobs.cancel(now.run_id)
    columns = {
        t("column.agent"): [text.escape(agent.title) for agent in now.agents],
        t("column.status"): [_state(agent) for agent in now.agents],
        t("column.time"): [text.duration(agent.elapsed_s) for agent in now.agents],
    }
    if pace is not None:
        columns[t("column.usually")] = [text.duration(pace.agents.get(agent.agent)) for agent in now.agents]
    st.table(columns, border="horizontal")
    st.caption(t("live.safe"))


def _state(agent: AgentProgress) -> str:
    error = f" · {text.escape(text.short(agent.error))}" if agent.error else ""
    return f"{STATE_SIGNS[agent.state]} {term('agent_state', agent.state)}{error}"


def _elsewhere(workspace: Workspace, run_id: str) -> None:
    """A run of another process: what it has saved so far."""
    run = workspace.store.load(run_id)
    if run.status != "running":
        st.rerun()
    st.caption(t("live.elsewhere"))
    if run.reports:
        st.table(
            {
                t("column.agent"): [text.escape(report.title) for report in run.reports],
                t("column.status"): [term("status", report.standing) for report in run.reports],
            },
            border="horizontal",
        )


def ending(workspace: Workspace, run: Run) -> None:
    """Why a run ended without a verdict, and the way on."""
    if run.status == "failed":
        st.error(text.escape(run.error) or t("live.failed"), title=t("live.failed"), icon=":material/error:")
    elif run.status in ("cancelled", "interrupted"):
        with st.container(horizontal=True, vertical_alignment="center"):
            words = text.escape(translated(run.error)) or term("live_ending", run.status)
            st.warning(words, icon=":material/pause_circle:")
            if st.button(t("live.resume"), type="primary", icon=":material/play_arrow:", key="run.resume"):
                strategy = workspace.strategy_of(run)
                plan = workspace.plan(strategy, run.subject, run.as_of)
                workspace.jobs.start(plan, run.models, run_id=run.run_id)
                st.rerun()
