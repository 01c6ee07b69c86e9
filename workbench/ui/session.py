"""What one browser session works with: the open workspace, its jobs, and the language chosen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from workbench.engine.jobs import JobManager
from workbench.ui import language
from workbench.workspace import Workspace, find_workspace


@dataclass(frozen=True)
class Desk:
    """The workspace of this process and the runs it is carrying out, shared by all sessions."""

    workspace: Workspace
    jobs: JobManager

    @property
    def preferences(self) -> Path:
        return self.workspace.data_dir / "preferences.json"


def desk() -> Desk:
    """The desk of the workspace the process was started for.

    Raises:
        WorkspaceError: There is none.
    """
    return _open(str(find_workspace()))


@st.cache_resource(show_spinner=False)
def _open(home: str) -> Desk:
    workspace = Workspace.open(Path(home))
    return Desk(workspace, JobManager(workspace.store, workspace.router()))


def begin() -> None:
    """Start or continue the session: open the workspace and settle the language."""
    language.begin(desk().preferences, desk().workspace.settings.language)
