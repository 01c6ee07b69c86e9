"""The crews of a workspace: who carries out its batches, here or elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from workbench.engine.cluster import ClusterCrew, connect
from workbench.engine.crew import Bench, Crew, LocalCrew
from workbench.engine.processes import ProcessCrew
from workbench.llm.base import Model
from workbench.records import Models
from workbench.settings import Settings
from workbench.store.batch_records import Batch
from workbench.strategy.files import read_strategy
from workbench.workspace import Workspace

Muster = Callable[[Batch], Crew]
"""Calls together the crew of one batch."""


def here(workspace: Workspace) -> Muster:
    """This process, in the background."""

    def muster(batch: Batch) -> Crew:
        bench = _bench(workspace, batch.strategy, batch.strategy_text, batch.models)
        return LocalCrew(bench, workspace.jobs, batch.concurrency)

    return muster


def in_processes(workspace: Workspace, count: int) -> Muster:
    """Worker processes on this machine, which share the concurrency and the limits of the settings."""

    def muster(batch: Batch) -> Crew:
        part = replace(batch, concurrency=-(-batch.concurrency // count))
        open_crew = partial(_crew_of_worker, workspace.root, workspace.settings, count, part)
        return ProcessCrew(count, open_crew, batch.concurrency)

    return muster


def on_cluster(workspace: Workspace, address: str) -> Muster:
    """The workers of a Dask cluster, each with the settings and keys of its own environment.

    Raises:
        BatchError: Dask is not installed, or no scheduler answers at the address.
    """
    client = connect(address)

    def muster(batch: Batch) -> Crew:
        strategy = batch.strategy, batch.strategy_text, batch.models
        open_bench = partial(_bench_of_worker, workspace.root, *strategy)
        return ClusterCrew(
            client, _bench(workspace, *strategy), open_bench, workspace.store, batch.concurrency
        )

    return muster


def _bench(workspace: Workspace, strategy: str, text: str, models: Models) -> Bench:
    loaded = read_strategy(text, f"{strategy}.yaml")
    return Bench(workspace.planner(loaded), models, workspace.run_options())


def _crew_of_worker(root: Path, settings: Settings, share: int, batch: Batch) -> Crew:
    return here(Workspace(root, settings, share))(batch)


@cache
def _bench_of_worker(root: Path, strategy: str, text: str, models: Models) -> tuple[Bench, Model]:
    workspace = Workspace.open(root)
    return _bench(workspace, strategy, text, models), workspace.model()
