"""What a browser session works with: the workspace all sessions share, and the language it has chosen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from workbench.ui import language
from workbench.workspace import Workspace, find_workspace


def open_workspace() -> Workspace:
    """The workspace the process was started for; the same object in every session.

    Raises:
        WorkspaceError: There is none.
    """
    return _open(str(find_workspace()))


@st.cache_resource(show_spinner=False)
def _open(home: str) -> Workspace:
    return Workspace.open(Path(home))


def begin() -> None:
    """Settle the language of a new session."""
    language.begin(_preferences(), open_workspace().settings.language)


def switch_language(new: language.Language) -> None:
    """Change the language of this session, and of new ones in this workspace."""
    language.choose(new, _preferences())


def _preferences() -> Path:
    return open_workspace().data_dir / "preferences.json"
