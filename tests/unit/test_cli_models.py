"""The commands about language models, and what a run says whose model fails."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from tests.hosted_samples import KEY
from tests.stub_server import StubServer, answer, failure
from workbench.cli import cli
from workbench.workspace import Workspace

# litellm takes seconds to import: one worker does it for all tests that need it.
pytestmark = pytest.mark.xdist_group("litellm")

MATCH = ("run", "match", "Liverpool", "Chelsea", "--date", "2019-04-14")
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
PRICES = "prices:\n  openai/stub-1: {input: 1, output: 10}\n"
EXPERT = {
    "status": "ok",
    "data_sufficiency": "high",
    "analysis": "Stronger at home.",
    "home_edge": 0.2,
    "subjective_confidence": 0.5,
    "key_evidence": ["four home wins"],
    "why_changed": "One source only.",
    "pred_home_goals": 1.5,
    "pred_away_goals": 1,
    "1x2": "1",
    "reasoning": "Home.",
    "agent_weights": {"form": 0.5, "stats": 0.5},
}


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


@pytest.fixture
def connected(
    workspace: Workspace, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StubServer]:
    monkeypatch.setenv("LLM_API_BASE", server.address)
    monkeypatch.setenv("LLM_MODEL", "openai/stub-1")
    monkeypatch.setattr("workbench.llm.hosted.backoff", lambda attempt: 0)
    server.default = answer(json.dumps(EXPERT), usage=USAGE)
    return server


def test_a_test_of_the_models_says_how_they_answer(workspace: Workspace, connected: StubServer) -> None:
    (workspace.root / "models.yaml").write_text(PRICES + "specialist: {temperature: 0.5}\n")
    connected.default = answer('{"ready": true}', usage=USAGE)

    result = command("models", "test")

    assert result.exit_code == 0, result.stderr
    assert "openai/stub-1: answered in" in result.stdout
    assert "structured output by JSON Schema" in result.stdout
    assert "$1.00 / $10.00 a million tokens (models.yaml)" in result.stdout
    assert [sent.body.get("temperature") for sent in connected.received] == [0.5, None]
    [first, _] = json.loads(command("models", "test", "openai/stub-1", "--json").stdout)["models"]
    assert (first["params"], first["readable"]) == ({"temperature": 0.5}, True)
    assert first["cost"] == pytest.approx(0.002)


def test_a_model_that_does_not_answer_fails_its_test_in_one_line(
    workspace: Workspace, connected: StubServer
) -> None:
    connected.default = failure(401, f"Incorrect API key provided: {KEY}")

    result = command("models", "test")

    assert (result.exit_code, result.stdout) == (1, "")
    assert "(401)" in result.stderr
    assert result.stderr.count("\n") == 1
    assert KEY not in result.stderr


def test_the_built_in_rules_need_no_test(workspace: Workspace) -> None:
    result = command("models", "test")

    assert result.exit_code == 2
    assert "workbench models test openai/" in result.stderr


def test_what_was_spent_is_told_in_every_way(workspace: Workspace, connected: StubServer) -> None:
    (workspace.root / "models.yaml").write_text(PRICES)
    run_id = json.loads(command(*MATCH, "--json").stdout)["run_id"]
    asked = len(connected.received)
    command(*MATCH)

    # 1,000 x 1 + 100 x 10 dollars a million
    cost = asked * 0.002
    [_, first] = json.loads(command("spend", "--by", "run", "--json").stdout)["rows"]
    assert (first["key"], first["calls"], first["cost"]) == (run_id, asked, pytest.approx(cost))
    spent = json.loads(command("spend", "--json").stdout)
    assert (spent["rows"][0]["calls"], spent["rows"][0]["cached"]) == (asked, asked)
    assert spent["today"] == pytest.approx(cost)
    table = command("spend", "--by", "agent").stdout
    assert "match / form" in table
    assert f"${cost:,.4f}" in table


def test_nothing_spent_is_said_plainly(workspace: Workspace) -> None:
    assert command(*MATCH).exit_code == 0

    assert command("spend").stdout == (
        "Nothing was asked of a language model yet.\nPaid today (UTC), with questions and tests: $0.0000\n"
    )


def test_once_the_budget_of_the_day_is_spent_no_run_begins_and_none_is_stored(
    workspace: Workspace, connected: StubServer
) -> None:
    (workspace.root / "models.yaml").write_text(PRICES + "daily_budget: 0.001\n")
    workspace.store.payments.add(0.002)

    result = command(*MATCH)

    assert (result.exit_code, result.stdout) == (1, "")
    assert "the budget of $0.00 a day is spent" in result.stderr
    assert workspace.store.count() == 0
    assert connected.received == []
    assert command(*MATCH, "--model", "baseline").exit_code == 0


def test_a_budget_spent_in_the_middle_of_a_run_fails_it_and_the_answers_so_far_are_kept(
    workspace: Workspace, connected: StubServer
) -> None:
    (workspace.root / "models.yaml").write_text(PRICES + "daily_budget: 0.005\n")

    result = command(*MATCH)

    assert result.exit_code == 1
    assert "a day is spent" in result.stdout
    paid = len(connected.received)
    (workspace.root / "models.yaml").write_text(PRICES)
    again = json.loads(command(*MATCH, "--json").stdout)
    assert again["status"] == "done"
    [row] = [
        row
        for row in json.loads(command("spend", "--by", "run", "--json").stdout)["rows"]
        if row["key"] == again["run_id"]
    ]
    assert row["cached"] == paid


def test_a_run_fails_with_its_last_agent_and_names_the_others_that_did(
    workspace: Workspace, connected: StubServer
) -> None:
    connected.then(*[failure(401, "bad key")] * 4)

    partial = command(*MATCH, "--cache", "off")

    assert partial.exit_code == 0
    assert "note: 作答失败、未计入：" in partial.stdout
    assert "done, 4 failed" in command("runs").stdout

    connected.default = failure(401, "bad key")
    failed = command(*MATCH, "--cache", "off", "--json")

    assert failed.exit_code == 1
    value = json.loads(failed.stdout)
    assert (value["status"], value["verdict"]) == ("failed", None)
    assert "(401)" in value["error"]


def test_doctor_says_which_models_answer_and_where_that_is_set(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.root / "models.yaml").write_text(
        "specialist: {model: openai/one, temperature: 0.2}\nproviders: {openai: {concurrency: 2}}\n"
        "daily_budget: 5\n"
    )
    monkeypatch.setenv("LLM_AGGREGATOR_MODEL", "anthropic/two")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    printed = command("doctor").stdout

    assert "specialist: openai/one, temperature 0.2 (specialist.model in models.yaml)" in printed
    assert "aggregator: anthropic/two (LLM_AGGREGATOR_MODEL in the environment)" in printed
    assert "OPENAI_API_KEY (the environment)" in printed
    assert "openai: 2 at once" in printed
    assert "$0.0000 today of a daily budget of $5.00" in printed
    assert KEY not in printed


def test_doctor_names_the_line_of_models_yaml_that_cannot_be_used(workspace: Workspace) -> None:
    (workspace.root / "models.yaml").write_text("specialist:\n  modle: openai/one\n")

    result = command("doctor")

    assert result.exit_code == 1
    assert "error   models      models.yaml:2" in result.stdout
    assert "Did you mean `model`?" in result.stdout
