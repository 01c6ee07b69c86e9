"""Draft and revised, agent by agent: the dumbbell chart and the table of the same figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import streamlit as st

from workbench.records import Opinion, Report, Run, Scale, Standing, Sufficiency
from workbench.ui import charts, text
from workbench.ui.charts import Band
from workbench.ui.language import t, term
from workbench.ui.messages import translated

STATUS_SIGNS: Mapping[Standing, str] = {
    "ok": "●",
    "unscored": "○",
    "no_data": "○",
    "error": "✕",
    "parse_error": "✕",
}
SUFFICIENCY_SIGNS: Mapping[str, str] = {"high": "●●●", "medium": "●●○", "low": "●○○", "none": "○○○"}

COLUMNS: Mapping[str, int | Literal["stretch"]] = {
    "agent": 150,
    "score": 90,
    "change": 50,
    "confidence": 100,
    "evidence": 100,
    "status": 95,
    "why": "stretch",
}
"""Pixels of each column. Three fit side by side on a phone of 390 px; the last one takes what is left."""


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
    """One line an agent. A dataframe would cut the reasons, which take one line or ten."""
    hints = {"confidence": t("column.confidence_help"), "evidence": t("column.evidence_help")}
    titles = {
        "agent": t("column.agent"),
        "score": t("column.score"),
        "change": t("column.change"),
        "confidence": t("column.confidence"),
        "evidence": t("column.evidence"),
        "status": t("column.status"),
        "why": t("column.why"),
    }
    with st.container(gap="xxsmall"):
        with _line():
            for column, title in titles.items():
                st.caption(title, width=COLUMNS[column], help=hints.get(column))
        for report in reports:
            with _line():
                with st.container(width=COLUMNS["agent"]):
                    st.button(
                        text.escape(report.title),
                        type="tertiary",
                        wrap=True,
                        on_click=open_agent,
                        args=(report.agent,),
                        key=f"run.opinion.{report.agent}",
                    )
                for column, words in _cells(report).items():
                    with st.container(width=COLUMNS[column]):
                        st.markdown(f":small[{words}]")


def _line() -> st.delta_generator.DeltaGenerator:
    return st.container(border=True, horizontal=True, vertical_alignment="center")


def _cells(report: Report) -> Mapping[str, str]:
    scores = [opinion.score for opinion in (report.draft, report.revised) if opinion]
    scored = any(score is not None for score in scores)
    return {
        "score": " → ".join(text.score(score, report.scale) for score in scores) if scored else text.MISSING,
        "change": text.change(report.change, report.scale),
        "confidence": confidences(report),
        "evidence": sufficiency_words(report.evidence.sufficiency),
        "status": f"{STATUS_SIGNS[report.standing]} {term('status', report.standing)}",
        "why": text.escape(" ".join(why(report).split())),
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
        return "; ".join(map(translated, report.evidence.missing.values())) or t("opinions.no_evidence")
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
