"""The verdict band: score on its rubric, or goals with their probabilities; label, confidence, warnings."""

from __future__ import annotations

import datetime as dt

import streamlit as st

from workbench.evaluate.forecasts import Probabilities, others_on
from workbench.records import MatchSubject, Run, Verdict
from workbench.strategy.schema import ChaptersStrategy, Synthesis
from workbench.ui import charts, palette, rubric, text
from workbench.ui.language import t, term
from workbench.ui.panels.states import errors_shown
from workbench.workspace import Workspace


def verdict_band(run: Run, synthesis: Synthesis | None, reference: Probabilities | None) -> None:
    """The conclusion of a finished run.

    Args:
        run: A run with a verdict; draws nothing without one.
        synthesis: Rubric and thresholds of the strategy as it was, for a chapters run.
        reference: Published pre-match probabilities by outcome, for a match that has them.
    """
    if run.verdict is None:
        return
    with st.container(border=True):
        figures, chart = st.columns([1, 3], gap="medium", vertical_alignment="center")
        with figures:
            _figures(run, run.verdict)
        with chart:
            if synthesis:
                _on_rubric(run.verdict, synthesis)
            elif run.pipeline == "match":
                _outcomes(run.verdict, reference)
    for warning in run.verdict.warnings:
        st.warning(text.escape(warning), icon=":material/warning:")


def synthesis_of(workspace: Workspace, run: Run) -> Synthesis | None:
    """Rubric and thresholds as the run had them; None for other pipelines, or an old text no longer valid."""
    if run.pipeline != "chapters":
        return None
    with errors_shown():
        strategy = workspace.strategy_of(run).strategy
        if isinstance(strategy, ChaptersStrategy):
            return strategy.framework.synthesis
    return None


def published_forecast(workspace: Workspace, run: Run) -> Probabilities | None:
    """The forecast published before the match of a run, by outcome; None where there is none.

    No agent can have seen it: it is read as of the day after the match. A run is shown without it when the
    evidence cannot be read.
    """
    match = run.subject
    if not isinstance(match, MatchSubject):
        return None
    with errors_shown():
        the_day_after = workspace.evidence.view(match.date + dt.timedelta(days=1))
        for played in the_day_after.matches(match.home, match.competition):
            if (played.date, played.home, played.away) == (match.date, match.home, match.away):
                return others_on(played, ()).get("published")
    return None


def label_badge(label: str | None) -> str:
    """A verdict label as Markdown: its colour, its sign and its word."""
    if label is None:
        return text.MISSING
    sign = palette.SIGNS.get(label, "")
    return f":{palette.BADGES.get(label, 'gray')}-badge[{sign} {text.escape(term('label', label))}]"


def counted(verdict: Verdict) -> str:
    """``5 of 6 counted``."""
    return t("verdict.counted", counted=verdict.counted, total=verdict.total)


def _figures(run: Run, verdict: Verdict) -> None:
    if run.pipeline == "match":
        goals = [verdict.fields.get(name) for name in ("pred_home_goals", "pred_away_goals")]
        st.metric(t("verdict.goals"), " – ".join(text.number(goal, 1) for goal in goals))
    else:
        st.metric(t("verdict.score"), text.figure(verdict.score), help=t("verdict.score_help"))
    st.markdown(label_badge(verdict.label))
    confidence = t("verdict.confidence", confidence=text.probability(verdict.confidence))
    st.caption(f"{confidence} · {counted(verdict)}")


def _on_rubric(verdict: Verdict, synthesis: Synthesis) -> None:
    before = next((a.before for a in verdict.adjustments if a.field == "score"), None)
    chart = charts.rubric(
        rubric.anchors(synthesis),
        rubric.label_ranges(synthesis),
        verdict.score,
        before if isinstance(before, int | float) else None,
        st.context.theme.type or "light",
    )
    st.vega_lite_chart(chart, alt=t("verdict.rubric_alt"))
    anchor = synthesis.anchor(verdict.score) if verdict.score is not None else None
    if anchor:
        st.caption(text.escape(f"{anchor.range} · {anchor.description}"))


def _outcomes(verdict: Verdict, reference: Probabilities | None) -> None:
    probabilities = verdict.fields.get("probabilities")
    rows: list[tuple[str, Probabilities]] = []
    if isinstance(probabilities, dict):
        rows.append((t("verdict.this_run"), probabilities))
    if reference:
        rows.append((t("verdict.reference"), reference))
    if rows:
        st.vega_lite_chart(
            charts.outcomes(rows, st.context.theme.type or "light"), alt=t("verdict.outcomes_alt")
        )
        st.caption(t("verdict.outcomes_legend"))
