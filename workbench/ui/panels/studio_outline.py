"""The left pane of the studio: the parts of a strategy, and the items of the part that is open."""

from __future__ import annotations

import streamlit as st

from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.studio import ITEMS, Part, Studio

LONG = 12
"""Items beyond which the list scrolls in itself."""
LIST_HEIGHT = 400


def outline(studio: Studio) -> None:
    """Draw the choices; they are kept in the address."""
    parts = studio.parts
    # Assigned each time, as the browser takes a choice whose title has changed for none.
    st.session_state["strategy.part"] = studio.part
    st.radio(
        t("studio.parts"),
        parts,
        format_func=lambda part: _part_title(studio, part),
        key="strategy.part",
        label_visibility="collapsed",
        on_change=lambda: studio.go(part=st.session_state["strategy.part"]),
    )
    titles = studio.titles(studio.part)
    if len(titles) < 2:
        return
    st.caption(term("studio_part", studio.part))
    path, _ = ITEMS[studio.part]
    marks = {
        finding.path[len(path)]: "✕" if finding.severity == "error" else "▲"
        for finding in reversed(studio.findings_at(path))
        if len(finding.path) > len(path)
    }
    st.session_state["strategy.item"] = studio.item
    with st.container(height=LIST_HEIGHT if len(titles) > LONG else "content", border=False):
        st.radio(
            term("studio_part", studio.part),
            range(len(titles)),
            format_func=lambda index: text.escape(f"{index + 1} {titles[index]} {marks.get(index, '')}"),
            key="strategy.item",
            label_visibility="collapsed",
            on_change=lambda: studio.go(item=st.session_state["strategy.item"]),
        )


def _part_title(studio: Studio, part: Part) -> str:
    count = len(studio.titles(part)) if part in ITEMS else 0
    found = [finding for finding in studio.findings if studio.part_of(finding.path) == part]
    errors = sum(finding.severity == "error" for finding in found)
    mark = f" :red[✕{errors}]" if errors else f" :orange[▲{len(found)}]" if found else ""
    return term("studio_part", part) + (f" :gray[{count}]" if count else "") + mark
