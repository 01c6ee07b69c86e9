"""What tells whether figures worked out from the databases of a workspace are still those of today."""

from __future__ import annotations

from pathlib import Path

from workbench.workspace import Workspace

Stamp = tuple[tuple[str, int, int], ...]
"""Name, time and size of the files of a workspace's databases."""


def stamp_of(workspace: Workspace) -> Stamp:
    """Changes whenever a run or a fact is written."""
    databases = (workspace.store.path, workspace.evidence.path)
    files = [file for path in databases for file in (path, Path(f"{path}-wal")) if file.exists()]
    return tuple((str(file), (stat := file.stat()).st_mtime_ns, stat.st_size) for file in files)
