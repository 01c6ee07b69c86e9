"""The bar at the foot of the studio: how much is not saved, and what can be done with it."""

from __future__ import annotations

import streamlit as st

from workbench.ui.language import t
from workbench.ui.studio import Studio

SAVES = "strategy.saves"
"""Successful saves of the session: a popover of another key is a new one, which is closed."""


def bar(studio: Studio) -> None:
    """Unsaved changes, undo and redo, check, try, save with a note, discard."""
    edited = studio.draft.edited
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if edited:
            st.markdown(
                f":orange-badge[● {t('studio.unsaved', count=studio.draft.changes)}]", width="content"
            )
        else:
            st.markdown(f":gray-badge[{t('studio.all_saved')}]", width="content")
        st.button(
            "", icon=":material/undo:", key="strategy.undo_button", help=t("studio.undo"), type="tertiary",
            disabled=not studio.undos, on_click=studio.undo,
        )  # fmt: skip
        st.button(
            "", icon=":material/redo:", key="strategy.redo_button", help=t("studio.redo"), type="tertiary",
            disabled=not studio.redos, on_click=studio.redo,
        )  # fmt: skip
        st.space("stretch")
        st.button(
            t("studio.check"), icon=":material/rule:", key="strategy.check",
            on_click=lambda: studio.go(view="checks"),
        )  # fmt: skip
        st.button(
            t("studio.try"), icon=":material/science:", key="strategy.try",
            on_click=lambda: studio.go(view="try"),
        )  # fmt: skip
        st.button(
            t("studio.discard"), key="strategy.discard", disabled=not edited, on_click=studio.discard,
            help=t("studio.discard_help"),
        )  # fmt: skip
        _save(studio, edited)


def _save(studio: Studio, edited: bool) -> None:
    """Save with a note; an error keeps the strategy from being saved and is named."""
    saves: int = st.session_state.get(SAVES, 0)
    with st.popover(
        t("studio.save"), icon=":material/save:", type="primary", disabled=not edited,
        key=f"strategy.save.{saves}",
    ):  # fmt: skip
        if studio.errors:
            st.error(t("studio.cannot_save", count=studio.errors), icon=":material/error:")
        with st.form("strategy.save.form", border=False):
            note = st.text_input(t("studio.note"), placeholder=t("studio.note_placeholder"), max_chars=300)
            author = st.text_input(t("studio.author"), studio.drafts.author(), max_chars=80)
            pressed = st.form_submit_button(
                t("studio.save"), type="primary", disabled=bool(studio.errors), key="strategy.save.press"
            )
        if pressed:
            if studio.save(author.strip(), note.strip()):
                st.session_state[SAVES] = saves + 1
                st.toast(t("studio.saved"), icon=":material/check:")
            st.rerun()
