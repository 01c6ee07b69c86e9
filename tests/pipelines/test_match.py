"""The match pipeline end to end: experts, gate, fail-open, single mode, and no look-ahead."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.engine.plan import Plan
from workbench.engine.runner import Result, run
from workbench.errors import InputError, ModelError, StrategyError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import resolve_match
from workbench.llm.base import Model, Reply, Request
from workbench.llm.baseline import Baseline
from workbench.llm.replies import ReplyError, parse_reply
from workbench.pipelines.match import FinalAnswer, SingleAnswer, build
from workbench.records import MatchSubject, Models, TickerSubject
from workbench.strategy.files import LoadedStrategy, load_strategy
from workbench.strategy.prompts import PromptLibrary

ROOT = Path(__file__).parents[2]
DAY = dt.date(2019, 4, 14)

EXPERT: Mapping[str, Any] = {
    "agent": "form",
    "status": "ok",
    "data_sufficiency": "high",
    "analysis": "steady",
    "home_edge": 0.3,
    "subjective_confidence": 0.6,
    "key_evidence": ["six wins"],
    "why_changed": "nothing to change",
}
FINAL: Mapping[str, Any] = {
    "pred_home_goals": 2.1,
    "pred_away_goals": 1.0,
    "1x2": "1",
    "subjective_confidence": 0.68,
    "reasoning": "weighed",
    "agent_weights": {"form": 0.9, "stats": 0.8, "home_away": 0.7, "injuries": 0.5, "h2h": 0.4},
}


class Scripted:
    """Answers every expert and the last agent alike; agents in ``broken`` raise or talk nonsense instead."""

    def __init__(self, **broken: str | Exception) -> None:
        self.broken = broken
        self.asked: list[tuple[str, str]] = []
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append((request.agent, request.stage))
        self.requests.append(request)
        answer = self.broken.get(request.agent)
        if isinstance(answer, Exception):
            raise answer
        last = request.agent in ("aggregator", "single")
        text = answer or json.dumps(FINAL if last else EXPERT)
        return Reply(text=text, resolved_model="scripted")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("evidence") / "evidence.db", ROOT / "data" / "facts")


@pytest.fixture(scope="module")
def loaded() -> LoadedStrategy:
    return load_strategy(ROOT / "strategy" / "match.yaml")


def plan_for(db: EvidenceDB, loaded: LoadedStrategy, *, day: dt.date = DAY, **changes: Any) -> Plan:
    strategy = loaded.strategy.model_copy(update=changes)
    changed = dataclasses.replace(loaded, strategy=strategy)
    subject = resolve_match(db, "Liverpool", "Chelsea", day)
    return build(
        changed, strategy, subject, view=db.view(subject.date), prompts=PromptLibrary(ROOT / "prompts")
    )


def carry_out(plan: Plan, model: Model) -> Result:
    return asyncio.run(run(plan, Models(), model))


def test_five_experts_report_in_parallel_and_the_aggregator_waits_for_all(
    db: EvidenceDB, loaded: LoadedStrategy
) -> None:
    plan = plan_for(db, loaded)
    assert [step.agent for step in plan.steps] == [
        "form",
        "stats",
        "home_away",
        "injuries",
        "h2h",
        "aggregator",
    ]
    assert [step.needs for step in plan.steps[:-1]] == [()] * 5
    assert set(plan.last.needs) == {"form", "stats", "home_away", "injuries", "h2h"}
    assert plan.prompt_version == "multi_v1"
    assert [step.tier for step in plan.steps] == ["specialist"] * 5 + ["aggregator"]


def test_no_model_is_asked_about_a_slice_without_data_and_its_weight_is_zero(
    db: EvidenceDB, loaded: LoadedStrategy
) -> None:
    model = Scripted()
    result = carry_out(plan_for(db, loaded), model)
    assert result.status == "done"
    assert result.reports["injuries"].status == "no_data"
    assert not [agent for agent, _ in model.asked if agent == "injuries"]
    assert len(model.asked) == 4 * 2 + 1
    assert result.verdict is not None
    assert result.verdict.fields["agent_weights"]["injuries"] == 0.0
    assert (result.verdict.counted, result.verdict.total) == (4, 5)


def test_experts_are_revised_and_the_aggregator_is_not(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    model = Scripted()
    carry_out(plan_for(db, loaded), model)
    assert [stage for agent, stage in model.asked if agent == "form"] == ["draft", "revised"]
    assert [stage for agent, stage in model.asked if agent == "aggregator"] == ["draft"]
    drafts_only = Scripted()
    carry_out(plan_for(db, loaded, revise=False), drafts_only)
    assert {stage for _, stage in drafts_only.asked} == {"draft"}


@pytest.mark.parametrize("fault", [ModelError("the model is silent."), "no json at all", ValueError("a bug")])
def test_a_failed_expert_stops_nobody_and_has_no_weight(
    db: EvidenceDB, loaded: LoadedStrategy, fault: str | Exception
) -> None:
    result = carry_out(plan_for(db, loaded), Scripted(stats=fault))
    assert result.status == "done"
    assert result.reports["stats"].status in ("error", "parse_error")
    assert result.verdict is not None
    assert result.verdict.fields["agent_weights"]["stats"] == 0.0
    assert result.verdict.counted == 3


def test_only_the_aggregators_failure_fails_the_run(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    result = carry_out(plan_for(db, loaded), Scripted(aggregator=ModelError("the model is silent.")))
    assert result.status == "failed"
    assert result.verdict is None
    assert result.reports["form"].status == "ok"


def test_the_aggregator_is_told_who_has_no_data(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    model = Scripted(form=ModelError("down."))
    carry_out(plan_for(db, loaded), model)
    prompt = model.requests[-1].prompt
    assert "没有数据，这一维度未作分析" in prompt
    assert "没有结论（error）" in prompt
    assert "攻防数据（stats）" in prompt


@pytest.mark.parametrize("agent", ["form", "stats", "home_away", "h2h"])
def test_an_expert_answers_the_document_s_contract_exactly(
    db: EvidenceDB, loaded: LoadedStrategy, agent: str
) -> None:
    report = carry_out(plan_for(db, loaded), Baseline()).reports[agent]
    contract = {
        "status",
        "data_sufficiency",
        "analysis",
        "home_edge",
        "subjective_confidence",
        "key_evidence",
    }
    assert report.agent == agent
    assert report.draft is not None
    assert report.revised is not None
    assert set(report.draft.fields) == contract
    assert set(report.revised.fields) == contract | {"why_changed"}
    assert report.revised.fields["status"] == "ok"
    assert len(report.revised.fields["key_evidence"]) <= 5


def test_the_final_answer_and_the_verdict_hold_the_document_s_contract(
    db: EvidenceDB, loaded: LoadedStrategy
) -> None:
    result = carry_out(plan_for(db, loaded), Baseline())
    final = result.reports["aggregator"].final
    assert final is not None
    contract = set(FINAL)
    assert set(final.fields) == contract
    assert result.verdict is not None
    assert contract - {"subjective_confidence"} | {"probabilities"} == set(result.verdict.fields)


def test_a_status_outside_the_contract_is_asked_for_again(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    """An expert that called itself "success" was once left unheard without a word."""
    model = Scripted(form=json.dumps(EXPERT | {"status": "success"}))
    result = carry_out(plan_for(db, loaded), model)
    assert [agent for agent, _ in model.asked].count("form") == 2
    assert result.reports["form"].status == "parse_error"
    assert "status" in result.reports["form"].error


def test_single_mode_asks_once_over_one_context_and_is_told_apart_by_its_version(
    db: EvidenceDB, loaded: LoadedStrategy
) -> None:
    plan = plan_for(db, loaded, mode="single")
    model = Scripted()
    result = carry_out(plan, model)
    assert plan.prompt_version == "v1"
    assert model.asked == [("single", "draft")]
    for heading in ("## form", "## stats", "## home_away", "## h2h"):
        assert heading in model.requests[0].prompt
    assert "agent_weights" not in model.requests[0].prompt
    assert result.verdict is not None
    assert result.verdict.label == "1"


@pytest.mark.parametrize("mode", ["multi", "single"])
def test_no_prompt_shows_the_result_the_forecast_or_a_later_day(
    db: EvidenceDB, loaded: LoadedStrategy, mode: str
) -> None:
    model = Scripted()
    result = carry_out(plan_for(db, loaded, mode=mode), model)
    for request in model.requests:
        assert "ref_" not in request.prompt
        later = [f"2019-04-{day}" for day in range(15, 31)]
        assert not [day for day in later if day in request.prompt]
    assert result.receipt is not None
    assert result.receipt.withheld > 0
    assert result.receipt.newest_evidence == dt.date(2019, 4, 13)


def test_the_baseline_runs_the_whole_pipeline(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    result = carry_out(plan_for(db, loaded), Baseline())
    assert result.verdict is not None
    assert result.verdict.warnings == ()
    assert result.verdict.label == "1"
    assert sum(result.verdict.fields["probabilities"].values()) == pytest.approx(1.0)
    assert all(report.revised for name, report in result.reports.items() if name in ("form", "stats"))


def test_a_future_result_changes_no_earlier_prediction(tmp_path: Path, loaded: LoadedStrategy) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", ROOT / "data" / "facts")
    before = carry_out(plan_for(db, loaded), Baseline())
    row = {
        "competition": "English Premier League",
        "season": "2018-19",
        "home": "Chelsea",
        "away": "Liverpool",
        "home_goals": 9,
        "away_goals": 0,
    }
    db.add("matches", [{**row, "date": "2019-04-14"}, {**row, "date": "2019-05-30"}], origin="future")
    view = db.view(DAY)
    after = carry_out(
        build(loaded, loaded.strategy, before_subject(), view=view, prompts=PromptLibrary(ROOT / "prompts")),
        Baseline(),
    )
    assert after.verdict == before.verdict
    assert after.receipt is not None
    assert before.receipt is not None
    assert after.receipt.withheld == before.receipt.withheld + 2


def before_subject() -> MatchSubject:
    return MatchSubject(
        competition="English Premier League", season="2018-19", date=DAY, home="Liverpool", away="Chelsea"
    )


def test_long_before_any_data_ends_without_a_verdict(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    opening = MatchSubject(
        competition="English Premier League",
        season="2016-17",
        date=dt.date(2016, 8, 13),
        home="Burnley",
        away="Swansea City",
    )
    plan = build(
        loaded,
        loaded.strategy,
        opening,
        view=db.view(opening.date),
        prompts=PromptLibrary(ROOT / "prompts"),
    )
    model = Scripted()
    result = carry_out(plan, model)
    assert (result.status, model.asked) == ("failed", [])


def test_a_future_match_between_known_clubs_is_predicted_with_a_warning(
    db: EvidenceDB, loaded: LoadedStrategy
) -> None:
    result = carry_out(plan_for(db, loaded, day=dt.date(2026, 9, 1)), Baseline())
    assert result.verdict is not None
    assert "2019-05-12" in result.verdict.warnings[0]
    assert result.reports["form"].evidence.sufficiency == "low"


def test_absences_the_user_gives_are_judged_by_their_expert(tmp_path: Path, loaded: LoadedStrategy) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", ROOT / "data" / "facts")
    out = {"team": "Chelsea", "player": "somebody", "published": "2019-04-12", "source": "club"}
    db.add("absences", [out], origin="test")
    result = carry_out(plan_for(db, loaded), Baseline())
    assert result.reports["injuries"].status == "ok"
    assert result.verdict is not None
    assert result.verdict.fields["agent_weights"]["injuries"] > 0


def test_a_view_from_after_the_match_is_refused(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    with pytest.raises(InputError, match="has been played"):
        build(
            loaded,
            loaded.strategy,
            before_subject(),
            view=db.view(DAY + dt.timedelta(days=1)),
            prompts=PromptLibrary(ROOT / "prompts"),
        )


def test_a_ticker_and_an_unknown_slice_are_refused(db: EvidenceDB, loaded: LoadedStrategy) -> None:
    prompts = PromptLibrary(ROOT / "prompts")
    ticker = TickerSubject(code="AAPL", name="Apple")
    with pytest.raises(InputError, match="judges matches, not a ticker"):
        build(loaded, loaded.strategy, ticker, view=db.view(DAY), prompts=prompts)
    stranger = loaded.strategy.specialists[0].model_copy(update={"slice": "ratios"})
    with pytest.raises(StrategyError, match="no evidence slice 'ratios' of a match"):
        plan_for(db, loaded, specialists=(stranger,))


def test_the_final_contract_takes_optional_probabilities_under_their_own_names() -> None:
    given = {"1": 0.5, "X": "30%", "2": 0.2}
    value = parse_reply(json.dumps({**FINAL, "probabilities": given}), FinalAnswer).value
    assert value["probabilities"] == {"1": 0.5, "X": 0.3, "2": 0.2}
    assert value["1x2"] == "1"
    single = parse_reply(json.dumps(FINAL), SingleAnswer)
    assert single.extra == {"agent_weights"}
    assert "probabilities" not in single.value


@pytest.mark.parametrize(
    ("field", "value"),
    [("pred_home_goals", 101), ("probabilities", {"1": 0.5, "X": 0.5}), ("probabilities", {"1": 50})],
)
def test_slips_in_a_forecast_are_errors_and_never_clamped(field: str, value: Any) -> None:
    with pytest.raises(ReplyError) as raised:
        parse_reply(json.dumps({**FINAL, field: value}), FinalAnswer)
    assert raised.value.field.startswith(field)
