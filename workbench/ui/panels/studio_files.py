"""Strategies as files: choose, new, duplicate, rename, delete, import, download, and bring back."""

from __future__ import annotations

from pathlib import PurePosixPath

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.strategy.blank import BLANK_KINDS, blank
from workbench.strategy.tree import MAX_BYTES
from workbench.ui.language import language, t, term
from workbench.ui.navigation import open_page
from workbench.ui.panels.run_form import first_strategy
from workbench.ui.panels.states import show_error
from workbench.ui.studio import Studio
from workbench.workspace import Workspace


def chooser(workspace: Workspace) -> str | None:
    """Which strategy is open; the choice is kept in the address."""
    names = workspace.strategies()
    drafts = workspace.drafts.store.drafts()
    names += [name for name in drafts if name not in names and "/" not in name]
    if not names:
        return None
    asked = st.query_params.get("strategy") or st.session_state.get("strategy.last")
    opened = next((name for name in drafts if name in names), first_strategy(names, "chapters") or names[0])
    first = asked if asked in names else opened
    key = "strategy.name"
    st.session_state[key] = first  # each time, as its title changes with its first edit

    def choose() -> None:
        st.query_params.clear()
        st.query_params["strategy"] = st.session_state[key]

    chosen = st.selectbox(
        t("studio.strategy"),
        names,
        format_func=lambda name: _title(workspace, name) + (" ●" if name in drafts else ""),
        key=key,
        on_change=choose,
        label_visibility="collapsed",
        width=340,
    )
    st.session_state["strategy.last"] = chosen
    return chosen


def _title(workspace: Workspace, name: str) -> str:
    """``价值投资六章 · value``; the name alone where the file cannot be read."""
    try:
        draft = workspace.drafts.open(name)
        title = draft.document().tree.value.get("title")
    except (WorkbenchError, AttributeError):
        return name
    return f"{title} · {name}" if title else name


def file_menu(workspace: Workspace, studio: Studio | None) -> None:
    """What can be done with the file, one popover each."""
    with st.popover(t("studio.new"), icon=":material/add:", key="strategy.new"):
        _new(workspace)
    with st.popover(t("studio.file"), icon=":material/folder:", key="strategy.file"):
        if studio is not None:
            _download(studio)
            _duplicate(workspace, studio)
            _rename(workspace, studio)
        _import(workspace)
        _deleted(workspace)
        if studio is not None:
            _delete(workspace, studio)


def _new(workspace: Workspace) -> None:
    with st.form("strategy.new.form", border=False):
        kind = st.selectbox(
            t("form.pipeline"),
            BLANK_KINDS,
            format_func=lambda one: term("studio_kind", one),
            key="strategy.new.kind",
        )
        name = st.text_input(t("studio.name"), help=t("studio.name_help"), key="strategy.new.name")
        title = st.text_input(t("studio.title"), key="strategy.new.title")
        if st.form_submit_button(t("studio.create"), type="primary", key="strategy.new.press"):
            data = blank(kind, name, title or name, language(), workspace.operators.ids())
            _open_created(workspace, name, data, t("studio.created_note"))


def _open_created(workspace: Workspace, name: str, data: bytes, note: str) -> None:
    """Write a new strategy and open it; an error is shown where the form is."""
    drafts = workspace.drafts
    try:
        created = drafts.create(name.strip(), data, author=drafts.author(), note=note)
    except WorkbenchError as error:
        show_error(error)
        return
    open_page("strategy", strategy=created)


def _duplicate(workspace: Workspace, studio: Studio) -> None:
    with st.form("strategy.duplicate.form", border=False):
        name = st.text_input(t("studio.copy_name"), f"{studio.name}_2", key="strategy.duplicate.name")
        if st.form_submit_button(
            t("studio.duplicate"), icon=":material/content_copy:", key="strategy.duplicate.press"
        ):
            _open_created(
                workspace, name, studio.draft.text.encode(), t("studio.copied_note", name=studio.name)
            )


def _rename(workspace: Workspace, studio: Studio) -> None:
    with st.form("strategy.rename.form", border=False):
        new = st.text_input(t("studio.new_name"), studio.name, key="strategy.rename.name")
        if st.form_submit_button(t("studio.rename"), icon=":material/edit:", key="strategy.rename.press"):
            drafts = workspace.drafts
            try:
                name = drafts.rename(
                    studio.name,
                    new.strip(),
                    author=drafts.author(),
                    note=t("studio.renamed_note", name=studio.name),
                )
            except WorkbenchError as error:
                show_error(error)
                return
            open_page("strategy", strategy=name)


def _download(studio: Studio) -> None:
    st.download_button(
        t("studio.download_draft") if studio.draft.edited else t("actions.download"),
        studio.draft.text.encode(),
        studio.draft.where,
        mime="application/yaml",
        icon=":material/download:",
        on_click="ignore",
        key="strategy.download",
    )


def _import(workspace: Workspace) -> None:
    upload = st.file_uploader(
        t("studio.import"),
        type=["yaml", "yml"],
        max_upload_size=-(-MAX_BYTES // 2**20),
        key="strategy.import",
    )
    if upload is None:
        return
    stem = PurePosixPath(upload.name.replace("\\", "/")).name.rsplit(".", 1)[0]
    name = st.text_input(t("studio.name"), stem, help=t("studio.name_help"), key="strategy.import.name")
    if st.button(t("studio.import_press"), type="primary", key="strategy.import.press"):
        _open_created(workspace, name, upload.getvalue(), t("studio.imported_note"))


def _deleted(workspace: Workspace) -> None:
    """What was deleted or renamed away, out of the history."""
    gone = workspace.drafts.deleted()
    if not gone:
        return
    with st.form("strategy.deleted.form", border=False):
        name = st.selectbox(t("studio.deleted"), gone, key="strategy.deleted.name")
        if st.form_submit_button(
            t("studio.bring_back"), icon=":material/restore:", key="strategy.deleted.press"
        ):
            last = workspace.drafts.history(name)[0]
            _open_created(workspace, name, last.text.encode(), t("studio.brought_back_note"))


def _delete(workspace: Workspace, studio: Studio) -> None:
    with st.form("strategy.delete.form", border=False):
        sure = st.checkbox(t("studio.delete_sure", name=studio.name), key="strategy.delete.sure")
        if (
            st.form_submit_button(t("studio.delete"), icon=":material/delete:", key="strategy.delete.press")
            and sure
        ):
            try:
                workspace.drafts.delete(studio.name)
            except WorkbenchError as error:
                show_error(error)
                return
            st.session_state.pop("strategy.last", None)
            open_page("strategy")
