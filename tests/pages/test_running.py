"""Starting runs from the pages, following them, stopping them, and taking them up again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from tests.pages.ui_fixtures import Open, chapters_run, opinion_lines, stored
from workbench.llm.base import Model, Reply, Request
from workbench.llm.prices import Price
from workbench.ui.language import catalogue
from workbench.ui.panels.start import EXAMPLES
from workbench.workspace import Workspace, program_files

TEXTS = catalogue("en")
RUN_PAGE = str(program_files() / "pages" / "run.py")


class Silent:
    """A model that never answers."""

    async def complete(self, request: Request) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


def press(button: Button) -> AppTest:
    """Press a button that opens the page of a run, and be there, which AppTest is not by itself."""
    app = button.click().run()
    assert not app.exception
    return app.switch_page(RUN_PAGE).run()


def follow(app: AppTest, workspace: Workspace) -> AppTest:
    """Wait for the run the page shows, and show it again."""
    workspace.jobs.wait(app.query_params["run"], timeout=60)
    return app.run()


def test_a_company_is_run_from_the_form_to_its_verdict(open_page: Open, workspace: Workspace) -> None:
    app = open_page("new_run", pipeline="chapters", subject="600519.SH", as_of="2021-06-30")
    assert not app.exception
    app = press(app.button(key="new_run.start"))
    app = follow(app, workspace)
    assert not app.exception
    assert app.title[0].value.startswith("Kweichow Moutai")
    assert len(opinion_lines(app)) == 7
    assert app.metric[0].value != "–"


@pytest.mark.parametrize("spelling", ["sh600519", "６００５１９", "Kweichow Moutai", "茅台"])
def test_a_company_may_be_typed_in_any_common_spelling(
    open_page: Open, workspace: Workspace, spelling: str
) -> None:
    app = open_page("new_run", subject=spelling, as_of="2021-06-30")
    assert not app.exception
    assert not app.error
    assert app.button(key="new_run.start")


def test_a_match_is_run_from_the_form_to_its_probabilities(open_page: Open, workspace: Workspace) -> None:
    subject = "English Premier League|2019-04-14|Liverpool|Chelsea"
    app = open_page("new_run", pipeline="match", subject=subject)
    assert not app.exception
    app = press(app.button(key="new_run.start"))
    app = follow(app, workspace)
    assert not app.exception
    assert app.title[0].value == "Liverpool – Chelsea"
    assert "○ no data" in [line["status"] for line in opinion_lines(app)]


def test_the_examples_of_the_home_page_run_at_once(open_page: Open, workspace: Workspace) -> None:
    app = open_page("home")
    examples = [button for button in app.button if str(button.key).startswith("home.example.")]
    assert len(examples) == len(EXAMPLES)
    assert not follow(press(examples[0]), workspace).exception


def test_a_running_run_shows_its_agents_and_can_be_cancelled_and_resumed(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answers(model: Model) -> None:
        monkeypatch.setattr(workspace.jobs, "_model", model)

    baseline: Any = workspace.jobs._model
    answers(Silent())
    app = open_page("new_run", pipeline="chapters", subject="600519.SH", as_of="2021-06-30")
    app = press(app.button(key="new_run.start"))
    assert not app.exception
    assert TEXTS["live.safe"] in [caption.value for caption in app.caption]
    states = app.table[0].value
    assert len(states) == 7
    app.button(key="run.cancel").click().run()
    app = follow(app, workspace)
    assert TEXTS["live_ending.cancelled"] in [warning.value for warning in app.warning]
    answers(baseline)
    app.button(key="run.resume").click().run()
    app = follow(app, workspace)
    assert not app.exception
    assert TEXTS["live_ending.cancelled"] not in [warning.value for warning in app.warning]
    assert app.metric[0].value != "–"


def test_a_running_run_says_how_long_runs_like_it_take(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = {"pipeline": "chapters", "subject": "600519.SH", "as_of": "2021-06-30"}
    baseline: Any = workspace.jobs._model
    monkeypatch.setattr(workspace.jobs, "_model", Silent())
    app = press(open_page("new_run", **address).button(key="new_run.start"))
    assert list(app.table[0].value) == [TEXTS[f"column.{name}"] for name in ("agent", "status", "time")]
    app.button(key="run.cancel").click().run()
    monkeypatch.setattr(workspace.jobs, "_model", baseline)
    follow(press(open_page("new_run", **address).button(key="new_run.start")), workspace)

    monkeypatch.setattr(workspace.jobs, "_model", Silent())
    app = press(open_page("new_run", **address).button(key="new_run.start"))

    assert not app.exception
    assert any("in all" in caption.value for caption in app.caption)
    assert list(app.table[0].value)[-1] == TEXTS["column.usually"]


def test_a_run_of_another_process_is_followed_through_the_store(
    open_page: Open, workspace: Workspace
) -> None:
    running = chapters_run(status="running", verdict=None, reports=chapters_run().reports[:2])
    app = open_page("run", run=stored(workspace.store, running))
    assert not app.exception
    assert TEXTS["live.elsewhere"] in [caption.value for caption in app.caption]
    assert len(app.table[0].value) == 2


def test_a_failed_run_says_why_and_keeps_what_it_has(open_page: Open, workspace: Workspace) -> None:
    failed = chapters_run(
        status="failed", verdict=None, error="the model refused.", reports=chapters_run().reports[:2]
    )
    app = open_page("run", run=stored(workspace.store, failed))
    assert not app.exception
    assert app.error[0].value == r"the model refused\."
    assert len(opinion_lines(app)) == 2


def test_a_run_can_be_repeated_with_the_strategy_it_had(open_page: Open, workspace: Workspace) -> None:
    app = open_page("new_run", subject="600519.SH", as_of="2021-06-30")
    app = press(app.button(key="new_run.start"))
    app = follow(app, workspace)
    app = app.menu_button(key="run.again").click("same").run()
    app = follow(app, workspace)
    assert not app.exception
    newest, oldest = workspace.store.find()
    assert newest.retry_of == oldest.run_id
    assert newest.score == oldest.score


class Counting:
    """Knows what one hosted model charges and counts a token for every character."""

    def __init__(self, price: Price | None) -> None:
        self._price = price

    def tokens(self, model: str, text: str) -> int:
        return len(text)

    def price(self, model: str) -> Price | None:
        return self._price


def with_a_hosted_model(open_page: Open, workspace: Workspace, **query: str) -> AppTest:
    query = {"pipeline": "chapters", "subject": "600519.SH", "as_of": "2021-06-30", **query}
    return open_page("new_run", specialist="openai/m", aggregator="openai/m", **query)


def test_what_a_run_will_cost_is_said_before_it_is_started(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "hosted", Counting(Price(1e-6, 1e-5, "our list")))

    app = with_a_hosted_model(open_page, workspace)

    assert not app.exception
    assert any("our list" in caption.value for caption in app.caption)
    lines = app.table[0].value.to_dict("records")
    assert len(lines) == 7
    costs = [float(line[TEXTS["receipt.cost"]].replace("\\", "").lstrip("$")) for line in lines]
    assert min(costs) > 0
    [cost] = [metric.value for metric in app.metric]
    assert float(cost.lstrip("$")) == pytest.approx(sum(costs), abs=0.001)
    first = lines[0]
    asked, answered = (int(first[TEXTS[f"receipt.{side}"]].replace(",", "")) for side in ("input", "output"))
    assert costs[0] == pytest.approx(asked * 1e-6 + answered * 1e-5, abs=1e-4)


def test_what_a_batch_will_cost_is_said_before_it_is_started(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "hosted", Counting(Price(1e-6, 1e-5, "our list")))
    models = {"specialist": "openai/m", "aggregator": "openai/m"}
    one = with_a_hosted_model(open_page, workspace, as_of="2021-06-30", strategy="quick_scan")
    app = open_page("batch", pipeline="chapters", strategy="quick_scan", **models)
    app.text_area(key="batch.universe").set_value("600519")
    app.text_input(key="batch.dates").set_value("2020-06-30:2022-06-30:1Y").run()

    assert not app.exception
    dollars = [float(page.metric[-1].value.lstrip("$")) for page in (one, app)]
    assert dollars[1] == pytest.approx(3 * dollars[0], rel=0.1), (
        "a batch is blind, its prompts a little longer"
    )


def test_a_price_nobody_knows_is_no_estimate(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "hosted", Counting(None))

    app = with_a_hosted_model(open_page, workspace)

    assert not app.exception
    assert [metric.value for metric in app.metric] == ["–"]
    assert any("Nobody knows the price" in caption.value for caption in app.caption)


def test_the_use_of_stored_answers_is_chosen_for_one_run(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "hosted", Counting(None))
    asked: list[Request] = []

    class Noting(Silent):
        async def complete(self, request: Request) -> Reply:
            asked.append(request)
            return await super().complete(request)

    monkeypatch.setattr(workspace.jobs, "_model", Noting())
    app = with_a_hosted_model(open_page, workspace)
    app.segmented_control(key="new_run.cache").set_value("refresh").run()

    app = press(app.button(key="new_run.start"))

    assert not app.exception
    workspace.jobs.cancel(app.query_params["run"])
    workspace.jobs.wait(app.query_params["run"], 20)
    assert {request.cache for request in asked} == {"refresh"}
