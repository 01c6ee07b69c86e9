from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conftest import FakeModel
from workbench import workspace as workspace_module
from workbench.cli import cli
from workbench.records import Run
from workbench.workspace import Workspace

MATCH = ("run", "match", "Liverpool", "Chelsea", "--date", "2019-04-14")
KEYS = [
    "run_id",
    "pipeline",
    "status",
    "subject",
    "as_of",
    "model",
    "strategy",
    "verdict",
    "reports",
    "receipt",
    "error",
    "blind",
]


def command(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments)


def printed_json(*arguments: str) -> dict:
    result = command(*arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout, parse_constant=pytest.fail)


def run_id_of(*arguments: str) -> str:
    return printed_json(*arguments, "--json")["run_id"]


def test_json_is_one_object_with_the_promised_keys_and_nothing_else(workspace: Workspace) -> None:
    value = printed_json(*MATCH, "--json")

    assert list(value) == KEYS
    assert list(value["verdict"])[:3] == ["score", "label", "confidence"]
    assert list(value["reports"][0]) == ["agent", "status", "sufficiency", "draft", "revised", "error"]
    assert (value["pipeline"], value["status"], value["model"]) == ("match", "done", "baseline")
    assert value["receipt"]["as_of"] == "2019-04-14"
    assert workspace.store.load(value["run_id"]).to_json() == value


def test_a_run_names_its_model_and_calls_the_baseline_what_it_is(workspace: Workspace) -> None:
    result = command(*MATCH)

    assert result.exit_code == 0
    assert "Liverpool – Chelsea · as of 2019-04-14" in result.stdout
    assert "baseline (built-in rules, not a model)" in result.stdout
    assert "4 of 5 agents counted" in result.stdout
    assert "look-ahead receipt: newest evidence 2019-04-13" in result.stdout


