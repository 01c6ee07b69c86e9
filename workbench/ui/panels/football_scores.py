"""Who forecast better, by how much, and whether probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from workbench.evaluate.forecasts import PUBLISHED
from workbench.evaluate.scoreboard import METRICS, Line, Metric, difference
from workbench.evaluate.scoreboard import calibration as bins_of
from workbench.evaluate.uncertainty import Estimate
from workbench.export import rows_csv
from workbench.rules.poisson import OUTCOMES
from workbench.ui import estimates, evaluation_charts, text
from workbench.ui.estimates import Write
from workbench.ui.football_evaluation import Evaluation, title
from workbench.ui.language import t, term
from workbench.ui.panels.columns_table import columns_table
from workbench.ui.panels.download import download_csv

WRITTEN: Mapping[Metric, Write] = {"accuracy": estimates.share}
CHANGE: Mapping[Metric, Write] = {"accuracy": estimates.signed_share}
"""How a metric and a difference of it are written, where not in four decimals."""


def choose_metric() -> Metric:
    """The score everything on the page is compared by."""
    chosen: Metric = st.segmented_control(
        t("football.metric"),
        METRICS,
        default="rps",
        required=True,
        format_func=lambda metric: term("metric", metric),
        key="football.metric",
    )
    st.caption(term("metric_help", chosen))
    return chosen


def standings(evaluation: Evaluation, metric: Metric) -> None:
    """Every contestant and yardstick by one metric, and the table of all metrics."""
    st.subheader(t("football.standings"), anchor=False)
    rows = [(title(line.contestant), line.scores[metric]) for line in evaluation.lines]
    chart = evaluation_charts.forest(
        rows, axis_title(metric), st.context.theme.type or "light", write=WRITTEN.get(metric, estimates.plain)
    )
    st.vega_lite_chart(chart, alt=t("football.standings"))
    column = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame([_line(line) for line in evaluation.lines]),
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("football.standings"),
        column_config={
            "who": column(t("estimate.who"), pinned=True),
            "n": st.column_config.NumberColumn(t("estimate.n"), help=t("football.n_help")),
            **{
                str(metric): column(term("metric", metric), help=term("metric_help", metric))
                for metric in METRICS
            },
            "scaled": st.column_config.NumberColumn(t("football.scaled"), help=t("football.scaled_help")),
        },
    )
    download_csv("standings", lambda: rows_csv([line.row() for line in evaluation.lines]))
    st.caption(t("football.interval"))
    if len({line.matches for line in evaluation.lines}) > 1:
        st.caption(t("football.apart"))


def _line(line: Line) -> dict[str, object]:
    return {
        "who": title(line.contestant),
        "n": line.forecasts,
        **{
            metric: estimates.with_interval(line.scores[metric], WRITTEN.get(metric, estimates.plain))
            for metric in METRICS
        },
        "scaled": line.scaled,
    }


def differences(evaluation: Evaluation, metric: Metric) -> None:
    """Every contestant against the one chosen, over the matches both forecast."""
    st.subheader(t("football.differences"), anchor=False)
    contestants = [line.contestant for line in evaluation.lines]
    if len(contestants) < 2:
        st.caption(t("football.one_contestant"))
        return
    against = (
        st.selectbox(
            t("football.against"),
            contestants,
            index=contestants.index(PUBLISHED) if PUBLISHED in contestants else 0,
            format_func=title,
            key="football.against",
        )
        or contestants[0]
    )
    theirs = evaluation.forecasts[against]
    gaps = [
        (title(each), difference(evaluation.forecasts[each], theirs, metric))
        for each in contestants
        if each != against
    ]
    _gap_chart_and_table(gaps, t("football.gap_axis", metric=term("metric", metric)), metric)


def _gap_chart_and_table(gaps: Sequence[tuple[str, Estimate]], axis: str, metric: Metric) -> None:
    write = CHANGE.get(metric, estimates.signed)
    chart = evaluation_charts.forest(gaps, axis, st.context.theme.type or "light", write=write, zero=True)
    st.vega_lite_chart(chart, alt=axis)
    columns_table(
        {
            t("estimate.who"): [who for who, _ in gaps],
            t("football.common"): [text.number(gap.n) for _, gap in gaps],
            t("football.gap"): [estimates.with_interval(gap, write) for _, gap in gaps],
            t("estimate.says"): [estimates.verdict(gap) for _, gap in gaps],
        },
        axis,
        "differences",
    )


def calibration(evaluation: Evaluation) -> None:
    """Forecast probabilities of one contestant against how often the thing happened, with counts."""
    st.subheader(t("football.calibration"), anchor=False)
    left, right = st.columns(2)
    contestants = [line.contestant for line in evaluation.lines]
    who = left.selectbox(t("estimate.who"), contestants, format_func=title, key="football.calibrated")
    outcome = right.selectbox(
        t("chart.outcome"),
        OUTCOMES,
        index=None,
        placeholder=t("football.all_outcomes"),
        format_func=lambda each: term("label", each),
        key="football.outcome",
    )
    bins = bins_of(evaluation.forecasts[who or contestants[0]], outcome)
    chart, table = st.columns(2, gap="medium")
    with chart:
        st.vega_lite_chart(
            evaluation_charts.calibration(bins, st.context.theme.type or "light"),
            alt=t("football.calibration"),
        )
    with table:
        columns_table(
            {
                t("football.bin"): [f"{text.percent(b.low)} – {text.percent(b.high)}" for b in bins],
                t("estimate.n"): [text.number(b.happened.n) for b in bins],
                t("football.said"): [text.percent(b.forecast) for b in bins],
                t("football.was"): [estimates.with_interval(b.happened, estimates.share) for b in bins],
            },
            t("football.calibration"),
            "calibration",
        )


def axis_title(metric: Metric) -> str:
    """``RPS (lower is better)``."""
    direction = t("estimate.higher") if metric == "accuracy" else t("estimate.lower")
    return f"{term('metric', metric)} ({direction})"
