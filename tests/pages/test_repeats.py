"""Repeating a run from its page: built-in rules say that it is of no use, models are asked again."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

from tests.pages.ui_fixtures import Open, chapters_run, stored
from workbench.llm.base import Reply, Request
from workbench.llm.baseline import Baseline
from workbench.records import Models, TickerSubject
from workbench.ui.language import catalogue
from workbench.workspace import Workspace

TEXTS = catalogue("en")
MODELS = Models(specialist="some/model", aggregator="some/model")
WAIT_S = 60


class Paid:
    """Plays a language model: answers as the baseline would, under another name."""

    async def complete(self, request: Request) -> Reply:
        reply = await Baseline().complete(replace(request, model="baseline"))
        return replace(reply, resolved_model=request.model)


def test_a_run_of_the_built_in_rules_says_that_a_repeat_changes_nothing(
    open_page: Open, workspace: Workspace
) -> None:
    app = open_page("run", run=stored(workspace.store, chapters_run()))
    assert TEXTS["repeats.baseline"] in [caption.value for caption in app.caption]
    assert not [button for button in app.button if button.key == "run.repeat.start"]


def test_repeats_are_started_and_their_spread_is_shown(open_page: Open, workspace: Workspace) -> None:
    workspace.__dict__["hosted"] = Paid()
    subject = TickerSubject(code="600519.SH", name="贵州茅台")
    plan = workspace.plan(workspace.strategy("quick_scan"), subject, dt.date(2021, 6, 30))
    run_id = workspace.jobs.start(plan, MODELS)
    workspace.jobs.wait(run_id, WAIT_S)
    app = open_page("run", run=run_id)
    metrics = len(app.metric)

    app.number_input(key="run.repeat.count").set_value(2).run()
    app.button(key="run.repeat.start").click().run()
    assert not app.exception
    for row in workspace.store.find():
        workspace.jobs.wait(row.run_id, WAIT_S)
    app.run()

    assert not app.exception
    assert len(workspace.store.find()) == 3
    score = workspace.store.load(run_id).verdict.score  # type: ignore[union-attr]
    mean, deviation, between = (metric.value for metric in app.metric[metrics:])
    assert (float(mean), float(deviation)) == (round(score, 1), 0)
    assert between.split(" – ") == [mean, mean]
