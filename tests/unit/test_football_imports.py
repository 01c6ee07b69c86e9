"""Imported matches and absences: joined to what is on record, never counted twice, never another club."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.unit.test_football_readers import REAL, real_files
from workbench.cli import cli
from workbench.errors import InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import fixtures
from workbench.evidence.football import Window
from workbench.evidence.football_imports import ImportReport, import_absences, import_matches, read_club_names
from workbench.evidence.slices import get_slice
from workbench.evidence.view import Match
from workbench.records import MatchSubject
from workbench.workspace import Workspace

FACTS = Path(__file__).parents[2] / "data" / "facts"
FAR = dt.date(2030, 1, 1)
HEADER = "competition,season,date,home,away,home_goals,away_goals,status,odds_home,odds_draw,odds_away\n"
LEAGUE = "English Premier League,2018-19"
DERBY = f"{LEAGUE},2019-04-14,Liverpool,Chelsea,2,0,played,1.7,3.8,5.5\n"


@pytest.fixture
def db(tmp_path: Path) -> EvidenceDB:
    return EvidenceDB(tmp_path / "evidence.db", FACTS)


def add(db: EvidenceDB, rows: str, **options: object) -> ImportReport:
    return import_matches(db, (HEADER + rows).encode(), origin="mine.csv", **options)  # type: ignore[arg-type]


def meeting(db: EvidenceDB, day: str, home: str) -> Match:
    date = dt.date.fromisoformat(day)
    (found,) = (m for m in db.view(FAR).matches(team=home) if m.date == date)
    return found


def test_an_import_completes_the_match_on_record_and_keeps_what_it_does_not_know(db: EvidenceDB) -> None:
    """Odds imported over a sample match once replaced its expected goals and forecast by nothing."""
    before = meeting(db, "2019-04-14", "Liverpool")
    report = add(db, DERBY)
    after = meeting(db, "2019-04-14", "Liverpool")
    assert (report.added, report.dropped, report.flags) == (1, 0, {"played": 1, "odds": 1})
    assert (after.odds_home, after.odds_draw, after.odds_away) == (1.7, 3.8, 5.5)
    assert after[:14] == before[:14]
    assert before.ref_home is not None


def test_importing_a_file_again_adds_nothing(db: EvidenceDB) -> None:
    add(db, DERBY)
    again = add(db, DERBY)
    assert (again.added, again.counts()) == (0, {("dropped", "on record already"): 1})


def test_a_corrected_result_counts_and_is_noted(db: EvidenceDB) -> None:
    report = add(db, DERBY.replace(",2,0,", ",2,1,"))
    assert report.counts() == {("noted", "the result on record was another; this one counts"): 1}
    assert meeting(db, "2019-04-14", "Liverpool").away_goals == 1


def test_a_match_awarded_later_is_a_result_no_more(db: EvidenceDB) -> None:
    report = add(db, f"{LEAGUE},2019-04-14,Liverpool,Chelsea,,,awarded,,,\n")
    assert report.counts().total() == 1
    match = meeting(db, "2019-04-14", "Liverpool")
    assert (match.status, match.home_goals, match.settled) == ("awarded", 2, False)


def test_a_match_on_record_under_another_competition_is_not_doubled(db: EvidenceDB) -> None:
    report = add(db, DERBY.replace("English Premier League", "Premier League"))
    assert report.counts() == {("dropped", "on record as English Premier League 2018-19"): 1}


def test_a_club_is_joined_by_spelling_alone_and_a_stranger_stays_a_stranger(db: EvidenceDB) -> None:
    row = f"{LEAGUE},2019-05-30,LIVERPOOL FC,Man City,1,0,played,,,\n"
    report = add(db, row)
    assert meeting(db, "2019-05-30", "Liverpool").away == "Man City"
    assert report.strangers["Man City"][:2] == ("Manchester City", "Manchester United")


def test_a_club_the_user_names_is_joined_to_the_one_on_record(db: EvidenceDB) -> None:
    names = read_club_names(b"name,known_as\nMan City,Manchester City\n\n", db)
    report = add(db, f"{LEAGUE},2019-05-30,Liverpool,Man City,1,0,played,,,\n", names=names)
    assert (meeting(db, "2019-05-30", "Liverpool").away, report.strangers) == ("Manchester City", {})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"name,known_as\nMan City,Manchster City\n", "Did you mean Manchester City"),
        (b"Man City,Manchester City\nSpurs,Tottenham Hotspur\n", "no name and known_as"),
    ],
)
def test_a_list_of_names_that_leads_nowhere_is_refused(db: EvidenceDB, content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_club_names(content, db)


def test_what_was_imported_can_be_taken_out_and_the_sample_facts_cannot(db: EvidenceDB) -> None:
    add(db, DERBY)
    assert db.forget("matches", "mine.csv") == 1
    assert meeting(db, "2019-04-14", "Liverpool").odds_home is None
    with pytest.raises(InputError, match="Imported: nothing"):
        db.forget("matches", "mine.csv")
    with pytest.raises(InputError, match="the sample belongs to the workbench"):
        db.forget("matches", "sample")


def test_no_slice_shows_the_odds_and_a_match_without_result_is_no_evidence(db: EvidenceDB) -> None:
    add(
        db,
        f"{LEAGUE},2019-04-12,Liverpool,Arsenal,,,postponed,9.99,9.99,9.99\n"
        f"{LEAGUE},2019-04-11,Liverpool,Watford,3,0,awarded,9.99,9.99,9.99\n",
    )
    day = dt.date(2019, 4, 14)
    subject = MatchSubject(
        competition="English Premier League", season="2018-19", date=day, home="Liverpool", away="Chelsea"
    )
    evidence = get_slice("form", of="match")(db.view(day), subject, Window())
    shown = json.dumps(evidence.facts) + evidence.text
    assert "9.99" not in shown
    assert "2019-04-12" not in shown
    assert "2019-04-11" not in shown
    assert "2019-04-05" in shown


MOVED = "League,2020-21,{},Liverpool,Chelsea,{},{},,,\n"
"""A match of a season that the sample facts do not have: day, goals and status."""


def days(db: EvidenceDB, season: str = "2020-21") -> list[str]:
    return [str(fixture.date) for fixture in fixtures(db, season=season)]


def test_the_same_match_under_another_date_is_not_added_again(db: EvidenceDB) -> None:
    """The day after the real one was once added as a 39th match of the club, without a word."""
    report = add(db, f"{LEAGUE},2019-05-13,Liverpool,Wolverhampton,2,0,played,,,\n")
    assert (report.added, report.dropped) == (0, 1)
    (problem,) = report.problems
    assert problem.reason == "on record already under another date"
    assert problem.shown == "2019-05-13 Liverpool – Wolverhampton 2:0 (as of 2019-05-12)"


def test_another_result_a_day_apart_is_a_correction(db: EvidenceDB) -> None:
    """It once stood beside the first as a second match, where on one day the newer result counts."""
    add(db, MOVED.format("2020-09-02", "1,0", "played"))
    report = add(db, MOVED.format("2020-09-03", "2,2", "played"))
    assert report.counts() == {
        ("noted", "the result on record was another; this one counts, on another day"): 1
    }
    assert (report.added, report.flags, days(db)) == (1, {"played": 1}, ["2020-09-03"])
    assert not meeting(db, "2020-09-02", "Liverpool").settled
    both = MOVED.format("2020-09-03", "2,2", "played") + MOVED.format("2020-09-04", "1,0", "played")
    assert add(db, both).added == 1, "both are named by one file"


def test_one_match_on_two_days_of_one_file_is_one_match(db: EvidenceDB) -> None:
    """A file that names both days is believed only where there is time for two matches."""
    both = MOVED.format("2020-09-02", "1,0", "played") + MOVED.format("2020-09-03", "1,0", "played")
    assert add(db, both).counts() == {("dropped", "on record already under another date"): 1}
    assert days(db) == ["2020-09-02"]
    assert add(db, both).added == 0


def test_a_fixture_put_on_another_day_is_followed(db: EvidenceDB) -> None:
    """Both days once stayed on record: a batch judged both, and one of them had never a result."""
    add(db, MOVED.format("2020-12-01", ",", "scheduled"))
    report = import_matches(
        db, (HEADER + MOVED.format("2021-02-03", "1,1", "played")).encode(), origin="later.csv"
    )
    assert (report.added, report.flags) == (1, {"played": 1, "moved": 1})
    (problem,) = report.problems
    assert (problem.kind, problem.reason) == ("noted", "moved from the day on record")
    assert problem.shown == "2021-02-03 Liverpool – Chelsea 1:1 (was 2020-12-01)"
    assert days(db) == ["2021-02-03"]
    old = meeting(db, "2020-12-01", "Liverpool")
    assert (old.moved, old.moved_to, old.settled) == (True, dt.date(2021, 2, 3), False)

    assert add(db, MOVED.format("2020-12-01", ",", "scheduled")).added == 0, "the older file once more"
    assert days(db) == ["2021-02-03"]
    db.forget("matches", "later.csv")
    assert days(db) == ["2020-12-01"]


def test_a_fixture_put_back_on_its_day_is_one_fixture(db: EvidenceDB) -> None:
    """Where the old day was only hidden, a match played on it after all could not be seen again."""
    for day, status in (
        ("2020-12-01", "scheduled"),
        ("2021-02-03", "scheduled"),
        ("2021-02-08", "postponed"),
    ):
        add(db, MOVED.format(day, ",", status))
        assert days(db) == [day]
    add(db, MOVED.format("2020-12-01", "3,0", "played"))
    assert days(db) == ["2020-12-01"]
    assert meeting(db, "2020-12-01", "Liverpool").settled
    assert add(db, MOVED.format("2020-12-01", "3,0", "played")).added == 0


def test_a_file_older_than_the_result_brings_no_fixture_back(db: EvidenceDB) -> None:
    """A snapshot made before the match, imported after one with its score, once took the score away."""
    add(db, MOVED.format("2021-02-03", "1,1", "played"))
    for day in ("2020-12-01", "2021-02-03", "2021-02-10"):
        assert add(db, MOVED.format(day, ",", "scheduled")).added == 0
    assert days(db) == ["2021-02-03"]
    assert meeting(db, "2021-02-03", "Liverpool").settled


def test_a_pair_that_meets_twice_at_one_ground_keeps_both_matches(db: EvidenceDB) -> None:
    """Scottish leagues and group stages: one fixture must not swallow the other."""
    first, second = MOVED.format("2020-09-02", "1,0", "played"), MOVED.format("2021-03-31", ",", "scheduled")
    assert add(db, first + second).counts() == {("noted", "no score though its day is long past"): 1}
    moved = add(db, first + second.replace("03-31", "04-02"))
    assert (moved.added, moved.flags["moved"]) == (1, 1)
    assert days(db) == ["2020-09-02", "2021-04-02"]


@pytest.mark.parametrize(
    ("day", "score", "status"),
    [("2021-03-31", "1,0", "played"), ("2021-03-31", ",", "scheduled"), ("2020-09-04", "2,2", "played")],
)
def test_what_cannot_be_told_apart_is_added_and_named(
    db: EvidenceDB, day: str, score: str, status: str
) -> None:
    """A second match of a pair was once added without a word about the first."""
    add(db, MOVED.format("2020-09-02", "1,0", "played"))
    report = add(db, MOVED.format(day, score, status))
    assert (report.added, len(days(db))) == (1, 2)
    problem = report.problems[0]
    assert problem.reason == "added beside another match of the pair at this ground and in this season"
    assert day in problem.shown
    assert "2020-09-02" in problem.shown


def test_a_far_earlier_match_moves_no_fixture_that_is_still_to_come(db: EvidenceDB) -> None:
    """The second meeting of a season may be on record before the first one is."""
    add(db, MOVED.format("2021-03-31", ",", "scheduled"))
    add(db, MOVED.format("2020-09-02", "1,0", "played"))
    assert days(db) == ["2020-09-02", "2021-03-31"]


def test_a_match_long_past_without_a_score_is_named(db: EvidenceDB) -> None:
    """A final of last year without a score was once counted as one still to come."""
    content = (HEADER + MOVED.format("2021-05-31", ",", "scheduled")).encode()
    soon = import_matches(db, content, origin="a.csv", today=dt.date(2021, 6, 7))
    assert soon.problems == ()
    db.forget("matches", "a.csv")
    late = import_matches(db, content, origin="a.csv", today=dt.date(2021, 6, 8))
    assert late.counts() == {("noted", "no score though its day is long past"): 1}


@real_files
def test_a_season_dated_otherwise_by_another_edition_adds_nothing(db: EvidenceDB) -> None:
    """Of 380 matches 103 were once added a second time, one to sixty days from the first."""
    for name, added, redated in (("NEW_SCHEMA", 380, 0), ("OLD_SCHEMA_2020_names", 0, 103)):
        content = (REAL / "football" / "openfootball" / f"en.1_2014-15_{name}.json").read_bytes()
        report = import_matches(db, content, origin=name)
        assert report.added == added
        assert report.counts()["dropped", "on record already under another date"] == redated
    assert len(fixtures(db, season="2014-15")) == 380


def test_one_bad_cell_does_not_keep_the_other_rows_out(db: EvidenceDB) -> None:
    """Odds of 0.5 in row 2 once ended the import with "CHECK constraint failed" and nothing was added."""
    report = add(db, DERBY.replace("1.7", "0.5") + MOVED.format("2020-09-02", "1,0", "played"))
    assert (report.added, report.dropped) == (1, 1)
    first = report.problems[0]
    assert (first.record, first.column, first.value) == (2, "odds_home", "0.5")


def test_absences_are_added_once_and_only_for_clubs_on_record(db: EvidenceDB) -> None:
    content = json.dumps({"Chelsea FC": {"injuries": ["Kanté"]}, "切尔西": {"injuries": ["坎特"]}}).encode()
    report = import_absences(db, content, origin="a.json", published=dt.date(2019, 4, 12))
    assert (report.added, report.counts()) == (1, {("dropped", "the club is not on record"): 1})
    assert report.strangers == {"切尔西": ()}
    (absence,) = db.view(dt.date(2019, 4, 14)).absences("Chelsea")
    assert (absence.player, absence.kind, absence.source) == ("Kanté", "injury", "a.json")
    again = import_absences(
        db, content, origin="a.json", published=dt.date(2019, 4, 12), names={"切尔西": "Chelsea"}
    )
    assert (again.added, again.counts()) == (1, {("dropped", "on record already"): 1})


def test_an_absence_is_shown_from_the_day_after_its_publication(db: EvidenceDB) -> None:
    content = b"team,player,published\nChelsea,Kante,2019-04-14\n"
    import_absences(db, content, origin="a.csv")
    assert db.view(dt.date(2019, 4, 14)).absences("Chelsea") == []
    assert len(db.view(dt.date(2019, 4, 15)).absences("Chelsea")) == 1


def test_the_commands_report_every_reason_and_refuse_what_they_cannot_read(
    workspace: Workspace, tmp_path: Path
) -> None:
    def command(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, arguments)
        return result.exit_code, result.output

    matches, absences, other = tmp_path / "m.csv", tmp_path / "a.csv", tmp_path / "o.csv"
    matches.write_text(HEADER + DERBY + DERBY + f"{LEAGUE},2019-05-30,Spurs,Liverpool,1,0,played,,,\n")
    absences.write_text("team,player,published\nChelsea,Kante,2019-04-12\nSpurs,Kane,2019-04-12\n")
    other.write_text("x,y\n1,2\n")

    code, output = command("matches", "import", str(matches))
    assert code == 0
    assert "workbench: 3 records, 2 added, 1 dropped" in output
    assert "1 dropped: repeats an earlier record (first record 3" in output
    assert "1 clubs were not on record" in output
    code, output = command("matches", "import", str(matches), "--json")
    assert (json.loads(output)["dropped"], json.loads(output)["added"]) == (3, 0)
    code, output = command("absences", "import", str(absences))
    assert "1 dropped: the club is not on record (first record 3: Spurs)" not in output  # now on record
    assert "table: 2 records, 2 added, 0 dropped" in output
    assert command("matches", "forget", "m.csv") == (0, "2 rows taken out.\n")
    assert command("absences", "forget", "a.csv") == (0, "2 absences taken out.\n")
    for kind in ("matches", "absences"):
        code, output = command(kind, "import", str(other))
        assert code == 2
        assert output.startswith("Error: ")
        assert command(kind, "forget", "nothing")[0] == 2
