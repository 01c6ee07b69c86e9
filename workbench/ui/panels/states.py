"""What a page shows when there is nothing to show: errors and empty states."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from workbench.errors import AmbiguousError, WorkbenchError
from workbench.ui.language import t
from workbench.ui.messages import translated
from workbench.ui.navigation import PageName, open_page
from workbench.ui.text import escape

log = logging.getLogger(__name__)


@contextmanager
def errors_shown() -> Iterator[None]:
    """Run a block of a page; an error the user can act on is shown where the block would have been."""
    try:
        yield
    except WorkbenchError as error:
        show_error(error)


def show_error(error: WorkbenchError) -> None:
    """What is wrong, what to do about it, and folded: where."""
    lines = [escape(translated(error.what)), escape(translated(error.remedy))]
    if isinstance(error, AmbiguousError):
        lines.append(", ".join(escape(candidate) for candidate in error.candidates))
    st.error("  \n".join(line for line in lines if line), icon=":material/error:")
    if error.where:
        with st.expander(t("state.details")):
            st.code(error.where, language=None, wrap_lines=True)


def show_unexpected(error: Exception) -> bool:
    """Show in one line what a page did not see coming; the traceback of a defect is for the terminal.

    Returns:
        True: Streamlit shows nothing of its own.
    """
    if isinstance(error, WorkbenchError):  # out of a callback, where no page can catch it
        show_error(error)
        return True
    log.exception("a page failed", exc_info=error)
    st.error(t("state.unexpected", kind=type(error).__name__), icon=":material/bug_report:")
    return True


def empty(words: str, *, button: str, target: PageName, key: str) -> None:
    """Say what will be here, and offer the page which makes it so.

    Args:
        words: What will be here.
        button: Text of the button.
        target: Page to open, a name of ``navigation``.
        key: Widget key.
    """
    with st.container(border=True, horizontal_alignment="center", gap="small"):
        st.markdown(f":gray[{words}]", text_alignment="center")
        if st.button(button, key=key, type="primary"):
            open_page(target)
