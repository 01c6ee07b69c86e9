"""A file that was changed by somebody else while it was being edited: what there is, and what to keep."""

from __future__ import annotations

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.ui.language import t
from workbench.ui.navigation import open_page
from workbench.ui.panels.states import show_error
from workbench.ui.panels.studio_checks import diff
from workbench.ui.studio import Studio


def conflict(studio: Studio) -> None:
    """Draw the choice where the file is not what editing began from; nothing otherwise."""
    draft = studio.draft
    if not draft.overtaken:
        return
    with st.container(border=True):
        gone = draft.disk is None
        st.warning(t("studio.file_gone") if gone else t("studio.file_changed"), icon=":material/warning:")
        disk, mine = st.columns(2)
        with disk:
            st.markdown(f"**{t('studio.on_disk')}**")
            if draft.disk is not None:
                diff(draft.base, draft.disk)
        with mine:
            st.markdown(f"**{t('studio.mine')}**")
            diff(draft.base, draft.text)
        st.caption(t("studio.conflict_help"))
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.button(
                t("studio.keep_mine"),
                type="primary",
                key="strategy.conflict.mine",
                on_click=_keep_mine,
                args=(studio,),
            )
            st.button(
                t("studio.keep_disk"), key="strategy.conflict.disk", disabled=gone,
                on_click=studio.drafts.discard, args=(studio.name,),
            )  # fmt: skip
            name = st.text_input(
                t("studio.copy_name"), f"{studio.name}_2", key="strategy.conflict.name", width=200
            )
            if st.button(t("studio.save_as"), key="strategy.conflict.copy"):
                _save_as(studio, name)


def _keep_mine(studio: Studio) -> None:
    try:
        studio.drafts.keep_mine(studio.draft)
    except WorkbenchError as error:
        studio.say(error)  # type: ignore[arg-type]


def _save_as(studio: Studio, name: str) -> None:
    """Mine under another name; the file on disk stays as it is."""
    drafts = studio.drafts
    try:
        made = drafts.create(
            name.strip(), studio.draft.text.encode(), author=drafts.author(),
            note=t("studio.copied_note", name=studio.name),
        )  # fmt: skip
    except WorkbenchError as error:
        show_error(error)
        return
    drafts.discard(studio.name)
    open_page("strategy", strategy=made)
