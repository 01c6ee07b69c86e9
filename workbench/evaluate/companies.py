"""Company scores that can be judged: stored runs beside the total return that followed.

Of several runs by one contestant over one company and date the latest counts. A run that did not finish, came
to no score or had no agent's report to go by is not judged; neither is one whose horizon is not over or whose
share has no price near both of its ends. All of these are named, none is dropped in silence.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.evaluate.forecasts import provider_of
from workbench.evaluate.returns import Measure, Missing, Return, ShareHistory, return_after
from workbench.evaluate.scores import Scored
from workbench.records import Blind
from workbench.store.rows import RunRow

Reason = Literal[
    "running",
    "failed",
    "run_cancelled",
    "interrupted",
    "no_score",
    "nothing_counted",
    "superseded",
    Missing,
]
"""Why a run is not judged: seven are about the run, the others about the return."""

_RUN_REASONS: Mapping[str, Reason] = {
    "running": "running",
    "failed": "failed",
    "cancelled": "run_cancelled",
    "interrupted": "interrupted",
}


class Contestant(NamedTuple):
    """Who scored: a model under one version of the prompts and one strategy, and what was hidden from it.

    ``provider`` is the part of the model's name before the slash; ``strategy`` is the name alone, so that an
    edited strategy stays the same contestant.
    """

    provider: str
    model: str
    prompt_version: str
    strategy: str
    blind: Blind


@dataclass(frozen=True)
class Judged:
    """A run whose company has a return.

    Attributes:
        run: The run.
        contestant: Who scored.
        score: 0..100, after the rules.
        value: Total return that followed, as a decimal.
    """

    run: RunRow
    contestant: Contestant
    score: float
    value: float

    @property
    def scored(self) -> Scored:
        return Scored(self.run.as_of, self.score, self.value)


@dataclass(frozen=True)
class LeftOut:
    """A run that is not judged."""

    run: RunRow
    reason: Reason


@dataclass(frozen=True)
class Judgement:
    """Every run once: judged or left out."""

    judged: tuple[Judged, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def reasons(self) -> Counter[Reason]:
        return Counter(each.reason for each in self.left_out)


def judge(
    runs: Iterable[RunRow], measure: Measure, history: Callable[[str], ShareHistory], today: dt.date
) -> Judgement:
    """Put stored runs beside the returns of their companies.

    Args:
        runs: Runs of the chapters pipeline in any state; others are ignored.
        measure: Over which horizon.
        history: All that is on record about a code.
        today: Horizons that end after today are not over.
    """
    returns: dict[tuple[str, dt.date], Return | Missing] = {}
    histories: dict[str, ShareHistory] = {}

    def followed(code: str, as_of: dt.date) -> Return | Missing:
        if (code, as_of) not in returns:
            known = histories[code] if code in histories else histories.setdefault(code, history(code))
            returns[code, as_of] = return_after(as_of, measure, known, today)
        return returns[code, as_of]

    answered: set[tuple[str, dt.date, Contestant]] = set()
    judged: list[Judged] = []
    left_out: list[LeftOut] = []
    for run in sorted(runs, key=lambda each: each.started, reverse=True):
        if run.pipeline != "chapters":
            continue
        contestant, score = contestant_of(run), _score(run)
        question = run.subject_key, run.as_of, contestant
        if isinstance(score, str):
            left_out.append(LeftOut(run, score))
        elif question in answered:
            left_out.append(LeftOut(run, "superseded"))
        else:
            answered.add(question)
            found = followed(run.subject_key, run.as_of)
            if isinstance(found, Return):
                judged.append(Judged(run, contestant, score, found.value))
            else:
                left_out.append(LeftOut(run, found))
    return Judgement(tuple(judged), tuple(left_out))


def contestant_of(run: RunRow) -> Contestant:
    """The group of runs a run is compared in."""
    return Contestant(provider_of(run.models), run.models.title, run.prompt_version, run.strategy, run.blind)


def _score(run: RunRow) -> float | Reason:
    """The score of a run, or why nothing can be made of it, whatever its share did."""
    if run.status != "done":
        return _RUN_REASONS[run.status]
    if run.score is None:
        return "no_score"
    return run.score if run.counted else "nothing_counted"
