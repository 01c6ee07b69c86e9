"""The pages there are, in the order of the menu, and how one page opens another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

import streamlit as st

from workbench.ui.language import term
from workbench.ui.session import open_workspace
from workbench.workspace import program_files

LOGO = str(Path(__file__).with_name("logo.svg"))

PageName = Literal[
    "home",
    "new_run",
    "run",
    "runs",
    "batch",
    "compare",
    "strategy",
    "prompts",
    "operators",
    "signals",
    "fixtures",
    "evaluate_companies",
    "evaluate_football",
    "settings",
]

Section = Literal["", "blocks", "evaluate"]
"""Heading that pages of the menu stand under; the empty one stands in the bar itself."""


@dataclass(frozen=True)
class Entry:
    """One page of the menu; a hidden one is only reached through a link that says what it shows."""

    name: PageName
    section: Section = ""
    hidden: bool = False


ENTRIES = (
    Entry("home"),
    Entry("new_run"),
    Entry("runs"),
    Entry("batch"),
    Entry("compare"),
    Entry("strategy"),
    Entry("operators", "blocks"),
    Entry("prompts", "blocks"),
    Entry("signals"),
    Entry("fixtures"),
    Entry("evaluate_companies", "evaluate"),
    Entry("evaluate_football", "evaluate"),
    Entry("settings"),
    Entry("run", hidden=True),
)


def script(name: PageName) -> Path:
    """The file of a page."""
    return program_files() / "pages" / f"{name}.py"


def pages() -> dict[str, list[st.Page]]:
    """The pages under the headings of the menu, titled in the language of the session."""
    menu: dict[str, list[st.Page]] = {}
    unsaved = _unsaved()
    for entry in ENTRIES:
        page = st.Page(
            script(entry.name),
            title=term("page", entry.name) + (" ●" if entry.name in unsaved else ""),
            icon="",  # a Material icon would be fetched from another host, to be shown in the browser tab
            url_path=entry.name,
            default=entry.name == "home",
            visibility="hidden" if entry.hidden else "visible",
            help=term("page_help", entry.name),
        )
        menu.setdefault(term("section", entry.section) if entry.section else "", []).append(page)
    return menu


def _unsaved() -> set[PageName]:
    """The pages on which somebody has left edits that are not saved."""
    drafts = open_workspace().store.strategies.drafts()
    return {"operators" if "/" in name else "strategy" for name in drafts}


def open_page(name: PageName, **query: str) -> NoReturn:
    """Leave the current page for ``name`` with ``query`` in the address."""
    st.switch_page(script(name), query_params=query)
    raise AssertionError("switch_page does not return")


def link(name: PageName, label: str, **query: str) -> None:
    """A link to a page with ``query`` in its address, which can also be opened in a new tab."""
    st.page_link(script(name), label=label, query_params=query)
