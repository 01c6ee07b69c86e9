"""The evaluation of football runs on the command line: the same figures as the page."""

from __future__ import annotations

import json

from click.testing import CliRunner

from workbench.cli import cli
from workbench.workspace import Workspace


def command(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_runs_are_scored_beside_yardsticks(workspace: Workspace) -> None:
    for day, home, away in (("2019-04-14", "Liverpool", "Chelsea"), ("2019-04-13", "Fulham", "Everton")):
        command("run", "match", home, away, "--date", day)
    command("run", "match", "Liverpool", "Chelsea", "--date", "2026-08-22")

    printed = command("evaluate", "football")
    assert printed.startswith("2 of 3 runs judged\nleft out: 1 not on record\n")
    whole = json.loads(command("evaluate", "football", "--json"))
    assert whole["judged"] == 2
    assert [each["reason"] for each in whole["left_out"]] == ["not_on_record"]
    rows = {row["contestant"]["model"]: row for row in whole["table"]}
    assert set(rows) == {"baseline", "published", "base_rates"}
    assert rows["baseline"]["contestant"]["prompt_version"] == "multi_v1"
    rps = rows["baseline"]["scores"]["rps"]
    assert (rps["n"], rps["clusters"], rps["low"], rps["better"]) == (2, 2, None, "lower")
    assert 0 < rps["value"] < 1
    assert f"{rps['value']:.4f}" in printed


def test_without_runs_there_is_nothing_to_score(workspace: Workspace) -> None:
    assert command("evaluate", "football") == "0 of 0 runs judged\n"
    assert json.loads(command("evaluate", "football", "--season", "1999-00", "--json"))["table"] == []
