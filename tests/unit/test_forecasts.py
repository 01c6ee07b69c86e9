"""Which runs can be judged and by what: results of 90 minutes, yardsticks, and what is left out by name."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from typing import Any

import pytest

from tests.football_samples import EVEN, make_match, make_run
from workbench.evaluate.forecasts import (
    Contestant,
    base_rates,
    contestant_of,
    forecast_of,
    judge,
    result_of,
    yardsticks,
)
from workbench.records import Models, TickerSubject

MATCH = make_match(0, (2, 1))


def test_a_run_is_judged_by_the_result_after_ninety_minutes() -> None:
    cup_tie = make_match(3, (1, 1), extra_home=1, extra_away=2, pens_home=None, status="played")
    judgement = judge([make_run(MATCH), make_run(cup_tie)], [MATCH, cup_tie])
    assert [each.forecast.outcome for each in judgement.judged] == ["1", "X"]
    assert judgement.left_out == ()


@pytest.mark.parametrize(
    ("goals", "status", "reason"),
    [
        (None, None, "scheduled"),
        (None, "scheduled", "scheduled"),
        (None, "postponed", "postponed"),
        ((1, 0), "abandoned", "abandoned"),
        ((3, 0), "awarded", "awarded"),
        (None, "cancelled", "cancelled"),
        (None, "played", "scheduled"),
    ],
)
def test_a_match_without_such_a_result_is_named_and_judges_nobody(
    goals: Any, status: Any, reason: str
) -> None:
    match = make_match(0, goals, status=status)
    judgement = judge([make_run(match)], [match])
    assert (judgement.judged, dict(judgement.reasons)) == ((), {reason: 1})
    with pytest.raises(ValueError, match="has no result"):
        result_of(match)


def test_every_run_is_either_judged_or_left_out_with_its_reason() -> None:
    runs = [
        make_run(MATCH),
        make_run(MATCH, status="failed"),
        make_run(MATCH, status="cancelled"),
        make_run(MATCH, status="interrupted"),
        make_run(MATCH, status="running"),
        make_run(make_match(5)),
        make_run(MATCH, probabilities={}),
    ]
    judgement = judge(runs, [MATCH])
    assert len(judgement.judged) + len(judgement.left_out) == len(runs)
    assert judgement.reasons == {
        "failed": 1, "run_cancelled": 1, "interrupted": 1, "running": 1, "not_on_record": 1, "no_forecast": 1,
    }  # fmt: skip


def test_no_run_at_all_is_an_empty_judgement() -> None:
    assert judge([], [MATCH]).judged == judge([], []).left_out == ()
    ticker = make_run(MATCH).model_copy(update={"subject": TickerSubject(code="AAPL", name="Apple")})
    assert judge([ticker], [MATCH]).left_out == ()


@pytest.mark.parametrize(
    "probabilities",
    [{"1": math.nan, "X": 0.5, "2": 0.5}, {"1": 0, "X": 0, "2": 0}, {"1": -0.1, "X": 0.6, "2": 0.5}, {"1": 1},
     {"1": "0.5", "X": 0.3, "2": 0.2}, {"1": math.inf, "X": 0, "2": 0}, {"1": True, "X": 0, "2": 0}, [0.5]],
)  # fmt: skip
def test_probabilities_that_are_none_are_no_forecast(probabilities: Any) -> None:
    assert forecast_of(make_run(MATCH, probabilities=probabilities), MATCH) is None


def test_probabilities_that_do_not_sum_to_one_are_scaled_and_known_to_be() -> None:
    forecast = forecast_of(make_run(MATCH, probabilities={"1": 1.0, "X": 0.6, "2": 0.4}), MATCH)
    assert forecast is not None
    assert forecast.probabilities == pytest.approx(EVEN)
    assert (forecast.given_sum, forecast.scaled) == (2.0, True)


def test_what_a_rule_has_scaled_already_is_still_counted() -> None:
    forecast = forecast_of(make_run(MATCH, stated={"1": 0.55, "X": 0.33, "2": 0.22}), MATCH)
    assert forecast is not None
    assert forecast.given_sum == pytest.approx(1.1)
    assert forecast.scaled


@pytest.mark.parametrize("goals", [None, (math.nan, 1.0), ("2", 1.0)])
def test_expected_goals_may_be_missing(goals: Any) -> None:
    forecast = forecast_of(make_run(MATCH, goals=goals), MATCH)
    assert forecast is not None
    assert forecast.goals is None


def test_runs_fall_into_groups_of_provider_model_and_prompt_version() -> None:
    run = make_run(MATCH, model="openai/gpt-5", prompt_version="v1")
    assert contestant_of(run) == Contestant("openai", "openai/gpt-5", "v1")
    tiers = run.model_copy(update={"models": Models(specialist="baseline", aggregator="ollama/qwen")})
    assert contestant_of(tiers) == Contestant("baseline + ollama", "baseline + ollama/qwen", "v1")


def test_base_rates_are_those_of_the_last_season_that_had_ended() -> None:
    seasons = [
        *(make_match(-800 + i, goals, season="2016-17") for i, goals in enumerate([(1, 0), (0, 0)])),
        *(make_match(-400 + i, g, season="2017-18") for i, g in enumerate([(1, 0), (2, 0), (0, 0), (0, 1)])),
        make_match(-399, None, season="2017-18", home="Greens", status="awarded"),
        make_match(0, season="2018-19"),
    ]
    rates = base_rates(seasons)
    assert rates["League", "2018-19"] == {"1": 0.5, "X": 0.25, "2": 0.25}
    assert rates["League", "2017-18"] == {"1": 0.5, "X": 0.5, "2": 0.0}
    assert ("League", "2016-17") not in rates
    assert base_rates([]) == {}


def test_odds_lose_their_margin_in_proportion() -> None:
    """1/2 + 1/4 + 1/4 = 1 plus a margin of 5 %: odds 1.905, 3.81, 3.81 become 50, 25 and 25 %."""
    match = make_match(0, odds_home=2 / 1.05, odds_draw=4 / 1.05, odds_away=4 / 1.05)
    (forecast,) = yardsticks([match], [])
    assert forecast.contestant == Contestant("yardstick", "odds", "")
    assert forecast.probabilities == pytest.approx({"1": 0.5, "X": 0.25, "2": 0.25})
    assert not forecast.scaled


def test_a_yardstick_says_nothing_where_it_knows_nothing() -> None:
    half = make_match(1, ref_home=0.5, ref_draw=0.3)
    bad_odds = make_match(2, odds_home=1.0, odds_draw=3.0, odds_away=4.0)
    unplayed = make_match(3, None, ref_home=0.5, ref_draw=0.3, ref_away=0.2)
    assert yardsticks([half, bad_odds, unplayed], []) == []
    full = make_match(4, ref_home=0.5, ref_draw=0.3, ref_away=0.2001)
    (forecast,) = yardsticks([full], [])
    assert forecast.contestant.model == "published"
    assert forecast.scaled
    assert Counter(each.contestant.model for each in yardsticks([full, half], [full])) == {"published": 1}


def test_a_day_and_two_clubs_name_a_match_whatever_its_competition_is_called() -> None:
    renamed = MATCH._replace(competition="Another name of it")
    assert len(judge([make_run(MATCH)], [renamed]).judged) == 1
    other_day = MATCH._replace(date=MATCH.date + dt.timedelta(days=1))
    assert judge([make_run(MATCH)], [other_day]).reasons == {"not_on_record": 1}


def test_a_forecast_for_the_old_day_of_a_moved_match_is_judged_on_its_new_day() -> None:
    """Such a forecast once stayed left out as "scheduled" for ever, beside the match played."""
    old = make_match(0, None, status="scheduled", moved_to=MATCH.date + dt.timedelta(days=20))
    between = make_match(20, None, status="postponed", moved_to=MATCH.date + dt.timedelta(days=41))
    played = make_match(41, (0, 0), status="played")
    (judged,) = judge([make_run(MATCH)], [old, between, played]).judged
    assert (judged.forecast.match, judged.forecast.outcome) == (played, "X")
    assert judge([make_run(MATCH)], [old, between]).reasons == {"not_on_record": 1}
    put_back = old._replace(moved_to=old.date)
    assert judge([make_run(MATCH)], [put_back, between, played]).reasons == {"scheduled": 1}


def test_a_forecast_made_after_the_match_was_played_is_left_out_as_moved() -> None:
    """The match was brought forward: the forecast for the old day could know its result."""
    old = make_match(0, None, status="scheduled", moved_to=MATCH.date - dt.timedelta(days=2))
    early = make_match(-2, (0, 0), status="played")
    assert judge([make_run(MATCH)], [old, early]).reasons == {"moved": 1}
    in_time = make_run(MATCH).model_copy(update={"as_of": early.date})
    assert len(judge([in_time], [old, early]).judged) == 1


def test_base_rates_come_from_the_season_directly_before_or_from_none() -> None:
    """A match of 2025-26 once got the rates of 2018-19, under the name of last season's."""
    history = [make_match(0, season="2018-19"), make_match(2600, season="2025-26")]
    assert ("League", "2025-26") not in base_rates(history)
    years = [make_match(0, season="2018"), make_match(300, season="2019"), make_match(1, season="a cup")]
    assert base_rates(years)["League", "2019"] == {"1": 1.0, "X": 0.0, "2": 0.0}
    assert base_rates(history[:1])["League", "2019-20"], "also before its first match is played"
    overlapping = [make_match(400, season="2018-19"), make_match(399, season="2019-20")]
    assert ("League", "2019-20") not in base_rates(overlapping)
