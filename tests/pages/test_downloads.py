"""The tables of the pages as files: the figures themselves, and no text that a spreadsheet would run."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st

from tests.pages.test_batches import stored_batch
from tests.pages.ui_fixtures import Open, match_run, stored
from tests.signal_samples import finished_signal
from workbench.workspace import Workspace

Files = dict[str, Callable[[], bytes]]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """What the download buttons of a page would give, which AppTest cannot fetch."""
    found: Files = {}

    def download_button(label: str, data: Any, file_name: str, **_: Any) -> bool:
        found[file_name] = data
        return False

    monkeypatch.setattr(st, "download_button", download_button)
    return found


def rows(files: Files, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name]().decode("utf-8-sig"))))


def test_the_standings_hold_figures_and_the_ends_of_their_intervals(
    open_page: Open, workspace: Workspace, files: Files
) -> None:
    stored(workspace.store, match_run())
    assert not open_page("evaluate_football").exception
    (own,) = (row for row in rows(files, "standings.csv") if row["provider"] == "baseline")
    assert (own["prompt_version"], own["n"]) == ("v1", "1")
    # A home win foreseen with 0.58, a draw with 0.22: ((1 - 0.58)² + 0.20²) / 2.
    assert float(own["rps"]) == pytest.approx(0.1082)
    assert own["rps_low"] == ""
    assert len(rows(files, "experts.csv")) == 5
    assert {"differences.csv", "calibration.csv", "weights.csv"} < set(files)


def test_the_feed_gives_every_signal_that_matches_its_filters(
    open_page: Open, workspace: Workspace, files: Files
) -> None:
    day = dt.date(2019, 4, 14)
    for number in range(14):
        finished_signal(workspace.store, f"note{number}", day, "NOTE", 0.5, title="=1+1")
    finished_signal(workspace.store, "alert", day, "ALERT", 0.7)
    assert not open_page("signals", urgency="NOTE").exception
    listed = rows(files, "signals.csv")
    assert len(listed) == 14
    assert {row["title"] for row in listed} == {"'=1+1"}
    assert {float(row["impact"]) for row in listed} == {0.5}


def test_a_batch_gives_all_its_runs(open_page: Open, workspace: Workspace, files: Files) -> None:
    batch_id = stored_batch(workspace, ["600519"], "2019-12-31:2020-12-31:6M")
    assert not open_page("batch", batch=batch_id).exception
    listed = rows(files, f"{batch_id}.csv")
    assert [row["as_of"] for row in listed] == ["2019-12-31", "2020-06-30", "2020-12-31"]
    assert all(row["score"] for row in listed)
