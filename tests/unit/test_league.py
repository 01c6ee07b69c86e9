"""Tables, records and strengths over a small league whose figures are worked out by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest

from workbench.evidence.league import (
    Appearance,
    Played,
    averages,
    both_sides,
    played,
    record,
    rounds,
    seen_by,
    standings,
)
from workbench.evidence.strengths import GOALS_ONLY, MIN_MATCHES, MIXED, PROMOTED, Blend, fit
from workbench.evidence.view import Match

START = dt.date(2018, 8, 11)


def match(
    day: int,
    home: str,
    away: str,
    goals: tuple[int, int],
    *,
    xg: tuple[float, float] | None = None,
    season: str = "2018-19",
) -> Played:
    figures = xg or (None, None)
    date = START + dt.timedelta(days=day)
    return Played("League", season, date, home, away, *goals, *figures, *figures)


SMALL = [
    match(0, "Reds", "Blues", (2, 1), xg=(1.5, 1.0)),
    match(7, "Blues", "Greens", (1, 1), xg=(2.0, 0.5)),
    match(14, "Greens", "Reds", (0, 3)),
]


def seen(club: str) -> list[Appearance]:
    matches = [Match(*match, None, None, None) for match in SMALL]
    return [appearance for appearance in map(seen_by(club), matches) if appearance]


def test_a_match_without_a_result_and_the_published_forecast_stay_out() -> None:
    row = Match("League", "2018-19", START, "Reds", "Blues", 2, 1, 1.5, 1.0, None, None, 0.5, 0.3, 0.2)
    postponed = row._replace(home_goals=None, away_goals=None)
    assert played(row) == SMALL[0]._replace(home_nsxg=None, away_nsxg=None)
    assert played(postponed) is None
    assert not {"ref_home", "ref_draw", "ref_away"} & set(Played._fields)


def test_a_club_is_seen_from_its_own_side_wherever_it_played() -> None:
    away_win = seen("Reds")[1]
    assert (away_win.venue, away_win.opponent) == ("away", "Greens")
    assert (away_win.goals_for, away_win.goals_against, away_win.result) == (3, 0, "W")
    assert [appearance.result for appearance in seen("Blues")] == ["L", "D"]


def test_a_record_sums_results_and_averages_expected_goals_over_the_matches_that_have_them() -> None:
    reds = record(seen("Reds"))
    assert (reds.matches, reds.won, reds.drawn, reds.lost, reds.points) == (2, 2, 0, 0, 6)
    assert (reds.goals_for, reds.goals_against) == (5, 1)
    assert (reds.xg_for, reds.xg_against) == (1.5, 1.0)
    assert record([]).xg_for is None


def test_the_table_orders_by_points_then_goal_difference() -> None:
    sides = [both_sides(Match(*match, None, None, None)) for match in SMALL]
    table = standings(sides, "2018-19")
    assert [(club, line.position, line.record.points) for club, line in table.items()] == [
        ("Reds", 1, 6),
        ("Blues", 2, 1),
        ("Greens", 3, 1),
    ]
    assert table["Blues"].clubs == 3
    assert standings(sides, "2019-20") == {}


def test_averages_are_per_match_and_absent_without_matches() -> None:
    means = averages(SMALL)
    assert means is not None
    assert (means.home_goals, means.away_goals) == (1.0, pytest.approx(5 / 3))
    assert (means.home_wins, means.draws, means.away_wins) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert averages([]) is None


def round_robin(rounds: int, scores: dict[str, int], season: str = "2018-19") -> Sequence[Played]:
    """Every club hosts every other once a round and each always scores its own number of goals."""
    pairs = [(home, away) for home in scores for away in scores if home != away]
    return [
        match(index, home, away, (scores[home], scores[away]), season=season)
        for index, (home, away) in enumerate(pairs * rounds)
    ]


def test_nothing_is_fitted_on_too_few_matches() -> None:
    matches = round_robin(6, {"Reds": 2, "Blues": 1, "Greens": 1})[: MIN_MATCHES - 1]
    assert fit(matches, "2018-19", dt.date(2019, 6, 1), GOALS_ONLY) == []


def test_many_equal_matches_bring_the_expectation_to_what_always_happened() -> None:
    """Reds score 3 and the others 1 in every one of 1,200 matches, so the prior hardly counts."""
    matches = round_robin(200, {"Reds": 3, "Blues": 1, "Greens": 1})
    same_day = [played_match._replace(date=START) for played_match in matches]
    (fitted,) = fit(same_day, "2018-19", START, GOALS_ONLY)
    assert fitted.expectation("Reds", "Blues") == pytest.approx((3.0, 1.0), abs=0.02)
    assert fitted.expectation("Greens", "Reds") == pytest.approx((1.0, 3.0), abs=0.02)
    assert fitted.of("Reds").matches == 800


def test_a_match_a_half_life_ago_counts_half() -> None:
    old = [each._replace(date=START) for each in round_robin(10, {"Reds": 1, "Blues": 1, "Greens": 1})]
    (fitted,) = fit(old, "2018-19", START + dt.timedelta(days=400), MIXED)
    assert fitted.of("Reds").matches == pytest.approx(20.0)  # 40 matches of each club, half counted


def test_few_matches_leave_a_club_near_its_prior() -> None:
    settled = round_robin(20, {"Reds": 1, "Blues": 1, "Greens": 1})
    once = [match(200, "Whites", "Reds", (6, 0))]
    (fitted,) = fit([*settled, *once], "2018-19", dt.date(2019, 6, 1), GOALS_ONLY)
    assert 1.0 < fitted.of("Whites").attack < 3.0


def test_a_newcomer_starts_from_the_promoted_prior_and_a_resident_does_not() -> None:
    past = round_robin(20, {"Reds": 1, "Blues": 1, "Greens": 1}, season="2017-18")
    (fitted,) = fit(past, "2018-19", dt.date(2019, 6, 1), MIXED)
    newcomer = fitted.of("Whites")
    assert (newcomer.attack, newcomer.defence, newcomer.matches) == (*PROMOTED, 0.0)
    (first_season,) = fit(past, "2017-18", dt.date(2019, 6, 1), MIXED)
    assert first_season.of("Whites").attack == 1.0


def test_a_match_without_expected_goals_counts_by_its_goals() -> None:
    matches = round_robin(20, {"Reds": 2, "Blues": 1, "Greens": 1})
    with_blend, goals_only = fit(
        matches, "2018-19", dt.date(2019, 6, 1), Blend(goals=0.5, xg=0.25, nsxg=0.25), GOALS_ONLY
    )
    assert with_blend == goals_only


def test_a_round_is_the_one_its_source_names_or_the_number_of_the_match() -> None:
    def row(home: str, away: str, name: str | None = None) -> Match:
        return Match("League", "2018-19", START, home, away, *[None] * 9, round=name)

    season = [
        row("Reds", "Blues"),
        row("Greens", "Golds"),
        row("Reds", "Greens"),
        row("Blues", "Reds", "Final"),
    ]
    assert rounds(season) == ["1", "1", "2", "Final"]
    assert rounds([*season, row("Blues", "Golds")])[-1] == "3"
    assert rounds([]) == []
