"""A table as a file for a spreadsheet; Streamlit's own download would let a cell be taken for a formula."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from workbench.ui.language import t


def download_csv(name: str, make: Callable[[], bytes]) -> None:
    """A quiet button which makes the file when it is pressed.

    Args:
        name: Of the file, without ``.csv``; one table of a page has it.
        make: The file, by a function of ``workbench.export``.
    """
    st.download_button(
        t("actions.download"),
        make,
        f"{name}.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key=f"{name}.download",
    )
