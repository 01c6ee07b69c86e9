"""What the built-in baseline costs: CPU of a chapters run once the process is up, and what is imported.

Run in a process of its own, so that nothing imported for another purpose counts.
"""

from __future__ import annotations

import datetime as dt
import statistics
import sys
import time

from benchmarks.bench import conclude, new_workspace
from workbench.records import MatchSubject, Models, TickerSubject
from workbench.workspace import Workspace

RUNS = 5
CPU_BOUND_S = 0.25
NEVER_IMPORTED = ("litellm", "openai", "streamlit")
AS_OF = dt.date(2021, 6, 30)
COMPANIES = ("600519.SH", "601288.SH", "00700.HK", "AAPL")
MATCH = MatchSubject(
    competition="English Premier League",
    season="2018-19",
    date=dt.date(2019, 4, 14),
    home="Liverpool",
    away="Chelsea",
)


def chapters_cpu_s(workspace: Workspace, code: str) -> float:
    """CPU seconds from subject to stored verdict."""
    started = time.process_time()
    subject = TickerSubject(code=code, name=workspace.evidence.instruments.by_code(code).name)
    plan = workspace.plan(workspace.strategy("value"), subject, AS_OF)
    result = workspace.jobs.wait(workspace.jobs.start(plan, Models()))
    assert result.status == "done", result.error
    return time.process_time() - started


def main() -> None:
    with new_workspace() as workspace:
        first = chapters_cpu_s(workspace, COMPANIES[0])
        typical = [
            statistics.median(chapters_cpu_s(workspace, code) for _ in range(RUNS)) for code in COMPANIES
        ]
        match = workspace.plan(workspace.strategy("match"), MATCH, MATCH.date)
        assert workspace.jobs.wait(workspace.jobs.start(match, Models())).status == "done"
        workspace.jobs.close()
    imported = [name for name in NEVER_IMPORTED if name in sys.modules]
    for code, seconds in zip(COMPANIES, typical, strict=True):
        print(f"chapters run of {code}: {seconds:.3f} s of CPU")
    conclude(
        ("litellm, openai or streamlit imported by the baseline", len(imported), 0),
        ("CPU of the first chapters run of a process, s", first, CPU_BOUND_S),
        ("CPU of the slowest later chapters run, s", max(typical), CPU_BOUND_S),
    )


if __name__ == "__main__":
    main()
