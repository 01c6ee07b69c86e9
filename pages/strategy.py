"""The strategy studio: edit, check, preview, try and save a strategy. ``?strategy=NAME`` is its address."""

import streamlit as st

from workbench.errors import StrategyError
from workbench.ui.editing import Unfit
from workbench.ui.language import t, term
from workbench.ui.panels import (
    studio_about,
    studio_bar,
    studio_chapters,
    studio_checks,
    studio_conflict,
    studio_files,
    studio_history,
    studio_items,
    studio_outline,
    studio_prompts,
    studio_rubric,
    studio_rules,
    studio_text,
    studio_try,
)
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import show_error
from workbench.ui.session import open_workspace
from workbench.ui.studio import VIEWS, Studio

EDITORS = {
    "about": studio_about.about,
    "chapters": studio_chapters.chapters,
    "steps": studio_items.steps,
    "rubric": studio_rubric.rubric,
    "fields": studio_items.output_fields,
    "rules": studio_rules.rules,
    "specialists": studio_items.specialists,
    "policy": studio_about.policy,
    "text": studio_text.whole_text,
}
CONSEQUENCES = {
    "checks": studio_checks.checks,
    "prompts": studio_prompts.prompts,
    "changes": studio_checks.changed,
    "try": studio_try.tryout,
    "history": studio_history.history,
}

workspace = open_workspace()
heading(t("studio.heading"), t("studio.lead"))
studio: Studio | None = None
with st.container(horizontal=True, vertical_alignment="center", gap="small"):
    name = studio_files.chooser(workspace)
    try:
        studio = Studio(workspace, name) if name else None
    except StrategyError as error:
        show_error(error)
    studio_files.file_menu(workspace, studio)
if studio is None:
    st.stop()

if said := studio.said():
    show_error(said)
studio_conflict.conflict(studio)
outline, editor, consequences = st.columns([3, 8, 6] if studio.view == "checks" else [3, 7, 7], gap="medium")
with outline:
    studio_outline.outline(studio)
with editor:
    try:
        EDITORS[studio.part](studio)
    except Unfit:
        st.info(t("studio.unfit", part=term("studio_part", studio.part)), icon=":material/info:")
        st.button(t("studio.open_text"), key="strategy.open_text", on_click=lambda: studio.go(part="text"))
with consequences:
    st.session_state["strategy.view"] = studio.view
    st.segmented_control(
        t("studio.views"),
        VIEWS,
        format_func=lambda view: term("studio_view", view),
        key="strategy.view",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: studio.go(view=st.session_state["strategy.view"]),
    )
    CONSEQUENCES[studio.view](studio)
studio_bar.bar(studio)
