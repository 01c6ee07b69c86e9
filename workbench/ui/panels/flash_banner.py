"""What must not be missed: FLASH signals until they are dismissed, and notifications of the browser.

A notification is shown by this page, in whichever tab it is open, so none comes while the workbench is not
open anywhere; ``delivery`` reaches a reader who is away.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from workbench.store.signals import SignalRow, SignalStore
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.navigation import link
from workbench.ui.panels.signal_card import event_pill
from workbench.ui.panels.verdict import label_badge

REFRESH_S = 10.0
SHOWN = 3

_SCRIPT = Path(__file__).with_name("notifications.js")


@st.fragment(run_every=REFRESH_S)
def alarms(signals: SignalStore) -> None:
    """Draw the banner and look for new signals now and then, without disturbing the rest of the page."""
    newest = signals.latest(limit=10, urgencies=("FLASH", "ALERT"))
    total = sum(signals.counts().values())
    drawn = st.session_state.setdefault("signals.drawn", total)
    if total > drawn:
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(t("signals.new", count=total - drawn), icon=":material/refresh:", key="signals.new"):
                st.session_state["signals.drawn"] = total
                st.rerun()
    _banner(signals)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _notifications(newest)


def page_is_drawn() -> None:
    """Count new signals from now on; for the beginning of a whole run of the page."""
    st.session_state.pop("signals.drawn", None)


def _banner(signals: SignalStore) -> None:
    total = signals.counts(urgencies=("FLASH",), dismissed=False)["FLASH"]
    if not total:
        return
    shown = signals.find(limit=SHOWN, urgencies=("FLASH",), dismissed=False)
    with st.container(border=True, gap="small"):
        for row in shown:
            _flash(signals, row)
        if total > len(shown):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.caption(t("signals.more_flashes", count=total - len(shown)), width="content")
                st.space("stretch")
                if st.button(t("signals.dismiss_all"), type="tertiary", key="signals.dismiss_all"):
                    every = signals.latest(limit=total, urgencies=("FLASH",), dismissed=False)
                    signals.dismiss(row.item for row in every)
                    st.rerun(scope="fragment")


def _flash(signals: SignalStore, row: SignalRow) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{label_badge(row.urgency)} {event_pill(row.event_type)}", width="content")
        st.markdown(f"**{text.escape(text.short(row.title, 100))}**", width="content")
        st.caption(f"{text.day(row.published)} · {text.number(row.impact, 2)}", width="content")
        st.space("stretch")
        link("run", t("signals.open"), run=row.run_id)
        st.button(
            t("signals.dismiss"),
            key=f"signals.dismiss.{row.run_id}",
            type="tertiary",
            icon=":material/close:",
            on_click=signals.dismiss,
            args=([row.item],),
        )


def _notifications(newest: Sequence[SignalRow]) -> None:
    """Hand the newest signals to the script that asks for permission and shows them."""
    component = st.components.v2.component("workbench_notifications", js=_SCRIPT.read_text(encoding="utf-8"))
    component(
        key="signals.notifications",
        data={
            "signals": [
                {
                    "id": row.run_id,
                    "title": f"{term('label', row.urgency)} {text.number(row.impact, 2)}",
                    "body": text.short(row.title, 160),
                    "stays": row.urgency == "FLASH",
                    "address": f"run?run={row.run_id}",
                }
                for row in newest
            ],
            "words": {
                "ask": t("signals.notify_ask"),
                "on": t("signals.notify_on"),
                "denied": t("signals.notify_denied"),
                "absent": t("signals.notify_absent"),
            },
        },
    )
