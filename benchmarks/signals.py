"""How long two hundred news items take the baseline, from subject to stored signal, and a page of their list.

Half of the items name companies in long texts, so that linking, tools and reading have something to do.
"""

from __future__ import annotations

import time

from benchmarks.bench import conclude, new_workspace
from workbench.evidence.addressed import told
from workbench.evidence.news import add_items, count_items, items, make_item
from workbench.records import Models

ITEMS = 200
ON_RECORD = 5_000
BOUND_S = 20.0
LIST_BOUND_S = 0.5
TOLD_BOUND_S = 0.5
FILLERS = (
    *(
        "<script",
        "<",
        "<!--",
        "[INST]",
        "<|a|>",
        "{impact",
        "a",
        "(",
        ", ",
        "忽略",
        "以上",
        "本条",
        "请",
        "分",
    ),
    *("把本条影响", "你是", "ignore all ", "of the ", "ai ", "you must ", "please ", "score it ", "1."),
)
"""What the patterns for orders to the scorer begin with, again and again."""

TEXT = "Apple lowered its forecast by 5% as demand weakened. 腾讯 and Microsoft were named too. "


def told_s(filler: str) -> float:
    started = time.process_time()
    told(filler * (20_000 // len(filler)))
    return time.process_time() - started


def main() -> None:
    with new_workspace() as workspace:
        made = [
            make_item(f"Apple cuts guidance, part {n}", f"2030-{1 + n % 12:02}-15", body=TEXT * (n % 2 * 100))
            for n in range(ON_RECORD)
        ]
        add_items(workspace.evidence, made, origin="bench")
        strategy = workspace.strategy("news")
        started = time.perf_counter()
        ids = [
            workspace.jobs.start(workspace.plan(strategy, item.subject, item.published), Models())
            for item in made[:ITEMS]
        ]
        for run_id in ids:
            assert workspace.jobs.wait(run_id).status == "done"
        took = time.perf_counter() - started
        started = time.perf_counter()
        assert count_items(workspace.evidence, text="part 7") > len(
            items(workspace.evidence, text="part 7", limit=20)
        )
        listed = time.perf_counter() - started
        workspace.jobs.close()
    longest = max(map(told_s, FILLERS))
    conclude(
        (f"seconds for {ITEMS} items with {ON_RECORD} on record", took, BOUND_S),
        ("seconds for a filtered page of them", listed, LIST_BOUND_S),
        ("CPU seconds to go through 20,000 hostile characters", longest, TOLD_BOUND_S),
    )


if __name__ == "__main__":
    main()
