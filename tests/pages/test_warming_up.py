"""The model library is loaded after the first page, in the background, and only where a model is set."""

from __future__ import annotations

import threading

import pytest

from tests.pages.ui_fixtures import Open
from workbench.ui import session
from workbench.workspace import Workspace


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    loaded = threading.Event()
    monkeypatch.setattr(session, "load_library", loaded.set)
    monkeypatch.setattr(session, "_PAINTED_S", 0.01)
    session._load_model_library.cache_clear()
    return loaded


def test_with_a_language_model_its_library_is_loaded_once_a_page_is_drawn(
    open_page: Open, workspace: Workspace, loaded: threading.Event
) -> None:
    (workspace.root / "models.yaml").write_text("aggregator: {model: openai/m}\n")

    app = open_page("home")

    assert not app.exception
    assert loaded.wait(20)


def test_the_built_in_rules_load_no_library(
    open_page: Open, workspace: Workspace, loaded: threading.Event
) -> None:
    assert not open_page("home").exception

    assert not loaded.wait(0.2)


def test_a_models_file_that_cannot_be_used_does_not_keep_the_first_page_away(
    open_page: Open, workspace: Workspace, loaded: threading.Event
) -> None:
    (workspace.root / "models.yaml").write_text("aggregator: [\n")

    app = open_page("runs")

    assert not app.exception
    assert not app.error
