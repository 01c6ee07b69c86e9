"""The baseline's match experts: what they cite, how they weigh it, what a second look changes."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from workbench.errors import ModelError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import fixtures
from workbench.evidence.football import combine
from workbench.evidence.slices import get_slice
from workbench.llm.base import Request
from workbench.llm.baseline.edges import (
    Ground,
    edge_of,
    expectations,
    ground,
    outcome_of,
    supremacy_of,
)
from workbench.llm.baseline.match import (
    WEIGHTS,
    aggregate,
    answer_at_once,
    draft_expert,
    revise_expert,
)
from workbench.llm.baseline.second_look import Change, apply
from workbench.records import MatchSubject, StageName
from workbench.rules.poisson import home_edge, poisson_1x2

FACTS = Path(__file__).parents[2] / "data" / "facts"
EXPERTS = ("form", "stats", "home_away", "h2h")
LEVEL = Ground(1.6, 1.2, 380)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("evidence") / "evidence.db", FACTS)


@pytest.fixture(scope="module")
def derby(db: EvidenceDB) -> Mapping[str, Mapping[str, Any]]:
    """Slice -> facts of Liverpool against Chelsea on 2019-04-14."""
    return facts_of(db, "Liverpool", dt.date(2019, 4, 14))


def facts_of(db: EvidenceDB, home: str, date: dt.date) -> Mapping[str, Mapping[str, Any]]:
    (subject,) = [f.subject for f in fixtures(db, since=date, until=date) if f.home == home]
    return {name: show(db, name, subject) for name in EXPERTS}


def show(db: EvidenceDB, name: str, subject: MatchSubject) -> Mapping[str, Any]:
    return get_slice(name, of="match")(db.view(subject.date), subject).facts


def ask(
    facts: Mapping[str, Any],
    *,
    language: str = "en",
    stage: StageName = "draft",
    draft: Mapping[str, Any] | None = None,
    **task: Any,
) -> Request:
    return Request(
        agent="expert",
        stage=stage,
        model="baseline",
        system="",
        prompt="",
        schema=BaseModel,
        facts=facts,
        task={"language": language, **task},
        draft=draft,
    )


def both(facts: Mapping[str, Any], name: str, language: str = "en") -> tuple[Any, Any]:
    draft = draft_expert(ask(facts, slice=name, language=language))
    return draft, revise_expert(ask(facts, slice=name, language=language, stage="revised", draft=draft))


@pytest.mark.parametrize("supremacy", [-2.0, -0.7, 0.0, 0.4, 1.3, 2.0])
def test_an_edge_is_nearly_the_exact_difference_of_probabilities_and_turns_back(supremacy: float) -> None:
    edge = edge_of(supremacy, 2.8)
    assert edge == pytest.approx(home_edge(poisson_1x2(*expectations(supremacy, 2.8))), abs=0.03)
    assert supremacy_of(edge, 2.8) == pytest.approx(supremacy, abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(st.floats(-1, 1), st.floats(0.5, 6))
def test_no_edge_takes_a_clubs_expectation_below_the_least(edge: float, total: float) -> None:
    home, away = expectations(supremacy_of(edge, total), total)
    assert min(home, away) >= 0.15 - 1e-9
    assert home + away == pytest.approx(total)


def test_the_likeliest_outcome_agrees_with_exact_poisson() -> None:
    for supremacy, total in itertools.product((-1.5, -0.3, 0.3, 1.5), (1.8, 2.8, 3.6)):
        exact = poisson_1x2(*expectations(supremacy, total))
        assert outcome_of(supremacy, total) == max(exact, key=lambda outcome: exact[outcome])
    assert outcome_of(0.0, 0.8) == "X"


def test_the_league_is_drawn_to_the_usual_goals_while_few_matches_are_known() -> None:
    header = {"league": {"matches": 20, "home_goals": 2.0, "away_goals": 1.0}}
    assert ground(header) == Ground(pytest.approx(1.8), pytest.approx(1.1), 20)
    assert ground({"league": None}) == Ground(1.6, 1.2, 0)


@pytest.mark.parametrize("name", EXPERTS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_figure_of_the_key_evidence_is_in_the_experts_own_facts(
    derby: Mapping[str, Mapping[str, Any]], name: str, language: str
) -> None:
    known = set(map(float, figures(derby[name])))
    for answer in both(derby[name], name, language):
        assert 1 <= len(answer["key_evidence"]) <= 5
        for line in answer["key_evidence"]:
            cited = [float(text) for text in re.findall(r"\d+(?:\.\d+)?", line)]
            assert cited
            assert set(cited) - {1.0} <= known, line  # 1 is the average that strengths are relative to


def figures(facts: Any) -> list[float]:
    if isinstance(facts, Mapping):
        return [figure for value in facts.values() for figure in figures(value)]
    if isinstance(facts, list):
        return [figure for value in facts for figure in figures(value)]
    return [facts] if isinstance(facts, int | float) else []


@pytest.mark.parametrize("name", EXPERTS)
def test_answers_keep_to_the_contract_and_repeat_exactly(
    derby: Mapping[str, Mapping[str, Any]], name: str
) -> None:
    draft, revised = both(derby[name], name)
    assert (draft, revised) == both(derby[name], name)
    for answer in (draft, revised):
        assert -1 <= answer["home_edge"] <= 1
        assert 0 <= answer["subjective_confidence"] <= 1
        assert answer["status"] == "ok"
    assert revised["why_changed"]


@pytest.mark.parametrize("name", EXPERTS)
def test_the_language_of_the_strategy_is_the_language_of_the_prose(
    derby: Mapping[str, Mapping[str, Any]], name: str
) -> None:
    for language, chinese in (("zh", True), ("en", False)):
        for answer in both(derby[name], name, language):
            prose = answer["analysis"] + answer.get("why_changed", "") + "".join(answer["key_evidence"])
            assert bool(re.search("[一-鿿]", prose)) is chinese


def test_form_follows_results_and_its_second_look_follows_expected_goals(
    derby: Mapping[str, Mapping[str, Any]],
) -> None:
    """Liverpool won 21:7 over ten matches on 1.89:0.76 expected goals: the draft is corrected downwards."""
    draft, revised = both(derby["form"], "form")
    assert draft["home_edge"] > revised["home_edge"] > 0
    assert "Expected goals rate the away club higher" in revised["why_changed"]
    assert "Liverpool xG 1.89:0.76, non-shot xG 2.39:0.86" in revised["key_evidence"]
    assert revised["subjective_confidence"] < draft["subjective_confidence"]


def test_equal_clubs_are_left_with_the_leagues_home_advantage(derby: Mapping[str, Mapping[str, Any]]) -> None:
    side = dict(derby["home_away"]["home"])
    league = {"matches": 380, "home_goals": 1.6, "away_goals": 1.2}
    usual_home = {**side, "recent": {**side["recent"], "goals_for": 16, "goals_against": 12, "matches": 10}}
    usual_away = {
        **side,
        "venue": "away",
        "recent": {**side["recent"], "goals_for": 12, "goals_against": 16, "matches": 10},
    }
    facts = {
        "match": {**derby["home_away"]["match"], "league": league},
        "home": usual_home,
        "away": usual_away,
    }
    answer = draft_expert(ask(facts, slice="home_away"))
    assert answer["home_edge"] == pytest.approx(edge_of(0.4, 2.8), abs=1e-3)


def test_a_thin_sample_lowers_confidence_and_pulls_towards_the_home_advantage(db: EvidenceDB) -> None:
    facts = facts_of(db, "West Ham United", dt.date(2019, 2, 4))["h2h"]
    facts = {**facts, "meetings": facts["meetings"][-3:], "total": {**facts["total"], "matches": 3}}
    draft, revised = both(facts, "h2h")
    assert draft["data_sufficiency"] == "medium"
    assert "Only 3 matches" in revised["why_changed"]
    assert revised["subjective_confidence"] < draft["subjective_confidence"]


def test_changes_apply_in_order_and_a_pull_leads_to_the_home_advantage() -> None:
    changes = [Change("a", shift=0.6), Change("b", pull=0.5)]
    assert apply(changes, 0.4, LEVEL) == pytest.approx(0.4 + 0.5 * 0.6)
    assert apply([Change("all", pull=1.0)], 3.0, LEVEL) == pytest.approx(LEVEL.advantage)
    assert apply([], 1.1, LEVEL) == 1.1


def test_a_promoted_club_is_judged_with_less_confidence_and_says_so(db: EvidenceDB) -> None:
    draft, revised = both(facts_of(db, "Fulham", dt.date(2018, 8, 11))["stats"], "stats")
    assert "Fulham have only 0.0 weighted matches" in revised["why_changed"]
    assert revised["subjective_confidence"] < draft["subjective_confidence"]


def injuries(**players: int) -> dict[str, Any]:
    match = {"home": "Reds", "away": "Blues", "date": "2019-04-14", "league": None}
    out = {
        side: {
            "club": match[side],
            "absences": [{"player": f"{side} {index}", "source": "club"} for index in range(number)],
        }
        for side, number in players.items()
    }
    return {"match": match, **out}


def test_absences_cost_a_tenth_of_a_goal_each_up_to_five() -> None:
    usual = edge_of(0.4, 2.8)
    even = draft_expert(ask(injuries(home=2, away=2), slice="injuries"))
    assert even["home_edge"] == pytest.approx(usual, abs=1e-3)
    many = draft_expert(ask(injuries(home=9, away=1), slice="injuries"))
    assert many["home_edge"] == pytest.approx(edge_of(0.4 - 0.5 + 0.1, 2.8), abs=1e-3)


def test_a_club_nobody_reported_on_is_unknown_and_not_complete() -> None:
    draft, revised = both(injuries(home=4), "injuries")
    assert draft["data_sufficiency"] == "low"
    assert "No report on Blues" in revised["why_changed"]
    assert draft["home_edge"] < revised["home_edge"] < edge_of(0.4, 2.8)


def report(agent: str, edge: float, *, status: str = "ok", sufficiency: str = "high") -> dict[str, Any]:
    return {
        "agent": agent,
        "title": agent,
        "slice": agent,
        "status": status,
        "sufficiency": sufficiency,
        "home_edge": edge,
        "subjective_confidence": 0.6,
    }


HEADER = {"home": "Reds", "away": "Blues", "league": None, "table": {"home": None, "away": None}}


def test_the_aggregator_weighs_edges_by_the_declared_weights() -> None:
    reports = [report("stats", edge_of(1.0, 2.8)), report("home_away", edge_of(-0.2, 2.8))]
    answer = aggregate(ask({"match": HEADER, "reports": reports}))
    difference = (0.9 * 1.0 + 0.3 * -0.2) / 1.2
    assert answer["pred_home_goals"] == pytest.approx((2.8 + difference) / 2, abs=0.006)
    assert answer["pred_away_goals"] == pytest.approx((2.8 - difference) / 2, abs=0.006)
    assert answer["agent_weights"] == {"stats": 0.9, "home_away": 0.3}
    assert answer["1x2"] == "1"
    assert "home_away point the other way" in answer["reasoning"]


def test_an_expert_without_data_gets_no_weight_and_a_low_sample_half() -> None:
    silent = {"agent": "injuries", "title": "injuries", "slice": "injuries", "status": "no_data"}
    reports = [report("stats", 0.3), report("form", 0.1, sufficiency="low"), silent]
    weights = aggregate(ask({"match": HEADER, "reports": reports}))["agent_weights"]
    assert weights == {"stats": 0.9, "form": pytest.approx(WEIGHTS["form"] / 2), "injuries": 0.0}


def test_clubs_of_many_goals_raise_the_expected_total() -> None:
    line = {"matches": 30, "goals_for": 75, "goals_against": 45}  # 4.0 goals a match
    header = {**HEADER, "table": {"home": line, "away": None}}
    answer = aggregate(ask({"match": header, "reports": [report("stats", 0.3)]}))
    total = 2.8 + 0.5 * (4.0 - 2.8) * 30 / 40
    assert answer["pred_home_goals"] + answer["pred_away_goals"] == pytest.approx(total, abs=0.011)


def test_with_nobody_heard_the_league_speaks_with_little_confidence() -> None:
    answer = aggregate(ask({"match": HEADER, "reports": []}))
    assert (answer["pred_home_goals"], answer["pred_away_goals"]) == (1.6, 1.2)
    assert answer["subjective_confidence"] == 0.1


def test_one_call_over_everything_agrees_with_the_experts(db: EvidenceDB) -> None:
    (subject,) = [
        f.subject
        for f in fixtures(db, since=dt.date(2019, 4, 14), until=dt.date(2019, 4, 14))
        if f.home == "Liverpool"
    ]
    view = db.view(subject.date)
    parts = {name: get_slice(name, of="match")(view, subject) for name in EXPERTS}
    single = answer_at_once(ask(combine(parts).facts, slices={name: name for name in EXPERTS}, revise=True))
    experts = [
        {
            **report(name, both(parts[name].facts, name)[1]["home_edge"]),
            "sufficiency": parts[name].sufficiency,
        }
        for name in EXPERTS
    ]
    header = parts["form"].facts["match"]
    together = aggregate(ask({"match": header, "reports": experts}))
    assert "agent_weights" not in single
    assert single["pred_home_goals"] == together["pred_home_goals"]
    assert single["pred_away_goals"] == together["pred_away_goals"]


def test_a_slice_without_rules_is_a_model_error_naming_the_remedy() -> None:
    with pytest.raises(ModelError, match=r"no expert for the slice 'weather'.*hosted model"):
        draft_expert(ask({"match": HEADER}, slice="weather"))


@pytest.mark.parametrize("name", ["form", "stats", "home_away"])
def test_matches_of_long_ago_lower_the_confidence_and_pull_the_edge(db: EvidenceDB, name: str) -> None:
    (subject,) = [
        f.subject
        for f in fixtures(db, since=dt.date(2019, 4, 14), until=dt.date(2019, 4, 14))
        if f.home == "Liverpool"
    ]
    later = subject.model_copy(update={"date": dt.date(2019, 12, 1), "season": "2019-20"})
    draft, revised = both(show(db, name, later), name)
    assert "2019-05-12" in revised["why_changed"]
    assert revised["subjective_confidence"] <= 0.6 * draft["subjective_confidence"] + 0.01
