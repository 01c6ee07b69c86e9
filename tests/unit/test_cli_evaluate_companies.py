"""The evaluation of company scores on the command line: the same figures as the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from workbench.cli import cli
from workbench.evaluate.returns import Return, ShareHistory, return_after
from workbench.evidence.days import months_later
from workbench.workspace import Workspace


def command(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def judged(workspace: Workspace, tmp_path: Path) -> Workspace:
    """Two companies, each as of six dates; one of them has no price after 2018."""
    universe = tmp_path / "two.txt"
    universe.write_text("600519.SH\nAAPL\n", encoding="utf-8")
    dates = "2015-06-30:2018-06-30:6M"
    command("batch", "chapters", "--universe", str(universe), "--dates", dates, "--strategy", "value")
    return workspace


def test_scores_are_held_against_returns(judged: Workspace) -> None:
    whole = json.loads(command("evaluate", "companies", "--horizon", "3m", "--json"))
    assert whole["horizon"] == "3m"
    assert whole["judged"] + len(whole["left_out"]) == 14
    assert {each["reason"] for each in whole["left_out"]} == {"no_first_price", "no_last_price"}
    (line,) = whole["table"]
    assert (
        line["contestant"] | {"provider": "baseline", "strategy": "value", "blind": "identity"}
        == line["contestant"]
    )
    assert line["n"] == whole["judged"] == whole["yardstick"]["n"]
    assert sum(group["n"] for group in line["bands"]) == line["n"]
    assert sum(group["n"] for group in line["labels"].values()) == line["n"]
    assert line["figures"]["ic"]["low"] is None, "fewer dates than an interval asks for"
    assert {row["label"]: row["from"] for row in line["thresholds"] if row["label"]} == {
        "watch": 30,
        "buy": 75,
    }


def test_the_returns_are_those_that_are_filled_in(judged: Workspace) -> None:
    whole = json.loads(command("evaluate", "companies", "--json"))
    command("outcomes", "fill")
    filled = judged.store.outcomes.find("return_6m")
    assert whole["judged"] == len(filled)
    mean = sum(outcome.value for outcome in filled) / len(filled)
    assert whole["yardstick"]["mean_return"]["value"] == pytest.approx(mean)
    today = months_later(filled[0].as_of, 12)
    history = ShareHistory.known(judged.evidence, today)(filled[0].subject_key)
    found = return_after(filled[0].as_of, "return_6m", history, today)
    assert isinstance(found, Return)
    assert found.value == pytest.approx(filled[0].value)


def test_the_table_says_what_is_not_shown(judged: Workspace) -> None:
    printed = command("evaluate", "companies")
    assert " of 14 runs judged over 6m\n" in printed
    assert "left out: " in printed
    assert "yardstick, all judged held alike: " in printed
    assert "baseline value v1 identity" in printed
    assert ">= 75 buy" in printed
    assert "mean IC: too few dates for an interval" in printed
    assert "the same 2 companies date after date: nothing is shown for others" in printed


def test_without_runs_there_is_nothing_to_hold(workspace: Workspace) -> None:
    assert command("evaluate", "companies", "--horizon", "1m") == "0 of 0 runs judged over 1m\n"
    whole = json.loads(command("evaluate", "companies", "--strategy", "nobody", "--json"))
    assert whole["table"] == []
    assert whole["yardstick"]["mean_return"]["value"] is None


def test_a_strategy_that_no_run_has_is_named(judged: Workspace) -> None:
    result = CliRunner().invoke(cli, ["evaluate", "companies", "--strategy", "growth"])
    assert result.exit_code == 2
    assert "no run has the strategy 'growth'" in result.output
    assert "There are: value." in result.output


def test_a_horizon_that_does_not_exist_is_refused() -> None:
    assert CliRunner().invoke(cli, ["evaluate", "companies", "--horizon", "2m"]).exit_code == 2
