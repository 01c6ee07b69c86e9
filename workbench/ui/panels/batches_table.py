"""The batches of a workspace: one line each, its title opens it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import streamlit as st

from workbench.store.batch_records import Batch
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page

OPENED = "batch.open"

STATUS_SIGNS = {"running": "◔", "done": "●", "stopped": "◐", "cancelled": "○", "interrupted": "◌"}


def batches_table(batches: Sequence[Batch]) -> None:
    """Draw the batches in the order given."""
    if click := st.session_state.get(OPENED):
        open_page("batch", batch=batches[click.row].batch_id)
    column = st.column_config
    st.dataframe(
        [_line(batch) for batch in batches],
        key="batch.table",
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("batch.list"),
        column_config={
            "title": column.ButtonColumn(
                t("column.batch"), type="tertiary", alignment="left", key=OPENED, pinned=True
            ),
            "status": column.TextColumn(t("column.status"), width=110),
            "over": column.ProgressColumn(
                t("column.finished"), min_value=0, max_value=1, format="percent", width=110
            ),
            "done": column.TextColumn(t("column.done"), width=90),
            "failed": column.NumberColumn(t("column.failed"), width=80),
            "strategy": column.TextColumn(t("column.strategy"), width=100),
            "models": column.TextColumn(t("column.models"), width=230),
            "created": column.TextColumn(t("column.started"), width=130),
            "time": column.TextColumn(t("column.time"), width=90),
            "cost": column.TextColumn(t("column.cost"), width=80),
        },
    )


def _line(batch: Batch) -> dict[str, object]:
    return {
        "title": batch.title,
        "status": f"{STATUS_SIGNS[batch.status]} {term('batch_status', batch.status)}",
        "over": (batch.done + batch.failed) / batch.total,
        "done": f"{batch.done}/{batch.total}",
        "failed": batch.failed or None,
        "strategy": batch.strategy,
        "models": text.models_title(batch.models),
        "created": text.moment(batch.created),
        "time": text.duration(batch.seconds(dt.datetime.now(dt.UTC))),
        "cost": text.cost(batch.cost),
    }
