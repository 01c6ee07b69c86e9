"""Puts what lies outside the package into the wheel, where ``workbench.workspace.program_files`` finds it.

An editable install gets no copy: it reads the folders of the source tree, and a copy would grow stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = "workbench/bundle"
PARTS = ("pages/*.py", "strategy/**/*", "prompts/**/*", "data/facts/*.csv", "data/SOURCES.md")


class BundleHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        for pattern in PARTS:
            for file in filter(Path.is_file, root.glob(pattern)):
                build_data["force_include"][str(file)] = f"{BUNDLE}/{file.relative_to(root).as_posix()}"
