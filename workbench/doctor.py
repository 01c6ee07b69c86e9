"""What is installed, what the workspace holds, and what is wrong with either."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from workbench.errors import WorkbenchError
from workbench.evidence.fixtures import fixtures
from workbench.store.backups import backups, damaged, find_damage, made
from workbench.workspace import Workspace

PACKAGES = ("streamlit", "litellm", "pydantic", "pandas", "sqlite-utils")


@dataclass(frozen=True)
class Check:
    """One thing looked at. An ``error`` keeps something from working, a ``warning`` does not."""

    name: str
    status: Literal["ok", "warning", "error"]
    detail: str


def examine(workspace: Workspace) -> Iterator[Check]:
    """Look at everything a run needs. Nothing is changed and no model is called."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    python = f"{platform.python_version()} ({sys.executable})"
    yield Check("program", "ok", f"analyst-workbench {version('analyst-workbench')}, Python {python}")
    yield Check("packages", "ok", f"{packages}, SQLite {sqlite3.sqlite_version}")
    yield _folder(workspace)
    models = workspace.default_models()
    yield Check(
        "models",
        "ok",
        "built-in rules, not a model" if models.baseline_only else f"{models.title}, not called",
    )
    yield from _strategies(workspace)
    yield from _prompts(workspace)
    yield _facts(workspace)
    yield _runs(workspace)


def _folder(workspace: Workspace) -> Check:
    if os.access(workspace.data_dir, os.W_OK):
        return Check("workspace", "ok", str(workspace.root))
    return Check("workspace", "error", f"{workspace.data_dir} cannot be written")


def _strategies(workspace: Workspace) -> Iterator[Check]:
    usable = []
    for name in workspace.strategies():
        try:
            workspace.strategy(name)
            usable.append(name)
        except WorkbenchError as error:
            yield Check("strategies", "error", str(error))
    if usable:
        yield Check("strategies", "ok", ", ".join(usable))
    else:
        yield Check("strategies", "error", f"no usable strategy in {workspace.strategy_dir}")


def _prompts(workspace: Workspace) -> Iterator[Check]:
    findings = workspace.prompts.check()
    errors = [finding for finding in findings if finding.severity == "error"]
    for error in errors:
        yield Check("prompts", "error", str(error))
    if not errors:
        warned = f", {len(findings)} warnings (workbench prompts check)" if findings else ""
        yield Check(
            "prompts", "warning" if findings else "ok", f"{len(workspace.prompts.names())} prompts{warned}"
        )


def _facts(workspace: Workspace) -> Check:
    try:
        companies, matches = len(workspace.evidence.instruments), len(fixtures(workspace.evidence))
    except WorkbenchError as error:
        return Check("facts", "error", str(error))
    return Check("facts", "ok", f"{companies} companies, {matches:,} matches")


def _runs(workspace: Workspace) -> Check:
    path = workspace.data_dir / "runs.db"
    if not path.exists():
        return Check("runs", "ok", "none yet")
    if problem := find_damage(path):
        return Check("runs", "error", str(damaged(path, problem)))
    store = workspace.store
    newest = next(iter(backups(path)), None)
    backup = f"last backup {made(newest):%Y-%m-%d %H:%M} UTC" if newest else "no backup"
    interrupted = store.count(status="interrupted")
    waiting = f", {interrupted} interrupted (workbench resume RUN)" if interrupted else ""
    return Check("runs", "ok", f"{store.count():,} runs{waiting}, {backup}")
