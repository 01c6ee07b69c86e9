"""One agent: draft, second look, one re-ask, and every way in which it may fail."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.conftest import FakeModel
from tests.engine_samples import DRAFT, EVIDENCE, GOOD, REVISED, plan_of, step
from workbench.engine.agent import RunOptions, prompt_variables, run_agent
from workbench.engine.plan import Step
from workbench.errors import EvidenceError, ModelError
from workbench.llm.base import Reply, Request
from workbench.records import BASELINE, Evidence, Report, Sampling
from workbench.strategy.prompts import Prompt


def work(
    one: Step,
    model: object,
    options: RunOptions | None = None,
    language: str = "en",
    reports: dict | None = None,
) -> Report:
    plan = plan_of(one, step("end", last=True), language=language)
    return asyncio.run(run_agent(one, plan, reports or {}, model, "fake/model", options))


def test_a_draft_becomes_an_opinion_and_its_call_is_on_record(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD)

    report = work(step("a"), fake_model)

    assert (report.status, report.error, report.revised) == ("ok", "", None)
    assert report.draft is not None
    assert (report.draft.score, report.draft.confidence, report.draft.analysis) == (70, 0.6, "steady")
    [call] = report.calls
    assert (call.agent, call.stage, call.attempt) == ("a", "draft", 1)
    assert (call.requested_model, call.resolved_model) == ("fake/model", "fake")
    assert call.prompt.startswith("revenue 1 0 {")
    assert json.loads(call.reply) == GOOD
    assert (call.input_tokens, call.output_tokens, call.template_hash) == (10, 5, "draft-hash")


def test_the_second_look_sees_the_draft_and_says_what_it_changed(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, REVISED)

    report = work(step("a", revise=True), fake_model)

    assert report.draft is not None
    assert report.revised is not None
    assert report.final == report.revised
    assert (report.revised.score, report.revised.why_changed) == (60, "one year only")
    draft, second = fake_model.history
    assert (draft.stage, draft.draft) == ("draft", None)
    assert (second.stage, second.draft) == ("revised", GOOD)
    assert second.prompt.startswith("70.0 ")
    assert "why_changed" in second.prompt
    assert "why_changed" not in draft.prompt


def test_without_evidence_no_model_is_asked(fake_model: FakeModel) -> None:
    report = work(step("a", gather=lambda reports: Evidence(missing={"price": "not listed"})), fake_model)

    assert (report.status, report.draft, report.calls) == ("no_data", None, ())
    assert report.evidence.missing == {"price": "not listed"}
    assert fake_model.history == []


def test_an_unusable_answer_is_asked_again_once_with_the_error_and_without_the_answer(
    fake_model: FakeModel,
) -> None:
    fake_model.enqueue(GOOD | {"confidence": "rather sure"}, GOOD)

    report = work(step("a"), fake_model)

    assert report.status == "ok"
    first, second = fake_model.history
    assert second.prompt.startswith(first.prompt)
    assert "confidence: a number is needed." in second.prompt
    assert "rather sure" not in second.prompt
    assert [call.attempt for call in report.calls] == [1, 2]
    assert report.calls[0].error == "confidence: a number is needed."
    assert "rather sure" in report.calls[0].reply
    assert report.calls[1].error == ""


def test_a_chinese_run_is_asked_again_in_chinese(fake_model: FakeModel) -> None:
    fake_model.enqueue("好的", GOOD)

    work(step("a"), fake_model, language="zh")

    assert "请重新作答" in fake_model.history[1].prompt


def test_two_unusable_answers_are_a_parse_error_and_there_is_no_third_question(fake_model: FakeModel) -> None:
    fake_model.enqueue("I would buy.", "Still buying.", GOOD)

    report = work(step("a"), fake_model)

    assert (report.status, report.draft) == ("parse_error", None)
    assert "no complete JSON object" in report.error
    assert len(fake_model.history) == 2


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (ModelError("no key.", where="fake/model", remedy="Set FAKE_API_KEY."), "Set FAKE_API_KEY."),
        (RuntimeError("boom"), "unexpected RuntimeError: boom"),
        (TimeoutError(), "unexpected TimeoutError"),
    ],
)
def test_a_model_that_raises_is_an_error_report_with_its_call(
    fake_model: FakeModel, failure: Exception, said: str
) -> None:
    fake_model.enqueue(failure)

    report = work(step("a"), fake_model)

    assert (report.status, report.draft) == ("error", None)
    assert said in report.error
    [call] = report.calls
    assert said in call.error
    assert (call.reply, call.cost) == ("", None)


def test_evidence_that_cannot_be_gathered_is_an_error_report(fake_model: FakeModel) -> None:
    def fails(reports: object) -> Evidence:
        raise EvidenceError("the statements are unreadable.")

    report = work(step("a", gather=fails), fake_model)

    assert (report.status, report.error) == ("error", "the statements are unreadable.")
    assert fake_model.history == []


def test_a_prompt_that_does_not_render_is_an_error_report_and_costs_nothing(fake_model: FakeModel) -> None:
    report = work(step("a", draft=Prompt("expert", "v1", "s", "{{ nobody_knows }}", "h")), fake_model)

    assert report.status == "error"
    assert "nobody_knows" in report.error
    assert fake_model.history == []


@pytest.mark.parametrize("answers", [[ModelError("gone.")], ["nonsense", "more nonsense"]])
def test_when_the_second_look_fails_the_draft_counts_and_the_report_says_so(
    fake_model: FakeModel, answers: list[str | Exception]
) -> None:
    fake_model.enqueue(GOOD, *answers)

    report = work(step("a", revise=True), fake_model)

    assert (report.status, report.counted, report.revised) == ("ok", True, None)
    assert report.final == report.draft
    assert report.error.startswith("The second look failed, so the draft counts: ")
    assert report.calls[-1].error != ""


class SilentModel:
    """Never answers."""

    async def complete(self, request: Request) -> Reply:
        await asyncio.Event().wait()
        raise AssertionError


def test_an_agent_that_takes_too_long_is_an_error_report() -> None:
    report = work(step("a"), SilentModel(), RunOptions(agent_deadline_s=0.01))

    assert report.status == "error"
    assert report.error == (
        "a: no result within 0.01 s. Raise WORKBENCH_AGENT_DEADLINE_S or choose a faster model."
    )
    assert report.calls[0].error == "stopped before an answer came"


def test_a_deadline_passed_during_the_second_look_keeps_the_draft() -> None:
    class SlowThinker(SilentModel):
        async def complete(self, request: Request) -> Reply:
            if request.stage == "draft":
                return Reply(json.dumps(GOOD), "fake")
            return await super().complete(request)

    report = work(step("a", revise=True), SlowThinker(), RunOptions(agent_deadline_s=0.05))

    assert report.counted
    assert report.final == report.draft
    assert "no result within 0.05 s" in report.error


def test_sampling_parameters_follow_the_tier(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, GOOD)
    tiers = {"specialist": Sampling(temperature=0.2), "aggregator": Sampling(seed=7)}
    options = RunOptions(sampling=tiers, repeat=3)

    work(step("a"), fake_model, options)
    work(step("z", last=True), fake_model, options)

    assert [request.params for request in fake_model.history] == [{"temperature": 0.2}, {"seed": 7}]
    assert {request.repeat for request in fake_model.history} == {3}


def test_what_the_strategy_asks_of_sampling_goes_before_the_settings(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD)
    options = RunOptions(sampling={"specialist": Sampling(temperature=0.2, seed=7)})
    plan = replace(plan_of(step("a")), sampling={"specialist": Sampling(temperature=0)})

    asyncio.run(run_agent(plan.steps[0], plan, {}, fake_model, "fake/m", options))

    assert fake_model.history[0].params == {"temperature": 0, "seed": 7}


def test_the_baseline_is_asked_without_sampling_parameters(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD)
    options = RunOptions(sampling={"specialist": Sampling(temperature=0.2)})
    plan = plan_of(step("a"))

    report = asyncio.run(run_agent(plan.steps[0], plan, {}, fake_model, BASELINE, options))

    assert report.calls[0].params == {}


def test_prompt_variables_name_only_the_reports_a_step_needs(fake_model: FakeModel) -> None:
    fake_model.enqueue(GOOD, agent="a")
    fake_model.enqueue(ModelError("gone."), agent="b")
    reports = {name: work(step(name), fake_model) for name in ("a", "b", "c")}
    plan = plan_of(step("a"), step("b"), step("c"), step("end", needs=("a", "b"), last=True))

    variables = prompt_variables(plan.last, plan, EVIDENCE, reports)

    assert variables["as_of"] == "2021-06-30"
    assert variables["subject"]["code"] == "AAPL"
    assert "draft" not in variables
    first, second = variables["reports"]
    assert (first["agent"], first["status"], first["score"], first["fields"]) == ("a", "ok", 70, GOOD)
    assert (second["agent"], second["status"], second["score"], second["fields"]) == ("b", "error", None, {})


def test_prompt_variables_are_enough_to_preview_a_prompt_without_a_run() -> None:
    plan = plan_of(step("a"), step("end", last=True))

    text = DRAFT.render(prompt_variables(plan.steps[0], plan, EVIDENCE, {}))

    assert '"score": <number from 0 to 100>' in text
