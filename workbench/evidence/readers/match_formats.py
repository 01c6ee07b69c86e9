"""One reader per format of match files: a record of the file in, a match out."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from workbench.errors import InputError
from workbench.evidence.fixtures import season_of
from workbench.evidence.readers.match_cells import (
    Goals,
    MatchRecord,
    UnusableRecord,
    day,
    figures,
    goals,
    number,
    result,
    season_name,
    shoot_out,
    whole,
)
from workbench.evidence.readers.tables import lines, read_json
from workbench.evidence.view import Match, MatchStatus

FormatName = Literal["football-data.co.uk", "openfootball", "FiveThirtyEight", "FBref", "workbench"]
Numbered = tuple[int, Mapping[str, Any]]

DIVISIONS = {
    "E0": "English Premier League", "E1": "English League Championship", "E2": "English League One",
    "E3": "English League Two", "EC": "English National League", "SC0": "Scottish Premiership",
    "SC1": "Scottish Championship", "SC2": "Scottish League One", "SC3": "Scottish League Two",
    "D1": "German Bundesliga", "D2": "German 2. Bundesliga", "I1": "Italy Serie A", "I2": "Italy Serie B",
    "SP1": "Spanish Primera Division", "SP2": "Spanish Segunda Division", "F1": "French Ligue 1",
    "F2": "French Ligue 2", "N1": "Dutch Eredivisie", "B1": "Belgian Jupiler League",
    "P1": "Portuguese Liga", "T1": "Turkish Turkcell Super Lig", "G1": "Greek Super League",
}  # fmt: skip
"""Division codes of football-data.co.uk, under the names FiveThirtyEight uses, so that histories join up."""

CALENDAR_YEAR_LEAGUES = frozenset({
    "Major League Soccer", "United Soccer League", "Brasileiro Série A", "Swedish Allsvenskan",
    "Norwegian Tippeligaen", "Japanese J League", "Chinese Super League", "National Women's Soccer League",
})  # fmt: skip
"""FiveThirtyEight's leagues whose season is one calendar year."""

ODDS = ("AvgC", "Avg", "BbAv", "PSC", "PS", "P", "B365", "WH", "LB", "BW", "IW", "GB", "SB", "SO", "VC", "SJ")
"""Bookmaker columns of football-data.co.uk, of which the first complete triple is taken: the market's average
before any one bookmaker, closing odds before earlier ones."""


@dataclass(frozen=True)
class Format:
    """How one format is read.

    Attributes:
        name: Whose format it is.
        columns: Columns that only this format has; none for JSON.
        records: Text of a file -> its numbered records.
        match: Record -> match. Raises ``UnusableRecord``.
    """

    name: FormatName
    columns: frozenset[str]
    records: Callable[[str], Iterable[Numbered]]
    match: Callable[[MatchRecord], Match]


def _season_file(record: MatchRecord) -> Match:
    """football-data.co.uk, one division and season a file."""
    cells = record.cells
    division = cells.get("Div", "")
    return _football_data(
        record,
        goals(cells.get("FTHG"), cells.get("FTAG")),
        cells.get("FTR"),
        competition=DIVISIONS.get(division, division),
        home=cells.get("HomeTeam") or cells.get("HT"),  # some early files shorten the two names
        away=cells.get("AwayTeam") or cells.get("AT"),
    )


def _country_file(record: MatchRecord) -> Match:
    """football-data.co.uk, "new leagues": all seasons of a country in one file."""
    cells = record.cells
    return _football_data(
        record,
        goals(cells.get("HG"), cells.get("AG")),
        cells.get("Res"),
        competition=" ".join(filter(None, (cells.get("Country"), cells.get("League")))),
        season=season_name(cells.get("Season", "")),
        home=cells.get("Home"),
        away=cells.get("Away"),
    )


