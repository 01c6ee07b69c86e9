"""Storage that is damaged, full or read-only: every page and command says so in one clear line."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import get_args

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open, chapters_run, stored
from workbench.cli import cli
from workbench.errors import StoreError
from workbench.store import backups
from workbench.ui import session
from workbench.ui.navigation import PageName
from workbench.workspace import Workspace

COMMANDS = (
    ["runs"],
    ["show", "x"],
    ["batches"],
    ["spend"],
    ["run", "match", "Liverpool", "Chelsea", "--date", "2019-04-14"],
)


def damage(workspace: Workspace) -> None:
    stored(workspace.store, chapters_run())
    backups.back_up(workspace.store.path)
    session.close_workspaces()
    workspace.store.close()
    for path in workspace.data_dir.glob("runs.db*"):
        path.unlink()
    (workspace.data_dir / "runs.db").write_bytes(b"garbage" * 1000)


@pytest.mark.parametrize("page", get_args(PageName))
def test_a_damaged_database_offers_its_last_backup_on_every_page(
    open_page: Open, workspace: Workspace, page: str
) -> None:
    damage(workspace)

    app = open_page(page)

    assert not app.exception
    assert [("damaged" in e.value, "workbench doctor \\-\\-restore" in e.value) for e in app.error] == [
        (True, True)
    ]


def test_after_the_backup_is_put_back_the_pages_open(open_page: Open, workspace: Workspace) -> None:
    damage(workspace)
    assert open_page("runs").error

    assert CliRunner().invoke(cli, ["doctor", "--restore"]).exit_code == 0

    app = open_page("runs")
    assert not app.error
    assert not app.exception


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_a_damaged_database_is_one_line_of_every_command(workspace: Workspace, command: list[str]) -> None:
    damage(workspace)

    done = CliRunner().invoke(cli, command)

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "workbench doctor --restore" in done.stderr


def refuse_growth(workspace: Workspace) -> None:
    connection = workspace.store._db._connection()
    used = connection.execute("pragma page_count").fetchone()[0]
    connection.execute(f"pragma max_page_count = {used}")


def refuse_writing(workspace: Workspace) -> None:
    workspace.store._db._connection().execute("pragma query_only = on")


@pytest.mark.parametrize(("refuse", "words"), [(refuse_growth, "full"), (refuse_writing, "readonly")])
def test_a_disk_that_takes_nothing_is_said_where_a_button_was_pressed(
    workspace: Workspace, refuse: Callable[[Workspace], None], words: str
) -> None:
    """An error out of a callback was shown as a defect, without its remedy."""
    run_id = stored(workspace.store, chapters_run())
    refuse(workspace)

    with pytest.raises(StoreError, match=words) as refused:
        workspace.store.note(run_id, "x" * 100_000)

    def page() -> None:
        import streamlit as st

        from workbench.ui.panels.states import show_unexpected

        show_unexpected(st.session_state["error"])

    app = AppTest.from_function(page)
    app.session_state["error"] = refused.value
    app.run()
    assert [words in shown.value for shown in app.error] == [True]
    assert not app.exception


def test_two_workbenches_on_one_workspace_see_each_others_runs(open_page: Open, workspace: Workspace) -> None:
    other = Workspace.open(workspace.root)
    run_id = stored(other.store, chapters_run())
    workspace.store.star(run_id, True)

    assert other.store.find(run_id=run_id, limit=1)[0].starred
    assert not open_page("run", run=run_id).error
    with closing(sqlite3.connect(workspace.store.path)) as connection:
        assert connection.execute("pragma journal_mode").fetchone() == ("wal",)
    other.store.close()
