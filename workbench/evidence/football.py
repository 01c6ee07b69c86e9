"""The slices of a football match: what each expert is shown, all of it played or published before the match.

The view is as of the day of the match, so no slice can see that day or a later one. Home and away are
roles of the subject's own row and of each earlier match's own row, never an order in a list. Every slice
also carries the same header under ``match``: the fixture, its round, both league positions and the
league's averages.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from weakref import WeakKeyDictionary

from workbench.evidence.football_text import render, render_all, render_header
from workbench.evidence.league import (
    Appearance,
    Averages,
    Played,
    Record,
    Standing,
    averages,
    both_sides,
    played,
    record,
    seen_by,
    standings,
)
from workbench.evidence.slices import slice_
from workbench.evidence.strengths import GOALS_ONLY, MIN_MATCHES, MIXED, Strength, Strengths, fit
from workbench.evidence.view import Absence, View
from workbench.records import Evidence, MatchSubject, Sufficiency

Side = Literal["home", "away"]
SIDES: tuple[Side, ...] = ("home", "away")

BLENDS = {"mixed": MIXED, "goals_only": GOALS_ONLY}
"""The notions of scoring under which strengths are shown."""

STALE_DAYS = 120
"""Older than any summer break: matches this long ago say little, so sufficiency is low."""

AVERAGES_DAYS = 365
"""The league's averages cover this long before the match."""

OPEN_ABSENCE_DAYS = 60
"""A report of an absence without an expected return is believed this long."""


@dataclass(frozen=True)
class Window:
    """How many earlier matches of each club, and of the two clubs against each other, are shown."""

    recent: int = 10
    meetings: int = 10


DEFAULT_WINDOW = Window()


@dataclass(frozen=True)
class _League:
    """What all slices of one run share."""

    matches: list[Played]
    seen: Mapping[Side, list[Appearance]]
    table: Mapping[str, Standing]
    header: Mapping[str, Any]
    header_text: str
    missing: Mapping[str, str]


_LEAGUES: WeakKeyDictionary[View, dict[MatchSubject, _League]] = WeakKeyDictionary()
"""A run's slices share one view: its league is worked out once, and dropped with the view."""