def _football_data(record: MatchRecord, score: Goals | None, letter: str | None, **known: Any) -> Match:
    if score and letter and letter != ("D" if score[0] == score[1] else "H" if score[0] > score[1] else "A"):
        record.note("the result letter contradicts the goals", "FTR, Res", letter)
    date = day(record.cells.get("Date"), "%d/%m/%y", "%d/%m/%Y")
    return record.match(date=date, **known, **result(score), **_odds(record))


def _odds(record: MatchRecord) -> dict[str, Any]:
    for source in ODDS:
        quoted = [record.cells.get(source + letter) for letter in ("H", "D", "A")]
        if not all(quoted):
            continue
        prices = [number(str(price)) or 0.0 for price in quoted]
        if min(prices) > 1:
            names = ("odds_home", "odds_draw", "odds_away")
            return dict(zip(names, prices, strict=True)) | {"odds_source": source}
        shown = "/".join(map(str, quoted))
        record.note(f"odds {source} are no decimal odds, left out", f"{source}H, {source}D, {source}A", shown)
    return {}


def _fivethirtyeight(record: MatchRecord) -> Match:
    """``spi_matches.csv``: the forecast as the reference, and both kinds of expected goals."""
    cells = record.cells
    date = day(cells.get("date"), "%Y-%m-%d")
    league = cells.get("league", "")
    start = cells.get("season", "")  # only later editions have the column: the year a season starts in
    inside = dt.date(int(start), 12, 31) if re.fullmatch(r"\d{4}", start) else date
    return record.match(
        competition=league,
        season=season_of(inside, calendar_year=league in CALENDAR_YEAR_LEAGUES),
        date=date,
        home=cells.get("team1"),
        away=cells.get("team2"),
        **result(goals(cells.get("score1"), cells.get("score2"))),
        **figures(record, home_xg="xg1", away_xg="xg2", home_nsxg="nsxg1", away_nsxg="nsxg2"),
        **figures(record, ref_home="prob1", ref_draw="probtie", ref_away="prob2"),
    )


_FBREF_SCORE = re.compile(r"(?:\((\d+)\)\s*)?(\d+)\s*[–—-]\s*(\d+)(?:\s*\((\d+)\))?")
"""``4–2``, after a shoot-out ``(5) 1–1 (4)``; with any kind of dash."""


def _fbref(record: MatchRecord) -> Match:
    """FBref's "Scores & Fixtures"; rows to be played have no score, in some exports three cells too few."""
    cells = record.cells
    home, away = cells.get("Home"), cells.get("Away")
    date = day(cells.get("Date"), "%Y-%m-%d")
    week = cells.get("Wk", "").removesuffix(".0") or None
    if score := _FBREF_SCORE.fullmatch(cells.get("Score", "")):
        pens_home, goals_home, goals_away, pens_away = score.groups()
        return record.match(
            date=date,
            home=home,
            away=away,
            round=week,
            **result(goals(goals_home, goals_away)),
            **shoot_out(goals(pens_home, pens_away)),
            **figures(record, home_xg="xG", away_xg="xG.1"),
        )
    if (shifted := cells.get("xG")) and number(shifted) is None:
        record.note("row to be played is shifted to the left; the away club was read from column xG")
        away = shifted
    elif "Score" in cells:
        raise UnusableRecord("the score cannot be read", "Score", cells["Score"])
    return record.match(date=date, home=home, away=away, round=week, status="scheduled")


_OWN_COUNTS = ("extra_home", "extra_away", "pens_home", "pens_away")
_OWN_FIGURES = (
    "home_xg", "away_xg", "home_nsxg", "away_nsxg", "ref_home", "ref_draw", "ref_away",
    "odds_home", "odds_draw", "odds_away",
)  # fmt: skip


