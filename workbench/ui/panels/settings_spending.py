"""What language models have cost, added up by day, model, agent, run or batch."""

from __future__ import annotations

import streamlit as st

from workbench.store.payments import SPEND_BY, Spend, SpendBy
from workbench.ui import address, text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.workspace import Workspace

SHOWN = 200
"""Lines of the table."""


def spending(workspace: Workspace) -> None:
    """Today against the budget, then the table."""
    payments = workspace.store.payments
    limit = workspace.presets.read().daily_budget
    paid = payments.today()
    left, right, _ = st.columns(3)
    left.metric(t("spending.today"), text.dollars(paid), help=t("spending.today_help"))
    right.metric(t("spending.budget"), t("settings.no_limit") if limit is None else text.dollars(limit))
    if limit is not None and paid >= limit:
        st.warning(t("spending.spent"), icon=":material/payments:")
    by: SpendBy = (
        st.segmented_control(
            t("spending.by"),
            SPEND_BY,
            required=True,
            format_func=lambda one: term("spend_by", one),
            **address.one("by", SPEND_BY, page="settings", otherwise="day"),
        )
        or "day"
    )
    rows = payments.spend(by, limit=SHOWN)
    if rows:
        _table(rows, by)
        st.caption(t("spending.note"))
    else:
        st.caption(t("spending.none"))


def _table(rows: list[Spend], by: SpendBy) -> None:
    opened = "settings.spending.open"
    if by == "run" and (click := st.session_state.get(opened)):
        open_page("run", run=rows[click.row].key)
    column = st.column_config
    subject = (
        column.ButtonColumn(term("spend_by", by), type="tertiary", alignment="left", key=opened, pinned=True)
        if by == "run"
        else column.TextColumn(term("spend_by", by), pinned=True)
    )
    st.dataframe(
        [
            {
                "what": f"{row.title} · {row.key}" if row.title else row.key,
                "cost": row.cost,
                "unpriced": row.unpriced,
                "calls": row.calls,
                "failed": row.failed,
                "cached": row.cached,
                "input": row.input_tokens,
                "output": row.output_tokens,
            }
            for row in rows
        ],
        key=f"settings.spending.{by}",
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("spending.alt"),
        column_config={
            "what": subject,
            "cost": column.NumberColumn(t("column.cost"), format="$%.4f"),
            "unpriced": column.NumberColumn(t("spending.unpriced"), help=t("spending.unpriced_help")),
            "calls": column.NumberColumn(t("receipt.calls"), format="localized"),
            "failed": column.NumberColumn(t("spending.failed"), format="localized"),
            "cached": column.NumberColumn(t("spending.cached"), format="localized"),
            "input": column.NumberColumn(t("receipt.input"), format="localized"),
            "output": column.NumberColumn(t("receipt.output"), format="localized"),
        },
    )
