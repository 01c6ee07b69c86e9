"""Returns of groups of judgements: all that were called a buy, all of one stream.

They are what a strategy's sentences about win rates are held against (``strategy.claims``). A company judged
several times as of one day by one strategy counts once in each of its groups.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator

from workbench.evaluate.uncertainty import Estimate, mean
from workbench.records import Run
from workbench.store.outcomes import Outcome
from workbench.strategy.claims import Measure, Measured
from workbench.strategy.schema import LABEL_EN, LABEL_ZH

LONGEST_NAME = 12
"""Characters; a longer text of a verdict is prose and names no group."""

_RETURN = "return_"


def measured(runs: Iterable[Run], outcomes: Iterable[Outcome]) -> list[Measured]:
    """Win rate and mean return of every group, over every horizon on record.

    Args:
        runs: Runs of chapters; those that did not finish with a verdict are passed over.
        outcomes: Returns that followed, as decimals.

    Returns:
        Figures with a 95 % interval, from a bootstrap over as-of dates. A group seen on fewer dates than the
        bootstrap asks for has no interval and is left out: it contradicts nobody.
    """
    groups: dict[tuple[str, dt.date], set[str]] = {}
    for run in runs:
        if run.status == "done" and run.verdict is not None:
            groups.setdefault((run.subject.key, run.as_of), set()).update(_groups(run))
    returns: dict[tuple[str, int], list[tuple[dt.date, float]]] = {}
    for outcome in outcomes:
        if outcome.measure.startswith(_RETURN):
            months = int(outcome.measure.removeprefix(_RETURN).removesuffix("m"))
            for group in groups.get((outcome.subject_key, outcome.as_of), ()):
                returns.setdefault((group, months), []).append((outcome.as_of, outcome.value))
    return [
        figure
        for (group, months), followed in sorted(returns.items())
        for figure in _figures(group, months, followed)
    ]


def _groups(run: Run) -> Iterator[str]:
    """The names a strategy would use for what a run concluded: its label, and the classes it was put in."""
    verdict = run.verdict
    if verdict is None:
        return
    for words in (LABEL_ZH, LABEL_EN):
        if verdict.label in words:
            yield words[verdict.label].lower()
    for value in verdict.fields.values():
        if isinstance(value, str) and 1 < len(value) <= LONGEST_NAME:
            yield value


def _figures(group: str, months: int, followed: list[tuple[dt.date, float]]) -> Iterator[Measured]:
    days = [day for day, _ in followed]
    figures: dict[Measure, Estimate] = {
        "win_rate": mean([float(value > 0) for _, value in followed], days, "higher"),
        "mean_return": mean([value for _, value in followed], days, "higher"),
    }
    for measure, found in figures.items():
        if found.value is not None and found.low is not None and found.high is not None:
            yield Measured(group, months, measure, found.value, found.low, found.high, found.n)
