"""Trying an unsaved strategy: a few subjects judged by the draft and by the saved text, side by side.

Both are ordinary runs and stay in the store. A tag they share ties them together, so that a trial can be
looked at again; it says ``draft`` on the runs of the unsaved text.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.engine.foresight import Foresight, after, foresee
from workbench.llm.baseline import Baseline
from workbench.records import Models, Subject
from workbench.store.rows import RunRow
from workbench.strategy.files import LoadedStrategy
from workbench.workspace import Workspace

DRAFT_TAG = "draft"
TRIAL_TAG = "trial"
MAX_SUBJECTS = 20

Side = Literal["saved", "draft"]


@dataclass(frozen=True)
class Case:
    """What a strategy is tried on."""

    subject: Subject
    as_of: dt.date


@dataclass(frozen=True)
class Pair:
    """One subject judged twice; a side is None when its run was not started."""

    saved: RunRow | None
    draft: RunRow | None

    @property
    def some(self) -> RunRow:
        row = self.draft or self.saved
        assert row is not None
        return row

    @property
    def finished(self) -> bool:
        return all(row is None or row.status != "running" for row in (self.saved, self.draft))

    @property
    def flipped(self) -> bool:
        """Whether the two came to different labels."""
        labels = {row.label for row in (self.saved, self.draft) if row and row.label}
        return len(labels) == 2

    @property
    def change(self) -> float | None:
        """Score of the draft minus score of the saved text; None where one of them has none."""
        if self.saved is None or self.draft is None:
            return None
        if self.saved.score is None or self.draft.score is None:
            return None
        return self.draft.score - self.saved.score


@dataclass(frozen=True)
class CaseForesight:
    """The calls of both runs of one case, agent by agent; ``saved`` is empty where only the draft can run.

    A question both ask is among the calls of the draft and among the answers at hand of the saved text.
    """

    case: Case
    draft: tuple[Foresight, ...]
    saved: tuple[Foresight, ...]

    @property
    def calls(self) -> int:
        return sum(agent.calls for agent in self.draft + self.saved)

    @property
    def cached(self) -> int:
        return sum(agent.cached for agent in self.draft + self.saved)

    @property
    def paid(self) -> int:
        return sum(agent.paid for agent in self.draft + self.saved)


def foresee_case(
    workspace: Workspace, draft: LoadedStrategy, saved: LoadedStrategy | None, case: Case, models: Models
) -> CaseForesight:
    """The calls both runs of a case will make; nobody but the built-in rules is asked for this.

    Raises:
        WorkbenchError: The strategy does not fit the subject, or nothing is known about it at that date.
    """
    known, options = workspace.answers().known, workspace.run_options()

    def of(strategy: LoadedStrategy) -> tuple[Foresight, ...]:
        plan = workspace.plan(strategy, case.subject, case.as_of)
        return asyncio.run(foresee(plan, models, known, Baseline(), options))

    ahead = of(draft)
    return CaseForesight(case, ahead, after(ahead, of(saved)) if saved else ())


def start_trial(
    workspace: Workspace,
    draft: LoadedStrategy,
    saved: LoadedStrategy | None,
    cases: Sequence[Case],
    models: Models,
) -> str:
    """Start the runs of a trial in the background.

    Every plan is made before the first run is started, so that a subject which does not fit costs nothing.

    Returns:
        The tag the runs share.

    Raises:
        WorkbenchError: The strategy does not fit a subject, or nothing is known about it at that date.
    """
    trial = f"{TRIAL_TAG} {secrets.token_hex(3)}"
    sides = [(draft, (trial, DRAFT_TAG)), *([(saved, (trial,))] if saved else [])]
    plans = [
        (workspace.plan(strategy, case.subject, case.as_of), tags)
        for case in cases
        for strategy, tags in sides
    ]
    for plan, tags in plans:
        workspace.store.tag(workspace.jobs.start(plan, models), tags)
    return trial


def side_of(row: RunRow) -> Side | None:
    """Which side of a trial a run is; None where it is of no trial."""
    if not any(tag.startswith(f"{TRIAL_TAG} ") for tag in row.tags):
        return None
    return "draft" if DRAFT_TAG in row.tags else "saved"


def pairs(workspace: Workspace, trial: str) -> list[Pair]:
    """What a trial has come to: the subjects whose label flipped first, then by size of the change."""
    sides: dict[tuple[str, dt.date], dict[bool, RunRow]] = {}
    for row in workspace.store.find(tag=trial, limit=2 * MAX_SUBJECTS):
        sides.setdefault((row.subject_key, row.as_of), {})[DRAFT_TAG in row.tags] = row
    found = [Pair(side.get(False), side.get(True)) for side in sides.values()]
    return sorted(
        found, key=lambda pair: (not pair.flipped, -abs(pair.change or 0.0), pair.some.subject_title)
    )
