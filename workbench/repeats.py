"""Repeating a run: the same question asked again, to see how far a model agrees with itself.

Every repeat is an ordinary run. An index of its own keeps it from being answered from the cache with what
another one was told, and a tag ties it to the run it repeats.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.records import Run
from workbench.store.rows import RunRow
from workbench.workspace import Workspace

MAX_REPEATS = 20


@dataclass(frozen=True)
class Spread:
    """How far runs of one question agree.

    Attributes:
        runs: How many of them came to a score.
        mean: Of the scores.
        deviation: Standard deviation of the scores, with n - 1; None for a single one.
        low: The lowest score.
        high: The highest score.
        labels: How many runs came to each label, the most frequent first.
    """

    runs: int
    mean: float
    deviation: float | None
    low: float
    high: float
    labels: Mapping[str, int]


def first_run(run: Run) -> str:
    """Id of the run that ``run`` repeats, which is its own where it repeats none."""
    return run.retry_of if run.repeat and run.retry_of else run.run_id


def start_repeats(workspace: Workspace, run: Run, count: int) -> list[str]:
    """Ask the question of a run again in the background, each time anew, and return the ids of the runs.

    Args:
        workspace: Where the run is on record.
        run: A run, or a repeat of one.
        count: How many times, 1 to ``MAX_REPEATS``.

    Raises:
        WorkbenchError: The question can no longer be asked, or the budget of the day is spent.
    """
    strategy = workspace.strategy_of(run)
    plans = [workspace.plan(strategy, run.subject, run.as_of) for _ in range(count)]
    options, first = workspace.run_options(), first_run(run)
    started = []
    for index, plan in enumerate(plans, start=workspace.store.next_repeat(run)):
        run_id = workspace.jobs.start(
            plan, run.models, retry_of=first, options=replace(options, repeat=index)
        )
        workspace.store.tag(run_id, [_tag(first)])
        started.append(run_id)
    return started


def repeats(workspace: Workspace, run: Run) -> list[RunRow]:
    """The run and its repeats, whichever of them ``run`` is, oldest first; empty while there are none."""
    first = first_run(run)
    found = workspace.store.find(tag=_tag(first), order="oldest", limit=10 * MAX_REPEATS)
    return [*workspace.store.find(run_id=first, limit=1), *found] if found else []


def spread(rows: Sequence[RunRow]) -> Spread | None:
    """How far finished runs of one question agree; None while none of them has a score."""
    done = [row for row in rows if row.status == "done"]
    scores = [row.score for row in done if row.score is not None]
    if not scores:
        return None
    return Spread(
        runs=len(scores),
        mean=statistics.fmean(scores),
        deviation=statistics.stdev(scores) if len(scores) > 1 else None,
        low=min(scores),
        high=max(scores),
        labels=dict(Counter(row.label for row in done if row.label).most_common()),
    )


def _tag(first: str) -> str:
    return f"repeat {first[-6:]}"
