"""What a browser session works with: the workspace all sessions share, and the language it has chosen."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.llm.hosted import load_library
from workbench.permission import granted
from workbench.ui import language
from workbench.workspace import Workspace, find_workspace

_PAINTED_S = 1.0
"""From the end of a script until a browser has painted what it sent."""

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
            workspace.close()


def begin() -> None:
    """Settle the language of a new session."""
    language.begin(_preferences(), open_workspace().settings.language)


def page_drawn() -> None:
    """The first time a page is drawn: load what a run will need, in the background.

    The model library takes seconds to import, and nobody should wait for it: not whoever opens the first
    page, and not whoever starts the first run.
    """
    with suppress(WorkbenchError):  # a broken models.yaml is shown where its models are asked for
        _load_model_library(open_workspace().default_models().baseline_only)


@cache
def _load_model_library(baseline_only: bool) -> None:
    if not baseline_only:
        timer = threading.Timer(_PAINTED_S, load_library)
        timer.daemon = True
        timer.start()


def switch_language(new: language.Language) -> None:
    """Change the language of this session, and of new ones in this workspace where its reader may."""
    language.choose(new, _preferences() if granted() else None)


def _preferences() -> Path:
    return open_workspace().data_dir / "preferences.json"
