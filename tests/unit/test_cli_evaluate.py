"""The evaluation of football runs on the command line: the same figures as the page."""

from __future__ import annotations

import json
from typing import Any

import pytest
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


def test_a_group_is_held_against_the_published_forecast_over_the_matches_both_forecast(
    workspace: Workspace,
) -> None:
    """A group with the easier matches stood first, above the forecast that beats it match by match."""
    matches = (("2019-04-14", "Liverpool", "Chelsea"), ("2019-04-13", "Fulham", "Everton"))
    for day, home, away in matches:
        command("run", "match", home, away, "--date", day)
    command("run", "match", "Liverpool", "Chelsea", "--date", "2019-04-14", "--strategy", "match_single")

    def rows(*options: str) -> dict[tuple[str, str], dict[str, Any]]:
        table = json.loads(command("evaluate", "football", "--json", *options))["table"]
        return {(row["contestant"]["model"], row["contestant"]["prompt_version"]): row for row in table}

    every, common = rows(), rows("--common")
    assert {who: row["forecasts"] for who, row in every.items()} == {
        ("baseline", "multi_v1"): 2,
        ("baseline", "v1"): 1,
        ("published", ""): 2,
        ("base_rates", ""): 2,
    }
    assert {row["forecasts"] for row in common.values()} == {1}
    single, published = (
        common[who]["scores"]["rps"]["value"] for who in (("baseline", "v1"), ("published", ""))
    )
    gap = every[("baseline", "v1")]["rps_against_published"]
    assert gap["n"] == 1
    assert gap["value"] == pytest.approx(single - published)
    assert every[("published", "")]["rps_against_published"] is None


def test_a_filter_that_fits_no_run_names_what_there_is(workspace: Workspace) -> None:
    """It printed "0 of 0 runs judged", as if there were no runs."""
    command("run", "match", "Liverpool", "Chelsea", "--date", "2019-04-14")
    for option, value in (("--season", "2099"), ("--competition", "中超"), ("--strategy", "nope")):
        result = CliRunner().invoke(cli, ("evaluate", "football", option, value))
        assert result.exit_code == 2
        assert "There are: " in result.output
    assert command("evaluate", "football", "--competition", "premier").startswith("1 of 1 runs judged")


def test_without_runs_there_is_nothing_to_score(workspace: Workspace) -> None:
    assert command("evaluate", "football") == "0 of 0 runs judged\n"
    assert json.loads(command("evaluate", "football", "--season", "1999-00", "--json"))["table"] == []
