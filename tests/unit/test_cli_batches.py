"""The batch commands: what they print, what they refuse, and what Ctrl-C and kill -9 leave behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.cli import cli
from workbench.workspace import Workspace

DECEMBER = (
    "batch",
    "match",
    "--competition",
    "Premier League",
    "--season",
    "2018-19",
    "--from",
    "2018-12-26",
)
FEW = (*DECEMBER, "--limit", "4")
KEYS = [
    "batch_id",
    "pipeline",
    "title",
    "status",
    "strategy",
    "model",
    "total",
    "done",
    "failed",
    "running",
    "open",
    "cost",
    "budget",
    "created",
    "begun",
    "finished",
    "seconds",
    "eta_s",
    "error",
]

SLOW_MODEL = """
import asyncio, sys
from workbench import workspace
from workbench.cli import main
from workbench.llm.baseline import Baseline

asked = 0

class Slow(Baseline):
    async def complete(self, request):
        global asked
        if request.agent == "aggregator":
            asked += 1
            if asked > 2:
                print("third aggregator asked", file=sys.stderr, flush=True)
                await asyncio.sleep(60)
        return await super().complete(request)

workspace.Workspace.model = lambda self: Slow()
sys.argv[0] = "workbench"
main()
"""


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def printed_json(*arguments: str) -> dict:
    result = command(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout, parse_constant=pytest.fail)


def test_a_season_is_judged_match_by_match(workspace: Workspace) -> None:
    value = printed_json(*FEW)

    assert list(value) == KEYS
    assert (value["status"], value["total"], value["done"], value["model"]) == ("done", 4, 4, "baseline")
    assert value["title"] == "English Premier League 2018-19 2018-12-26 to 2019-05-12"
    runs = workspace.store.find(batch_id=value["batch_id"])
    assert {str(run.as_of) for run in runs} == {"2018-12-26"}
    assert all(run.status == "done" for run in runs)


def test_matches_that_get_no_result_are_left_out_and_counted(workspace: Workspace) -> None:
    """A batch once paid for runs over matches called off, which no result can ever judge."""
    rows = [
        {"home": "Liverpool", "away": f"Guest {number}", "date": "2019-08-09", "status": status}
        | {"competition": "Cup", "season": "2019-20"}
        for number, status in enumerate(
            ("scheduled", "postponed", "cancelled", "cancelled", "awarded", "abandoned")
        )
    ]
    workspace.evidence.add("matches", rows, origin="mine")

    result = command("batch", "match", "--competition", "Cup", "--season", "2019-20")

    words = "5 are left out and get no result: 1 postponed, 2 cancelled, 1 awarded, 1 abandoned."
    assert words in result.stderr
    assert [row.subject_title for row in workspace.store.find()] == ["Liverpool – Guest 0"]


def test_a_whole_competition_is_judged_only_up_to_a_limit(workspace: Workspace) -> None:
    """Without season and days 1,140 runs were once started unasked."""
    assert command(*DECEMBER[:4]).exit_code == 2
    command(*DECEMBER[:4], "--limit", "2")
    assert [each.total for each in workspace.store.batches.find()] == [2]


def test_a_universe_is_judged_as_of_every_date(workspace: Workspace, tmp_path: Path) -> None:
    universe = tmp_path / "mine.txt"
    universe.write_text("600519\nAgBank\n")

    result = command("batch", "chapters", "--universe", str(universe), "--dates", "2009-12-31:2010-12-31:6M")

    assert result.exit_code == 0
    assert "mine.txt, 2009-12-31 to 2010-12-31 · strategy value" in result.stdout
    assert "baseline (built-in rules, not a model)" in result.stdout
    assert "done: 4 of 4 done, 0 failed, 0 open" in result.stdout
    assert result.stderr == "2 are left out: the company was not listed yet on that day.\n"
    assert {row.blind for row in workspace.store.find()} == {"identity"}


@pytest.mark.parametrize("blind", ["none", "full"])
def test_a_batch_of_companies_is_as_blind_as_it_is_told_to_be(
    workspace: Workspace, tmp_path: Path, blind: str
) -> None:
    universe = tmp_path / "mine.txt"
    universe.write_text("AAPL\n")

    command(
        "batch", "chapters", "--universe", str(universe), "--dates", "2016-06-30", "--blind", blind,
        "--strategy", "quick_scan",
    )  # fmt: skip

    (row,) = workspace.store.find()
    assert row.blind == blind
    assert workspace.strategy_of(workspace.store.load(row.run_id)).strategy.blind == blind


def test_failures_are_named_and_decide_the_exit_code(workspace: Workspace, tmp_path: Path) -> None:
    """At the end of 2008 there is a statement of Apple, and none of Tencent yet."""
    universe = tmp_path / "mine.txt"
    universe.write_text("AAPL\n00700\n")

    result = command("batch", "chapters", "--universe", str(universe), "--dates", "2008-12-31")

    assert result.exit_code == 1
    assert "done: 1 of 2 done, 1 failed, 0 open" in result.stdout
    assert "failed: 腾讯控股 00700.HK, 2008-12-31:" in result.stdout
    listed = command("batch", "show", workspace.store.batches.find()[0].batch_id, "--failed").stdout
    assert "腾讯控股 00700.HK" in listed
    assert "AAPL" not in listed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("batch", "match", "--competition", "Serie A"), "there is no competition 'Serie A'"),
        ((*DECEMBER, "--to", "2018-12-25"), "2018-12-26 comes after 2018-12-25"),
        ((*DECEMBER[:6], "--from", "2030-01-01"), "no match of English Premier League"),
        (("batch", "signals", "--from", "2019-05-01", "--to", "2019-04-01"), "Put the earlier day first"),
        (("news", "list", "--from", "2019-05-01", "--to", "2019-04-01"), "Put the earlier day first"),
        (DECEMBER[:4], "1,140 in 3 seasons. Name a --season"),
        ((*FEW, "--strategy", "value"), "judges tickers"),
        ((*FEW, "--strategy", "nothing"), "there is no strategy 'nothing'"),
        ((*FEW, "--concurrency", "0"), "0 is not in the range"),
        ((*FEW, "--budget", "-1"), "-1.0 is not in the range"),
        ((*FEW, "--budget", "nan"), "nan is no amount of money"),
        ((*FEW, "--budget", "inf"), "inf is no amount of money"),
        ((*FEW, "--budget", "1e400"), "1e400 is no amount of money"),
        (("batch", "resume", "nothing", "--budget", "nan"), "nan is no amount of money"),
        ((*FEW, "--engine", "dask"), "Add --scheduler"),
        ((*FEW, "--scheduler", "tcp://127.0.0.1:1"), "Add --engine dask"),
        (("batch", "chapters", "--universe", "nowhere.txt", "--dates", "2020-06-30"), "nowhere.txt"),
        (("batch", "chapters", "--universe", "{file}", "--dates", "2020-06-31"), "is not a date"),
        (
            ("batch", "chapters", "--universe", "{file}", "--dates", "2020-06-30"),
            "line 2: 'NOPE' is no company",
        ),
        (("batch", "chapters", "--universe", "{early}", "--dates", "1999-06-30"), "nothing to run"),
        (("batch", "resume", "nothing"), "there is no batch 'nothing'"),
        (("batch", "show", "nothing"), "there is no batch 'nothing'"),
    ],
)
def test_bad_input_is_exit_code_2_and_nothing_is_stored(
    workspace: Workspace, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    files = {"file": tmp_path / "universe.txt", "early": tmp_path / "early.txt"}
    files["file"].write_text("600519\nNOPE\n")
    files["early"].write_text("600519\n")

    result = command(*(argument.format(**files) for argument in arguments))

    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr.splitlines()[-1]
    assert workspace.store.batches.find() == []
    assert workspace.store.count() == 0


def test_batches_are_listed_and_shown(workspace: Workspace) -> None:
    assert command("batches").stdout == "There are no batches yet: workbench batch --help\n"
    value = printed_json(*FEW)

    (listed,) = printed_json("batches")["batches"]
    assert listed["batch_id"] == value["batch_id"]
    shown = printed_json("batch", "show", value["batch_id"][-4:])
    assert [item["position"] for item in shown["items"]] == [1, 2, 3, 4]
    assert {item["state"] for item in shown["items"]} == {"done"}
    assert {item["label"] for item in shown["items"]} <= {"1", "X", "2"}
    table = command("batch", "show", value["batch_id"]).stdout
    assert shown["items"][0]["run_id"] in table
    runs = printed_json("runs", "--batch", value["batch_id"])
    assert runs["total"] == 4


def test_processes_judge_as_one_process_does(workspace: Workspace) -> None:
    alone = printed_json(*FEW)["batch_id"]
    shared = printed_json(*FEW, "--processes", "2")["batch_id"]

    def verdicts(batch_id: str) -> dict:
        return {run.subject_key: (run.score, run.label) for run in workspace.store.find(batch_id=batch_id)}

    assert verdicts(shared) == verdicts(alone)
    assert len(verdicts(shared)) == 4


def slow_batch(*arguments: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_MODEL, *FEW, "--concurrency", "1", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "third aggregator asked\n"
    return process


def test_ctrl_c_cancels_the_batch_and_says_how_to_go_on(workspace: Workspace) -> None:
    process = slow_batch()

    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=20)

    assert process.returncode == 130
    (batch,) = workspace.store.batches.find()
    assert "cancelled: 2 of 4 done, 0 failed, 2 open" in out
    assert errors == f"Go on with: workbench batch resume {batch.batch_id}\n"
    assert batch.counts == {"done": 2, "cancelled": 1, "waiting": 1}

    assert printed_json("batch", "resume", batch.batch_id)["done"] == 4
    assert workspace.store.count(batch_id=batch.batch_id) == 4


def test_a_killed_batch_is_resumed_without_repeating_finished_agents(workspace: Workspace) -> None:
    process = slow_batch()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (batch,) = workspace.store.batches.find()
    assert (batch.status, batch.counts) == ("interrupted", {"done": 2, "interrupted": 1, "waiting": 1})
    before = {run.run_id: workspace.store.load(run.run_id) for run in workspace.store.find()}

    value = printed_json("batch", "resume", batch.batch_id)

    assert (value["status"], value["done"]) == ("done", 4)
    for run_id, old in before.items():
        new = workspace.store.load(run_id)
        assert new.status == "done"
        assert new.reports[: len(old.reports)] == old.reports, "with the same calls at the same times"
