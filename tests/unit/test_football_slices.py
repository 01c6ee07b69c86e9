"""What the match slices show, and what they never show."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import AmbiguousError, InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import clubs, fixtures, listed, resolve_match
from workbench.evidence.football import OPEN_ABSENCE_DAYS, Window, combine
from workbench.evidence.slices import get_slice, slice_names
from workbench.records import Evidence, MatchSubject

FACTS = Path(__file__).parents[2] / "data" / "facts"
SLICES = ("form", "stats", "home_away", "injuries", "h2h")
DERBY = MatchSubject(
    competition="English Premier League",
    season="2018-19",
    date=dt.date(2019, 4, 14),
    home="Liverpool",
    away="Chelsea",
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("evidence") / "evidence.db", FACTS)


@pytest.fixture
def own_db(tmp_path: Path) -> EvidenceDB:
    """A database a test may add rows to."""
    return EvidenceDB(tmp_path / "evidence.db", FACTS)


def show(db: EvidenceDB, name: str, subject: MatchSubject = DERBY, **window: int) -> Evidence:
    return get_slice(name, of="match")(db.view(subject.date), subject, Window(**window))


def test_every_slice_of_the_match_document_is_registered_for_matches_only() -> None:
    assert set(SLICES) <= set(slice_names("match"))
    assert not set(SLICES) & set(slice_names("ticker"))


def test_the_header_gives_position_and_round_before_the_match(db: EvidenceDB) -> None:
    header = show(db, "form").facts["match"]
    assert header["table"]["home"]["position"] == 1
    assert (header["table"]["away"]["points"], header["round"]) == (66, 34)
    assert header["rest_days"] == {"home": 9, "away": 6}
    assert header["newest"] == "2019-04-13"


def test_form_lists_the_last_matches_of_each_club_up_to_the_window(db: EvidenceDB) -> None:
    facts = show(db, "form", recent=3).facts
    assert [(m["date"], m["opponent"], m["venue"]) for m in facts["home"]["matches"]] == [
        ("2019-03-17", "Fulham", "away"),
        ("2019-03-31", "Tottenham Hotspur", "home"),
        ("2019-04-05", "Southampton", "away"),
    ]
    assert facts["home"]["recent"]["won"] == 3
    assert (facts["home"]["recent"]["goals_for"], facts["home"]["recent"]["goals_against"]) == (7, 3)


def test_home_and_away_records_cover_that_venue_only(db: EvidenceDB) -> None:
    facts = show(db, "home_away").facts
    season = facts["home"]["season"]
    assert (season["matches"], season["won"], season["drawn"], season["lost"]) == (16, 14, 2, 0)
    assert facts["away"]["recent"]["goals_against"] == 20


def test_meetings_are_told_from_the_home_clubs_side_whoever_hosted(db: EvidenceDB) -> None:
    facts = show(db, "h2h").facts
    assert [(m["date"], m["venue"], m["result"]) for m in facts["meetings"]][:2] == [
        ("2016-09-16", "away", "W"),
        ("2017-01-31", "home", "D"),
    ]
    assert (facts["total"]["matches"], facts["here"]["matches"]) == (5, 2)
    mirrored = MatchSubject(**{**DERBY.model_dump(), "home": "Chelsea", "away": "Liverpool"})
    assert show(db, "h2h", mirrored).facts["total"]["lost"] == facts["total"]["won"]


def test_stats_say_that_shots_and_possession_are_not_known(db: EvidenceDB) -> None:
    evidence = show(db, "stats")
    assert {"shots", "possession"} <= evidence.missing.keys()
    fitted = evidence.facts["strengths"]["mixed"]
    product = fitted["league_home_goals"] * fitted["home"]["attack"] * fitted["away"]["defence"]
    assert product == pytest.approx(fitted["expected_home_goals"], abs=0.005)


@pytest.mark.parametrize("name", SLICES)
def test_no_slice_shows_the_published_forecast_or_the_result(db: EvidenceDB, name: str) -> None:
    evidence = show(db, name)
    shown = json.dumps(evidence.facts) + evidence.text
    assert "ref_" not in shown
    assert "2019-04-14" not in json.dumps({k: v for k, v in evidence.facts.items() if k != "match"})


@pytest.mark.parametrize("name", ["form", "stats", "home_away", "h2h"])
def test_facts_are_json_and_every_text_figure_comes_from_them(db: EvidenceDB, name: str) -> None:
    evidence = show(db, name)
    assert json.loads(json.dumps(evidence.facts, allow_nan=False)) == evidence.facts
    assert evidence.newest is not None
    assert evidence.newest < DERBY.date


def test_before_the_first_match_on_record_every_slice_is_empty(db: EvidenceDB) -> None:
    opening = MatchSubject(
        competition="English Premier League",
        season="2016-17",
        date=dt.date(2016, 8, 13),
        home="Burnley",
        away="Swansea City",
    )
    for name in SLICES:
        evidence = show(db, name, opening)
        assert evidence.empty
        assert evidence.missing


def test_a_club_without_a_match_makes_the_evidence_low_and_is_named(db: EvidenceDB) -> None:
    first = MatchSubject(
        competition="English Premier League",
        season="2017-18",
        date=dt.date(2017, 8, 12),
        home="Brighton and Hove Albion",
        away="Manchester City",
    )
    form = show(db, "form", first)
    assert form.sufficiency == "low"
    assert "Brighton" in form.missing["home.recent"]
    assert form.facts["home"]["recent"]["matches"] == 0


def test_long_after_the_newest_match_the_evidence_is_low_and_says_why(db: EvidenceDB) -> None:
    later = MatchSubject(**{**DERBY.model_dump(), "date": dt.date(2021, 1, 1), "season": "2020-21"})
    evidence = show(db, "form", later)
    assert evidence.sufficiency == "low"
    assert "days old" in evidence.missing["recency"]


def test_without_a_report_of_an_absence_the_slice_is_empty(db: EvidenceDB) -> None:
    assert show(db, "injuries").empty


def absence(team: str, player: str, **more: str | None) -> dict[str, str | None]:
    return {"team": team, "player": player, "kind": "injury", "published": "2019-04-10", **more}


def test_absences_count_while_they_last_and_only_if_published_before_the_match(own_db: EvidenceDB) -> None:
    own_db.add(
        "absences",
        [
            absence("Liverpool", "out until May", until="2019-05-01"),
            absence("Liverpool", "back on the day", until="2019-04-14"),
            absence("Liverpool", "no return date"),
            absence("Liverpool", "reported on the day", published="2019-04-14"),
            absence("Liverpool", "suspended later", since="2019-04-20"),
            absence("Liverpool", "forgotten", published="2019-01-10"),
        ],
        origin="test",
    )
    evidence = show(own_db, "injuries")
    assert [out["player"] for out in evidence.facts["home"]["absences"]] == [
        "out until May",
        "no return date",
    ]
    assert "away" not in evidence.facts
    assert "Chelsea" in evidence.missing["away.absences"]
    assert evidence.sufficiency == "low"
    assert (DERBY.date - dt.date(2019, 1, 10)).days > OPEN_ABSENCE_DAYS


def test_one_context_holds_every_slice_once_and_the_weakest_sufficiency(db: EvidenceDB) -> None:
    parts = {name: show(db, name) for name in SLICES}
    whole = combine(parts)
    assert set(whole.facts) == {"match", "form", "stats", "home_away", "h2h"}
    assert whole.text.count("第 34 轮") == 1
    assert whole.missing["injuries.home.absences"]
    assert combine({"injuries": parts["injuries"]}).empty


FUTURE_MATCH = st.fixed_dictionaries(
    {
        "competition": st.just("English Premier League"),
        "season": st.sampled_from(["2018-19", "2019-20"]),
        "date": st.dates(DERBY.date, dt.date(2020, 12, 31)).map(str),
        "home": st.sampled_from(["Liverpool", "Chelsea", "Burnley", "Newcomers"]),
        "away": st.sampled_from(["Arsenal", "Everton", "Fulham"]),
        "home_goals": st.integers(0, 9),
        "away_goals": st.integers(0, 9),
        "home_xg": st.floats(0, 5),
        "away_xg": st.floats(0, 5),
    }
)


@pytest.fixture(scope="module")
def growing_db(tmp_path_factory: pytest.TempPathFactory) -> tuple[EvidenceDB, dict[str, Any]]:
    db = EvidenceDB(tmp_path_factory.mktemp("growing") / "evidence.db", FACTS)
    return db, {name: show(db, name) for name in (*SLICES, "header")}


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(FUTURE_MATCH, min_size=1, max_size=5), late=st.dates(DERBY.date, dt.date(2020, 1, 1)))
def test_a_row_of_the_match_day_or_later_changes_no_slice(
    growing_db: tuple[EvidenceDB, dict[str, Any]], rows: list[dict[str, Any]], late: dt.date
) -> None:
    db, before = growing_db
    db.add("matches", rows, origin="future")
    db.add("absences", [absence("Liverpool", "somebody", published=str(late))], origin="future")
    assert {name: show(db, name) for name in before} == before


def test_a_fixture_is_found_in_any_common_spelling(db: EvidenceDB) -> None:
    assert resolve_match(db, "ＬＩＶＥＲＰＯＯＬ fc", "chelsea", DERBY.date) == DERBY
    assert resolve_match(db, "Liverpool", "Chelsea", DERBY.date, competition="premier league") == DERBY
    bournemouth = resolve_match(db, "Bournemouth", "Fulham", dt.date(2019, 4, 20))
    assert bournemouth.home == "AFC Bournemouth"
    assert listed(db, bournemouth)


def test_an_unknown_club_is_an_error_with_near_matches_and_never_another_club(db: EvidenceDB) -> None:
    with pytest.raises(InputError, match=r"no club 'Man City' on record.*Did you mean Manchester City"):
        resolve_match(db, "Man City", "Chelsea", DERBY.date)
    with pytest.raises(InputError, match=r"no club 'Manchester'.*Manchester City or Manchester United"):
        resolve_match(db, "Manchester", "Chelsea", DERBY.date)
    with pytest.raises(InputError, match="no club ''"):
        resolve_match(db, "", "Chelsea", DERBY.date)


def test_home_and_away_are_never_swapped_for_the_user(db: EvidenceDB) -> None:
    with pytest.raises(InputError, match="Liverpool played at home on 2019-04-14, not Chelsea"):
        resolve_match(db, "Chelsea", "Liverpool", DERBY.date)


def test_a_wrong_date_within_the_record_names_the_right_ones(db: EvidenceDB) -> None:
    with pytest.raises(InputError, match="On record: 2017-01-31, 2017-11-25, 2019-04-14"):
        resolve_match(db, "Liverpool", "Chelsea", dt.date(2019, 4, 15))


def test_a_future_match_needs_two_known_clubs_of_one_competition(db: EvidenceDB) -> None:
    future = resolve_match(db, "Liverpool", "Chelsea", dt.date(2026, 9, 1))
    assert (future.competition, future.season) == ("English Premier League", "2026-27")
    assert not listed(db, future)
    chinese = resolve_match(db, "Shanghai SIPG", "Beijing Guoan", dt.date(2026, 9, 1))
    assert chinese.season == "2026"
    with pytest.raises(InputError, match="no common competition"):
        resolve_match(db, "Liverpool", "Shanghai SIPG", dt.date(2026, 9, 1))


def test_a_club_does_not_play_itself_and_a_competition_must_exist(db: EvidenceDB) -> None:
    with pytest.raises(InputError, match="cannot play itself"):
        resolve_match(db, "Liverpool", "liverpool", DERBY.date)
    with pytest.raises(InputError, match="no competition 'La Liga'"):
        resolve_match(db, "Liverpool", "Chelsea", DERBY.date, competition="La Liga")


def test_two_spellings_that_fall_together_are_asked_about(own_db: EvidenceDB) -> None:
    row = {
        "competition": "Cup",
        "season": "2018",
        "date": "2018-01-01",
        "home": "Liverpool FC",
        "away": "Chelsea",
    }
    own_db.add("matches", [row], origin="test")
    with pytest.raises(AmbiguousError) as raised:
        resolve_match(own_db, "liverpool", "Arsenal", dt.date(2019, 1, 1))
    assert raised.value.candidates == ("Liverpool", "Liverpool FC")


def test_listings_filter_by_competition_season_and_days(db: EvidenceDB) -> None:
    season = fixtures(db, competition="English Premier League", season="2018-19")
    assert len(season) == 380
    assert season[0].date == dt.date(2018, 8, 10)
    assert DERBY in [fixture.subject for fixture in fixtures(db, since=DERBY.date, until=DERBY.date)]
    assert "Liverpool" in clubs(db)
