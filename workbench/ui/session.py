"""What a browser session works with: the workspace all sessions share, and the language it has chosen."""

from __future__ import annotations

import threading
from pathlib import Path

from workbench.permission import granted
from workbench.ui import language
from workbench.workspace import Workspace, find_workspace

_open: dict[Path, Workspace] = {}
_opening = threading.Lock()


def open_workspace() -> Workspace:
    """The workspace the process was started for; the same object in every session.

    Raises:
        WorkspaceError: There is none.
    """
    folder = find_workspace()
    with _opening:
        if folder not in _open:
            _open[folder] = Workspace.open(folder)
        return _open[folder]


def close_workspaces() -> None:
    """Stop the runs this process carries out; they can be resumed."""
    with _opening:
        while _open:
            _, workspace = _open.popitem()
            workspace.courier.stop()
            workspace.jobs.close()
            workspace.store.close()


def begin() -> None:
    """Settle the language of a new session."""
    language.begin(_preferences(), open_workspace().settings.language)


def switch_language(new: language.Language) -> None:
    """Change the language of this session, and of new ones in this workspace where its reader may."""
    language.choose(new, _preferences() if granted() else None)


def _preferences() -> Path:
    return open_workspace().data_dir / "preferences.json"
