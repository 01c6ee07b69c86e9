"""What a run said about a match: probabilities beside those of others, expected goals, experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.evaluate.football import rps
from workbench.evaluate.forecasts import Forecast, Probabilities, forecast_of, numbers, others_on, result_of
from workbench.evidence.view import Match
from workbench.records import EDGE_SCALE, LAST_ROLES, Run
from workbench.store.runs import RunStore
from workbench.ui import charts, match_charts, text
from workbench.ui.language import t, term
from workbench.ui.navigation import link
from workbench.ui.panels.fixture_picker import key_of

SHOWN_RUNS = 20


def match_judgement(store: RunStore, match: Match, history: Sequence[Match]) -> None:
    """The newest finished run over a match, or another one chosen; without any, the way to start one.

    Args:
        store: Where the runs are.
        match: The match on record.
        history: All matches of its competition, for the base rates.
    """
    said = {term("yardstick", name): shares for name, shares in others_on(match, history).items()}
    rows = store.find(subject=key_of(match), pipeline="match", status="done", limit=SHOWN_RUNS)
    with st.container(border=True):
        st.subheader(t("match.judgement"), anchor=False)
        if not rows:
            st.caption(t("match.no_run"))
            _probabilities(said, match)
            link("new_run", t("match.start"), pipeline="match", subject=key_of(match))
            return
        chosen = st.selectbox(
            t("chart.run"),
            rows,
            format_func=lambda row: " · ".join(
                (text.moment(row.started), text.models_title(row.models), row.strategy, row.prompt_version)
            ),
            key=f"fixtures.run.{key_of(match)}",
        )
        run = store.load((chosen or rows[0]).run_id)
        forecast = forecast_of(run, match)
        if forecast is not None:
            _probabilities({t("verdict.this_run"): forecast.probabilities} | said, match)
            _goals(forecast)
        _experts(run)
        with st.container(horizontal=True):
            link("run", t("match.open_run"), run=run.run_id)
            link("new_run", t("match.again"), pipeline="match", subject=key_of(match))


def _probabilities(said: Mapping[str, Probabilities], match: Match) -> None:
    if not said:
        return
    st.markdown(f"**{t('match.probabilities')}**")
    ink = st.context.theme.type or "light"
    st.vega_lite_chart(charts.outcomes([*said.items()], ink), alt=t("verdict.outcomes_alt"))
    st.caption(t("match.outcomes_legend"))
    if match.settled:
        scores = [f"{who} {text.number(rps(shares, result_of(match)), 3)}" for who, shares in said.items()]
        st.caption(t("match.rps", scores=text.escape(" · ".join(scores))))


def _goals(forecast: Forecast) -> None:
    if forecast.goals is None:
        return
    match, (home, away) = forecast.match, forecast.goals
    st.markdown(f"**{t('match.scores', home=text.number(home, 2), away=text.number(away, 2))}**")
    st.vega_lite_chart(
        match_charts.score_matrix(home, away, match, st.context.theme.type or "light"),
        alt=t("match.scores_alt"),
    )
    st.caption(t("match.scores_legend"))


def _experts(run: Run) -> None:
    experts = [r for r in run.reports if r.role not in LAST_ROLES and r.scale == EDGE_SCALE]
    if not experts:
        return
    given = (run.verdict.fields.get("agent_weights") if run.verdict else None) or {}
    weights = {agent: found[0] for agent, weight in given.items() if (found := numbers([weight]))}
    st.markdown(f"**{t('match.experts')}**")
    st.vega_lite_chart(
        match_charts.edges(experts, weights, st.context.theme.type or "light"), alt=t("match.experts")
    )
    st.caption(t("match.experts_legend"))
