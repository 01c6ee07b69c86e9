"""What the experts of a contestant are worth: their edges, their second look, their weights."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.evaluate.experts import ExpertLine, WeightLine
from workbench.evaluate.forecasts import Contestant
from workbench.records import LAST_ROLES
from workbench.ui import estimates, evaluation_charts, text
from workbench.ui.football_evaluation import Evaluation, Experts, title
from workbench.ui.language import t
from workbench.ui.panels.columns_table import columns_table


def choose_contestant(evaluation: Evaluation) -> Contestant | None:
    """The contestant whose experts are looked at; None where no run judged had any."""
    asked = {
        each.forecast.contestant
        for each in evaluation.judgement.judged
        if any(report.role not in LAST_ROLES for report in each.run.reports)
    }
    contestants = [line.contestant for line in evaluation.lines if line.contestant in asked]
    if not contestants:
        return None
    chosen: Contestant | None = st.selectbox(
        t("football.experts_of"), contestants, format_func=title, key="football.experts_of"
    )
    return chosen


def experts(found: Experts) -> None:
    """Does the sign of an edge predict, and does the revision beat the draft?"""
    st.markdown(f"**{t('football.signs')}**")
    st.caption(t("football.signs_help", share=estimates.with_interval(found.always_home, estimates.share)))
    columns_table(_signs(found.experts), t("football.signs"), "experts")
    st.markdown(f"**{t('football.revisions')}**")
    revised = [(line.title, line.revision) for line in found.experts if line.revision.n]
    if not revised:
        st.caption(t("football.no_revisions"))
        return
    chart = evaluation_charts.forest(
        revised,
        t("football.revision_axis"),
        st.context.theme.type or "light",
        write=estimates.signed,
        zero=True,
    )
    st.vega_lite_chart(chart, alt=t("football.revisions"))
    columns_table(_revisions(found.experts), t("football.revisions"), "revisions")


def weights(found: Experts) -> None:
    """Which expert earns the weight it is given?"""
    st.markdown(f"**{t('football.weights')}**")
    if not found.weights:
        st.caption(t("football.no_weights"))
        return
    st.caption(t("football.weights_help"))
    gains = [(line.title, line.drop_one) for line in found.weights]
    chart = evaluation_charts.forest(
        gains, t("football.drop_axis"), st.context.theme.type or "light", write=estimates.signed, zero=True
    )
    st.vega_lite_chart(chart, alt=t("football.weights"))
    columns_table(_weights(found.weights), t("football.weights"), "weights")


def _signs(lines: Sequence[ExpertLine]) -> dict[str, list[str]]:
    return {
        t("football.expert"): [line.title for line in lines],
        t("football.heard"): [f"{text.number(line.heard)} / {text.number(line.runs)}" for line in lines],
        t("football.decided"): [text.number(line.sign.n) for line in lines],
        t("football.sign"): [estimates.with_interval(line.sign, estimates.share) for line in lines],
        t("football.edge_error"): [estimates.with_interval(line.error) for line in lines],
        t("football.edge_correlation"): [estimates.with_interval(line.correlation, _two) for line in lines],
    }


def _revisions(lines: Sequence[ExpertLine]) -> dict[str, list[str]]:
    shown = [line for line in lines if line.revision.n]
    return {
        t("football.expert"): [line.title for line in shown],
        t("football.moved"): [
            f"{text.number(line.moved)} / {text.number(line.revision.n)}" for line in shown
        ],
        t("football.draft_sign"): [
            estimates.with_interval(line.draft_sign, estimates.share) for line in shown
        ],
        t("football.gain"): [estimates.with_interval(line.revision, estimates.signed) for line in shown],
        t("estimate.says"): [estimates.verdict(line.revision) for line in shown],
    }


def _weights(lines: Sequence[WeightLine]) -> dict[str, list[str]]:
    return {
        t("football.expert"): [line.title for line in lines],
        t("estimate.n"): [text.number(line.weight.n) for line in lines],
        t("football.mean_weight"): [estimates.with_interval(line.weight, _two) for line in lines],
        t("football.drop"): [estimates.with_interval(line.drop_one, estimates.signed) for line in lines],
        t("estimate.says"): [estimates.earned(line.drop_one) for line in lines],
        t("football.weight_correlation"): [
            estimates.with_interval(line.correlation, _two)
            if line.correlation.enough
            else t("football.constant_weight")
            for line in lines
        ],
    }


def _two(value: float | None) -> str:
    return text.number(value, 2)
