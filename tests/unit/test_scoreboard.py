"""The table of contestants by hand, and for the published forecast by formulas written out once more."""

from __future__ import annotations

import csv
import datetime as dt
import math
from pathlib import Path

import pytest

from tests.football_samples import EVEN, make_match, make_run
from workbench.evaluate.forecasts import Contestant, Forecast, forecast_of, yardsticks
from workbench.evaluate.scoreboard import METRICS, calibration, difference, score, scoreboard
from workbench.evidence.database import EvidenceDB
from workbench.evidence.readers.football import read_matches

ROOT = Path(__file__).parents[2]
FACTS = ROOT / "data" / "facts"
LARGE = ROOT.parent / "shared" / "realdata" / "scores" / "fivethirtyeight_spi_matches_2016_2019.csv"


def forecast(
    day: int, result: tuple[int, int], probabilities: dict[str, float] = EVEN, **run: object
) -> Forecast:
    match = make_match(day, result)
    found = forecast_of(make_run(match, probabilities=probabilities, **run), match)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_the_scores_of_two_matches_by_hand() -> None:
    """0.5 0.3 0.2 and goals 1.5 to 1.0: a home win 2:1, then an away win 0:2."""
    (line,) = scoreboard([forecast(0, (2, 1)), forecast(1, (0, 2))])
    value = {metric: line.scores[metric].value for metric in METRICS}
    assert value["rps"] == pytest.approx(((0.25 + 0.04) / 2 + (0.25 + 0.64) / 2) / 2)
    assert value["brier"] == pytest.approx(((0.25 + 0.09 + 0.04) + (0.25 + 0.09 + 0.64)) / 2)
    assert value["log_loss"] == pytest.approx(-(math.log(0.5) + math.log(0.2)) / 2)
    assert value["accuracy"] == 0.5
    assert value["goal_mae"] == pytest.approx(((0.5 + 0) / 2 + (1.5 + 1.0) / 2) / 2)
    assert (line.forecasts, line.matches, line.scaled, line.largest_gap) == (2, 2, 0, 0)
    assert {line.scores[metric].better for metric in METRICS} == {"lower", "higher"}


def test_an_empty_table_has_no_line_and_a_single_match_no_interval() -> None:
    assert scoreboard([]) == []
    (line,) = scoreboard([forecast(0, (2, 1), goals=None)])
    assert line.scores["rps"].low is None
    assert (line.scores["goal_mae"].value, line.scores["goal_mae"].n) == (None, 0)


def test_a_perfect_contestant_comes_first() -> None:
    """Its RPS of exactly 0 was once taken for no RPS at all."""
    sure = {"1": 1.0, "X": 0.0, "2": 0.0}
    lines = scoreboard([forecast(0, (2, 1)), forecast(0, (2, 1), sure, model="a/b")])
    assert [line.contestant.provider for line in lines] == ["a", "baseline"]


def test_the_best_comes_first_and_groups_stay_apart() -> None:
    bad = {"1": 0.1, "X": 0.1, "2": 0.8}
    lines = scoreboard(
        [
            forecast(0, (2, 1), bad, model="openai/x"),
            forecast(0, (2, 1)),
            forecast(0, (2, 1), prompt_version="v1", model="openai/x"),
        ]
    )
    assert lines[-1].contestant == Contestant("openai", "openai/x", "multi_v1")
    assert len(lines) == 3


def test_scaled_forecasts_are_counted_with_the_worst_gap() -> None:
    (line,) = scoreboard([forecast(0, (2, 1), {"1": 0.5, "X": 0.3, "2": 0.21}), forecast(1, (2, 1))])
    assert (line.scaled, line.largest_gap) == (1, pytest.approx(0.01))


def test_a_difference_is_paired_over_the_common_matches() -> None:
    better = {"1": 0.8, "X": 0.1, "2": 0.1}
    mine = [forecast(0, (2, 1), better), forecast(1, (2, 1), better), forecast(2, (2, 1), better)]
    theirs = [forecast(0, (2, 1)), forecast(1, (2, 1)), forecast(9, (0, 2))]
    gap = difference(mine, theirs, "rps")
    assert gap.n == 2
    assert gap.value == pytest.approx((0.04 + 0.01) / 2 - (0.25 + 0.04) / 2)
    assert difference(mine, [], "rps").value is None
    assert difference([], [], "accuracy").n == 0


def test_a_match_forecast_twice_counts_with_its_mean_in_a_difference() -> None:
    sure = {"1": 1.0, "X": 0.0, "2": 0.0}
    mine = [forecast(0, (2, 1), sure), forecast(0, (2, 1))]
    gap = difference(mine, [forecast(0, (2, 1), sure)], "rps")
    assert (gap.n, gap.value) == (1, pytest.approx(0.145 / 2))


