"""A whole run: order, parallelism, fail-open, conclusion, cancellation, taking up where it stopped."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any, Literal

import pytest

from tests.conftest import FakeModel
from tests.engine_samples import EVIDENCE, GOOD, REVISED, plan_of, step, two_and_a_conclusion
from workbench.engine.plan import Reports
from workbench.engine.runner import Event, Result, run
from workbench.errors import ModelError
from workbench.llm.base import Reply, Request
from workbench.records import Adjustment, Evidence, Models, Verdict

MODELS = Models(specialist="fake/small", aggregator="fake/large")


def carry_out(plan: Any, model: Any, **options: Any) -> Result:
    return asyncio.run(run(plan, MODELS, model, **options))


def test_a_run_ends_with_reports_in_plan_order_a_verdict_and_a_receipt(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, agent="a")
    fake_model.enqueue(GOOD | {"score": 40}, agent="b")
    fake_model.enqueue(GOOD | {"score": 10}, agent="end")

    result = carry_out(two_and_a_conclusion(), fake_model)

    assert (result.status, result.error) == ("done", "")
    assert list(result.reports) == ["a", "b", "end"]
    assert result.verdict is not None
    assert result.verdict.score == 40
    assert result.receipt is not None


def test_each_tier_gets_its_own_model(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD, GOOD)

    carry_out(two_and_a_conclusion(), fake_model)

    assert [(r.agent, r.model) for r in fake_model.history] == [
        ("a", "fake/small"),
        ("b", "fake/small"),
        ("end", "fake/large"),
    ]


class MeetingModel:
    """Answers nobody until as many agents are waiting as are expected to work at once."""

    def __init__(self, expected: int) -> None:
        self.expected = expected
        self.waiting: set[str] = set()
        self.met = asyncio.Event()

    async def complete(self, request: Request) -> Reply:
        self.waiting.add(request.agent)
        if len(self.waiting) == self.expected:
            self.met.set()
        await self.met.wait()
        return Reply(json.dumps(GOOD), "fake")


def test_agents_that_need_nothing_from_each_other_work_at_the_same_time() -> None:
    async def scenario() -> Result:
        experts = [step(f"e{number}") for number in range(5)]
        names = tuple(expert.agent for expert in experts)
        plan = plan_of(*experts, step("end", needs=names, last=True))
        return await asyncio.wait_for(run(plan, MODELS, MeetingModel(expected=5)), timeout=10)

    assert asyncio.run(scenario()).status == "done"


def test_a_step_starts_only_when_its_needs_have_reported_and_sees_just_those(fake_model: FakeModel) -> None:
    seen: dict[str, list[str]] = {}

    def watching(agent: str) -> Any:
        def gather(reports: Reports) -> Evidence:
            seen[agent] = sorted(reports)
            return EVIDENCE

        return gather

    fake_model.enqueue(*[GOOD] * 4)
    plan = plan_of(
        step("a", gather=watching("a")),
        step("b", needs=("a",), gather=watching("b")),
        step("c", needs=("a",), gather=watching("c")),
        step("end", needs=("a", "b", "c"), last=True, gather=watching("end")),
    )

    carry_out(plan, fake_model)

    assert seen == {"a": [], "b": ["a"], "c": ["a"], "end": ["a", "b", "c"]}


def test_one_failing_agent_does_not_stop_the_others(fake_model: FakeModel) -> None:
    fake_model.enqueue(ModelError("gone."), agent="a")
    fake_model.enqueue(GOOD, GOOD)

    result = carry_out(two_and_a_conclusion(), fake_model)

    assert result.status == "done"
    assert [report.status for report in result.reports.values()] == ["error", "ok", "ok"]


@pytest.mark.parametrize(
    ("answers", "status"), [([ModelError("gone.")], "error"), (["nonsense", "nonsense"], "parse_error")]
)
def test_only_the_last_agent_can_fail_the_run(
    fake_model: FakeModel, answers: list[str | Exception], status: str
) -> None:
    fake_model.enqueue(GOOD, GOOD)
    fake_model.enqueue(*answers, agent="end")

    result = carry_out(two_and_a_conclusion(), fake_model)

    assert (result.status, result.verdict) == ("failed", None)
    assert result.reports["end"].status == status
    assert result.error == result.reports["end"].error != ""
    assert result.reports["a"].counted
    assert result.receipt is not None


def test_a_last_agent_without_evidence_fails_the_run(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD)

    result = carry_out(two_and_a_conclusion(end={"gather": lambda reports: Evidence()}), fake_model)

    assert (result.status, result.error) == ("failed", "End had no evidence to judge.")


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        ("en", "no agent counted, so there is no conclusion. A: no key."),
        ("zh", "没有一项作答计入，无法得出结论。 A: no key."),
    ],
)
def test_where_all_that_a_last_agent_needs_failed_the_first_error_is_told(
    fake_model: FakeModel, language: Literal["en", "zh"], reason: str
) -> None:
    """A wrong model name or a missing key was hidden behind "End had no evidence to judge."."""
    fake_model.enqueue(ModelError("no key."), ModelError("no key."))
    plan = two_and_a_conclusion(end={"gather": lambda reports: Evidence()})

    result = carry_out(replace(plan, language=language), fake_model)

    assert (result.status, result.error) == ("failed", reason)


def test_a_plan_without_a_last_agent_fails_only_when_nobody_counts(fake_model: FakeModel) -> None:
    plan = plan_of(step("a"), step("b"))
    assert plan.last is None
    fake_model.enqueue(GOOD, agent="a")
    fake_model.enqueue(ModelError("no key."), agent="b")

    one = carry_out(plan, fake_model)

    assert (one.status, one.verdict and one.verdict.score) == ("done", 70)
    fake_model.enqueue(ModelError("no key."), ModelError("no key."))

    nobody = carry_out(plan, fake_model)

    assert (nobody.status, nobody.verdict) == ("failed", None)
    assert nobody.error == "no agent counted, so there is no conclusion. A: no key."
    assert list(nobody.reports) == ["a", "b"]


def test_a_failing_rule_fails_the_run_but_keeps_the_reports(fake_model: FakeModel) -> None:
    def conclude(reports: Reports) -> Verdict:
        raise ZeroDivisionError("no scores")

    fake_model.enqueue(GOOD)

    result = carry_out(plan_of(step("end", last=True), conclude=conclude), fake_model)

    assert result.status == "failed"
    assert "ZeroDivisionError: no scores" in result.error
    assert result.reports["end"].counted


def test_a_failed_second_look_is_a_warning_of_the_verdict(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, ModelError("gone."), agent="a")
    fake_model.enqueue(GOOD, REVISED, agent="b")
    fake_model.enqueue(GOOD, agent="end")

    result = carry_out(two_and_a_conclusion(a={"revise": True}, b={"revise": True}), fake_model)

    assert result.verdict is not None
    assert result.verdict.warnings == ("A: the second look failed, so its draft counts.",)


def test_events_tell_the_story_in_order(fake_model: FakeModel) -> None:
    adjustment = Adjustment(rule="veto", field="score", before=81, after=25, why="debt")
    events: list[Event] = []
    fake_model.enqueue(GOOD, REVISED)

    plan = plan_of(
        step("end", last=True, revise=True),
        conclude=lambda reports: Verdict(score=25, adjustments=(adjustment,)),
    )
    carry_out(plan, fake_model, listen=events.append)

    assert [(event.kind, event.agent, event.stage, event.detail) for event in events] == [
        ("agent_started", "end", None, ""),
        ("gathered", "end", None, ""),
        ("draft_done", "end", "draft", ""),
        ("revised_done", "end", "revised", ""),
        ("agent_finished", "end", None, "ok"),
        ("rule_applied", "", None, "veto"),
        ("finished", "", None, "done"),
    ]
    assert events[4].report is not None


def test_a_listener_that_raises_does_not_touch_the_run(fake_model: FakeModel) -> None:
    def listen(event: Event) -> None:
        raise RuntimeError("the page is gone")

    fake_model.enqueue(GOOD)

    assert carry_out(plan_of(step("end", last=True)), fake_model, listen=listen).status == "done"


def test_finished_agents_of_an_interrupted_run_are_not_asked_again(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD, GOOD)
    first = carry_out(two_and_a_conclusion(), fake_model)
    fake_model.history.clear()
    gathered: list[str] = []

    def gather(reports: Reports) -> Evidence:
        gathered.append("a")
        return EVIDENCE

    fake_model.enqueue(GOOD, GOOD)
    result = carry_out(two_and_a_conclusion(a={"gather": gather}), fake_model, done={"a": first.reports["a"]})

    assert result.status == "done"
    assert result.reports["a"] is first.reports["a"]
    assert [request.agent for request in fake_model.history] == ["b", "end"]
    # The receipt covers what was read, so the evidence of the finished agent is read once more.
    assert gathered == ["a"]


def test_cancelling_a_run_cancels_the_calls_in_flight() -> None:
    class HangingModel:
        def __init__(self) -> None:
            self.asked = asyncio.Event()
            self.cancelled: list[str] = []

        async def complete(self, request: Request) -> Reply:
            self.asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.append(request.agent)
                raise
            raise AssertionError

    async def scenario() -> list[str]:
        model = HangingModel()
        task = asyncio.create_task(run(two_and_a_conclusion(), MODELS, model))
        await model.asked.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return model.cancelled

    assert sorted(asyncio.run(scenario())) == ["a", "b"]
