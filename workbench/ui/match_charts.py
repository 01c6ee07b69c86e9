"""Charts of one match: what the experts see in it, which score is likely, how both clubs have played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.evaluate.football import outcome_of
from workbench.evidence.view import Match
from workbench.records import EDGE_SCALE, Report
from workbench.rules.poisson import goal_matrix
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.palette import (
    ACCENT,
    BLUE,
    COLOURS,
    FAINT,
    PAPER,
    PURPLE,
    SIGNS,
    TEXT,
    Ink,
    Spec,
    chart_config,
)

MOST_GOALS = 5
"""Goals of either club that the matrix of scores shows."""


def edges(reports: Sequence[Report], weights: Mapping[str, float], ink: Ink) -> Spec:
    """The home edge of each expert as a bar from zero, with its draft (hollow) and revision (filled).

    Args:
        reports: The experts, in the order of the rows; without an edge the row says why.
        weights: Weight the aggregator gave each, by agent.
        ink: Theme of the page.
    """
    rows = [_edge_row(report, weights.get(report.agent)) for report in reports]
    y = {
        "field": "agent",
        "type": "nominal",
        "sort": [row["agent"] for row in rows],
        "axis": {"title": None, "ticks": False, "domain": False, "labelColor": TEXT[ink], "labelLimit": 130},
    }
    x = {
        "type": "quantitative",
        "scale": {"domain": [-1, 1]},
        "axis": {"title": t("match.edge_axis"), "format": "+.1f", "tickCount": 5, "gridOpacity": 0.4},
    }
    tooltip = [
        {"field": "agent", "title": t("column.agent")},
        {"field": "draft_text", "title": t("column.draft")},
        {"field": "revised_text", "title": t("column.revised")},
        {"field": "weight", "title": t("match.weight")},
    ]
    point = {"type": "point", "size": 90, "opacity": 1, "strokeWidth": 2}
    return {
        "height": {"step": 34},
        "data": {"values": rows},
        "layer": [
            {
                "transform": [{"filter": "isValid(datum.final)"}],
                "mark": {"type": "bar", "height": 14, "opacity": 0.45},
                "encoding": {
                    "x": {"field": "zero", **x},
                    "x2": {"field": "final"},
                    "y": y,
                    "color": {"field": "colour", "type": "nominal", "scale": None},
                    "tooltip": tooltip,
                },
            },
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "color": FAINT[ink]},
                "encoding": {"x": {"field": "zero", **x}},
            },
            {
                "transform": [{"filter": "isValid(datum.draft)"}],
                "mark": {**point, "stroke": ACCENT[ink], "fill": PAPER[ink]},
                "encoding": {"x": {"field": "draft", **x}, "y": y, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": "isValid(datum.revised)"}],
                "mark": {**point, "stroke": ACCENT[ink], "fill": ACCENT[ink]},
                "encoding": {"x": {"field": "revised", **x}, "y": y, "tooltip": tooltip},
            },
            {
                "mark": {"type": "text", "align": {"expr": "datum.side"}, "dx": {"expr": "datum.shift"}},
                "encoding": {
                    "x": {"field": "at", **x},
                    "y": y,
                    "text": {"field": "note", "type": "nominal"},
                    "color": {"value": TEXT[ink]},
                },
            },
        ],
        "config": chart_config(),
    }


def _edge_row(report: Report, weight: float | None) -> dict[str, Any]:
    draft, revised, final = (
        opinion.score if opinion else None for opinion in (report.draft, report.revised, report.final)
    )
    marks = [value for value in (0.0, draft, revised) if value is not None]
    right = (final or 0) >= 0
    return {
        "agent": report.title,
        "zero": 0,
        "draft": draft,
        "revised": revised,
        "final": final,
        "draft_text": text.score(draft, EDGE_SCALE),
        "revised_text": text.score(revised, EDGE_SCALE),
        "weight": text.number(weight, 2),
        "colour": COLOURS["1"] if right else COLOURS["2"],
        "note": term("status", report.status) if final is None else text.score(final, EDGE_SCALE),
        "at": max(marks) if right else min(marks),
        "side": "left" if right else "right",
        "shift": 10 if right else -10,
    }


def score_matrix(home: float, away: float, match: Match, ink: Ink) -> Spec:
    """Probability of each exact score, by independent Poisson; the score that came about is framed.

    Args:
        home: Expected goals of the home club.
        away: Expected goals of the away club.
        match: The match, with its result where it has one.
        ink: Theme of the page.
    """
    happened = (match.home_goals, match.away_goals) if match.settled else None
    matrix = goal_matrix(home, away, MOST_GOALS)
    likeliest = max(max(row) for row in matrix)
    cells = [
        {
            "home": i,
            "away": j,
            "colour": COLOURS[outcome_of(i, j)],
            "shade": 0.06 + 0.84 * p / likeliest,
            "text": text.probability(p) if p >= 0.005 else "",
            "exact": text.percent(p),
            "outcome": f"{SIGNS[outcome_of(i, j)]} {term('label', outcome_of(i, j))}",
            "ink": "#FFFFFF" if p / likeliest > 0.75 and ink == "light" else TEXT[ink],
            "happened": (i, j) == happened,
        }
        for i, row in enumerate(matrix)
        for j, p in enumerate(row)
    ]

    def axis(side: str, club: str) -> Spec:
        drawn = {"title": t("match.goals_of", club=club), "labelAngle": 0, "ticks": False, "domain": False}
        return {"field": side, "type": "ordinal", "axis": drawn}

    return {
        "height": {"step": 32},
        "data": {"values": cells},
        "encoding": {"x": axis("away", match.away), "y": axis("home", match.home)},
        "layer": [
            {
                "mark": {"type": "rect", "stroke": PAPER[ink], "strokeWidth": 2},
                "encoding": {
                    "color": {"field": "colour", "type": "nominal", "scale": None},
                    "opacity": {"field": "shade", "type": "quantitative", "scale": None},
                    "tooltip": [
                        {"field": "home", "title": match.home},
                        {"field": "away", "title": match.away},
                        {"field": "outcome", "title": t("chart.outcome")},
                        {"field": "exact", "title": t("chart.probability")},
                    ],
                },
            },
            {
                "transform": [{"filter": "datum.happened"}],
                "mark": {"type": "rect", "filled": False, "stroke": TEXT[ink], "strokeWidth": 2.5},
            },
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "text", "type": "nominal"},
                    "color": {"field": "ink", "type": "nominal", "scale": None},
                },
            },
        ],
        "config": chart_config(),
    }


def trend(clubs: Sequence[tuple[str, Sequence[Mapping[str, Any]]]], ink: Ink) -> Spec:
    """Expected goals for minus against in each of the last matches of both clubs, beside the goals.

    Args:
        clubs: (club, its matches oldest first as the form slice has them), the home club first.
        ink: Theme of the page.
    """
    rows = []
    for club, matches in clubs:
        for number, match in enumerate(matches, start=-len(matches)):
            chances = None if match["xg_for"] is None else round(match["xg_for"] - match["xg_against"], 2)
            goals = match["goals_for"] - match["goals_against"]
            venue = term("venue", match["venue"])
            rows.append(
                {
                    "club": club,
                    "number": number,
                    "chances": chances,
                    "goals": goals,
                    "what": f"{match['date']} {match['opponent']} ({venue}) "
                    f"{match['goals_for']}:{match['goals_against']}",
                    "xg": text.number(match["xg_for"], 2) + " : " + text.number(match["xg_against"], 2),
                }
            )
    names = [club for club, _ in clubs]
    x = {
        "field": "number",
        "type": "quantitative",
        "axis": {"title": t("match.trend_axis"), "tickMinStep": 1, "grid": False, "format": "d"},
    }
    y = {
        "type": "quantitative",
        "axis": {"title": t("match.trend_unit"), "format": "+d", "tickMinStep": 1, "gridOpacity": 0.4},
    }
    colour = {
        "field": "club",
        "type": "nominal",
        "scale": {"domain": names, "range": [BLUE, PURPLE]},
        "legend": {"title": None, "orient": "top"},
    }
    shape = {"field": "club", "type": "nominal", "scale": {"domain": names, "range": ["circle", "square"]}}
    tooltip = [
        {"field": "club", "title": t("match.club")},
        {"field": "what", "title": t("subject.match")},
        {"field": "xg", "title": t("match.xg")},
    ]
    return {
        "height": 220,
        "data": {"values": rows},
        "layer": [
            {
                "data": {"values": [{"zero": 0}]},
                "mark": {"type": "rule", "color": FAINT[ink]},
                "encoding": {"y": {"field": "zero", **y}},
            },
            {
                "transform": [{"filter": "isValid(datum.chances)"}],
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"x": x, "y": {"field": "chances", **y}, "color": colour},
            },
            {
                "transform": [{"filter": "isValid(datum.chances)"}],
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {
                    "x": x,
                    "y": {"field": "chances", **y},
                    "color": colour,
                    "shape": shape,
                    "tooltip": tooltip,
                },
            },
            {
                "mark": {"type": "point", "size": 70, "opacity": 0.75, "strokeWidth": 1.5},
                "encoding": {
                    "x": x,
                    "y": {"field": "goals", **y},
                    "color": colour,
                    "shape": shape,
                    "tooltip": tooltip,
                },
            },
        ],
        "config": chart_config(),
    }
