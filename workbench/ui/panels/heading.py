"""The first line of every page: what it is about, and the language switch."""

from __future__ import annotations

import streamlit as st

from workbench.ui import language
from workbench.ui.session import switch_language
from workbench.ui.text import escape


def heading(title: str, *facts: str) -> None:
    """Draw the title, the switch to the other language, and the facts under them.

    Args:
        title: Plain text; may come from a file or a model.
        facts: Short Markdown pieces, shown in one line.
    """
    other: language.Language = "zh" if language.language() == "en" else "en"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.title(escape(title), anchor=False, width="content")
        st.space("stretch")
        st.button(
            language.NAMES[other],
            key="app.language.switch",
            type="tertiary",
            icon=":material/translate:",
            on_click=switch_language,
            args=(other,),
        )
    if facts:
        st.caption(" · ".join(facts))
