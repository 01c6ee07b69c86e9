"""How long runs usually take: what earlier runs of the same agents with the same models took."""

from __future__ import annotations

import datetime as dt
import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlite_utils import Database as Connection

_LAST = 20
"""Runs looked back on: models and machines change."""

_ALIKE = f"""
    select o.run_id, o.started, o.finished
    from runs r join runs o on o.pipeline = r.pipeline and o.agents = r.agents
        and o.specialist_model = r.specialist_model and o.aggregator_model = r.aggregator_model
    where r.run_id = ? and o.status = 'done' and o.finished is not null
        and not exists (select 1 from calls c where c.run_id = o.run_id and c.cache_hit)
    order by o.started desc limit {_LAST}
"""


@dataclass(frozen=True)
class Pace:
    """What earlier runs took, as medians.

    Attributes:
        runs: How many runs are behind it.
        seconds: Of a whole run.
        agents: Seconds of all the calls of each agent together.
    """

    runs: int
    seconds: float
    agents: Mapping[str, float]


def usual_pace(db: Connection, run_id: str) -> Pace | None:
    """The pace of earlier runs like this one; None while there is none.

    Runs that took answers from the cache do not count.
    """
    alike = db.execute(_ALIKE, [run_id]).fetchall()
    if not alike:
        return None
    took: dict[str, list[float]] = defaultdict(list)
    marks = ", ".join("?" * len(alike))
    for agent, seconds in db.execute(
        f"select agent, sum(latency_s) from calls where run_id in ({marks}) group by run_id, agent",
        [run for run, _, _ in alike],
    ):
        took[agent].append(seconds)
    whole = [_moment(finished) - _moment(started) for _, started, finished in alike]
    return Pace(
        runs=len(alike),
        seconds=statistics.median(span.total_seconds() for span in whole),
        agents={agent: statistics.median(seconds) for agent, seconds in took.items()},
    )


def _moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)
