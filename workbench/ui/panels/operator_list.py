"""The operators by category and industry gate, and a form for a new one."""

from __future__ import annotations

import streamlit as st

from workbench.errors import StrategyError, WorkbenchError
from workbench.strategy.blank import blank_operator
from workbench.strategy.operators import Operator
from workbench.ui import text
from workbench.ui.language import language, t, term
from workbench.ui.navigation import open_page
from workbench.ui.operator_editor import PREFIX
from workbench.ui.panels.states import show_error
from workbench.workspace import Workspace


def operator_list(workspace: Workspace) -> str | None:
    """The table of operators that match the filters.

    Returns:
        The operator that is open: the one in the address, else none.
    """
    known: list[Operator] = []
    for id in workspace.operators.ids():
        try:
            known.append(workspace.operators.get(id))
        except StrategyError as error:
            show_error(error)
    uses = used_by(workspace)
    categories = sorted({operator.category for operator in known})
    gates = sorted({kind for operator in known for kind in operator.industries})
    left, middle, right = st.columns([2, 2, 1], vertical_alignment="bottom")
    category = left.selectbox(
        t("operators.category"),
        categories,
        index=None,
        format_func=lambda category: term("operator_category", category),
        placeholder=t("runs.any"),
        key="operators.category",
    )
    gate = middle.selectbox(
        t("operators.gate"),
        gates,
        index=None,
        placeholder=t("runs.any"),
        key="operators.gate",
        help=t("operators.gate_help"),
    )
    with right.popover(t("studio.new"), icon=":material/add:", key="operators.new"):
        _new(workspace)
    shown = [
        operator
        for operator in known
        if (not category or operator.category == category) and (not gate or operator.applies(gate))
    ]
    _table(workspace, shown, uses)
    return st.query_params.get("operator")


def used_by(workspace: Workspace) -> dict[str, list[str]]:
    """Operator -> the strategies that use it; strategies that cannot be read are left out."""
    found: dict[str, list[str]] = {}
    for name in workspace.strategies():
        try:
            strategy = workspace.strategy(name).strategy
        except StrategyError:
            continue
        framework = getattr(strategy, "framework", None)
        ids = {id for chapter in framework.chapters for id in chapter.operators} if framework else set()
        for id in ids:
            found.setdefault(id, []).append(name)
    return found


def _table(workspace: Workspace, shown: list[Operator], uses: dict[str, list[str]]) -> None:
    drafts = workspace.store.strategies.drafts()
    opened = "operators.open"
    if (click := st.session_state.get(opened)) and click.row < len(shown):
        st.query_params["operator"] = shown[click.row].id
    column = st.column_config
    st.dataframe(
        [
            {
                "title": _title(operator, edited=PREFIX + operator.id in drafts),
                "id": operator.id,
                "category": term("operator_category", operator.category),
                "gate": _gate(operator),
                "outputs": list(operator.outputs),
                "used": uses.get(operator.id, []),
            }
            for operator in shown
        ],
        hide_index=True,
        height=min(38 * (len(shown) + 1) + 2, 420),
        key="operators.table",
        alt=t("operators.alt"),
        column_config={
            "title": column.ButtonColumn(
                t("operators.operator"), type="tertiary", alignment="left", key=opened, pinned=True
            ),
            "id": column.TextColumn(t("studio.agent_name"), width=140),
            "category": column.TextColumn(t("operators.category"), width=110),
            "gate": column.TextColumn(t("operators.gate"), width=130),
            "outputs": column.ListColumn(t("operators.outputs"), width=190),
            "used": column.ListColumn(t("operators.used_by"), width=170),
        },
    )


def _title(operator: Operator, *, edited: bool) -> str:
    return operator.in_language(language()).title + (" ●" if edited else "")


def _gate(operator: Operator) -> str:
    """Which industries it is for, in words."""
    if operator.industries:
        return t("studio.only_for", kinds=", ".join(operator.industries))
    if operator.industries_excluded:
        return t("operators.not_for", kinds=", ".join(operator.industries_excluded))
    return t("operators.for_all")


def _new(workspace: Workspace) -> None:
    with st.form("operators.new.form", border=False):
        id = st.text_input(t("studio.agent_name"), help=t("studio.agent_name_help"), key="operators.new.id")
        title = st.text_input(t("studio.title"), key="operators.new.title")
        if st.form_submit_button(t("studio.create"), type="primary", key="operators.new.press"):
            try:
                workspace.operators.create(id.strip(), blank_operator(id.strip(), title or id, language()))
            except WorkbenchError as error:
                show_error(error)
                return
            open_page("operators", operator=id.strip())


def strategies_line(names: list[str]) -> str:
    """``used by value, bank``, or that nobody uses it."""
    if not names:
        return t("operators.unused")
    return t("operators.used_in", names=text.escape(", ".join(names)))
