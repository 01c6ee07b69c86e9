"""The page of batches: the form, a batch going on, cancelled, resumed, finished, and named failures."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open
from workbench import crews
from workbench.llm.base import Reply, Request
from workbench.pipelines.batches import company_items, parse_dates
from workbench.records import Models
from workbench.store.batch_records import BatchOrder
from workbench.ui.language import catalogue
from workbench.workspace import Workspace, program_files

TEXTS = catalogue("en")
PAGE = str(program_files() / "pages" / "batch.py")
WAIT_S = 60


class Silent:
    """A model that never answers."""

    async def complete(self, request: Request) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


def captions(app: AppTest) -> str:
    return "\n".join(caption.value for caption in app.caption)


def fill_in(app: AppTest, companies: str, dates: str) -> AppTest:
    app.text_area(key="batch.universe").set_value(companies)
    app.text_input(key="batch.dates").set_value(dates)
    app.run()
    assert not app.exception
    return app


def started(app: AppTest) -> AppTest:
    """Press Start, and be on the page of the batch, which AppTest is not by itself."""
    app = app.button(key="batch.start").click().run()
    assert not app.exception
    return app.switch_page(PAGE).run()


def stored_batch(workspace: Workspace, companies: list[str], dates: str) -> str:
    instruments = [workspace.evidence.instruments.resolve(name) for name in companies]
    order = BatchOrder(
        pipeline="chapters",
        title="mine",
        strategy="value",
        strategy_text=workspace.strategy("value").text,
        models=Models(),
        items=company_items(instruments, parse_dates(dates), "zh"),
        concurrency=2,
    )
    batch_id = workspace.batches.start(order, crews.here(workspace))
    workspace.batches.wait(batch_id, WAIT_S)
    return batch_id


def test_a_universe_over_dates_is_judged_from_the_form_to_its_results(
    open_page: Open, workspace: Workspace
) -> None:
    app = fill_in(open_page("batch"), "600519\nAgBank", "2019-12-31:2020-12-31:6M")
    assert [metric.value for metric in app.metric] == ["6", "84"]

    app = started(app)
    batch_id = app.query_params["batch"]
    workspace.batches.wait(batch_id, WAIT_S)
    app.run()

    assert not app.exception
    assert app.title[0].value == "2 companies, 2019\\-12\\-31 – 2020\\-12\\-31"
    assert "6 done" in captions(app)
    assert len(app.dataframe[0].value) == 6
    assert not app.warning


@pytest.mark.parametrize(("chosen", "blind"), [(None, "identity"), ("none", "none"), ("full", "full")])
def test_companies_are_judged_blind_unless_the_reader_says_otherwise(
    open_page: Open, workspace: Workspace, chosen: str | None, blind: str
) -> None:
    app = fill_in(open_page("batch", strategy="quick_scan"), "AAPL", "2016-06-30")
    if chosen:
        control = f"batch.blind.{workspace.strategy('quick_scan').hash}"
        app.segmented_control(key=control).set_value(chosen).run()
    app = started(app)
    workspace.batches.wait(app.query_params["batch"], WAIT_S)

    assert [row.blind for row in workspace.store.find()] == [blind]


def test_a_season_is_chosen_by_competition_and_days(open_page: Open, workspace: Workspace) -> None:
    app = open_page("batch", pipeline="match")
    app.selectbox(key="batch.competition").set_value("English Premier League").run()
    app.selectbox(key="batch.season.English Premier League").set_value("2018-19").run()
    assert app.metric[0].value == "380"

    app.date_input(key="batch.since").set_value("2018-12-26")
    app.date_input(key="batch.until").set_value("2018-12-26").run()

    assert not app.exception
    assert app.metric[0].value == "9"
    assert "baseline \\(built\\-in rules, not a model\\)" in captions(app)


def test_days_in_the_wrong_order_are_named(open_page: Open) -> None:
    """The page once said that no match is on record between them."""
    app = open_page("batch", pipeline="match")
    app.date_input(key="batch.since").set_value("2019-05-01")
    app.date_input(key="batch.until").set_value("2019-04-01").run()

    assert not app.exception
    assert "the days are in the wrong order" in app.error[0].value.replace("\\", "")


def test_matches_that_get_no_result_are_left_out_and_counted(open_page: Open, workspace: Workspace) -> None:
    """The page once offered runs over matches that were called off."""
    rows = [
        {"competition": "Cup", "season": "2031", "date": "2031-01-01", "home": "Reds"} | row
        for row in ({"away": "Blues", "status": "scheduled"}, {"away": "Greens", "status": "cancelled"})
    ]
    workspace.evidence.add("matches", rows, origin="mine")

    app = open_page("batch", pipeline="match")

    assert app.metric[0].value == "1"
    assert "1 are left out and get no result: 1 cancelled." in captions(app)


def test_bad_lines_and_dates_are_named_and_nothing_can_be_started(
    open_page: Open, workspace: Workspace
) -> None:
    app = fill_in(open_page("batch"), "600519\nNOPE", "2020-06-30")
    assert "line 2: 'NOPE' is no company" in app.error[0].value.replace("\\", "")
    assert not [button for button in app.button if button.key == "batch.start"]

    app = fill_in(app, "600519", "2020-06-30:2020-12-31")
    assert "is not a range of days" in app.error[0].value.replace("\\", "")
    assert workspace.store.batches.find() == []


def test_a_batch_going_on_can_be_left_cancelled_and_resumed(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline: Any = workspace.jobs._model
    monkeypatch.setattr(workspace.jobs, "_model", Silent())
    app = started(fill_in(open_page("batch"), "600519\nAAPL", "2019-12-31"))
    batch_id = app.query_params["batch"]

    assert "0 of 2 runs finished" in app.get("progress")[0].proto.text
    assert TEXTS["batch.safe"] in captions(app)

    app.button(key="batch.cancel").click().run()
    workspace.batches.wait(batch_id, WAIT_S)
    app.run()
    assert [warning.value for warning in app.warning] == [TEXTS["batch_ending.cancelled"]]

    monkeypatch.setattr(workspace.jobs, "_model", baseline)
    app.button(key="batch.resume").click().run()
    workspace.batches.wait(batch_id, WAIT_S)
    app.run()
    assert not app.exception
    assert not app.warning
    assert "2 done" in captions(app)


def test_failures_are_named_and_can_be_run_again(open_page: Open, workspace: Workspace) -> None:
    """At the end of 2008 there is a statement of Apple, and none of Tencent yet."""
    batch_id = stored_batch(workspace, ["AAPL", "00700"], "2008-12-31")
    app = open_page("batch", batch=batch_id)

    assert not app.exception
    assert "1 failed" in captions(app)
    failed = app.dataframe[0].value
    assert list(failed["Subject"]) == ["Tencent Holdings 00700.HK"]
    assert failed["Reason"][0]
    assert not [button for button in app.button if button.key == "batch.resume"]
    app.checkbox(key="batch.retry_failed").check().run()
    assert app.button(key="batch.resume")


def test_earlier_batches_are_listed(open_page: Open, workspace: Workspace) -> None:
    stored_batch(workspace, ["AAPL"], "2019-12-31")
    app = open_page("batch")

    listed = app.dataframe[0].value
    assert list(listed["title"]) == ["mine"]
    assert list(listed["done"]) == ["1/1"]


def test_an_address_that_names_no_batch_shows_the_form(open_page: Open, workspace: Workspace) -> None:
    app = open_page("batch", batch="nothing")

    assert not app.exception
    assert "there is no batch" in app.error[0].value
    assert app.text_area(key="batch.universe")


def test_the_page_speaks_chinese(open_page: Open, workspace: Workspace) -> None:
    app = open_page("batch", lang="zh")

    assert app.title[0].value == "批量运行"
    assert app.button(key="batch.start").label == "启动批次"
