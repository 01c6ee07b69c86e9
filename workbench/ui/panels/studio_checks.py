"""What is to be mended in the draft, and what differs from the saved text."""

from __future__ import annotations

import streamlit as st

from workbench.strategy import texts
from workbench.strategy.findings import Finding
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.messages import translated
from workbench.ui.studio import ITEMS, Studio

SHOWN = 50


def checks(studio: Studio) -> None:
    """Every finding: where, what, how to mend it; a click opens the place."""
    if not studio.findings:
        st.success(t("studio.no_findings"), icon=":material/check_circle:")
        return
    errors, rest = studio.errors, len(studio.findings) - studio.errors
    st.caption(t("studio.finding_counts", errors=errors, warnings=rest))
    for index, finding in enumerate(studio.findings[:SHOWN]):
        _finding(studio, finding, index)
    if len(studio.findings) > SHOWN:
        st.caption(t("studio.more_findings", count=len(studio.findings) - SHOWN))


def _finding(studio: Studio, finding: Finding, index: int) -> None:
    part = studio.part_of(finding.path) if studio.kind else "text"
    item = (
        finding.path[len(ITEMS[part][0])]
        if part in ITEMS and len(finding.path) > len(ITEMS[part][0])
        else None
    )
    colour, sign = ("red", "✕") if finding.severity == "error" else ("orange", "▲")
    with st.container(border=True, gap="xxsmall"):
        what, remedy = translated(finding.what), translated(finding.remedy)
        st.markdown(f":{colour}[{sign} {term('severity', finding.severity)}] {text.escape(what)}")
        if remedy:
            st.caption(text.escape(remedy))
        st.button(
            f"{text.escape(finding.where)} · {term('studio_part', part)}",
            key=f"strategy.finding.{index}",
            type="tertiary",
            icon=":material/arrow_forward:",
            on_click=lambda: studio.go(part=part, item=item if isinstance(item, int) else None),
        )


def changed(studio: Studio) -> None:
    """The draft against the text editing began from."""
    if not studio.draft.edited:
        st.caption(t("studio.nothing_changed"))
        return
    diff(studio.draft.base, studio.draft.text)


def diff(before: str, after: str) -> None:
    """Two texts as a unified diff."""
    found = texts.unified(texts.shown(before), texts.shown(after))
    if found:
        st.code("\n".join(found.split("\n")[2:]), language="diff", wrap_lines=True)
    else:
        st.caption(t("studio.same_text"))
