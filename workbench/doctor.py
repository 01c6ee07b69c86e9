"""What is installed, what the workspace holds, and what is wrong with either."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from workbench.configured import TIERS, Setting, keys, model_of, sampling_words
from workbench.errors import InputError, StoreError, WorkbenchError
from workbench.evidence.fixtures import fixtures
from workbench.llm.presets import Presets
from workbench.records import BASELINE
from workbench.settings import Settings
from workbench.store.backups import backups, damaged, find_damage, made
from workbench.workspace import Workspace

PACKAGES = ("streamlit", "litellm", "pydantic", "pandas", "sqlite-utils")


Status = Literal["ok", "warning", "error"]


@dataclass(frozen=True)
class Check:
    """One thing looked at. An ``error`` keeps something from working, a ``warning`` does not."""

    name: str
    status: Status
    detail: str


def examine(workspace: Workspace) -> Iterator[Check]:
    """Look at everything a run needs. Nothing is changed and no model is called."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    python = f"{platform.python_version()} ({sys.executable})"
    yield Check("program", "ok", f"analyst-workbench {version('analyst-workbench')}, Python {python}")
    yield Check("packages", "ok", f"{packages}, SQLite {sqlite3.sqlite_version}")
    yield _folder(workspace)
    yield from _models(workspace)
    yield from _strategies(workspace)
    yield from _prompts(workspace)
    yield _facts(workspace)
    yield _runs(workspace)


def _folder(workspace: Workspace) -> Check:
    if os.access(workspace.data_dir, os.W_OK):
        return Check("workspace", "ok", str(workspace.root))
    return Check("workspace", "error", f"{workspace.data_dir} cannot be written")


def _models(workspace: Workspace) -> Iterator[Check]:
    try:
        presets = workspace.presets.read()
    except InputError as error:
        yield Check("models", "error", str(error))
        return
    for tier in TIERS:
        setting = model_of(workspace, tier)
        if setting.value == BASELINE:
            yield Check("models", "ok", f"{tier}: built-in rules, not a model")
            continue
        asked = ", ".join([f"{tier}: {setting.value}", *sampling_words(presets.tier(tier))])
        yield Check("models", "ok", f"{asked} ({setting.name} in {_place(setting)}), not called")
    if not workspace.default_models().baseline_only:
        named = ", ".join(f"{key.name} ({_place(key)})" for key in keys(workspace))
        yield Check("keys", "ok", named or "none; a server of your own needs none")
    yield Check("limits", "ok", _limits(workspace.settings, presets))
    yield _budget(workspace, presets)


def _place(setting: Setting) -> str:
    return "the environment" if setting.origin == "environment" else setting.origin


def _limits(settings: Settings, presets: Presets) -> str:
    per_minute = settings.requests_per_minute
    common = f"{settings.concurrency} calls at once" + (f", {per_minute} a minute" if per_minute else "")
    own = [
        f"{name}: "
        + ", ".join(
            words
            for words, limit in (
                (f"{provider.concurrency} at once", provider.concurrency),
                (f"{provider.requests_per_minute} a minute", provider.requests_per_minute),
            )
            if limit
        )
        for name, provider in presets.providers.items()
    ]
    return "; ".join([f"{common}, {settings.call_timeout_s:g} s a call", *own])


def _budget(workspace: Workspace, presets: Presets) -> Check:
    try:
        paid = workspace.store.payments.today() if _runs_path(workspace).exists() else 0.0
    except StoreError as error:
        return Check("spending", "warning", str(error))
    limit = presets.daily_budget
    if limit is None:
        return Check("spending", "ok", f"${paid:,.4f} today, no daily budget")
    status: Status = "ok" if paid < limit else "warning"
    return Check("spending", status, f"${paid:,.4f} today of a daily budget of ${limit:,.2f}")


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


def _runs_path(workspace: Workspace) -> Path:
    # Looked for before the store is opened, which would make it.
    return workspace.data_dir / "runs.db"


def _runs(workspace: Workspace) -> Check:
    path = _runs_path(workspace)
    if not path.exists():
        return Check("runs", "ok", "none yet")
    try:
        if problem := find_damage(path):
            return Check("runs", "error", str(damaged(path, problem)))
        store = workspace.store
    except StoreError as error:
        return Check("runs", "error", str(error))
    newest = next(iter(backups(path)), None)
    backup = f"last backup {made(newest):%Y-%m-%d %H:%M} UTC" if newest else "no backup"
    interrupted = store.count(status="interrupted")
    waiting = f", {interrupted} interrupted (workbench resume RUN)" if interrupted else ""
    return Check("runs", "ok", f"{store.count():,} runs{waiting}, {backup}")
