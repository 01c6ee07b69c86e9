"""One batch whose process is killed twenty times at random moments, and taken up again each time."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.batch_samples import AGENTS, CountingModel, Workshop, calls
from workbench.store.backups import find_damage

ROOT = Path(__file__).parents[2]
KILLS = 20
CONCURRENCY = 4
NAMES = tuple(f"C{number}" for number in range(60))

CARRY_ON = """
import sys
from pathlib import Path
from tests.batch_samples import CountingModel, Workshop, order
from workbench.llm.cache import Cached

folder, concurrency, batch_id, *names = sys.argv[1:]
folder = Path(folder)
shop = Workshop(folder, Cached(CountingModel(folder, delay_s=0.02), folder / "cache.db"))
if batch_id:
    shop.batches.resume(batch_id, shop.here)
else:
    batch_id = shop.batches.start(order(*names, concurrency=int(concurrency)), shop.here)
print(batch_id, flush=True)
shop.batches.wait(batch_id)
"""


def carry_on(folder: Path, batch_id: str) -> tuple[subprocess.Popen[str], str]:
    """Begin the batch, or take it up again, in a process of its own; returns once it is at work."""
    process = subprocess.Popen(
        [sys.executable, "-c", CARRY_ON, str(folder), str(CONCURRENCY), batch_id, *NAMES],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def test_twenty_kills_lose_no_report_and_pay_for_none_again(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, CountingModel(tmp_path))
    chance = random.Random(20)
    batch_id, reported = "", set[str]()
    for life in range(KILLS + 1):
        paid = Counter(calls(tmp_path))
        process, batch_id = carry_on(tmp_path, batch_id)
        if life < KILLS:
            time.sleep(chance.uniform(0, 0.25))
            process.kill()
        process.communicate(timeout=60)
        assert not reported & set(Counter(calls(tmp_path)) - paid), "an agent that had reported was asked"
        runs = [shop.store.load(row.run_id) for row in shop.store.find(batch_id=batch_id, limit=1000)]
        reported = {f"{run.subject.key} {report.agent}" for run in runs for report in run.reports}

    twice = Counter(calls(tmp_path)) - Counter(f"{name} {agent}" for name in NAMES for agent in AGENTS)
    assert sum(twice.values()) <= KILLS * CONCURRENCY, "only what was under way at a kill"
    batch = shop.store.batches.load(batch_id)
    assert (process.returncode, batch.status, batch.done, batch.failed) == (0, "done", len(NAMES), 0)
    assert sorted(run.subject.key for run in runs) == sorted(NAMES), "one run each"
    assert {tuple(report.agent for report in run.reports) for run in runs} == {AGENTS}, "each report once"
    assert {run.status for run in runs} == {"done"}
    assert not find_damage(shop.store.path)
    shop.close()
