"""A server with a login: who must log in, what a viewer may do, and what an editor may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open, chapters_run, stored
from workbench import permission
from workbench.errors import AccessError
from workbench.evidence.news import add_items, make_item
from workbench.records import Models
from workbench.ui import access, session
from workbench.workspace import Workspace

SECRETS = """
[auth]
redirect_uri = "https://desk.example/oauth2callback"
cookie_secret = "not-so-secret-0123456789"
"""
EDITOR = {"is_logged_in": True, "email": "Ann@desk.example"}
VIEWER = {"is_logged_in": True, "email": "bob@desk.example"}
STRANGER = {"is_logged_in": False}

As = Callable[[Mapping[str, Any]], None]


@pytest.fixture
def log_in(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> As:
    """A workspace with a login, and a way to be somebody there."""
    (workspace.root / ".streamlit").mkdir()
    (workspace.root / ".streamlit" / "secrets.toml").write_text(SECRETS)
    monkeypatch.setenv("WORKBENCH_EDITORS", "ann@desk.example carl@desk.example")
    session.close_workspaces()
    monkeypatch.setattr(permission._permission, "rule", access.may_edit)

    class User:
        fields: Mapping[str, Any] = STRANGER

        def to_dict(self) -> Mapping[str, Any]:
            return self.fields

    user = User()
    monkeypatch.setattr(st, "user", user)

    def become(fields: Mapping[str, Any]) -> None:
        user.fields = fields

    return become


def buttons(app: AppTest) -> list[str]:
    return [str(button.key) for button in app.button]


def test_whoever_is_not_logged_in_sees_a_way_in_and_nothing_else(open_page: Open, log_in: As) -> None:
    run_id = stored(session.open_workspace().store, chapters_run())
    log_in(STRANGER)

    app = open_page("run", run=run_id)

    assert not app.exception
    assert buttons(app) == ["access.log_in"]
    assert not any("600519" in str(element.value) for element in (*app.title, *app.markdown, *app.text))


@pytest.mark.parametrize("person", [EDITOR, VIEWER])
def test_viewers_and_editors_read_a_run(open_page: Open, log_in: As, person: Mapping[str, Any]) -> None:
    run_id = stored(session.open_workspace().store, chapters_run())
    log_in(person)

    app = open_page("run", run=run_id)

    assert not app.exception
    assert not app.error
    assert "600519" in app.title[0].value
    role = "editor" if person is EDITOR else "viewer"
    assert f"{person['email']} · {role}" in [element.value for element in app.text]


def test_an_editor_stars_a_run_and_a_viewer_is_told_that_he_may_not(open_page: Open, log_in: As) -> None:
    store = session.open_workspace().store
    run_id = stored(store, chapters_run())
    log_in(VIEWER)
    open_page("run", run=run_id).button(key="run.star").click().run()
    assert not store.find(run_id=run_id, limit=1)[0].starred

    log_in(EDITOR)
    open_page("run", run=run_id).button(key="run.star").click().run()
    assert store.find(run_id=run_id, limit=1)[0].starred


def test_all_that_changes_starts_stops_or_spends_asks_for_the_right_to(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Releasing prompts did not ask where all were released already."""
    strategy = workspace.strategy("match")
    run_id = stored(workspace.store, chapters_run())
    loaded = workspace.strategy("value")
    plan = workspace.plan(loaded, chapters_run().subject, chapters_run().as_of)
    monkeypatch.setattr(permission._permission, "rule", lambda: False)

    async def question() -> None: ...

    asked = question()
    try:
        for act in (
            lambda: workspace.jobs.start(plan, Models()),
            lambda: workspace.jobs.cancel(run_id),
            lambda: workspace.jobs.ask(asked),
            lambda: workspace.batches.cancel("b"),
            lambda: workspace.store.star(run_id, True),
            lambda: workspace.store.note(run_id, "x"),
            lambda: workspace.store.signals.watch(["600519.SH"]),
            lambda: workspace.drafts.create("new", strategy.text.encode(), author="", note=""),
            lambda: workspace.drafts.delete("match"),
            lambda: workspace.prompts.release(),
            lambda: add_items(workspace.evidence, [make_item("x", "2020-01-01")], origin="x"),
            lambda: workspace.evidence.forget("documents", "x"),
        ):
            with pytest.raises(AccessError):
                act()
    finally:
        asked.close()
    assert workspace.store.load(run_id).status == "done", "reading needs no right"
    assert "match" in workspace.strategies()


@pytest.mark.parametrize(
    "fields", [{}, {"email": None}, {"email": "ANN@desk.example", "email_verified": False}]
)
def test_nobody_becomes_an_editor_by_a_claim_nobody_checked(
    open_page: Open, log_in: As, fields: Mapping[str, Any]
) -> None:
    log_in({"is_logged_in": True, **fields})

    app = open_page("home")

    assert any(element.value.endswith("viewer") for element in app.text)