@slice_("header", of="match")
def match_header(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
    """The header alone, which the aggregator reads beside the reports; empty without a league match."""
    matches = _league(view, subject).matches
    days = [match.date for match in matches[-1:]]
    return _aged(_evidence(view, subject, {}, {}, fewest=len(matches), days=days), subject)


@slice_("form", of="match")
def form(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
    """The last matches of both clubs in all competitions, with expected goals and opponents' positions."""
    table = _league(view, subject).table
    last = {side: _seen(view, subject, side)[-window.recent :] for side in SIDES}
    facts: dict[str, Any] = {
        side: {
            "club": club,
            "recent": _record(last[side]),
            "matches": [_appearance(appearance, table) for appearance in last[side]],
        }
        for side, club in _clubs(subject)
    }
    return _two_sided(view, subject, facts, {}, last)


@slice_("stats", of="match")
def stats(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
    """Goals and expected goals for and against: recent, this season, and as strengths within the league."""
    missing = {"shots": "the match table has no shots", "possession": "the match table has no possession"}
    last = {side: _seen(view, subject, side)[-window.recent :] for side in SIDES}
    facts: dict[str, Any] = {
        side: {
            "club": club,
            "recent": _record(last[side]),
            "season": _record(_of_season(_seen(view, subject, side), subject.season)),
        }
        for side, club in _clubs(subject)
    }
    matches = _league(view, subject).matches
    fitted = view.shared(
        ("strengths", subject.competition, subject.season, subject.date),
        partial(fit, matches, subject.season, subject.date, *BLENDS.values()),
    )
    if fitted:
        named = zip(BLENDS, fitted, strict=True)
        facts["strengths"] = {name: _strengths(strengths, subject) for name, strengths in named}
    else:
        missing["strengths"] = f"{len(matches)} matches of the competition known, {MIN_MATCHES} needed"
    return _two_sided(view, subject, facts, missing, last)


@slice_("home_away", of="match")
def home_away(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
    """The home club's record at home and the away club's record away."""
    there = {side: [a for a in _seen(view, subject, side) if a.venue == side] for side in SIDES}
    last = {side: there[side][-window.recent :] for side in SIDES}
    facts: dict[str, Any] = {
        side: {
            "club": club,
            "venue": side,
            "recent": _record(last[side]),
            "season": _record(_of_season(there[side], subject.season)),
        }
        for side, club in _clubs(subject)
    }
    return _two_sided(view, subject, facts, {}, last)


@slice_("h2h", of="match")
def h2h(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
    """The last meetings of the two clubs, in total and at this ground, from the home club's side."""
    meetings = [a for a in _seen(view, subject, "home") if a.opponent == subject.away][-window.meetings :]
    if not meetings:
        return Evidence(missing={"meetings": f"no meeting before {subject.date} is on record"})
    facts = {
        "meetings": [_appearance(meeting, {}) for meeting in meetings],
        "total": _record(meetings),
        "here": _record([meeting for meeting in meetings if meeting.venue == "home"]),
    }
    return _evidence(view, subject, facts, {}, fewest=len(meetings), days=(m.date for m in meetings))


@slice_("injuries", of="match")
def injuries(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
    """Players reported out on the day; nothing where nobody reported, which is not the same as nobody out."""
    facts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    days: list[dt.date] = []
    for side, club in _clubs(subject):
        out = [absence for absence in view.absences(club) if _is_out(absence, subject.date)]
        days += [absence.published for absence in out]
        if out:
            facts[side] = {"club": club, "absences": [_absence(absence) for absence in out]}
        else:
            missing[f"{side}.absences"] = f"no report says who of {club} is out on {subject.date}"
    if not facts:
        return Evidence(missing=missing)
    sources = sorted({a["source"] for side in facts.values() for a in side["absences"] if a["source"]})
    evidence = _evidence(view, subject, facts, missing, fewest=3 if len(facts) == 2 else 1, days=days)
    return evidence.model_copy(update={"sources": tuple(sources)})


def combine(evidence: Mapping[str, Evidence]) -> Evidence:
    """One context out of several slices, for a strategy that asks once: facts by slice name, one header."""
    shown = {name: slice_evidence for name, slice_evidence in evidence.items() if not slice_evidence.empty}
    if not shown:
        return Evidence(missing={k: v for part in evidence.values() for k, v in part.missing.items()})
    header = next(iter(shown.values())).facts["match"]
    parts = {
        name: {key: value for key, value in part.facts.items() if key != "match"}
        for name, part in shown.items()
    }
    order: tuple[Sufficiency, ...] = ("high", "medium", "low")
    return Evidence(
        facts={"match": header, **parts},
        text=render_all(render_header(header), parts),
        sources=tuple(dict.fromkeys(source for part in shown.values() for source in part.sources)),
        newest=max(part.newest for part in shown.values() if part.newest),
        sufficiency=min((part.sufficiency for part in shown.values()), key=order.index),
        missing={
            f"{name}.{figure}": reason
            for name, part in evidence.items()
            for figure, reason in part.missing.items()
        },
    )


def _league(view: View, subject: MatchSubject) -> _League:
    leagues = _LEAGUES.setdefault(view, {})
    if subject not in leagues:
        leagues[subject] = _work_out(view, subject)
    return leagues[subject]


def _work_out(view: View, subject: MatchSubject) -> _League:
    matches = view.matches_as(played, competition=subject.competition)
    sides = view.matches_as(both_sides, competition=subject.competition)
    league = subject.competition, subject.season
    table = view.shared(("table", *league), partial(standings, sides, subject.season))
    means = view.shared(("averages", *league, subject.date), partial(_averages_on, matches, subject.date))
    seen = {side: view.matches_as(seen_by(club), team=club) for side, club in _clubs(subject)}
    missing: dict[str, str] = {}
    for side, club in _clubs(subject):
        if club not in table:
            missing[f"{side}.position"] = f"no match of {club} in {subject.season} yet"
    if means is None:
        missing["league"] = f"no match of the competition in the {AVERAGES_DAYS} days before {subject.date}"
    lines = {side: table.get(club) for side, club in _clubs(subject)}
    header = {
        "competition": subject.competition,
        "season": subject.season,
        "date": subject.date.isoformat(),
        "home": subject.home,
        "away": subject.away,
        "round": 1 + max((line.record.matches for line in lines.values() if line), default=0),
        "table": {side: line and _standing(line) for side, line in lines.items()},
        "rest_days": {side: _rest_days(seen[side], subject.date) for side in SIDES},
        "league": means and _rounded(vars(means), 3),
        "newest": matches[-1].date.isoformat() if matches else None,
    }
    return _League(matches, seen, table, header, render_header(header), missing)


def _averages_on(matches: Sequence[Played], day: dt.date) -> Averages | None:
    since = day - dt.timedelta(days=AVERAGES_DAYS)
    return averages([match for match in matches if match.date >= since])


def _seen(view: View, subject: MatchSubject, side: Side) -> list[Appearance]:
    """All earlier matches of one of the two clubs, in every competition, oldest first."""
    return _league(view, subject).seen[side]


def _clubs(subject: MatchSubject) -> tuple[tuple[Side, str], ...]:
    return ("home", subject.home), ("away", subject.away)


def _of_season(seen: Iterable[Appearance], season: str) -> list[Appearance]:
    return [appearance for appearance in seen if appearance.season == season]


def _rest_days(seen: Sequence[Appearance], date: dt.date) -> int | None:
    return (date - seen[-1].date).days if seen else None


def _two_sided(
    view: View,
    subject: MatchSubject,
    facts: dict[str, Any],
    missing: dict[str, str],
    shown: Mapping[Side, Sequence[Appearance]],
) -> Evidence:
    """Evidence about both clubs: as sufficient as that of the club less is known about."""
    for side, club in _clubs(subject):
        if not shown[side]:
            missing[f"{side}.recent"] = f"no such match of {club} is on record"
    if not any(shown.values()):
        return Evidence(missing=missing)
    days = [appearance.date for seen in shown.values() for appearance in seen]
    fewest = max(1, min(len(seen) for seen in shown.values()))
    return _aged(_evidence(view, subject, facts, missing, fewest=fewest, days=days), subject)


def _aged(evidence: Evidence, subject: MatchSubject) -> Evidence:
    """The evidence, with low sufficiency where everything in it happened long before the match."""
    if evidence.newest is None or (subject.date - evidence.newest).days <= STALE_DAYS:
        return evidence
    stale = {"recency": f"the newest match shown is more than {STALE_DAYS} days old"}
    return evidence.model_copy(update={"sufficiency": "low", "missing": evidence.missing | stale})


def _evidence(
    view: View,
    subject: MatchSubject,
    facts: Mapping[str, Any],
    missing: Mapping[str, str],
    *,
    fewest: int,
    days: Iterable[dt.date],
) -> Evidence:
    """Evidence with the shared header; ``fewest`` matches back the side less is known about."""
    league = _league(view, subject)
    whole = {"match": dict(league.header), **facts}
    return Evidence(
        facts=whole,
        text=render(league.header_text, whole),
        sources=("matches",),
        newest=max(days, default=None),
        sufficiency=_sufficiency(fewest),
        missing={**league.missing, **missing},
    )


def _sufficiency(matches: int) -> Sufficiency:
    return "high" if matches >= 5 else "medium" if matches >= 3 else "low" if matches else "none"


def _record(seen: Sequence[Appearance]) -> dict[str, Any]:
    whole: Record = record(seen)
    return _rounded(vars(whole), 2) | {"points": whole.points}


def _standing(line: Standing) -> dict[str, Any]:
    keys = ("matches", "won", "drawn", "lost", "goals_for", "goals_against")
    counts = {key: getattr(line.record, key) for key in keys}
    return {"position": line.position, "clubs": line.clubs, "points": line.record.points, **counts}


def _appearance(seen: Appearance, table: Mapping[str, Standing]) -> dict[str, Any]:
    line = table.get(seen.opponent)
    return seen._asdict() | {
        "date": seen.date.isoformat(),
        "result": seen.result,
        "opponent_position": line and line.position,
    }


def _strengths(fitted: Strengths, subject: MatchSubject) -> dict[str, Any]:
    """The two clubs' strengths, the league's means and the expectation they multiply to."""
    home, away = fitted.expectation(subject.home, subject.away)
    return {
        "league_home_goals": round(fitted.home_mean, 3),
        "league_away_goals": round(fitted.away_mean, 3),
        "home": _strength(fitted.of(subject.home)),
        "away": _strength(fitted.of(subject.away)),
        "expected_home_goals": round(home, 3),
        "expected_away_goals": round(away, 3),
    }


def _strength(strength: Strength) -> dict[str, float]:
    return {
        "attack": round(strength.attack, 3),
        "defence": round(strength.defence, 3),
        "matches": round(strength.matches, 1),
    }


def _is_out(absence: Absence, date: dt.date) -> bool:
    if absence.since is not None and absence.since > date:
        return False
    if absence.until is not None:
        return absence.until > date
    return (date - absence.published).days <= OPEN_ABSENCE_DAYS


def _absence(absence: Absence) -> dict[str, Any]:
    return {
        key: value.isoformat() if isinstance(value, dt.date) else value
        for key, value in absence._asdict().items()
        if key != "team"
    }


def _rounded(figures: Mapping[str, Any], digits: int) -> dict[str, Any]:
    return {
        name: round(value, digits) if isinstance(value, float) else value for name, value in figures.items()
    }
