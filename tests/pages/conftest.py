"""A workspace of its own for every test, and the app opened on it without a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit import config
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open
from workbench.ui import session
from workbench.workspace import Workspace, program_files

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def on_this_machine_only() -> None:
    """The test harness reads no ``config.toml``, and a server others can reach would ask for a login."""
    config.set_option("server.address", "127.0.0.1")


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with its evidence database built, to be copied."""
    home = tmp_path_factory.mktemp("workspace")
    for part in ("strategy", "prompts", "data/facts"):
        shutil.copytree(program_files() / part, home / part)
    assert len(Workspace.open(home).evidence.instruments) > 0
    return home


@pytest.fixture
def workspace(furnished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The workspace the app opens, empty of runs."""
    home = tmp_path / "workspace"
    shutil.copytree(furnished, home)
    monkeypatch.setenv("WORKBENCH_HOME", str(home))
    for variable in ("LLM_MODEL", "LLM_SPECIALIST_MODEL", "LLM_AGGREGATOR_MODEL", "WORKBENCH_LANGUAGE"):
        monkeypatch.delenv(variable, raising=False)
    yield session.open_workspace()
    session.close_workspaces()


@pytest.fixture
def open_page(workspace: Workspace) -> Open:
    """Open a page under an address: ``open_page("run", run=run_id, lang="zh")``."""

    def open_(name: str, **query: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "workbench" / "app.py"), default_timeout=30)
        app.query_params["lang"] = query.get("lang", "en")
        app.run()
        app.query_params.update(query)
        if name != "home":
            app.switch_page(str(program_files() / "pages" / f"{name}.py"))
        return app.run()

    return open_
