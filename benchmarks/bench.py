"""What every benchmark shares: a workspace and a stub server of its own, and bounds to meet."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from workbench import crews
from workbench.settings import Settings
from workbench.store.batch_records import Batch, BatchOrder
from workbench.workspace import Workspace, init_workspace

ROOT = Path(__file__).parents[1]


@contextmanager
def new_workspace(settings: Settings | None = None) -> Iterator[Workspace]:
    """A fresh workspace with its evidence built, gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(init_workspace(Path(folder) / "workspace"), settings or Settings())
        workspace.evidence.instruments.search("a")
        yield workspace


def carry_out(workspace: Workspace, order: BatchOrder, muster: crews.Muster | None = None) -> Batch:
    """A batch from start to end; all its runs must be done."""
    batch_id = workspace.batches.start(order, muster or crews.here(workspace))
    batch: Batch = workspace.batches.wait(batch_id)
    failed = workspace.store.batches.items(batch_id, ["failed"])
    assert batch.done == batch.total, [(item.subject_title, item.as_of, item.error) for item in failed]
    return batch


def working_s(workspace: Workspace, batch: Batch) -> float:
    """Seconds from the start of its first run to the end of its last, so without the start of processes."""
    rows = workspace.store.find(batch_id=batch.batch_id, limit=-1)
    ends = [row.finished for row in rows if row.finished is not None]
    took: dt.timedelta = max(ends) - min(row.started for row in rows)
    return took.total_seconds()


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


Claim = tuple[str, float, float]
"""What is claimed, the value measured, and its bound."""


def conclude(*at_most: Claim, at_least: Sequence[Claim] = ()) -> None:
    """Print each claim as ``name: value (bound)`` and exit 1 where a bound is missed."""
    for name, value, bound in at_most:
        print(f"{name}: {value:.3f} (at most {bound:g})")
    for name, value, bound in at_least:
        print(f"{name}: {value:.3f} (at least {bound:g})")
    missed = any(value > bound for _, value, bound in at_most)
    sys.exit(missed or any(value < bound for _, value, bound in at_least))
