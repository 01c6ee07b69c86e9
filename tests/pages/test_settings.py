"""The settings page: models per tier, limits and prices, spending, and what is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open, chapters_run, stored
from workbench.errors import ModelError
from workbench.llm.base import Reply
from workbench.llm.hosted import Check
from workbench.llm.prices import Price
from workbench.records import Models
from workbench.ui.language import catalogue
from workbench.ui.panels.settings_models import version
from workbench.workspace import Workspace

TEXTS = catalogue("en")
PRICED = "prices:\n  openai/m: {input: 1, output: 2}\n"
KEY = "sk-test-0123456789abcdef"


def widget(elements: Any, key: str) -> Any:
    """The widget whose key begins so; the rest of the key tells versions of the file apart."""
    [found] = [element for element in elements if str(element.key).startswith(key)]
    return found


def choose(app: AppTest, tier: str, model: str) -> AppTest:
    return widget(app.selectbox, f"settings.model.{tier}").set_value(model).run()


@pytest.fixture
def priced(workspace: Workspace) -> Workspace:
    """A workspace that knows the model ``openai/m``: AppTest takes no model that is not on the list."""
    (workspace.root / "models.yaml").write_text(PRICED)
    return workspace


def written(workspace: Workspace) -> str:
    return (workspace.root / "models.yaml").read_text(encoding="utf-8")


def test_a_model_and_its_parameters_are_saved_to_the_file(open_page: Open, priced: Workspace) -> None:
    app = open_page("settings")
    assert not app.exception
    assert app.button(key="settings.models.save").disabled

    choose(app, "specialist", "openai/m")
    widget(app.number_input, "settings.temperature.specialist").set_value(0.2).run()
    widget(app.number_input, "settings.seed.specialist").set_value(7).run()
    app.button(key="settings.models.save").click().run()

    assert not app.exception
    assert written(priced) == PRICED + "specialist:\n  model: openai/m\n  temperature: 0.2\n  seed: 7\n"
    assert priced.default_models() == Models(specialist="openai/m")
    assert app.button(key="settings.models.save").disabled

    choose(app, "specialist", "baseline")
    app.button(key="settings.models.save").click().run()

    assert written(priced) == PRICED + "specialist:\n  temperature: 0.2\n  seed: 7\n"


def test_what_the_environment_says_cannot_be_changed_here(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_MODEL", "openai/of-environment")
    monkeypatch.setattr(workspace, "settings", workspace.settings.model_copy(update={"llm_model": "x/y"}))

    app = open_page("settings")

    chosen = widget(app.selectbox, "settings.model.specialist")
    assert (chosen.value, chosen.disabled) == ("openai/of-environment", True)
    assert any("LLM_MODEL decides" in caption.value.replace("\\", "") for caption in app.caption)
    assert app.button(key="settings.models.save").disabled


def test_a_broken_file_is_shown_with_its_line_and_nothing_is_overwritten(
    open_page: Open, workspace: Workspace
) -> None:
    (workspace.root / "models.yaml").write_text("specialist:\n  modle: x\n")

    app = open_page("settings")

    assert not app.exception
    assert "modle is not a key" in app.error[0].value.replace("\\", "")
    assert app.code[0].value == "models.yaml:2"
    assert written(workspace) == "specialist:\n  modle: x\n"


class Asked:
    """Stands in for the hosted models: answers each check as it is told, and remembers the questions."""

    def __init__(self, outcome: Check | ModelError) -> None:
        self.outcome = outcome
        self.questions: list[tuple[str, dict[str, Any]]] = []

    async def check(self, model: str, params: dict[str, Any]) -> Check:
        self.questions.append((model, params))
        if isinstance(self.outcome, ModelError):
            raise self.outcome
        return self.outcome


def after_a_test(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, workspace: Workspace, asked: Asked
) -> AppTest:
    monkeypatch.setattr(workspace, "hosted", asked)
    choose(app, "specialist", "openai/m")
    widget(app.number_input, "settings.temperature.specialist").set_value(0.5).run()
    return app.button(key="settings.test.specialist").click().run()


def test_the_model_on_the_screen_is_tested_before_it_is_saved(
    open_page: Open, priced: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = Price(4e-7, 1.6e-6, "price list of litellm 1")
    asked = Asked(Check(Reply("{}", "openai/m-2026", latency_s=1.25), "json_object", True, price, ("seed",)))

    app = after_a_test(open_page("settings"), monkeypatch, priced, asked)

    assert not app.exception
    assert asked.questions == [("openai/m", {"temperature": 0.5})]
    shown = " ".join(app.table[0].value.iloc[:, 0].astype(str)).replace("\\", "")
    for words in (
        "openai/m-2026",
        "1.2 s",
        TEXTS["answer_format.json_object"],
        "$0.40 in, $1.60 out",
        "seed",
    ):
        assert words in shown
    assert written(priced) == PRICED

    widget(app.number_input, "settings.temperature.specialist").set_value(1.0).run()
    assert not app.table, "what was shown is no longer what would be asked"


def test_a_model_that_does_not_answer_says_why(
    open_page: Open, priced: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(ModelError("no answer (401): bad key.", where="openai/m", remedy="Set the key."))

    app = after_a_test(open_page("settings"), monkeypatch, priced, asked)

    assert not app.exception
    assert "no answer (401): bad key." in app.error[0].value.replace("\\", "")


def test_a_silent_model_does_not_hold_the_page_for_ever(
    open_page: Open, priced: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Asked):
        async def check(self, model: str, params: dict[str, Any]) -> Check:
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    settings = priced.settings.model_copy(update={"call_timeout_s": 0.05})
    monkeypatch.setattr(priced, "settings", settings)

    app = after_a_test(open_page("settings"), monkeypatch, priced, Silent(ModelError("")))

    assert "no answer within" in app.error[0].value.replace("\\", "")


def test_limits_prices_and_the_budget_are_saved_to_the_file(open_page: Open, workspace: Workspace) -> None:
    app = open_page("settings", section="limits")
    widget(app.number_input, "settings.budget").set_value(5.0).run()
    for editor, row in (
        ("settings.providers", {"provider": "ollama_chat", "concurrency": 1}),
        ("settings.prices", {"model": "openai/m", "input": 0.4, "output": 1.6}),
    ):
        app.session_state[f"{editor}.{version(workspace.presets.read())}"] = {
            "edited_rows": {},
            "added_rows": [row],
            "deleted_rows": [],
        }
    app.run()
    app.button(key="settings.limits.save").click().run()

    assert not app.exception
    presets = workspace.presets.read()
    assert presets.daily_budget == 5
    assert presets.providers["ollama_chat"].concurrency == 1
    assert presets.prices["openai/m"].model_dump() == {"input": 0.4, "output": 1.6, "cached": None}
    assert "concurrency: 1\n" in written(workspace)


def test_spending_is_added_up_and_leads_to_the_run(open_page: Open, workspace: Workspace) -> None:
    run = chapters_run(models=Models(specialist="openai/m", aggregator="openai/m"))
    reports = tuple(
        report.model_copy(
            update={
                "calls": tuple(
                    call.model_copy(
                        update={"requested_model": "openai/m", "resolved_model": "openai/m", "cost": 0.01}
                    )
                    for call in report.calls
                )
            }
        )
        for report in run.reports
    )
    calls = sum(len(report.calls) for report in reports)
    run_id = stored(workspace.store, run.model_copy(update={"reports": reports}))
    workspace.store.payments.add(0.25)
    (workspace.root / "models.yaml").write_text("daily_budget: 0.2\n")

    app = open_page("settings", section="spending")
    assert not app.exception
    assert [metric.value for metric in app.metric] == ["$0.25", "$0.20"]
    assert TEXTS["spending.spent"] in [warning.value for warning in app.warning]
    [day] = app.dataframe[0].value.to_dict("records")
    assert (day["what"], day["calls"], day["cost"]) == ("2026-03-02", calls, pytest.approx(calls * 0.01))

    app = open_page("settings", section="spending", by="run")
    [line] = app.dataframe[0].value.to_dict("records")
    assert run_id in line["what"]


def test_the_workspace_is_described_with_the_origin_of_every_setting_and_without_keys(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("WORKBENCH_CONCURRENCY", "3")

    app = open_page("settings", section="workspace")

    assert not app.exception
    table = app.table[0].value.to_dict("records")
    origins = {
        row[TEXTS["settings.setting"]].replace("\\", ""): row[TEXTS["settings.origin"]] for row in table
    }
    assert origins["WORKBENCH_CONCURRENCY"] == TEXTS["settings_origin.environment"]
    assert origins["WORKBENCH_CALL_TIMEOUT_S"] == TEXTS["settings_origin.default"]
    assert origins["OPENAI_API_KEY"] == TEXTS["settings_origin.environment"]
    assert KEY not in str(table)
    found = " ".join(str(cell) for row in app.table[1].value.to_dict("records") for cell in row.values())
    assert "built\\-in rules" in found


@pytest.mark.parametrize("section", ["models", "limits", "spending", "workspace"])
def test_every_section_speaks_chinese(open_page: Open, section: str) -> None:
    app = open_page("settings", section=section, lang="zh")
    assert not app.exception
    assert app.title[0].value == "设置"
