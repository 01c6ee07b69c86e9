"""The feed of news signals, its quadrants, what revising changed, and the news themselves."""

import streamlit as st

from workbench.ui import address
from workbench.ui.language import t, term
from workbench.ui.panels import flash_banner, news_desk, signal_feed, signal_figures
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import errors_shown
from workbench.ui.session import open_workspace

VIEWS = {
    "feed": signal_feed.feed,
    "quadrants": signal_figures.quadrants,
    "revising": signal_figures.revising,
    "news": news_desk.news_desk,
}

workspace = open_workspace()
heading(t("signals.title"), t("signals.lead"))
with errors_shown():
    flash_banner.page_is_drawn()
    flash_banner.alarms(workspace.store.signals)
    view = st.segmented_control(
        t("signals.view"),
        list(VIEWS),
        required=True,
        format_func=lambda name: term("signal_view", name),
        label_visibility="collapsed",
        **address.one("view", list(VIEWS), page="signals", otherwise="feed"),
    )
    VIEWS[view](workspace)
