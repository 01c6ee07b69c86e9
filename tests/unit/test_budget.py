"""What was paid on a day, and that no paid model is asked any more once the budget of the day is spent."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.batch_samples import AGENTS, CountingModel, Workshop, calls, order
from tests.conftest import FakeModel
from tests.engine_samples import GOOD, plan_of, step
from workbench.engine.agent import RunOptions
from workbench.engine.batch import BatchManager
from workbench.engine.jobs import JobManager
from workbench.errors import StoreError
from workbench.llm.base import Reply, Request
from workbench.llm.budget import BudgetError, DailyBudget
from workbench.llm.presets import Presets
from workbench.records import Models
from workbench.store.runs import RunStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "runs.db")
    yield store
    store.close()


def budget_of(store: RunStore, limit: float | None) -> DailyBudget:
    return DailyBudget(lambda: Presets(daily_budget=limit), store.payments)


def test_payments_of_a_day_add_up(store: RunStore) -> None:
    assert store.payments.today() == 0

    asyncio.run(budget_of(store, None).pay(0.25))
    store.payments.add(0.5)

    assert store.payments.today() == 0.75
    assert store.payments.days(7) == {dt.datetime.now(dt.UTC).date(): 0.75}


def test_what_was_paid_on_other_days_does_not_count_today(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.store.payments._today", lambda: "2026-01-01")
    store.payments.add(3)
    monkeypatch.setattr("workbench.store.payments._today", lambda: "2026-01-02")
    store.payments.add(1)

    assert store.payments.today() == 1
    assert list(store.payments.days(7).items()) == [(dt.date(2026, 1, 2), 1), (dt.date(2026, 1, 1), 3)]
    assert len(store.payments.days(1)) == 1


def test_a_budget_is_spent_when_it_is_reached(store: RunStore) -> None:
    budget = budget_of(store, 1.0)
    store.payments.add(0.99)
    budget.check()

    store.payments.add(0.01)
    with pytest.raises(BudgetError) as error:
        budget.check()

    assert str(error.value) == (
        "the budget of $1.00 a day is spent: $1.0000 since midnight UTC."
        " Raise daily_budget in models.yaml, or go on tomorrow: answers so far are kept."
    )


def test_without_a_budget_nothing_is_checked(store: RunStore) -> None:
    store.payments.add(1000)

    budget_of(store, None).check(priced=lambda: False)


def test_a_budget_of_nothing_allows_nothing(store: RunStore) -> None:
    with pytest.raises(BudgetError, match=r"\$0.00 a day is spent"):
        budget_of(store, 0).check()


def test_a_model_whose_price_nobody_knows_is_not_asked_under_a_budget(store: RunStore) -> None:
    with pytest.raises(BudgetError, match="its price is not known") as error:
        budget_of(store, 1.0).check(priced=lambda: False)

    assert "0 for a server of your own" in error.value.remedy


class BrokenLedger:
    def add(self, cost: float) -> None:
        raise StoreError("the disk is full.")

    def today(self) -> float:
        raise StoreError("the disk is gone.")


def test_a_sum_that_cannot_be_read_allows_nothing_and_one_that_cannot_be_written_loses_no_answer() -> None:
    budget = DailyBudget(lambda: Presets(daily_budget=1), BrokenLedger())

    with pytest.raises(BudgetError, match="the disk is gone"):
        budget.check()
    asyncio.run(budget.pay(0.25))


def test_no_run_begins_and_none_is_stored_once_the_budget_is_spent(
    store: RunStore, fake_model: FakeModel
) -> None:
    budget = budget_of(store, 1.0)
    store.payments.add(1.0)
    jobs = JobManager(store, fake_model, admit=lambda models: budget.check())

    with pytest.raises(BudgetError):
        jobs.start(plan_of(step("a", last=True)), Models(specialist="a/b", aggregator="a/b"))
    jobs.close()

    assert store.count() == 0
    assert fake_model.history == []


def test_a_batch_stops_cleanly_when_the_budget_of_the_day_is_spent_and_goes_on_the_next(
    tmp_path: Path,
) -> None:
    """Every item left would have failed, one after the other, for a reason that is none of its own."""
    shop = Workshop(tmp_path, CountingModel(tmp_path))

    def admit(models: Models) -> None:
        if shop.store.count() >= 2:
            raise BudgetError("the budget is spent.")

    batches = BatchManager(shop.store.batches, admit)
    batch_id = batches.start(order("A", "B", "C", "D", concurrency=1), shop.here)
    ended = batches.wait(batch_id, 30)
    assert (ended.status, ended.error, ended.done, ended.failed, ended.open) == (
        "stopped",
        "the budget is spent.",
        2,
        0,
        2,
    )

    shop.batches.resume(batch_id, shop.here)
    assert shop.batches.wait(batch_id, 30).done == 4
    shop.close()


@dataclass
class RationedModel(CountingModel):
    """Answers so many calls, and none that would have to be paid for after that."""

    left: int = 0

    async def complete(self, request: Request) -> Reply:
        if self.left == 0:
            raise BudgetError("the budget is spent.")
        self.left -= 1
        return await super().complete(request)


def test_a_run_that_the_budget_cuts_off_is_resumed_without_what_it_has(tmp_path: Path) -> None:
    """Its agents failed one by one, so that it ended as done or failed, and was never taken up again."""
    model = RationedModel(tmp_path, left=4)
    shop = Workshop(tmp_path, model)

    batch_id = shop.batches.start(order("A", "B", "C", concurrency=1), shop.here)
    ended = shop.batches.wait(batch_id, 30)
    assert (ended.status, ended.error) == ("stopped", "the budget is spent.")
    assert (ended.done, ended.failed, ended.open) == (1, 0, 2)
    (cut_off,) = shop.store.find(status="cancelled")
    run = shop.store.load(cut_off.run_id)
    assert run.error == "the budget is spent."
    assert [report.agent for report in run.reports] == ["a"]
    assert run.verdict is None

    model.left = 100
    shop.batches.resume(batch_id, shop.here)
    assert shop.batches.wait(batch_id, 30).done == 3
    assert sorted(calls(tmp_path)) == sorted(f"{name} {agent}" for name in "ABC" for agent in AGENTS)
    assert shop.store.load(cut_off.run_id).status == "done"
    shop.close()


def test_the_options_of_a_run_are_asked_for_when_it_starts(store: RunStore, fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD)
    asked: list[int] = []

    def options() -> RunOptions:
        asked.append(1)
        return RunOptions(repeat=len(asked))

    jobs = JobManager(store, fake_model, options)
    for _ in range(2):
        jobs.wait(jobs.start(plan_of(step("a", last=True)), Models(specialist="a/b", aggregator="a/b")), 20)
    jobs.close()

    assert [request.repeat for request in fake_model.history] == [1, 2]