def test_chapters_judge_a_company_named_in_any_common_way(workspace: Workspace) -> None:
    codes = {
        printed_json("run", "chapters", name, "--as-of", "2021-06-30", "--json")["subject"]["code"]
        for name in ("600519", "SH600519", "贵州茅台")
    }

    assert codes == {"600519.SH"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "chapters", "NOPE", "--as-of", "2021-06-30"), "'NOPE'"),
        (("run", "chapters", "600519", "--as-of", "2021-13-01"), "'2021-13-01' is not a date"),
        (("run", "chapters", "600519", "--as-of", "1990-01-01"), "before 1990-01-01"),
        (("run", "chapters", "600519", "--as-of", "9999-01-01"), "9999-01-01 lies in the future"),
        (("run", "chapters", "600519"), "--as-of"),
        (("run", "chapters", "600519", "--as-of", "2021-06-30", "--strategy", "match"), "judges matches"),
        (
            ("run", "chapters", "600519", "--as-of", "2021-06-30", "--strategy", "nothing"),
            "there is no strategy 'nothing'",
        ),
        (
            ("run", "chapters", "600519", "--as-of", "2021-06-30", "--strategy", "../../x"),
            "cannot be the name",
        ),
        (("run", "match", "Liverpool", "Chelsae", "--date", "2019-04-14"), "Did you mean Chelsea?"),
        (("run", "match", "Chelsea", "Liverpool", "--date", "2019-04-14"), "Liverpool played at home"),
        (("run", "match", "Liverpool", "Chelsea", "--date", "2019-04-15"), "did not play"),
        (("run", "nothing"), "No such command"),
        (("show", "nothing"), "there is no run 'nothing'"),
        (("resume", "nothing"), "there is no run 'nothing'"),
        (("export", "nothing"), "there is no run 'nothing'"),
        (("compare", "nothing", "nothing"), "there is no run 'nothing'"),
        (("runs", "--status", "odd"), "'odd' is not one of"),
        (("app", "--port", "80"), "80"),
        (("lint", "../x"), "there is no strategy '../x'"),
    ],
)
def test_bad_input_is_one_line_exit_code_2_and_nothing_stored(
    workspace: Workspace, arguments: tuple[str, ...], words: str
) -> None:
    result = command(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert words in line
    assert workspace.store.count() == 0


def test_input_with_control_characters_stays_on_one_line(workspace: Workspace) -> None:
    result = command("run", "chapters", "A\nB\x1b[31m", "--as-of", "2021-06-30")

    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "\x1b" not in result.stderr


@pytest.fixture
def silent_model(monkeypatch: pytest.MonkeyPatch, fake_model: FakeModel) -> FakeModel:
    """Every run is answered by a model that has no answers."""
    monkeypatch.setattr(workspace_module.Workspace, "model", lambda self: fake_model)
    return fake_model


def test_a_failed_run_exits_1_is_stored_and_looks_like_no_success(
    workspace: Workspace, silent_model: FakeModel
) -> None:
    result = command(*MATCH, "--json")

    assert result.exit_code == 1
    value = json.loads(result.stdout)
    assert (value["status"], value["verdict"]) == ("failed", None)
    assert "no canned reply" in value["error"]
    assert "No verdict: the run is failed." in command("show", value["run_id"]).stdout
    (row,) = workspace.store.find()
    assert (row.status, row.score, row.label) == ("failed", None, None)


def test_the_model_option_names_the_model_of_every_agent(
    workspace: Workspace, silent_model: FakeModel
) -> None:
    result = command(*MATCH, "--model", "ollama/none", "--json")

    assert json.loads(result.stdout)["model"] == "ollama/none"
    assert {request.model for request in silent_model.history} == {"ollama/none"}


def test_runs_lists_filters_and_pages(workspace: Workspace) -> None:
    assert "There are no runs yet" in command("runs").stdout
    first, second = run_id_of(*MATCH), run_id_of(*MATCH)
    workspace.store.tag(first, ["keep"])

    assert [run["run_id"] for run in printed_json("runs", "--json")["runs"]] == [second, first]
    page = printed_json("runs", "--limit", "1", "--page", "2", "--json")
    assert (page["total"], [run["run_id"] for run in page["runs"]]) == (2, [first])
    assert printed_json("runs", "--tag", "keep", "--json")["total"] == 1
    assert printed_json("runs", "--label", "2", "--json")["total"] == 0
    text = command("runs").stdout
    assert first in text
    assert "#keep" in text
    assert "2 of 2 runs" in text
    assert command("runs", "--pipeline", "chapters").stdout == "No run matches.\n"


def test_show_prints_a_stored_run_again(workspace: Workspace) -> None:
    run_id = run_id_of(*MATCH)

    assert printed_json("show", run_id[-6:], "--json")["run_id"] == run_id
    assert run_id in command("show", run_id).stdout


def test_show_agent_prints_the_exact_prompt_and_the_raw_answer(workspace: Workspace) -> None:
    run_id = run_id_of(*MATCH)
    call = workspace.store.load(run_id).report("form").calls[0]

    text = command("show", run_id, "--agent", "form").stdout

    assert call.prompt in text
    assert call.reply in text
    wrong = command("show", run_id, "--agent", "nobody")
    assert wrong.exit_code == 2
    assert "It has: form, stats" in wrong.stderr


def test_compare_puts_runs_side_by_side(workspace: Workspace) -> None:
    first, second = run_id_of(*MATCH), run_id_of(*MATCH)

    value = printed_json("compare", first, second, "--json")
    assert value["runs"] == [first, second]
    (score,) = [row for row in value["rows"] if (row["section"], row["name"]) == ("verdict", "score")]
    assert score["same"]
    assert score["changes"] == [None, 0]
    assert f"[1] {first}" in command("compare", first, second).stdout
    assert "近期状态: draft" not in command("compare", first, second).stdout
    assert "近期状态: draft" in command("compare", first, second, "--all").stdout
    assert command("compare", first, first).exit_code == 2


def test_export_writes_a_file_named_after_the_run(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = run_id_of(*MATCH)
    monkeypatch.chdir(tmp_path)

    result = command("export", run_id)

    assert result.stdout == f"{run_id}.html\n"
    assert (tmp_path / f"{run_id}.html").read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")
    bytes_out = command("export", run_id, "--format", "json", "--output", "-").stdout_bytes
    assert Run.model_validate_json(bytes_out) == workspace.store.load(run_id)
    table = command("export", run_id, "--format", "csv", "--output", "-").stdout_bytes
    assert len(list(csv.reader(io.StringIO(table.decode("utf-8-sig"), newline="")))) == 7
    assert command("export", run_id, "--output", str(tmp_path / "no" / "where.html")).exit_code == 2


def test_doctor_says_what_is_there_and_calls_no_model(workspace: Workspace, silent_model: FakeModel) -> None:
    result = command("doctor")

    assert result.exit_code == 0, result.stdout
    for words in (
        "analyst-workbench",
        "streamlit",
        str(workspace.root),
        "value, value_en, value_full",
        "7 companies",
        "none yet",
    ):
        assert words in result.stdout
    assert silent_model.history == []


def test_doctor_fails_on_a_broken_strategy_and_names_the_line(workspace: Workspace) -> None:
    (workspace.strategy_dir / "broken.yaml").write_text("kind: chapters\nname: [", encoding="utf-8")

    result = command("doctor")

    assert result.exit_code == 1
    assert "error   strategies  broken.yaml:3" in result.stdout


def test_doctor_does_not_call_a_database_damaged_that_it_cannot_open(workspace: Workspace) -> None:
    """It did, and advised to go back to a backup; in a read-only folder there is nothing wrong with it."""
    (workspace.data_dir / "runs.db").mkdir(parents=True)

    result = command("doctor")

    assert result.exit_code == 1
    assert "Check that the folder exists and may be written." in result.stdout
    assert "damaged" not in result.stdout
    assert "--restore" not in result.stdout


def test_doctor_puts_the_last_backup_back(workspace: Workspace) -> None:
    # In a process of its own, since an open connection would still see the sound file.
    subprocess.run([sys.executable, "-m", "workbench", *MATCH], check=True, capture_output=True)
    database = workspace.data_dir / "runs.db"
    database.write_bytes(b"garbage" * 1000)

    damaged = command("doctor")
    assert damaged.exit_code == 1
    assert "workbench doctor --restore" in damaged.stdout
    assert command("runs").exit_code == 1

    assert command("doctor", "--restore").exit_code == 0
    assert command("runs").exit_code == 0


def test_lint_and_prompts_check_find_nothing_in_the_strategies_we_ship(workspace: Workspace) -> None:
    for arguments in (("lint",), ("prompts", "check")):
        result = command(*arguments)
        assert result.exit_code == 0, result.stdout


def test_lint_names_the_operator_that_does_not_exist(workspace: Workspace) -> None:
    path = workspace.strategy_dir / "value.yaml"
    path.write_text(path.read_text("utf-8").replace("data_integrity", "no_such_operator"), encoding="utf-8")

    result = command("lint", "value")

    assert result.exit_code == 1
    assert "no_such_operator" in result.stdout


def test_prompts_check_refuses_a_changed_released_prompt(workspace: Workspace) -> None:
    assert command("prompts", "release").exit_code == 0
    path = workspace.prompts_dir / "agents" / "form_v1.md"
    path.write_text(path.read_text("utf-8") + "\nBe bold.\n", encoding="utf-8")

    result = command("prompts", "check")

    assert result.exit_code == 1
    assert "form_v2.md" in result.stdout
    refused = command(*MATCH)
    assert refused.exit_code == 2
    assert "form_v2.md" in refused.stderr


def test_init_lays_out_a_workspace_that_runs(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"

    assert command("init", str(folder)).exit_code == 0

    assert {path.name for path in folder.iterdir()} == {"strategy", "prompts", "data"}
    result = command("--workspace", str(folder), *MATCH)
    assert result.exit_code == 0
    again = command("init", str(folder))
    assert again.exit_code == 2
    assert "nothing was changed" in again.stderr


def test_the_workspace_is_the_one_named_then_home_then_here(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, named = tmp_path / "here", tmp_path / "named"
    for folder in (here, named):
        assert command("init", str(folder)).exit_code == 0
    monkeypatch.chdir(here)

    def used(*arguments: str) -> str:
        return command(*arguments, "doctor").stdout

    assert f"workspace   {workspace.root}\n" in used()
    assert f"workspace   {named}\n" in used("--workspace", str(named))
    monkeypatch.delenv("WORKBENCH_HOME")
    assert f"workspace   {here}\n" in used()
    nowhere = command("--workspace", str(tmp_path / "nowhere"), "runs")
    assert nowhere.exit_code == 2
    assert "workbench init" in nowhere.stderr


def test_every_command_explains_itself() -> None:
    def walk(group, path: tuple[str, ...] = ()):
        for name, child in group.commands.items():
            if hasattr(child, "commands"):
                yield from walk(child, (*path, name))
            else:
                yield (*path, name), child

    commands = dict(walk(cli))
    assert ("run", "chapters") in commands
    assert not [path for path, child in commands.items() if not child.help]


def test_lint_names_the_prompt_version_that_does_not_exist(workspace: Workspace) -> None:
    path = workspace.strategy_dir / "match.yaml"
    path.write_text(
        path.read_text("utf-8").replace("prompt_version: v1", "prompt_version: v9"), encoding="utf-8"
    )

    result = command("lint")

    assert result.exit_code == 1
    assert "match.yaml:" in result.stdout
    assert "no prompt form v9" in result.stdout
