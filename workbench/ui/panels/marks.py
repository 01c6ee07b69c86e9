"""What the reader adds to a run: a star, tags and a note."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.store.rows import RunRow
from workbench.store.runs import RunStore
from workbench.ui.language import t


def star(store: RunStore, row: RunRow) -> None:
    """A button that sets or removes the star."""
    st.button(
        t("marks.unstar") if row.starred else t("marks.star"),
        icon=":material/star:" if row.starred else ":material/star_border:",
        key="run.star",
        on_click=store.star,
        args=(row.run_id, not row.starred),
    )


def mark_many(store: RunStore, rows: Sequence[RunRow]) -> None:
    """Star the marked runs of a list, or give them one more tag."""
    starred = bool(rows) and all(row.starred for row in rows)
    if st.button(
        t("marks.unstar_many") if starred else t("marks.star"),
        icon=":material/star:" if starred else ":material/star_border:",
        disabled=not rows,
        key="runs.star",
    ):
        for row in rows:
            store.star(row.run_id, not starred)
        st.rerun()
    with st.popover(t("marks.tag"), icon=":material/sell:", disabled=not rows, key="runs.tag"):
        tag = st.text_input(t("marks.tag"), max_chars=60, key="runs.tag.text")
        if st.button(t("marks.save"), type="primary", disabled=not tag, key="runs.tag.save"):
            for row in rows:
                store.tag(row.run_id, {*row.tags, str(tag)})
            st.rerun()


def tags_and_note(store: RunStore, row: RunRow) -> None:
    """Tags and note in a popover, saved together."""
    with st.popover(t("marks.title"), icon=":material/sell:", key="run.marks"), st.form("run.marks.form"):
        tags = st.multiselect(
            t("marks.tags"),
            row.tags,
            default=row.tags,
            accept_new_options=True,
            placeholder=t("marks.tags_placeholder"),
            key="run.marks.tags",
        )
        note = st.text_area(t("marks.note"), row.note, max_chars=4000, key="run.marks.note")
        if st.form_submit_button(t("marks.save"), type="primary"):
            store.tag(row.run_id, tags)
            store.note(row.run_id, note)
            st.rerun()
