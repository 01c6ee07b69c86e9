"""House rules no type checker knows: which way imports go, who may use what, how long a file may be."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "workbench"
SOURCES = sorted(path.relative_to(ROOT) for path in [*PACKAGE.rglob("*.py"), *(ROOT / "pages").glob("*.py")])

FLOORS = (
    ("records", "settings", "errors", "permission", "login"),
    ("evidence", "llm", "store", "rules", "strategy"),
    ("engine",),
    ("pipelines", "compare", "evaluate", "export", "drafts", "delivery"),
    ("workspace", "crews", "tryout", "repeats", "configured", "doctor"),
    ("ui",),
    ("commands",),
    ("pages", "app", "server", "cli"),
    ("__main__",),
)
"""From the ground up. A room imports from its own floor and from below."""

MAX_LINES = 450
MAX_PAGE_LINES = 120
STREAMLIT_ROOMS = ("pages", "app", "server", "ui")
LITELLM_HOME = Path("workbench/llm/hosted.py")


def room(path: Path) -> str:
    return path.parts[0] if path.parts[0] == "pages" else path.with_suffix("").parts[1]


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every module a file imports, and whether it does so when it is itself imported."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    lazy = {
        node
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node not in lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            within = node.module == "workbench"
            for alias in node.names:
                yield (f"workbench.{alias.name}" if within else str(node.module)), node not in lazy


def floor(name: str) -> int:
    found = [level for level, rooms in enumerate(FLOORS) if name in rooms]
    assert found, f"{name} has no floor: give it one in this test and in the architecture page"
    return found[0]


IMPORTS = [(path, module, at_once) for path in SOURCES for module, at_once in imports(path)]


def test_imports_go_down_only() -> None:
    inside = [(path, module) for path, module, _ in IMPORTS if module.startswith("workbench.")]
    upward = [
        f"{path} imports {module}"
        for path, module in inside
        if floor(module.split(".")[1]) > floor(room(path))
    ]
    assert not upward


def test_every_room_is_described() -> None:
    described = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {room(path) for path in SOURCES} - {"__init__", "__main__"}
    assert not [name for name in rooms if f"`{name}.py`" not in described and f"`{name}/`" not in described]


def test_no_two_rooms_of_one_floor_import_each_other() -> None:
    needs = {
        (room(path), module.split(".")[1]) for path, module, _ in IMPORTS if module.startswith("workbench.")
    }
    assert not [(one, other) for one, other in needs if one != other and (other, one) in needs]


def test_streamlit_is_used_by_pages_and_ui_only() -> None:
    users = {room(path) for path, module, _ in IMPORTS if module.split(".")[0] == "streamlit"}
    assert users <= set(STREAMLIT_ROOMS)


def test_litellm_is_imported_by_one_module_and_only_when_a_hosted_model_is_called() -> None:
    """An import at the top would cost every command seconds."""
    users = [(path, at_once) for path, module, at_once in IMPORTS if module.split(".")[0] == "litellm"]
    assert all(path == LITELLM_HOME and not at_once for path, at_once in users)


def test_no_file_outgrows_its_noun() -> None:
    lengths = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    too_long = {
        str(path): lines
        for path, lines in lengths.items()
        if lines > (MAX_PAGE_LINES if room(path) == "pages" else MAX_LINES)
    }
    assert not too_long


IMPORT_EVERYTHING = """
import importlib, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("streamlit", "litellm"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import workbench
for module in pkgutil.walk_packages(workbench.__path__, "workbench."):
    if module.name.split(".")[1] not in ("ui", "app", "server", "__main__"):
        importlib.import_module(module.name)
"""


def test_everything_but_the_pages_imports_without_streamlit_and_litellm() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_EVERYTHING], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
