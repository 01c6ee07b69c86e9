"""How close a match run comes to its critical path: experts in parallel, then the aggregator.

Every answer takes 300 ms, so the critical path of drafts is 600 ms. Measured with a model in the same
process and with a stub server behind litellm; the run includes evidence, prompts, parsing and storage.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import statistics
import time

from benchmarks.bench import conclude, new_workspace, stub_server
from workbench.engine.jobs import JobManager
from workbench.engine.plan import Plan
from workbench.llm.base import Model, Reply, Request
from workbench.llm.hosted import Hosted
from workbench.records import MatchSubject, Models
from workbench.settings import Settings
from workbench.strategy.files import read_strategy
from workbench.workspace import Workspace

DELAY_S = 0.3
CRITICAL_PATH_S = 2 * DELAY_S
RUNS = 7
IN_PROCESS_BOUND = 1.05
STUB_SERVER_BOUND = 1.10

MATCH = MatchSubject(
    competition="English Premier League",
    season="2018-19",
    date=dt.date(2019, 4, 14),
    home="Liverpool",
    away="Chelsea",
)
# Fields an agent does not ask for are set aside, so one answer serves experts and aggregator alike.
ANSWER = json.dumps(
    {
        "status": "ok",
        "data_sufficiency": "high",
        "analysis": "Fixed.",
        "home_edge": 0.2,
        "subjective_confidence": 0.5,
        "key_evidence": ["fixed"],
        "pred_home_goals": 1.5,
        "pred_away_goals": 1.0,
        "1x2": "1",
        "reasoning": "Fixed.",
        "agent_weights": {"form": 0.5, "stats": 0.5},
    }
)


class FixedModel:
    """Answers after 300 ms."""

    async def complete(self, request: Request) -> Reply:
        await asyncio.sleep(DELAY_S)
        return Reply(ANSWER, "fixed")


def drafts_only(workspace: Workspace) -> Plan:
    """The match strategy without second looks, over a view that has read nothing yet."""
    text = (workspace.strategy_dir / "match.yaml").read_text(encoding="utf-8")
    strategy = read_strategy(text.replace("revise: true", "revise: false"), "match.yaml")
    plan = workspace.plan(strategy, MATCH, MATCH.date)
    assert not any(step.revise for step in plan.steps)
    return plan


def run_s(workspace: Workspace, model: Model, name: str) -> list[float]:
    """Seconds from starting a run to having it stored, fastest first, the first run left out."""
    jobs = JobManager(workspace.store, model)
    seconds = []
    for _ in range(RUNS + 1):
        plan = drafts_only(workspace)
        started = time.perf_counter()
        result = jobs.wait(jobs.start(plan, Models(specialist=name, aggregator=name)))
        seconds.append(time.perf_counter() - started)
        assert result.status == "done", result.error
    jobs.close()
    return sorted(seconds[1:])


def main() -> None:
    with new_workspace() as workspace, stub_server(ANSWER, DELAY_S) as address:
        in_process = run_s(workspace, FixedModel(), "fixed")
        through_litellm = run_s(workspace, Hosted(Settings(api_base=address)), "openai/stub-1")
    print(f"critical path: {CRITICAL_PATH_S:.3f} s")
    for way, seconds in (("in process", in_process), ("through litellm", through_litellm)):
        print(f"match run {way}: fastest {seconds[0]:.3f} s, median {statistics.median(seconds):.3f} s")
    # The fastest run is what the code takes; what the others add is the machine's other work.
    conclude(
        ("match run in process / critical path", in_process[0] / CRITICAL_PATH_S, IN_PROCESS_BOUND),
        (
            "match run through litellm / critical path",
            through_litellm[0] / CRITICAL_PATH_S,
            STUB_SERVER_BOUND,
        ),
    )


if __name__ == "__main__":
    main()