def test_calibration_counts_every_probability_once() -> None:
    forecasts = [
        forecast(0, (2, 1)),
        forecast(1, (0, 0)),
        forecast(2, (0, 2), {"1": 0.0, "X": 0.0, "2": 1.0}),
    ]
    bins = calibration(forecasts)
    assert [each.happened.n for each in bins] == [2, 0, 2, 2, 0, 2, 0, 0, 0, 1]
    assert bins[5].forecast == 0.5
    assert bins[5].happened.value == 0.5
    assert bins[9].happened.value == 1.0
    assert (bins[1].forecast, bins[1].happened.value) == (None, None)
    draws = calibration(forecasts, "X")
    assert sum(each.happened.n for each in draws) == 3
    assert draws[3].happened.value == 0.5
    assert sum(each.happened.n for each in calibration([])) == 0


def test_the_published_forecast_scores_what_is_computed_independently(tmp_path: Path) -> None:
    """Its figures over data/facts, by formulas written out once more here and not taken from the package."""
    season = ("2017-18", "2018-19")
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    history = db.view(dt.date(2030, 1, 1)).matches(competition="English Premier League")
    published = [
        each
        for each in yardsticks((match for match in history if match.season in season), history)
        if each.contestant.model == "published"
    ]
    with (FACTS / "matches.csv").open(encoding="utf-8") as stream:
        rows = [
            row
            for row in csv.DictReader(stream)
            if row["competition"] == "English Premier League" and row["season"] in season
        ]
    figures = {"rps": 0.0, "brier": 0.0, "log_loss": 0.0, "accuracy": 0.0}
    for row in rows:
        p = [float(row[name]) for name in ("ref_home", "ref_draw", "ref_away")]
        p = [value / sum(p) for value in p]
        margin = int(row["home_goals"]) - int(row["away_goals"])
        happened = [margin > 0, margin == 0, margin < 0]
        figures["rps"] += ((p[0] - happened[0]) ** 2 + (p[2] - happened[2]) ** 2) / 2
        figures["brier"] += sum((q - h) ** 2 for q, h in zip(p, happened, strict=True))
        figures["log_loss"] -= math.log(p[happened.index(True)])
        figures["accuracy"] += p.index(max(p)) == happened.index(True)
    assert len(rows) == len(published) == 760
    for metric, total in figures.items():
        assert score(published, metric).value == pytest.approx(total / 760, abs=1e-12)  # type: ignore[arg-type]
    assert score(published, "rps").value == pytest.approx(0.1865, abs=5e-5)
    assert score(published, "brier").value == pytest.approx(0.5424, abs=5e-5)
    assert score(published, "log_loss").value == pytest.approx(0.9192, abs=5e-5)
    assert score(published, "accuracy").value == pytest.approx(0.570, abs=5e-4)
    rates = [each for each in yardsticks(history, history) if each.contestant.model == "base_rates"]
    assert score(rates, "rps").value == pytest.approx(0.2322, abs=5e-5)
    assert len(rates) == 760


@pytest.mark.skipif(not LARGE.is_file(), reason="the large real file is not part of the project")
def test_no_row_of_the_large_file_is_lost() -> None:
    file = read_matches(LARGE.read_bytes())
    matches = [match for _, match in file.matches]
    played = [match for match in matches if match.settled]
    published = [e for e in yardsticks(matches, matches) if e.contestant.model == "published"]
    assert (len(matches), len(played), len(published)) == (24108, 22761, 22761)
    (line,) = scoreboard(published)
    with LARGE.open(encoding="utf-8") as stream:
        rows = [row for row in csv.DictReader(stream) if row["score1"]]
    sums = [float(row["prob1"]) + float(row["prob2"]) + float(row["probtie"]) for row in rows]
    assert line.scaled == sum(abs(total - 1) > 1e-6 for total in sums) > 5000
    assert line.largest_gap == pytest.approx(0.0001, abs=1e-6)
    expected = 0.0
    for row, total in zip(rows, sums, strict=True):
        home, away = float(row["prob1"]) / total, float(row["prob2"]) / total
        margin = float(row["score1"]) - float(row["score2"])
        expected += ((home - (margin > 0)) ** 2 + (away - (margin < 0)) ** 2) / 2
    assert line.scores["rps"].value == pytest.approx(expected / len(rows), abs=1e-12)
    assert sum(each.happened.n for each in calibration(published)) == 3 * 22761
