"""The rules that turn a match run's reports into its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from workbench.records import EDGE_SCALE, Adjustment, Evidence, Opinion, Report, Status
from workbench.rules.match import conclude, heard
from workbench.rules.poisson import poisson_1x2
from workbench.strategy.schema import MatchStrategy

STRATEGY = MatchStrategy.model_validate(
    {
        "name": "match",
        "title": "Match",
        "language": "en",
        "specialists": [{"name": "form", "title": "Form", "slice": "form"}],
    }
)
ANSWER: Mapping[str, Any] = {
    "pred_home_goals": 2.0,
    "pred_away_goals": 1.0,
    "1x2": "1",
    "subjective_confidence": 0.6,
    "reasoning": "because",
    "agent_weights": {"form": 0.9, "injuries": 0.4},
}


def expert(agent: str, status: Status = "ok", **fields: Any) -> Report:
    answer = {"status": "ok", "data_sufficiency": "high", "home_edge": 0.2, **fields}
    opinion = Opinion(stage="draft", score=0.2, fields=answer) if status == "ok" else None
    return Report(
        agent=agent,
        title=agent.title(),
        role="specialist",
        scale=EDGE_SCALE,
        status=status,
        evidence=Evidence(),
        draft=opinion,
    )


def verdict_of(answer: Mapping[str, Any], *experts: Report, strategy: MatchStrategy = STRATEGY):  # type: ignore[no-untyped-def]
    last = Report(
        agent="aggregator",
        title="Aggregator",
        role="aggregator",
        scale=EDGE_SCALE,
        status="ok",
        evidence=Evidence(),
        draft=Opinion(
            stage="draft", confidence=answer["subjective_confidence"], analysis="because", fields=dict(answer)
        ),
    )
    everyone = experts or (expert("form"), expert("injuries"))
    return conclude({report.agent: report for report in (*everyone, last)}, strategy)


def adjusted(adjustments: tuple[Adjustment, ...], rule: str) -> list[tuple[Any, Any]]:
    return [(each.before, each.after) for each in adjustments if each.rule == rule]


def test_probabilities_follow_from_the_goals_where_the_answer_has_none() -> None:
    verdict = verdict_of(ANSWER)
    assert verdict.fields["probabilities"] == poisson_1x2(2.0, 1.0)
    assert adjusted(verdict.adjustments, "poisson") == [(None, "1 60.6% · X 21.2% · 2 18.3%")]
    assert (verdict.score, verdict.label, verdict.confidence) == (1.0, "1", 0.6)
    assert verdict.warnings == ()


def test_probabilities_that_sum_to_one_stand_as_they_are() -> None:
    given = {"1": 0.5, "X": 0.3, "2": 0.2}
    verdict = verdict_of({**ANSWER, "probabilities": given})
    assert verdict.fields["probabilities"] == given
    assert verdict.adjustments == ()


def test_probabilities_that_do_not_sum_to_one_are_scaled_with_a_warning() -> None:
    verdict = verdict_of({**ANSWER, "probabilities": {"1": 0.6, "X": 0.4, "2": 0.25}})
    assert verdict.fields["probabilities"] == pytest.approx({"1": 0.48, "X": 0.32, "2": 0.2})
    assert adjusted(verdict.adjustments, "renormalise") == [
        ("1 60.0% · X 40.0% · 2 25.0%", "1 48.0% · X 32.0% · 2 20.0%")
    ]
    assert "sum to 1.250" in verdict.warnings[0]


def test_probabilities_that_are_all_zero_count_as_not_given() -> None:
    verdict = verdict_of({**ANSWER, "probabilities": {"1": 0, "X": 0, "2": 0}})
    assert verdict.fields["probabilities"] == poisson_1x2(2.0, 1.0)


def test_probabilities_and_goals_that_favour_different_clubs_are_named() -> None:
    verdict = verdict_of({**ANSWER, "1x2": "2", "probabilities": {"1": 0.2, "X": 0.3, "2": 0.5}})
    assert verdict.label == "2"
    assert ["favour different clubs" in warning for warning in verdict.warnings] == [True]


def test_a_1x2_that_contradicts_the_probabilities_is_replaced_and_kept_beside() -> None:
    verdict = verdict_of({**ANSWER, "1x2": "X"})
    assert verdict.label == "1"
    assert verdict.fields["1x2"] == "X"
    assert adjusted(verdict.adjustments, "1x2") == [("X", "1")]
    assert "The answer says X, but 1 is likeliest" in verdict.warnings[0]


def test_on_a_tie_the_answers_own_choice_stands() -> None:
    even = {**ANSWER, "pred_home_goals": 1.2, "pred_away_goals": 1.2, "1x2": "2"}
    verdict = verdict_of(even)
    assert verdict.label == "2"
    assert adjusted(verdict.adjustments, "1x2") == []


@pytest.mark.parametrize("status", ["no_data", "error", "parse_error"])
def test_an_expert_without_a_report_has_no_weight(status: Status) -> None:
    verdict = verdict_of(ANSWER, expert("form"), expert("injuries", status))
    assert verdict.fields["agent_weights"] == {"form": 0.9, "injuries": 0.0}
    assert adjusted(verdict.adjustments, "agent_weights") == [(0.4, 0.0)]
    assert (verdict.counted, verdict.total) == (1, 2)


def test_a_weight_that_is_zero_already_needs_no_rule() -> None:
    answer = {**ANSWER, "agent_weights": {"form": 0.9, "injuries": 0.0}}
    verdict = verdict_of(answer, expert("form"), expert("injuries", "no_data"))
    assert adjusted(verdict.adjustments, "agent_weights") == []


def test_an_expert_that_says_itself_that_it_had_nothing_is_not_heard() -> None:
    assert heard(expert("form"))
    assert not heard(expert("form", data_sufficiency="none"))
    silent = expert("form").model_copy(
        update={"draft": Opinion(stage="draft", fields={"status": "no_data", "data_sufficiency": "low"})}
    )
    assert not heard(silent)


def test_a_missing_weight_is_left_out_and_a_strangers_weight_is_named() -> None:
    verdict = verdict_of({**ANSWER, "agent_weights": {"form": 0.9, "odds": 0.5}})
    assert verdict.fields["agent_weights"] == {"form": 0.9}
    assert any("gives Injuries no weight" in warning for warning in verdict.warnings)
    assert any("no expert of this run: odds" in warning for warning in verdict.warnings)


def test_reasons_are_told_in_the_strategys_language() -> None:
    verdict = verdict_of(ANSWER, strategy=STRATEGY.model_copy(update={"language": "zh"}))
    assert "独立泊松" in verdict.adjustments[0].why


def test_probabilities_of_nothing_but_zero_are_not_called_absent() -> None:
    """The rule said that the answer gave none."""
    zeros = {"1": 0.0, "X": 0.0, "2": 0.0}
    verdict = verdict_of({**ANSWER, "probabilities": zeros})
    rule = next(each for each in verdict.adjustments if each.rule == "poisson")
    assert rule.before is not None
    assert rule.why.startswith("The answer gives probabilities of 0 alone")
    assert sum(verdict.fields["probabilities"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("said", "words"),
    [({"status": "no_data"}, "no_data"), ({"data_sufficiency": "none"}, "data_sufficiency none")],
)
def test_an_expert_that_says_it_has_nothing_is_named_with_that(said: dict[str, str], words: str) -> None:
    """Its weight went to 0 because it was "ok"."""
    verdict = verdict_of(ANSWER, expert("form"), expert("injuries", **said))
    rule = next(each for each in verdict.adjustments if each.field == "agent_weights.injuries")
    assert rule.why == f"Injuries has nothing to count ({words}); its weight is 0."
