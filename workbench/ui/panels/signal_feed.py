"""The feed: filters, the warning about too many FLASHes, and the cards of one page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import streamlit as st

from workbench.export import rows_csv
from workbench.records import Urgency
from workbench.ui import text
from workbench.ui.language import t
from workbench.ui.panels.download import download_csv
from workbench.ui.panels.signal_card import signal_card
from workbench.ui.panels.signal_filter import signal_filter, ways
from workbench.ui.panels.states import errors_shown
from workbench.ui.signal_reading import Ways, read_signal
from workbench.workspace import Workspace

PAGE_SIZE = 12

FLASH_SHARE = 10
"""Percent of signals that may be a FLASH before the thresholds are taken to be off."""

ENOUGH = 10
"""Signals from which on a share says something."""


def feed(workspace: Workspace) -> None:
    """Draw the feed."""
    signals = workspace.store.signals
    if not sum(signals.counts().values()):
        _empty()
        return
    filters = signal_filter(signals, workspace.evidence.instruments)
    recast = ways()
    counts = signals.counts(**filters)
    total = sum(counts.values())
    _flash_share(signals.counts(**{**filters, "urgencies": ()}))
    if not total:
        st.caption(t("signals.none_match"))
        return
    bar, place = st.container(horizontal=True, vertical_alignment="center"), st.container()
    pages = -(-total // PAGE_SIZE)
    page = st.pagination(pages, key="signals.page", bind="query-params") if pages > 1 else 1
    rows = signals.find(limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE, **filters)
    with bar:
        st.caption(t("signals.count", shown=len(rows), total=text.number(total)), width="content")
        if recast:
            st.caption(t("signals.recast"), width="content")
        st.space("stretch")
        download_csv(
            "signals", lambda: rows_csv([asdict(row) for row in signals.find(limit=total, **filters)])
        )
    with place:
        _cards(workspace, [row.run_id for row in rows], recast)


def _cards(workspace: Workspace, run_ids: list[str], recast: Ways) -> None:
    watched = workspace.store.signals.watched()
    runs = workspace.store.load_many(run_ids)
    for left in range(0, len(runs), 2):
        for column, run in zip(st.columns(2, gap="small"), runs[left : left + 2], strict=False):
            with column, errors_shown():
                signal_card(run, read_signal(run, recast), workspace.evidence, watched)


def _flash_share(counts: Mapping[Urgency, int]) -> None:
    """Warn when FLASH is more frequent than the reader finds right."""
    total, flashes = sum(counts.values()), counts["FLASH"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        place = st.container()
        with st.popover(t("signals.share"), key="signals.share", type="tertiary"):
            most = st.number_input(
                t("signals.share_words"),
                min_value=0,
                max_value=100,
                value=FLASH_SHARE,
                step=5,
                key="signals.flash_share",
                bind="query-params",
            )
    if total >= ENOUGH and 100 * flashes > most * total:
        share = text.percent(flashes / total)
        words = t("signals.too_many", share=share, flashes=flashes, total=total, most=most)
        place.warning(words, icon=":material/warning:")


def _empty() -> None:
    def to_news() -> None:
        st.query_params["view"] = "news"

    with st.container(border=True, horizontal_alignment="center", gap="small"):
        st.markdown(f":gray[{t('signals.empty')}]", text_alignment="center")
        st.button(t("signals.to_news"), type="primary", key="signals.to_news", on_click=to_news)
