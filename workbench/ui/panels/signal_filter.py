"""The filters over the feed, and how its figures are to be formed. Both live in the address."""

from __future__ import annotations

import datetime as dt
from typing import get_args

import streamlit as st

from workbench.evidence.days import require_order
from workbench.evidence.instruments import Instruments
from workbench.records import URGENCIES
from workbench.rules.signal_words import event_name
from workbench.store.signals import SignalFilter, SignalStore
from workbench.strategy.news import Aggregation
from workbench.ui import address
from workbench.ui.language import language, t, term
from workbench.ui.panels.states import errors_shown
from workbench.ui.signal_reading import Figure, Ways

OLDEST = dt.date(1990, 1, 1)


def signal_filter(signals: SignalStore, instruments: Instruments) -> SignalFilter:
    """Draw the filters and return what they say."""
    counts, events = signals.counts(), signals.events()
    urgencies = st.pills(
        t("signals.urgency"),
        URGENCIES,
        selection_mode="multi",
        format_func=lambda urgency: f"{term('label', urgency)} {counts[urgency]}",
        **address.several("urgency", URGENCIES, page="signals"),
        label_visibility="collapsed",
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = st.multiselect(
            t("signals.type"),
            events,
            format_func=lambda event: event_name(event, language()),
            placeholder=t("runs.any"),
            **address.several("type", events, page="signals"),
            width=190,
        )
        tickers = _tickers(signals, instruments)
        since = _day("from", t("signals.since"))
        until = _day("to", t("signals.until"))
        words = st.text_input(
            t("signals.search"),
            placeholder=t("signals.search_placeholder"),
            key="signals.text",
            bind="query-params",
            type="search",
            width=150,
        )
        watched = signals.watched()
        only_watched = st.toggle(
            t("signals.only_watched"), key="signals.watched", bind="query-params", disabled=not watched
        )
        _watchlist(signals, watched)
    with errors_shown():
        require_order(since, until)
    return {
        "urgencies": urgencies,
        "events": chosen,
        "tickers": tickers or (watched if only_watched else ()),
        "since": since,
        "until": until,
        "text": words,
    }


def ways() -> Ways:
    """Draw the switches between aggregations; one left alone stands for what each run's strategy says."""
    chosen: dict[Figure, Aggregation] = {}
    with st.container(horizontal=True, gap="small"):
        for figure in get_args(Figure):
            way = st.selectbox(
                term("signal_figure", figure),
                get_args(Aggregation),
                index=None,
                format_func=lambda name: term("aggregation", name),
                placeholder=t("signals.as_run"),
                **address.one(f"by.{figure}", get_args(Aggregation), page="signals"),
                width=230,
            )
            if way:
                chosen[figure] = way
    return chosen


def _tickers(signals: SignalStore, instruments: Instruments) -> list[str]:
    names = {instrument.code: instrument.name for instrument in instruments}
    tickers = signals.tickers()
    return st.multiselect(
        t("signals.tickers"),
        tickers,
        format_func=lambda code: f"{code} {names.get(code, '')}".strip(),
        placeholder=t("runs.any"),
        **address.several("ticker", tickers, page="signals"),
        width=190,
    )


def _day(name: str, label: str) -> dt.date | None:
    chosen = st.date_input(
        label,
        value=None,
        min_value=OLDEST,
        format="YYYY-MM-DD",
        **address.day(name, page="signals"),
        width=130,
    )
    return chosen if isinstance(chosen, dt.date) else None


def _watchlist(signals: SignalStore, watched: list[str]) -> None:
    """The tickers the reader follows, edited in place."""

    def save() -> None:
        signals.watch(ticker.strip().upper() for ticker in st.session_state["signals.watchlist"])

    with st.popover(t("signals.watchlist"), icon=":material/visibility:", key="signals.watchlist.open"):
        st.multiselect(
            t("signals.watchlist"),
            list(dict.fromkeys([*watched, *signals.tickers()])),
            default=watched,
            accept_new_options=True,
            placeholder=t("signals.watchlist_empty"),
            help=t("signals.watchlist_help"),
            key="signals.watchlist",
            on_change=save,
        )
