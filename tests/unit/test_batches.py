"""Batches in one process: begun as room allows, failures named, cancelled, kept within a budget, resumed."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.batch_samples import AGENTS, BUG, UNKNOWN, HoldingModel, Workshop, calls, order
from workbench.engine.batch import refusal
from workbench.errors import InputError, StoreError
from workbench.records import Report
from workbench.store.batch_records import Spending

WAIT_S = 30


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    shop = Workshop(tmp_path, HoldingModel(tmp_path))
    yield shop
    shop.close()


def states(shop: Workshop, batch_id: str) -> list[str]:
    return [item.state for item in shop.store.batches.items(batch_id)]


def run(shop: Workshop, *names: str, **options: object) -> str:
    batch_id = shop.batches.start(order(*names, **options), shop.here)
    shop.batches.wait(batch_id, WAIT_S)
    return batch_id


def test_every_item_is_judged_once_and_the_batch_adds_it_up(shop: Workshop) -> None:
    batch_id = run(shop, "A", "B", "C")

    batch = shop.store.batches.load(batch_id)
    assert (batch.status, batch.total, batch.done, batch.failed, batch.open) == ("done", 3, 3, 0, 0)
    assert batch.cost == pytest.approx(9 * 0.01)
    assert batch.settled == 3
    assert sorted(calls(shop.folder)) == [f"{name} {agent}" for name in "ABC" for agent in AGENTS]
    runs = shop.store.find(batch_id=batch_id)
    assert sorted(row.subject_key for row in runs) == ["A", "B", "C"]
    assert [item.run_id for item in shop.store.batches.items(batch_id)] == [
        row.run_id for row in sorted(runs, key=lambda row: row.subject_key)
    ]


def test_what_cannot_be_judged_is_a_named_failure_and_stops_nothing_else(shop: Workshop) -> None:
    batch_id = run(shop, "A", UNKNOWN, "B")

    assert states(shop, batch_id) == ["done", "failed", "done"]
    assert shop.store.batches.load(batch_id).status == "done"
    (failed,) = shop.store.batches.items(batch_id, ["failed"])
    assert (failed.subject_title, failed.run_id) == (f"{UNKNOWN} {UNKNOWN}", None)
    assert failed.error == "UNKNOWN: nothing is known of this company."


def test_a_failed_run_is_counted_with_its_reason(shop: Workshop) -> None:
    shop.model.broken = {"B"}

    batch_id = run(shop, "A", "B")

    assert states(shop, batch_id) == ["done", "failed"]
    (failed,) = shop.store.batches.items(batch_id, ["failed"])
    assert "out of order" in failed.error


def test_an_unexpected_error_of_one_item_is_its_failure(
    shop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    batch_id = run(shop, "A", BUG)

    assert states(shop, batch_id) == ["done", "failed"]
    assert shop.store.batches.items(batch_id)[1].error == "unexpected ZeroDivisionError: division by zero"
    assert "ZeroDivisionError" in caplog.text


def test_no_more_runs_than_the_concurrency_are_in_flight(shop: Workshop) -> None:
    shop.model.delay_s = 0.005
    seen: list[int] = []
    watching = threading.Event()

    def watch() -> None:
        while not watching.is_set():
            seen.append(len(shop.jobs.running()))

    thread = threading.Thread(target=watch)
    thread.start()
    run(shop, *"ABCDEFGH", concurrency=3)
    watching.set()
    thread.join()

    assert max(seen) == 3


def test_an_empty_batch_is_refused_and_not_stored(shop: Workshop) -> None:
    with pytest.raises(InputError, match="nothing to run"):
        shop.batches.start(order(), shop.here)
    assert shop.store.batches.find() == []


def test_a_cancelled_batch_keeps_its_finished_agents_and_pays_for_the_rest_only(shop: Workshop) -> None:
    shop.model.hold = threading.Event()
    batch_id = shop.batches.start(order("A", "B", "C", concurrency=2), shop.here)
    assert shop.model.held.acquire(timeout=WAIT_S), "the synthesis of A or B is asked"
    assert shop.model.held.acquire(timeout=WAIT_S), "and that of the other"

    shop.batches.cancel(batch_id)
    cancelled = shop.batches.wait(batch_id, WAIT_S)

    assert cancelled.status == "cancelled"
    assert states(shop, batch_id) == ["cancelled", "cancelled", "waiting"]
    assert sorted(calls(shop.folder)) == ["A a", "A b", "B a", "B b"]
    assert shop.batches.running() == ()

    shop.model.hold.set()
    shop.batches.resume(batch_id, shop.here)
    done = shop.batches.wait(batch_id, WAIT_S)

    assert (done.status, done.done) == ("done", 3)
    assert sorted(calls(shop.folder)) == [f"{name} {agent}" for name in "ABC" for agent in AGENTS]
    assert shop.store.count(batch_id=batch_id) == 3, "the runs went on; no new ones were begun"


def test_failed_items_run_again_only_when_asked(shop: Workshop) -> None:
    shop.model.broken = {"B"}
    batch_id = run(shop, "A", "B")
    shop.model.broken = set()

    shop.batches.resume(batch_id, shop.here)
    assert shop.batches.wait(batch_id, WAIT_S).failed == 1

    shop.batches.resume(batch_id, shop.here, retry_failed=True)
    batch = shop.batches.wait(batch_id, WAIT_S)
    assert (batch.done, batch.failed) == (2, 0)
    assert calls(shop.folder).count("A end") == 1
    assert sorted(row.status for row in shop.store.find(subject="B")) == ["done", "failed"]


def test_a_batch_ends_cleanly_before_it_exceeds_its_budget(shop: Workshop) -> None:
    """A run is three answers of a cent: $0.10 pays for three runs, and the fourth is not begun."""
    batch_id = run(shop, *"ABCDE", concurrency=4, budget=0.10)

    batch = shop.store.batches.load(batch_id)
    assert (batch.status, batch.done, batch.open) == ("stopped", 3, 2)
    assert batch.cost == pytest.approx(0.09)
    assert batch.error == "$0.0900 of the budget of $0.1000 are spent, and one more run may cost $0.0300."
    assert states(shop, batch_id) == ["done", "done", "done", "waiting", "waiting"]

    shop.batches.resume(batch_id, shop.here, budget=1.0)
    assert shop.batches.wait(batch_id, WAIT_S).done == 5


def test_a_budget_cannot_be_kept_where_prices_are_unknown(shop: Workshop) -> None:
    shop.model.cost = None

    batch_id = run(shop, "A", "B", "C", budget=1.0)

    batch = shop.store.batches.load(batch_id)
    assert (batch.status, batch.done, batch.cost) == ("stopped", 1, None)
    assert batch.error == "the price of 3 answers is not known, so the budget cannot be kept."


@pytest.mark.parametrize(
    ("spending", "flying", "allowed"),
    [
        (Spending(0, 0, 0, 0), 0, True),
        (Spending(0, 0, 0, 0), 1, False),
        (Spending(0.5, 0.5, 1, 0), 0, True),
        (Spending(0.5, 0.5, 1, 0), 1, False),
        (Spending(0.4, 0.2, 2, 0), 2, True),
        (Spending(0.4, 0.2, 2, 0), 3, False),
        (Spending(0, 0, 9, 0), 50, True),
        (Spending(0, 0, 9, 1), 0, False),
    ],
)
def test_every_run_in_flight_is_taken_to_cost_as_much_as_the_dearest(
    spending: Spending, flying: int, allowed: bool
) -> None:
    assert (refusal(1.0, spending, flying) == "") is allowed


def test_a_store_that_fails_stops_the_batch(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **options: object) -> str:
        raise StoreError("the disk is full.")

    monkeypatch.setattr(shop.store, "start", full)

    batch_id = run(shop, "A", "B")

    batch = shop.store.batches.load(batch_id)
    assert (batch.status, batch.error) == ("stopped", "the disk is full.")
    assert states(shop, batch_id) == ["waiting", "waiting"]


def test_a_crew_that_cannot_be_called_together_stops_the_batch(shop: Workshop) -> None:
    def nobody(batch: object) -> object:
        raise InputError("nobody is here.")

    batch_id = shop.batches.start(order("A"), nobody)

    assert shop.batches.wait(batch_id, WAIT_S).error == "nobody is here."


def test_a_defect_does_not_leave_a_batch_running_for_ever(
    shop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    batch_id = shop.batches.start(order("A"), lambda batch: batch.no_such_thing)

    batch = shop.batches.wait(batch_id, WAIT_S)

    assert batch.status == "stopped"
    assert batch.error.startswith("unexpected AttributeError")
    assert "no_such_thing" in caplog.text


def test_a_running_batch_cannot_be_resumed_and_an_unknown_one_not_be_waited_for(shop: Workshop) -> None:
    shop.model.hold = threading.Event()
    batch_id = shop.batches.start(order("A"), shop.here)
    with pytest.raises(StoreError, match="the batch is running"):
        shop.batches.resume(batch_id, shop.here)
    shop.model.hold.set()
    shop.batches.wait(batch_id, WAIT_S)

    with pytest.raises(InputError, match="not carrying out"):
        shop.batches.wait("b-unknown")
    with pytest.raises(InputError, match="there is no batch"):
        shop.batches.resume("b-unknown", shop.here)


def test_the_time_left_follows_from_the_pace_of_this_session(shop: Workshop) -> None:
    """Two of four items in ten seconds leave ten more."""
    shop.model.hold = threading.Event()
    shop.model.hold_only = {"C", "D"}
    batch_id = shop.batches.start(order(*"ABCD"), shop.here)
    for _ in range(2):
        assert shop.model.held.acquire(timeout=WAIT_S)

    batch = shop.store.batches.load(batch_id)

    assert (batch.done, batch.running, batch.settled) == (2, 2, 2)
    assert batch.eta_s(batch.begun + dt.timedelta(seconds=10)) == pytest.approx(10)
    shop.model.hold.set()
    assert shop.batches.wait(batch_id, WAIT_S).eta_s(batch.begun) is None


def test_batches_are_listed_newest_first_and_named_by_part_of_their_id(shop: Workshop) -> None:
    first, second = run(shop, "A"), run(shop, "B")
    batches = shop.store.batches

    assert [batch.batch_id for batch in batches.find()] == [second, first]
    assert [batch.batch_id for batch in batches.find(limit=1, offset=1)] == [first]
    assert batches.resolve(first[-4:]) == first
    with pytest.raises(InputError, match="Give more"):
        batches.resolve(first[:4])
    with pytest.raises(InputError, match="there is no batch"):
        batches.resolve("nothing")


def test_an_answer_that_was_stored_before_costs_the_batch_nothing(shop: Workshop) -> None:
    shop.model.cache_hit = True

    batch_id = run(shop, "A", budget=0.001)

    assert shop.store.batches.load(batch_id).cost == 0


def test_reports_are_stored_as_they_finish(shop: Workshop) -> None:
    shop.model.hold = threading.Event()
    saved: list[str] = []
    save_report = shop.store.save_report

    def save(run_id: str, report: Report) -> None:
        save_report(run_id, report)
        saved.append(report.agent)

    shop.store.save_report = save  # type: ignore[method-assign]
    batch_id = shop.batches.start(order("A"), shop.here)
    assert shop.model.held.acquire(timeout=WAIT_S)

    (item,) = shop.store.batches.items(batch_id)
    assert item.state == "running"
    shop.model.hold.set()
    shop.batches.wait(batch_id, WAIT_S)
    assert sorted(saved) == sorted(AGENTS)
