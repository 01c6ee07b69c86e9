"""How fast the baseline judges companies over half-years, if that is linear, and what two processes bring.

All seven companies of the sample as of every half-year from 2012 to 2025, by the strategy ``value``. Linear
means that four times the runs take at most 4.4 times as long. Two worker processes are measured from the
start of the first run to the end of the last: their own start takes a second or two, once for each batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

from benchmarks.bench import carry_out, conclude, new_workspace, working_s
from workbench import crews
from workbench.pipelines.batches import Item, company_items, parse_dates
from workbench.records import Models
from workbench.store.batch_records import BatchOrder
from workbench.workspace import Workspace

DATES = "2012-06-30:2025-12-31:6M"
TIMES = 4
GROWTH_BOUND = 4.4
SPEEDUP_BOUND = 1.6


def order(workspace: Workspace, items: Sequence[Item]) -> BatchOrder:
    return BatchOrder(
        pipeline="chapters",
        title="half-years",
        strategy="value",
        strategy_text=workspace.strategy("value").text,
        models=Models(),
        items=items,
        concurrency=workspace.settings.concurrency,
    )


def main() -> None:
    with new_workspace() as workspace:
        once = order(workspace, company_items(workspace.evidence.instruments, parse_dates(DATES), "zh"))
        four_times = replace(once, items=list(once.items) * TIMES)
        carry_out(workspace, once)  # reads what every later batch finds in memory
        seconds = fmean(working_s(workspace, carry_out(workspace, once)) for _ in range(TIMES))
        longer = working_s(workspace, carry_out(workspace, four_times))
        shared = working_s(workspace, carry_out(workspace, four_times, crews.in_processes(workspace, 2)))
    count = len(once.items)
    print(f"{count} runs: {seconds:.2f} s, {count / seconds:.1f} runs a second")
    print(f"{count * TIMES} runs: {longer:.2f} s, {count * TIMES / longer:.1f} runs a second")
    print(
        f"{count * TIMES} runs in two processes: {shared:.2f} s, {count * TIMES / shared:.1f} runs a second"
    )
    conclude(
        (f"time for {TIMES} times the runs", longer / seconds, GROWTH_BOUND),
        at_least=[("runs a second in two processes over one", longer / shared, SPEEDUP_BOUND)],
    )


if __name__ == "__main__":
    main()
