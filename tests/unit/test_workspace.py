from __future__ import annotations

import datetime as dt
import threading
from pathlib import Path

import pytest

from workbench.errors import InputError, StrategyError, WorkspaceError
from workbench.records import Models, TickerSubject
from workbench.settings import load_settings
from workbench.workspace import Workspace, find_workspace, init_workspace, program_files

ENVIRONMENT = (
    "LLM_MODEL",
    "LLM_SPECIALIST_MODEL",
    "LLM_AGGREGATOR_MODEL",
    "WORKBENCH_CONCURRENCY",
    "WORKBENCH_HOME",
)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ENVIRONMENT:
        monkeypatch.delenv(variable, raising=False)


def test_each_tier_falls_back_to_the_common_model_and_that_to_what_the_file_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = Models(specialist="of/file", aggregator="baseline")
    assert load_settings().models(named) == named
    monkeypatch.setenv("LLM_MODEL", "gpt-4o")
    assert load_settings().models(named) == Models(specialist="gpt-4o", aggregator="gpt-4o")
    monkeypatch.setenv("LLM_SPECIALIST_MODEL", "gpt-4o-mini")
    assert load_settings().models(named) == Models(specialist="gpt-4o-mini", aggregator="gpt-4o")
    monkeypatch.setenv("LLM_AGGREGATOR_MODEL", "")
    assert load_settings().models(named).aggregator == "gpt-4o", "an empty variable is none"


def test_without_environment_and_file_the_baseline_answers(workspace: Workspace) -> None:
    assert workspace.default_models() == Models(specialist="baseline", aggregator="baseline")


def test_an_edit_of_models_yaml_counts_from_the_next_run_on(workspace: Workspace) -> None:
    (workspace.root / "models.yaml").write_text("specialist: {model: openai/one, temperature: 0}\n")
    assert workspace.default_models() == Models(specialist="openai/one", aggregator="baseline")
    assert workspace.run_options().sampling["specialist"].params == {"temperature": 0}

    (workspace.root / "models.yaml").write_text("aggregator: {model: openai/two}\n")

    assert workspace.default_models() == Models(specialist="baseline", aggregator="openai/two")
    assert workspace.run_options().sampling["specialist"].params == {}


def test_the_model_named_for_the_run_wins_over_the_strategy_and_that_over_the_settings(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_MODEL", "from-settings")
    path = workspace.strategy_dir / "match.yaml"
    path.write_text(path.read_text("utf-8") + "\nmodels:\n  aggregator: from-strategy\n", encoding="utf-8")
    opened = Workspace.open(workspace.root)
    strategy = opened.strategy("match")

    assert opened.models(strategy) == Models(specialist="from-settings", aggregator="from-strategy")
    assert opened.models(strategy, "named") == Models(specialist="named", aggregator="named")


def test_the_shell_home_and_language_are_not_taken_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """``HOME`` once became the workspace folder, and ``LANGUAGE=en_US:en`` would have been refused."""
    monkeypatch.setenv("HOME", "/root")
    monkeypatch.setenv("LANGUAGE", "en_US:en")

    assert (load_settings().home, load_settings().language) == (None, None)


def test_a_setting_that_cannot_be_used_names_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_CONCURRENCY", "many")

    with pytest.raises(InputError) as error:
        load_settings()

    assert error.value.where == "WORKBENCH_CONCURRENCY"
    assert "valid integer" in str(error.value)


def test_the_env_file_of_a_workspace_is_read_and_never_overrides_the_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.root / ".env").write_text("LLM_MODEL=from-file\nLLM_AGGREGATOR_MODEL=also-from-file\n")
    monkeypatch.setenv("LLM_AGGREGATOR_MODEL", "from-environment")
    # Set and removed again by the fixture, so that what the file puts there does not outlive the test.
    monkeypatch.setenv("LLM_MODEL", "")
    monkeypatch.delenv("LLM_MODEL")

    models = Workspace.open(workspace.root).default_models()

    assert models == Models(specialist="from-file", aggregator="from-environment")


def test_a_folder_that_is_no_workspace_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WorkspaceError, match=f"workbench init {tmp_path}"):
        find_workspace(tmp_path)
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(WorkspaceError, match="nowhere"):
        find_workspace()


def test_the_source_tree_is_the_workspace_of_last_resort(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert find_workspace() == program_files()


def test_a_new_workspace_has_every_file_of_the_original(tmp_path: Path) -> None:
    folder = init_workspace(tmp_path / "new")

    def files(part: Path) -> set[Path]:
        return {path.relative_to(part) for path in part.rglob("*") if path.is_file()}

    for part in ("strategy", "prompts", "data/facts"):
        assert files(folder / part) == files(program_files() / part) != set()


@pytest.mark.parametrize("taken", ["strategy", "prompts", "data"])
def test_init_changes_nothing_where_something_is(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).mkdir()

    with pytest.raises(WorkspaceError, match="nothing was changed"):
        init_workspace(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == [taken]


def test_threads_that_ask_at_once_get_the_same_parts(workspace: Workspace) -> None:
    """Two sessions of one server once could each have made a job manager, and one lost sight of its runs."""
    start, found = threading.Barrier(8), []

    def ask() -> None:
        start.wait()
        found.append((workspace.store, workspace.evidence, workspace.jobs))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({tuple(map(id, parts)) for parts in found}) == 1


def test_a_strategy_name_cannot_leave_its_folder(workspace: Workspace) -> None:
    for name in ("../value", "a/b", "CON", "x" * 300, ""):
        with pytest.raises(StrategyError):
            workspace.strategy(name)


def test_an_old_run_can_be_planned_with_the_strategy_it_used(workspace: Workspace) -> None:
    subject = TickerSubject(code="600519.SH", name="贵州茅台")
    as_of = dt.date(2021, 6, 30)
    plan = workspace.plan(workspace.strategy("value"), subject, as_of)
    run_id = workspace.store.start(plan, Models())
    (workspace.strategy_dir / "value.yaml").write_text("kind: broken", encoding="utf-8")

    again = workspace.plan(workspace.strategy_of(workspace.store.load(run_id)), subject, as_of)

    assert again.strategy_text == plan.strategy_text
    assert [step.agent for step in again.steps] == [step.agent for step in plan.steps]


@pytest.mark.parametrize("value", ["nan", "inf", "1e400"])
@pytest.mark.parametrize("variable", ["WORKBENCH_CALL_TIMEOUT_S", "WORKBENCH_AGENT_DEADLINE_S"])
def test_a_limit_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    """Endless seconds were once taken, and no call ever timed out."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(InputError, match="finite number") as refused:
        load_settings()
    assert refused.value.where == variable
