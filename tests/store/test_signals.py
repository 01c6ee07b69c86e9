"""The feed's tables follow the runs, and answer filters in the right order."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from sqlite_utils import Database as Connection

from tests.signal_samples import finished_signal, plan_of_item
from workbench.records import Models, Verdict
from workbench.store.migrations import migrations
from workbench.store.runs import RunStore
from workbench.store.signals import SignalFilter

DAY = dt.date(2024, 5, 6)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs.db")


def items(store: RunStore, **filters: object) -> list[str]:
    asked: SignalFilter = filters  # type: ignore[assignment]
    return [row.item for row in store.signals.find(limit=100, **asked)]


def test_a_finished_run_is_in_the_feed_with_its_figures(store: RunStore) -> None:
    run_id = finished_signal(store, "a", DAY, "FLASH", 0.9, title="Bank closed", event="bankruptcy")
    (row,) = store.signals.find(limit=10)
    assert (row.item, row.run_id, row.title, row.published) == ("a", run_id, "Bank closed", DAY)
    assert (row.urgency, row.impact, row.event_type, row.direction) == (
        "FLASH",
        0.9,
        "bankruptcy",
        "negative",
    )
    assert row.confidence == pytest.approx(0.6)


def test_the_newest_run_over_an_item_takes_its_place(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "FLASH", 0.9, tickers=("AAPL",))
    store.signals.dismiss(["a"])
    newer = finished_signal(store, "a", DAY, "NOTE", 0.5, tickers=("MSFT",))
    (row,) = store.signals.find(limit=10)
    assert (row.run_id, row.urgency) == (newer, "NOTE")
    assert store.signals.tickers() == ["MSFT"]
    assert items(store, dismissed=False) == ["a"]


def test_a_run_without_a_signal_leaves_the_earlier_one(store: RunStore) -> None:
    kept = finished_signal(store, "a", DAY, "FLASH", 0.9)
    run_id = store.start(plan_of_item("a", DAY, "Bank closed"), Models())
    store.finish(run_id, status="failed", verdict=Verdict(), error="no agent counted")
    (row,) = store.signals.find(limit=10)
    assert row.run_id == kept


def test_runs_of_before_the_feed_are_brought_into_it(tmp_path: Path) -> None:
    """The step that adds the tables fills them from the runs there are."""
    store = RunStore(tmp_path / "runs.db")
    finished_signal(store, "a", DAY, "ALERT", 0.7, tickers=("AAPL", "MSFT"))
    store.close()
    old = Connection(tmp_path / "runs.db")
    for table in ("signal_tickers", "signals", "watchlist", "deliveries"):
        old.execute(f"drop table {table}")
    old.execute("drop trigger signals_of_runs")
    old.execute("delete from _sqlite_migrations where name = 'm007_signals'")
    old.conn.commit()
    assert migrations.pending(old)
    old.close()
    again = RunStore(tmp_path / "runs.db")
    assert items(again) == ["a"]
    assert again.signals.tickers() == ["AAPL", "MSFT"]


def test_loud_and_new_ones_come_first_and_fyi_last(store: RunStore) -> None:
    finished_signal(store, "fyi", DAY + dt.timedelta(days=3), "FYI", 0.2)
    finished_signal(store, "old", DAY, "FLASH", 0.9)
    finished_signal(store, "small", DAY + dt.timedelta(days=1), "NOTE", 0.5)
    finished_signal(store, "big", DAY + dt.timedelta(days=1), "ALERT", 0.7)
    assert items(store) == ["big", "small", "old", "fyi"]
    assert [row.item for row in store.signals.find(limit=2, offset=1)] == ["small", "old"]


def test_filters_narrow_and_combine(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "FLASH", 0.9, title="Bank closed", tickers=("AAPL", "MSFT"))
    finished_signal(store, "b", DAY + dt.timedelta(days=1), "ALERT", 0.7, title="100% duty", event="m_and_a")
    finished_signal(store, "c", DAY + dt.timedelta(days=2), "NOTE", 0.5, tickers=("MSFT",))
    assert items(store, urgencies=("FLASH", "NOTE")) == ["c", "a"]
    assert items(store, events=("m_and_a",)) == ["b"]
    assert items(store, tickers=("MSFT",)) == ["c", "a"]
    assert items(store, tickers=("MSFT",), urgencies=("NOTE",)) == ["c"]
    assert items(store, since=DAY + dt.timedelta(days=1), until=DAY + dt.timedelta(days=1)) == ["b"]
    assert items(store, text="BANK") == ["a"]
    assert items(store, text="100% d") == ["b"]
    assert items(store, text="%") == ["b"]
    assert store.signals.counts(tickers=("MSFT",)) == {"FLASH": 1, "ALERT": 0, "NOTE": 1, "FYI": 0}


def test_the_watchlist_keeps_its_order(store: RunStore) -> None:
    store.signals.watch(["MSFT", "AAPL"])
    store.signals.watch(["AAPL", "600519.SH", "MSFT", "AAPL"])
    assert store.signals.watched() == ["MSFT", "AAPL", "600519.SH"]
    store.signals.watch([])
    assert store.signals.watched() == []


def test_second_looks_have_both_sides(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "ALERT", 0.7, draft=0.5)
    looks = store.signals.second_looks()
    assert len(looks) == 5
    scope = next(look for look in looks if look.agent == "signal_scope")
    assert (scope.draft_impact, scope.impact, scope.draft_direction) == (0.5, 0.7, "negative")
    # The drafts all said 0.5, a NOTE; the revisions made it an ALERT.
    assert store.signals.revised_urgencies() == {("NOTE", "ALERT"): 1}
