"""What calls cost, added up in every way, and how long runs usually take."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest

from tests.store_samples import APPLE, MOUTAI, make_plan, make_report
from workbench.records import Models, Report, TickerSubject, Verdict
from workbench.store.batch_records import BatchOrder, ItemKey
from workbench.store.payments import SpendBy
from workbench.store.runs import RunStore

PAID = Models(specialist="openai/small", aggregator="openai/large")


def paid_report(agent: str, *, day: str = "2026-03-01", seconds: float = 1.0, **changes: object) -> Report:
    """A report of two calls, 120 tokens and a cent each unless ``changes`` of the calls say otherwise."""
    report = make_report(agent)
    model = PAID.aggregator if agent == "synthesis" else PAID.specialist
    facts = {
        "requested_model": model,
        "resolved_model": model,
        "latency_s": seconds,
        "started": dt.datetime.fromisoformat(f"{day}T12:00:00+00:00"),
    }
    calls = tuple(call.model_copy(update=facts | changes) for call in report.calls)
    return report.model_copy(update={"calls": calls})


def paid_run(
    store: RunStore,
    reports: Sequence[Report],
    subject: TickerSubject = MOUTAI,
    models: Models = PAID,
    item: ItemKey | None = None,
    status: str = "done",
) -> str:
    run_id = store.start(make_plan(subject), models, item=item)
    for report in reports:
        store.save_report(run_id, report)
    store.finish(run_id, status=status, verdict=Verdict() if status == "done" else None)
    return run_id


def test_what_was_spent_adds_up_by_agent_run_model_and_day(store: RunStore) -> None:
    first = paid_run(store, [paid_report("ch01"), paid_report("synthesis", day="2026-03-02")])
    second = paid_run(store, [paid_report("ch01", day="2026-03-03", cost=0.03)], APPLE)

    def spent(by: SpendBy) -> dict[str, tuple[int, float | None]]:
        return {row.key: (row.calls, row.cost) for row in store.payments.spend(by)}

    assert spent("run") == {first: (4, pytest.approx(0.04)), second: (2, pytest.approx(0.06))}
    assert spent("agent") == {
        "chapters / ch01": (4, pytest.approx(0.08)),
        "chapters / synthesis": (2, pytest.approx(0.02)),
    }
    assert spent("model") == {
        "openai/small": (4, pytest.approx(0.08)),
        "openai/large": (2, pytest.approx(0.02)),
    }
    assert spent("day") == {
        "2026-03-03": (2, pytest.approx(0.06)),
        "2026-03-02": (2, pytest.approx(0.02)),
        "2026-03-01": (2, pytest.approx(0.02)),
    }
    assert list(spent("day")) == ["2026-03-03", "2026-03-02", "2026-03-01"]
    assert [row.title for row in store.payments.spend("run")] == ["Apple AAPL", "贵州茅台 600519.SH"]
    [newest] = store.payments.spend("run", since=dt.date(2026, 3, 3))
    assert newest.key == second
    assert len(store.payments.spend("day", limit=2)) == 2


def test_what_a_batch_cost_is_what_its_runs_cost(store: RunStore) -> None:
    order = BatchOrder(
        pipeline="chapters",
        title="two",
        strategy="value",
        strategy_text="kind: chapters\n",
        models=PAID,
        items=[(MOUTAI, dt.date(2021, 6, 30)), (APPLE, dt.date(2021, 6, 30))],
        concurrency=1,
    )
    batch_id = store.batches.create(order)
    for position, subject in ((1, MOUTAI), (2, APPLE)):
        paid_run(store, [paid_report("ch01")], subject, item=ItemKey(batch_id, position))
    paid_run(store, [paid_report("ch01")])

    [batch] = store.payments.spend("batch")

    assert (batch.key, batch.title, batch.calls, batch.cost) == (batch_id, "two", 4, pytest.approx(0.04))


def test_cached_answers_cost_nothing_and_unknown_prices_are_counted_not_guessed(store: RunStore) -> None:
    paid_run(
        store,
        [
            paid_report("ch01", cache_hit=True),
            paid_report("ch02", cost=None),
            paid_report(
                "synthesis", resolved_model="", reply="", error="(500)", cost=None, input_tokens=None
            ),
        ],
    )

    [day] = store.payments.spend("day")

    assert (day.calls, day.cached, day.failed, day.unpriced) == (4, 2, 2, 2)
    assert day.cost is None
    assert day.input_tokens == 200


def test_the_built_in_rules_are_no_spending(store: RunStore) -> None:
    paid_run(store, [make_report("ch01")], models=Models())

    assert store.payments.spend("run") == []


def test_the_usual_pace_is_the_median_of_earlier_runs_alike(store: RunStore) -> None:
    for seconds in (1.0, 2.0, 9.0):
        paid_run(store, [paid_report("ch01", seconds=seconds), paid_report("synthesis", seconds=3)])
    paid_run(store, [paid_report("ch01", seconds=100)], models=Models(specialist="a/b", aggregator="a/b"))
    paid_run(store, [paid_report("ch01", seconds=100, cache_hit=True)])
    paid_run(store, [paid_report("ch01", seconds=100)], status="failed")
    new = store.start(make_plan(APPLE), PAID)

    pace = store.pace(new)

    assert pace is not None
    # Two calls an agent.
    assert (pace.runs, pace.agents) == (3, {"ch01": 4.0, "synthesis": 6.0})
    assert 0 <= pace.seconds < 60


def test_there_is_no_usual_pace_before_a_run_was_finished(store: RunStore) -> None:
    assert store.pace(store.start(make_plan(), PAID)) is None
