"""What a match read from a file must hold to: what cannot be true is left out with a remark, or drops it."""

from __future__ import annotations

import re
from typing import Any

from workbench.evidence.readers.match_cells import MAX_GOALS, MatchRecord, UnusableRecord
from workbench.evidence.view import Match

LONGEST_NAME = 100
"""Characters of the name of a club, competition or season: names end up in prompts."""

LONGEST_REMARK = 200
"""Characters of a round, a note or the source of odds."""

FIRST_YEAR, LAST_YEAR = 1860, 2100
"""The oldest association match on record is of the 1860s; a fixture list reaches a year ahead."""

FORECAST = ("ref_home", "ref_draw", "ref_away")
ODDS = ("odds_home", "odds_draw", "odds_away")
_EXPECTED_GOALS = ("home_xg", "away_xg", "home_nsxg", "away_nsxg")
_NAMES = ("home", "away", "competition", "season")
_REMARKS = ("round", "odds_source", "note")

SUM_TOLERANCE = 0.05
"""How far from 1 the sum of a published forecast may be by rounding."""

_SEASON = re.compile(r"(\d{4})(?:-(\d{2}))?")


def checked(match: Match, record: MatchRecord) -> Match:
    """The match without what cannot be true of it; each such thing is noted in the record.

    Raises:
        UnusableRecord: It cannot be a match at all.
    """
    for name in _NAMES:
        if len(getattr(match, name)) > LONGEST_NAME:
            raise UnusableRecord(f"a name of more than {LONGEST_NAME} characters", name, getattr(match, name))
    if not FIRST_YEAR <= match.date.year <= LAST_YEAR:
        raise UnusableRecord("the day is in no year of football", "date", match.date)
    _check_status(match, record)
    left_out: dict[str, Any] = {}
    for name in _REMARKS:
        if len(getattr(match, name) or "") > LONGEST_REMARK:
            record.note(f"more than {LONGEST_REMARK} characters, left out", name, getattr(match, name))
            left_out[name] = None
    for name in _EXPECTED_GOALS:
        if (value := getattr(match, name)) is not None and not 0 <= value <= MAX_GOALS:
            record.note("no expected goals, left out", name, value)
            left_out[name] = None
    return match._replace(
        **left_out, **_odds(match, record), **_forecast(match, record), **_beyond(match, record)
    )


def is_season(name: str) -> bool:
    """Whether a season is named by its year, or by two in a row."""
    years = _SEASON.fullmatch(name)
    return years is not None and (not years[2] or (int(years[1]) + 1) % 100 == int(years[2]))


def outside_season(match: Match) -> bool:
    """Whether the day lies neither in the year a season begins in nor in the next."""
    start = int(match.season[:4])
    return not start <= match.date.year <= start + 1


def _check_status(match: Match, record: MatchRecord) -> None:
    scored = match.home_goals is not None
    if match.status == "played" and not scored:
        raise UnusableRecord("played, but without a score", "status", match.status)
    if match.status in ("scheduled", "postponed", "cancelled") and scored:
        record.note("a score of a match that was not played; it does not count", "status", match.status)


def _odds(match: Match, record: MatchRecord) -> dict[str, Any]:
    for name in ODDS:
        if (price := getattr(match, name)) is not None and price <= 1:
            record.note("no decimal odds; those of this match are left out", name, price)
            return dict.fromkeys((*ODDS, "odds_source"))
    return {}


def _forecast(match: Match, record: MatchRecord) -> dict[str, Any]:
    """Percent become shares; a forecast with a part that is no share is left out."""
    given = {name: value for name in FORECAST if (value := getattr(match, name)) is not None}
    total = sum(given.values())
    if not given:
        return {}
    if len(given) == len(FORECAST) and min(given.values()) >= 0 and abs(total / 100 - 1) <= SUM_TOLERANCE:
        shown = "/".join(f"{value:g}" for value in given.values())
        record.note("a forecast in percent, divided by 100", "ref_home, ref_draw, ref_away", shown)
        return {name: value / 100 for name, value in given.items()}
    for name, value in given.items():
        if not 0 <= value <= 1:
            record.note("no probability; the forecast of this match is left out", name, value)
            return dict.fromkeys(FORECAST)
    if len(given) == len(FORECAST) and abs(total - 1) > SUM_TOLERANCE:
        record.note("a forecast that does not sum to 1, left out", ", ".join(FORECAST), f"{total:g}")
        return dict.fromkeys(FORECAST)
    return {}


def _beyond(match: Match, record: MatchRecord) -> dict[str, Any]:
    """Extra time has no fewer goals than 90 minutes, and a shoot-out has a winner."""
    corrected: dict[str, None] = {}
    for kind in ("extra", "pens"):
        home, away = getattr(match, f"{kind}_home"), getattr(match, f"{kind}_away")
        if (home is None) != (away is None):
            half = f"{kind}_away" if home is None else f"{kind}_home"
            record.note("half a score, left out", half, away if home is None else home)
            corrected |= {f"{kind}_home": None, f"{kind}_away": None}
        elif home is None:
            continue
        elif kind == "pens":
            if home == away:
                reason = f"shoot-out of {home}:{away} without a winner, left out"
                record.note(reason, "pens_home, pens_away", f"{home}:{away}")
                corrected |= {"pens_home": None, "pens_away": None}
        elif home < (match.home_goals or 0) or away < (match.away_goals or 0):
            record.note(
                "fewer goals after extra time than before, left out",
                "extra_home, extra_away",
                f"{home}:{away}",
            )
            corrected |= {"extra_home": None, "extra_away": None}
    return corrected
