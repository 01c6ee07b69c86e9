"""Draft and revised, agent by agent: the dumbbell chart and the table of the same figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from workbench.records import Opinion, Report, Run, Scale, Standing, Sufficiency
from workbench.ui import charts, text
from workbench.ui.charts import Band
from workbench.ui.language import t, term

STATUS_SIGNS: Mapping[Standing, str] = {
    "ok": "●",
    "unscored": "○",
    "no_data": "○",
    "error": "✕",
    "parse_error": "✕",
}
SUFFICIENCY_SIGNS: Mapping[str, str] = {"high": "●●●", "medium": "●●○", "low": "●○○", "none": "○○○"}

_ONE_LINE = 56
"""Columns of text that a line of the last table column holds at 1280 px."""


def draft_and_revised(run: Run, bands: Sequence[Band], open_agent: Callable[[str], None]) -> None:
    """Chart and table of every agent of a run.

    Args:
        run: The run, finished or not.
        bands: Faint bands behind the 0-100 scale.
        open_agent: Called with the agent whose name was clicked in the table.
    """
    st.subheader(t("opinions.title"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("opinions.legend"))
        st.space("stretch")
        by_change = (
            st.segmented_control(
                t("opinions.order"),
                ["pipeline", "change"],
                default="pipeline",
                format_func=lambda order: term("order", order),
                key="run.order",
                label_visibility="collapsed",
            )
            == "change"
        )
    reports = sorted(run.reports, key=_size_of_change, reverse=True) if by_change else list(run.reports)
    for scale, group in _comparable(reports):
        chart = charts.dumbbell(
            group,
            scale,
            bands if scale.high == 100 else (),
            st.context.theme.type or "light",
        )
        st.vega_lite_chart(chart, alt=t("opinions.alt"))
    _table(reports, open_agent)


def _table(reports: Sequence[Report], open_agent: Callable[[str], None]) -> None:
    rows = [_row(report) for report in reports]

    def clicked() -> None:
        open_agent(reports[st.session_state["run.agent.click"].row].agent)

    text_column, column = st.column_config.TextColumn, st.column_config
    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        # Cells wrap in rows above 60 px only, and then hold three lines.
        row_height=64 if any(text.columns(str(row["why"])) > _ONE_LINE for row in rows) else None,
        placeholder=text.MISSING,
        alt=t("opinions.alt"),
        column_config={
            "agent": column.ButtonColumn(
                t("column.agent"),
                type="tertiary",
                alignment="left",
                on_click=clicked,
                key="run.agent.click",
                pinned=True,
            ),
            "draft": text_column(t("column.draft"), width=70, alignment="right"),
            "revised": text_column(t("column.revised"), width=70, alignment="right"),
            "change": column.NumberColumn(t("column.change"), width=80, format="%+.3g"),
            "confidence": text_column(t("column.confidence"), width=110, help=t("column.confidence_help")),
            "evidence": text_column(t("column.evidence"), width=110, help=t("column.evidence_help")),
            "status": text_column(t("column.status"), width=110),
            "why": text_column(t("column.why"), width="large"),
        },
    )


def _row(report: Report) -> dict[str, object]:
    draft, revised = report.draft, report.revised
    change = None
    if draft and revised and draft.score is not None and revised.score is not None:
        change = text.difference_of(draft.score, revised.score, report.scale)
    return {
        "agent": report.title,
        "draft": text.score(_score(draft), report.scale),
        "revised": text.score(_score(revised), report.scale),
        "change": change,
        "confidence": confidences(report),
        "evidence": sufficiency_words(report.evidence.sufficiency),
        "status": f"{STATUS_SIGNS[report.standing]} {term('status', report.standing)}",
        "why": text.short(why(report), int(2.7 * _ONE_LINE)),
    }


def confidences(report: Report) -> str:
    """``75% → 65%``, or the one there is."""
    seen = [o.confidence for o in (report.draft, report.revised) if o and o.confidence is not None]
    return " → ".join(text.probability(value) for value in seen) or text.MISSING


def sufficiency_words(sufficiency: Sufficiency) -> str:
    """``●●○ medium``."""
    return f"{SUFFICIENCY_SIGNS[sufficiency]} {term('sufficiency', sufficiency)}"


def why(report: Report) -> str:
    """Why the revision differs from the draft; why there is none where there is none."""
    if report.error:
        return report.error
    if report.revised and report.revised.why_changed:
        return report.revised.why_changed
    if report.status == "no_data":
        return "; ".join(report.evidence.missing.values()) or t("opinions.no_evidence")
    return t("opinions.unchanged") if report.revised else t("opinions.not_revised")


def _score(opinion: Opinion | None) -> float | None:
    return opinion.score if opinion else None


def _size_of_change(report: Report) -> float:
    draft, revised = _score(report.draft), _score(report.revised)
    if draft is None or revised is None:
        return -1.0
    return abs(revised - draft) / (report.scale.high - report.scale.low)


def _comparable(reports: Sequence[Report]) -> list[tuple[Scale, list[Report]]]:
    """Reports that share a scale share a chart, in their order; a scale of its own is left to the table."""
    groups: dict[Scale, list[Report]] = {}
    for report in reports:
        groups.setdefault(report.scale, []).append(report)
    return [(scale, group) for scale, group in groups.items() if len(group) > 1] or list(groups.items())