def _own(record: MatchRecord) -> Match:
    """The columns of the match table under their own names, as many as there are."""
    cells = record.cells
    status = cells.get("status")
    if status is not None and status not in get_args(MatchStatus):
        raise UnusableRecord("unknown status", "status", status)
    known: dict[str, Any] = result(goals(cells.get("home_goals"), cells.get("away_goals")))
    known |= {name: cells[name] for name in ("status", "round", "odds_source", "note") if name in cells}
    known |= {name: whole(cells[name], name) for name in _OWN_COUNTS if name in cells}
    return record.match(
        competition=cells.get("competition", ""),
        season=season_name(cells.get("season", "")),
        date=day(cells.get("date"), "%Y-%m-%d"),
        home=cells.get("home"),
        away=cells.get("away"),
        **known,
        **figures(record, **{name: name for name in _OWN_FIGURES}),
    )


_OPENFOOTBALL_STATUS: Mapping[str, MatchStatus] = {
    "awarded": "awarded",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "postponed": "postponed",
    "abandoned": "abandoned",
}
_COUNTRY = re.compile(r" \([A-Z]{3}\)$")


def _openfootball_records(text: str) -> Iterable[Numbered]:
    try:
        whole_file = read_json(text)
        title = str(whole_file["name"]).replace(" | ", " ")
        rounds = whole_file.get("rounds") or [{"matches": whole_file["matches"]}]
        matches = [{"round": each.get("name"), **match} for each in rounds for match in each["matches"]]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"this JSON is no season of openfootball ({error}).",
            remedy="Such a file has a name, and matches or rounds with matches.",
        ) from error
    named = re.fullmatch(r"(.*?)\s+(\d{4}(?:[/-]\d{2,4})?)", title)
    league, season = named.groups() if named else (title, "")
    known = {"competition": league, "season": season_name(season)}
    return [(number, match | known) for number, match in enumerate(matches, start=1)]


def _openfootball(record: MatchRecord) -> Match:
    """All layouts since 2015: ``score`` with ft, et and p; or score1, score1et, score1p and their likes."""
    cells = record.cells
    stated = cells.get("status")
    if stated is not None and stated not in _OPENFOOTBALL_STATUS:
        raise UnusableRecord("unknown status", "status", stated)
    full, extra, pens = (_openfootball_score(cells, name) for name in ("ft", "et", "p"))
    known = result(full)
    if stated:
        known = {"status": _OPENFOOTBALL_STATUS[stated], "note": full and f"{stated} {full[0]}:{full[1]}"}
    if extra:
        known |= {"extra_home": extra[0], "extra_away": extra[1]}
    return record.match(
        competition=cells["competition"],
        season=cells["season"],
        date=day(cells.get("date"), "%Y-%m-%d"),
        home=_openfootball_club(cells.get("team1")),
        away=_openfootball_club(cells.get("team2")),
        round=cells.get("round"),
        **known,
        **shoot_out(pens),
    )


def _openfootball_score(cells: Mapping[str, Any], name: str) -> Goals | None:
    score = cells.get("score")
    if isinstance(score, Mapping):
        pair = score.get(name)
    else:
        suffix = "" if name == "ft" else name
        old = [cells.get(f"score1{suffix}"), cells.get(f"score2{suffix}")]
        pair = None if old == [None, None] else old
    if pair is None:
        return None
    if not isinstance(pair, list) or len(pair) != 2:
        raise UnusableRecord("the score cannot be read", f"score {name}", pair)
    return goals(*pair)


def _openfootball_club(team: Any) -> str | None:
    name = team.get("name") if isinstance(team, Mapping) else team
    return _COUNTRY.sub("", name.strip()) if isinstance(name, str) else None


JSON_FORMAT = Format("openfootball", frozenset(), _openfootball_records, _openfootball)

CSV_FORMATS = (
    Format("football-data.co.uk", frozenset({"Div", "FTHG", "FTAG"}), lines, _season_file),
    Format("football-data.co.uk", frozenset({"Country", "League", "HG", "AG"}), lines, _country_file),
    Format("FiveThirtyEight", frozenset({"team1", "team2", "prob1", "probtie"}), lines, _fivethirtyeight),
    Format("FBref", frozenset({"Wk", "Home", "Score", "Away"}), lines, _fbref),
    Format("workbench", frozenset({"date", "home", "away", "home_goals", "away_goals"}), lines, _own),
)
