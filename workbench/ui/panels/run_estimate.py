"""What a run will ask and about what it will cost, before it is started."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import streamlit as st

from workbench.engine.estimate import Estimate, estimate
from workbench.engine.plan import Plan
from workbench.errors import WorkbenchError
from workbench.llm.baseline import Baseline
from workbench.llm.prices import Prices
from workbench.records import Models
from workbench.ui import text
from workbench.ui.language import t
from workbench.ui.panels.states import show_error
from workbench.workspace import Workspace

_KNOWN = "new_run.estimate"


def run_estimate(workspace: Workspace, plan: Callable[[], Plan], models: Models) -> None:
    """Draw the agents with the tokens and the cost of each, and the sum.

    Args:
        workspace: Knows the models and their prices.
        plan: Makes the plan of the run; a plan is used up by what is read for it.
        models: Who plays which tier.
    """
    try:
        with st.spinner(t("form.estimating")):
            found = _estimate(workspace, plan(), models)
    except WorkbenchError as error:
        show_error(error)
        return
    st.metric(t("form.cost"), text.cost(found.cost), help=t("form.cost_help"))
    if found.unpriced:
        st.caption(text.escape(t("form.unpriced", models=", ".join(found.unpriced))))
    sources = dict.fromkeys(agent.price_source for agent in found.agents if agent.calls and agent.cost)
    if sources:
        st.caption(text.escape(t("form.price_source", sources=", ".join(sources))))
    st.table(
        {
            t("column.agent"): [text.escape(agent.title) for agent in found.agents],
            t("receipt.calls"): [str(agent.calls) for agent in found.agents],
            t("receipt.input"): [text.number(agent.input_tokens) for agent in found.agents],
            t("receipt.output"): [text.number(agent.output_tokens) for agent in found.agents],
            t("receipt.cost"): [
                text.escape(text.cost(agent.cost if agent.calls else 0.0)) for agent in found.agents
            ],
        },
        border="horizontal",
        alt=t("form.cost"),
    )


def batch_estimate(workspace: Workspace, plan: Callable[[], Plan], models: Models, runs: int) -> None:
    """Draw what a batch will cost: as many times the cost of one of its runs.

    Args:
        workspace: Knows the models and their prices.
        plan: Makes the plan of the run that stands for all.
        models: Who plays which tier.
        runs: How many runs there will be.
    """
    try:
        with st.spinner(t("form.estimating")):
            found = _estimate(workspace, plan(), models)
    except WorkbenchError as error:
        show_error(error)
        return
    cost = None if found.cost is None else found.cost * runs
    st.metric(t("form.cost"), text.cost(cost), help=t("batch.cost_help"))
    if found.unpriced:
        st.caption(text.escape(t("form.unpriced", models=", ".join(found.unpriced))))


def _estimate(workspace: Workspace, plan: Plan, models: Models) -> Estimate:
    """Counting takes a moment, so what was counted last is kept for the session."""
    asked = (plan.strategy_hash, plan.subject.key, plan.as_of, models, workspace.presets.read())
    known: tuple[object, Estimate] | None = st.session_state.get(_KNOWN)
    if known is None or known[0] != asked:
        known = asked, asyncio.run(estimate(plan, models, Prices(workspace.hosted), Baseline()))
        st.session_state[_KNOWN] = known
    return known[1]
