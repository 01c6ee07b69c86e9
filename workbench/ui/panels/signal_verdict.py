"""The conclusion of a signals run: how loud, how big, how sure, for whom, and how each figure came about."""

from __future__ import annotations

import streamlit as st

from workbench.errors import StrategyError
from workbench.records import Run
from workbench.rules.signals import SignalVerdict
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.panels.signal_card import direction_words, event_pill
from workbench.ui.panels.signal_filter import ways
from workbench.ui.panels.states import show_error
from workbench.ui.panels.verdict import counted, label_badge
from workbench.ui.signal_reading import Reading, read_signal


def signal_band(run: Run) -> None:
    """Draw the band of a finished signals run, with switches that add the same opinions up in another way."""
    if run.verdict is None:
        return
    with st.container(border=True):
        band = st.container()
        try:
            reading = read_signal(run, ways())
        except StrategyError as error:
            show_error(error)
            return
    signal = reading.signal
    with band:
        if signal.impact_score is None:
            st.warning(t("signals.no_agent"), icon=":material/warning:")
            return
        figures, tickers = st.columns([1, 2], gap="medium")
        with figures:
            st.metric(t("signals.impact"), text.number(signal.impact_score, 2))
            st.markdown(f"{label_badge(signal.urgency)} {event_pill(signal.event_type)}")
            confidence = t("verdict.confidence", confidence=text.number(signal.confidence_score, 2))
            facts = (direction_words(signal), confidence, counted(run.verdict))
            st.caption(" · ".join(filter(None, facts)))
            if reading.recast and run.verdict.label != signal.urgency:
                st.caption(t("signals.was", urgency=term("label", run.verdict.label)))
            st.caption(_drafts(reading.draft))
        with tickers:
            _tickers(reading)
            _explanation(reading)
    for warning in run.verdict.warnings:
        st.warning(text.escape(warning), icon=":material/warning:")


def _drafts(draft: SignalVerdict) -> str:
    return t(
        "signals.draft_figures",
        impact=text.number(draft.impact_score, 2),
        confidence=text.number(draft.confidence_score, 2),
        urgency=term("label", draft.urgency),
    )


def _tickers(reading: Reading) -> None:
    """Impact on each ticker by the drafts and by the revised opinions, the strongest first."""
    if not reading.signal.tickers:
        st.caption(t("signals.no_tickers"))
        return
    drafted = {ticker.ticker: ticker.impact_score for ticker in reading.draft.tickers}
    column = st.column_config
    st.dataframe(
        [
            {
                "ticker": ticker.ticker,
                "link": term("link_type", ticker.link_type),
                "draft": drafted.get(ticker.ticker),
                "impact": ticker.impact_score,
                "by": ", ".join(ticker.titles),
            }
            for ticker in reading.signal.tickers
        ],
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("signals.tickers_alt"),
        column_config={
            "ticker": column.TextColumn(t("signals.ticker"), width=110, pinned=True),
            "link": column.TextColumn(t("signals.link"), width=80),
            "draft": column.NumberColumn(t("column.draft"), width=70, format="%.2f"),
            "impact": column.NumberColumn(t("column.revised"), width=70, format="%.2f"),
            "by": column.TextColumn(t("signals.by")),
        },
    )


def _explanation(reading: Reading) -> None:
    if reading.explanation:
        told = reading.explanation
        lines = [told.impact, told.confidence, told.urgency, *told.tickers.values()]
        with st.expander(t("signals.details")):
            st.markdown("\n".join(f"- {text.escape(line)}" for line in lines))
        st.caption(text.escape(told.impact))
