"""The whole file as text, with what is wrong marked at its line."""

from __future__ import annotations

import re

import streamlit as st

from workbench.strategy import texts
from workbench.strategy.findings import Finding
from workbench.ui.editing import show
from workbench.ui.language import t, term
from workbench.ui.panels import fields
from workbench.ui.studio import Studio

KEY = "strategy.text"
HEIGHT = 620
WIDTH = 140
_LINE = re.compile(r":(\d+)$")


def whole_text(studio: Studio) -> None:
    """The text to edit, and below it every finding with the lines around it."""
    st.subheader(term("studio_part", "text"), anchor=False)
    st.caption(t("studio.text_help"))
    content = texts.shown(studio.draft.text)
    show(KEY, content)

    def take() -> None:
        old = studio.drafts.open(studio.name).text
        studio.put(texts.typed_over(old, st.session_state[KEY]))

    st.text_area(t("studio.text"), key=KEY, height=HEIGHT, label_visibility="collapsed", on_change=take)
    lines = content.splitlines()
    for finding in studio.findings:
        fields.marked([finding])
        if number := line_of(finding):
            st.code(excerpt(lines, number), language=None)
    with st.expander(t("studio.numbered")):
        st.code(content, language="yaml", line_numbers=True, height=HEIGHT)


def line_of(finding: Finding) -> int | None:
    """Line a finding is about."""
    match = _LINE.search(finding.where)
    return int(match[1]) if match else None


def excerpt(lines: list[str], number: int, around: int = 1) -> str:
    """The line with its number and an arrow, between its neighbours."""
    first, last = max(number - around, 1), min(number + around, len(lines))
    return "\n".join(
        f"{'→' if at == number else ' '} {at:>4}  {lines[at - 1][:WIDTH]}" for at in range(first, last + 1)
    )
