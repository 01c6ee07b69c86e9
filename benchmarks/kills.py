"""The command itself, killed twenty times in the middle of one batch of a paid model, and taken up again.

Everything is real except the model, which is a server on loopback: command, litellm, cache, storage. Counted
is what the server was asked. An answer that was under way when the process died must be asked for again; one
that had arrived must not.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from benchmarks.bench import conclude, new_workspace
from tests.stub_server import StubServer, answer
from workbench.store.backups import find_damage
from workbench.workspace import Workspace

KILLS = 20
MATCHES = 120
CONCURRENCY = 4
SEED = 20
LIFE_S = (0.05, 1.5)
"""How long a process works before it is killed."""

ANSWER = {
    "status": "ok",
    "data_sufficiency": "high",
    "analysis": "Stronger at home.",
    "home_edge": "20%",
    "subjective_confidence": 0.5,
    "key_evidence": ["four home wins"],
    "why_changed": "One source only.",
    "pred_home_goals": 1.5,
    "pred_away_goals": 1,
    "1x2": "主胜",
    "reasoning": "Home.",
    "agent_weights": {"form": 0.5, "stats": 0.3, "home_away": 0.1, "injuries": 0, "h2h": 0.1},
}


def command(workspace: Workspace, *words: str) -> list[str]:
    return [sys.executable, "-m", "workbench", "--workspace", str(workspace.root), "batch", *words]


def begin(workspace: Workspace, batch_id: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    which: Sequence[str] = ("--competition", "English Premier League", "--season", "2018-19")
    words = ("resume", batch_id) if batch_id else ("match", *which, "--limit", str(MATCHES))
    how = ("--concurrency", str(CONCURRENCY))
    return subprocess.Popen(
        command(workspace, *words, *how),
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def main() -> None:
    chance = random.Random(SEED)
    with (
        StubServer(default=answer(json.dumps(ANSWER), delay_s=0.05)) as server,
        new_workspace() as workspace,
    ):
        environment = os.environ | {
            "OPENAI_API_KEY": "sk-stub-0123456789",
            "LLM_API_BASE": server.address,
            "LLM_MODEL": "openai/stub-1",
        }
        batch_id = ""
        for _ in range(KILLS):
            asked = len(server.received)
            process = begin(workspace, batch_id, environment)
            while len(server.received) == asked and process.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.uniform(*LIFE_S))
            process.send_signal(signal.SIGKILL)
            process.wait()
            batch_id = workspace.store.batches.find(limit=1)[0].batch_id
        code = begin(workspace, batch_id, environment).wait()

        batch = workspace.store.batches.load(batch_id)
        runs = [
            workspace.store.load(row.run_id) for row in workspace.store.find(batch_id=batch_id, limit=1000)
        ]
        prompts = [json.dumps(received.body, sort_keys=True) for received in server.received]
        twice = len(prompts) - len(set(prompts))
        lost = sum(len({report.agent for report in run.reports}) != 6 for run in runs)
        print(f"{batch.done} of {MATCHES} matches done after {KILLS} kills, exit code {code}")
        print(f"{len(prompts)} calls, {twice} of them asked again because a kill cut them off")
        conclude(
            ("matches not done", MATCHES - batch.done, 0),
            ("runs too many", len(runs) - MATCHES, 0),
            ("runs with a report lost or doubled", lost, 0),
            ("answers cut off and asked again, for each kill", twice / KILLS, CONCURRENCY),
            ("databases damaged", bool(find_damage(workspace.store.path)), 0),
        )


if __name__ == "__main__":
    main()
