"""A table of runs: one line a run, its subject opens it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.store.rows import RunRow
from workbench.ui import palette, text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.ui.titles import subject_title

BRIEF = ("subject", "label", "score", "as_of", "strategy", "models", "status", "started")


def runs_table(rows: Sequence[RunRow], key: str, *, brief: bool = False) -> list[RunRow]:
    """Draw the runs in the order given.

    Args:
        rows: The runs of this page of the list.
        key: Prefix of the widget keys.
        brief: The main columns only, nothing to mark.

    Returns:
        The marked runs, in the order of the table.
    """
    opened = f"{key}.open"
    if click := st.session_state.get(opened):
        open_page("run", run=rows[click.row].run_id)
    column = st.column_config
    state = st.dataframe(
        [_line(row) for row in rows],
        key=f"{key}.table",
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("runs.alt"),
        on_select="rerun",
        selection_mode=() if brief else "multi-row",
        column_order=BRIEF if brief else _columns(rows),
        column_config={
            "subject": column.ButtonColumn(
                t("column.subject"), type="tertiary", alignment="left", key=opened, pinned=True
            ),
            "label": column.TextColumn(t("column.label"), width=130, help=t("column.label_help")),
            "score": column.ProgressColumn(
                t("column.score"), min_value=0, max_value=100, format="%.3g", width=90, color=palette.GREY
            ),
            "as_of": column.DateColumn(t("column.as_of"), width=90),
            "strategy": column.TextColumn(t("column.strategy"), width=90),
            "models": column.TextColumn(t("column.models"), width=140),
            "counted": column.TextColumn(t("column.counted"), width=70, help=t("column.counted_help")),
            "status": column.TextColumn(t("column.status"), width=100),
            "started": column.TextColumn(t("column.started"), width=130),
            "time": column.TextColumn(t("column.time"), width=70),
            "cost": column.TextColumn(t("column.cost"), width=80),
            "tags": column.ListColumn(t("column.tags"), width=110),
            "note": column.TextColumn(t("column.note"), width=160),
        },
    )
    return [rows[index] for index in state.selection.rows]


def _columns(rows: Sequence[RunRow]) -> list[str]:
    """All columns that say something about these runs: an empty one would push others out of sight."""
    optional = {
        "score": any(row.pipeline == "chapters" for row in rows),
        "cost": any(row.cost for row in rows),
        "tags": any(row.tags for row in rows),
        "note": any(row.note for row in rows),
    }
    columns = (*BRIEF[:6], "counted", *BRIEF[6:], "time", "cost", "tags", "note")
    return [column for column in columns if optional.get(column, True)]


def _line(row: RunRow) -> dict[str, object]:
    sign = palette.SIGNS.get(row.label or "", "")
    star = "★ " if row.starred else ""
    return {
        "subject": star + subject_title(row),
        "label": f"{sign} {term('label', row.label)} {_goals(row)}".strip(),
        "score": row.score if row.pipeline == "chapters" else None,  # the others are on scales of their own
        "as_of": row.as_of,
        "strategy": row.strategy,
        "models": text.models_title(row.models),
        "counted": f"{row.counted}/{row.total}" if row.total else text.MISSING,
        "status": _status(row),
        "started": text.moment(row.started),
        "time": text.duration(row.seconds),
        "cost": text.cost(row.cost),
        "tags": list(row.tags),
        "note": text.short(row.note, 60),
    }


def _goals(row: RunRow) -> str:
    """The expected goal difference of a match, home minus away."""
    return (
        f"{row.score:+.1f}".replace("-", text.MINUS)
        if row.pipeline == "match" and row.score is not None
        else ""
    )


def _status(row: RunRow) -> str:
    """How a run ended; one that was concluded although agents had failed says so."""
    words = term("run_status", row.status)
    if row.status == "done" and row.failed:
        return f"{PARTLY} {t('runs.partly', status=words, failed=row.failed)}"
    return f"{STATUS_SIGNS[row.status]} {words}"


PARTLY = "◑"
STATUS_SIGNS = {"running": "◔", "done": "●", "failed": "✕", "cancelled": "○", "interrupted": "◌"}
