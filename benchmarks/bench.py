"""What every benchmark shares: a workspace and a stub server of its own, and bounds to meet."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.settings import Settings
from workbench.workspace import Workspace, init_workspace

ROOT = Path(__file__).parents[1]


@contextmanager
def new_workspace(settings: Settings | None = None) -> Iterator[Workspace]:
    """A fresh workspace with its evidence built, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(init_workspace(Path(folder) / "workspace"), settings or Settings())
        workspace.evidence.instruments.search("a")
        yield workspace


@contextmanager
def stub_server(text: str, delay_s: float = 0.0) -> Iterator[str]:
    """The address of an OpenAI-compatible server which gives one fixed answer after a pause."""
    command = [sys.executable, "-m", "tests.stub_server", "--delay", str(delay_s), "--answer", text]
    server = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def conclude(*claims: tuple[str, float, float]) -> None:
    """Print each claim as ``name: value (bound)`` and exit 1 where a bound is missed."""
    for name, value, bound in claims:
        print(f"{name}: {value:.3f} (at most {bound:g})")
    sys.exit(any(value > bound for _, value, bound in claims))
