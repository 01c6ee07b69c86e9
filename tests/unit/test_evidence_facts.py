"""The sample facts say what ``data/SOURCES.md`` says of them."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import pytest

FACTS = Path(__file__).parents[2] / "data" / "facts"
LEAGUE = "English Premier League"


def read(table: str) -> list[dict[str, str]]:
    with (FACTS / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_league_tables_end_with_the_known_points() -> None:
    points: Counter[tuple[str, str]] = Counter()
    for row in read("matches"):
        if row["competition"] == LEAGUE:
            home, away = int(row["home_goals"]), int(row["away_goals"])
            points[row["season"], row["home"]] += 3 * (home > away) + (home == away)
            points[row["season"], row["away"]] += 3 * (away > home) + (home == away)
    assert points["2016-17", "Chelsea"] == 93
    assert points["2017-18", "Manchester City"] == 100
    assert points["2018-19", "Manchester City"] == 98
    assert points["2018-19", "Liverpool"] == 97


def test_the_published_forecast_scores_as_documented() -> None:
    rows = [row for row in read("matches") if row["competition"] == LEAGUE]
    brier = log_loss = rps = 0.0
    for row in rows:
        forecast = [float(row[f"ref_{side}"]) for side in ("home", "draw", "away")]
        assert sum(forecast) == pytest.approx(1, abs=1e-9)
        margin = int(row["home_goals"]) - int(row["away_goals"])
        outcome = [float(margin > 0), float(margin == 0), float(margin < 0)]
        brier += sum((p - o) ** 2 for p, o in zip(forecast, outcome, strict=True))
        log_loss -= math.log(sum(p * o for p, o in zip(forecast, outcome, strict=True)))
        rps += ((forecast[0] - outcome[0]) ** 2 + (forecast[2] - outcome[2]) ** 2) / 2
    assert len(rows) == 1140
    assert [round(total / len(rows), 4) for total in (brier, log_loss, rps)] == [0.5397, 0.9157, 0.1850]


def test_no_statement_comes_out_before_its_year_ends_and_no_date_repeats() -> None:
    rows = read("statements")
    assert all(row["published"] > row["period_end"] for row in rows)
    assert max(Counter((row["code"], row["fiscal_year"]) for row in rows).values()) == 1
    prices = read("prices")
    assert max(Counter((row["code"], row["date"]) for row in prices).values()) == 1
    assert all(float(row["close"]) > 0 for row in prices)


def test_a_final_dividend_belongs_to_the_year_before_and_completes_it_once() -> None:
    rows = read("dividends")
    finals = [row for row in rows if row["kind"] == "final"]
    assert all(int(row["ex_date"][:4]) == int(row["fiscal_year"]) + 1 for row in finals)
    assert max(Counter((row["code"], row["fiscal_year"]) for row in finals).values()) == 1


def test_splits_agree_with_the_share_capital_before_and_after() -> None:
    """Yanghe, where nothing but splits changed the count between these year ends."""
    shares = {
        row["fiscal_year"]: float(row["shares_outstanding"])
        for row in read("statements")
        if row["code"] == "002304.SZ"
    }
    splits = [float(row["value"]) for row in read("events") if row["code"] == "002304.SZ"]
    assert splits == [2, 1.2, 1.4]
    assert shares["2012"] == shares["2010"] * 2 * 1.2
    assert shares["2015"] == pytest.approx(shares["2014"] * 1.4, rel=1e-4)


def test_sources_name_the_licence_caveat_and_every_table() -> None:
    text = (FACTS.parent / "SOURCES.md").read_text(encoding="utf-8")
    for table in FACTS.glob("*.csv"):
        assert f"## {table.name}" in text
    assert "no licence" in text
    assert "CC BY 4.0" in text
