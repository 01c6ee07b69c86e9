"""Charts as Vega-Lite specifications: pure functions from figures to plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.records import Outcome, Report, Run, Scale
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.palette import (
    ACCENT,
    COLOURS,
    FAINT,
    GREY,
    PAPER,
    SERIES,
    SHAPES,
    SIGNS,
    TEXT,
    Ink,
    Spec,
    chart_config,
)


@dataclass(frozen=True)
class Band:
    """One stretch of a scale: a rubric anchor, or the range of a label.

    Args:
        low: Lower bound, belongs to the band.
        high: Upper bound.
        label: Verdict label the band leads to; decides its colour.
        words: What the strategy says about the band.
    """

    low: float
    high: float
    label: str | None = None
    words: str = ""


def rubric(
    bands: Sequence[Band], labels: Sequence[Band], score: float | None, before: float | None, ink: Ink
) -> Spec:
    """The score on its rubric: anchors as bands, labels as colours, the model's own score hollow.

    Args:
        bands: The anchors of the strategy, any order.
        labels: One band per verdict label, from the thresholds.
        score: The score that counts, 0..100; None draws the empty scale.
        before: The score before the rules where they moved it.
        ink: Theme of the page.
    """
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, 100], "nice": False},
        "axis": {
            "values": sorted({band.low for band in (*bands, *labels)} | {100}),
            "title": None,
            "grid": False,
            "domain": False,
        },
    }
    anchors = [_band(band) for band in bands]
    names = [{**_band(band), "middle": (band.low + band.high) / 2} for band in labels]
    marks = [
        {"score": value, "stage": stage, "text": text.figure(value)}
        for value, stage in ((before, t("chart.before_rules")), (score, t("chart.score")))
        if value is not None
    ]
    paper, dark = PAPER[ink], TEXT[ink]
    layers: list[Spec] = [
        {
            "data": {"values": anchors},
            "mark": {"type": "rect", "opacity": 0.3, "stroke": paper, "strokeWidth": 2},
            "encoding": {
                "x": {"field": "low", **x},
                "x2": {"field": "high"},
                "y": {"value": 24},
                "y2": {"value": 46},
                "color": {"field": "colour", "type": "nominal", "scale": None},
                "tooltip": [
                    {"field": "range", "title": t("chart.range")},
                    {"field": "words", "title": t("chart.anchor")},
                ],
            },
        },
        {
            "data": {"values": names},
            "mark": {"type": "text", "baseline": "middle", "color": dark, "fontSize": 12},
            "encoding": {
                "x": {"field": "middle", **x},
                "y": {"value": 58},
                "text": {"field": "name", "type": "nominal"},
            },
        },
    ]
    if before is not None and before != score:
        layers.append(
            {
                "data": {"values": marks[:1]},
                "mark": {
                    "type": "point",
                    "shape": "triangle-down",
                    "size": 110,
                    "stroke": dark,
                    "yOffset": 16,
                },
                "encoding": {
                    "x": {"field": "score", **x},
                    "y": {"value": 0},
                    "tooltip": [{"field": "text", "title": t("chart.before_rules")}],
                },
            }
        )
    if score is not None:
        at = {"x": {"field": "score", **x}}
        values = {"values": marks[-1:]}
        layers += [
            {
                "data": values,
                "mark": {"type": "rule", "color": dark, "strokeWidth": 2},
                "encoding": {**at, "y": {"value": 20}, "y2": {"value": 50}},
            },
            {
                "data": values,
                "mark": {
                    "type": "text",
                    "fontSize": 16,
                    "fontWeight": 600,
                    "color": dark,
                    "baseline": "bottom",
                },
                "encoding": {**at, "y": {"value": 18}, "text": {"field": "text", "type": "nominal"}},
            },
        ]
    return {"height": 96, "layer": layers, "config": chart_config()}


def dumbbell(reports: Sequence[Report], scale: Scale, bands: Sequence[Band], ink: Ink) -> Spec:
    """Draft (hollow) and revised (filled) score of every agent on one scale, in the given order."""
    rows = [_dumbbell_row(report, scale) for report in reports]
    y = {"field": "agent", "type": "nominal", "sort": [row["agent"] for row in rows], "axis": _row_axis(ink)}
    x = _score_axis(scale)
    tooltip = [
        {"field": "agent", "title": t("column.agent")},
        {"field": "draft_text", "title": t("column.draft")},
        {"field": "revised_text", "title": t("column.revised")},
        {"field": "change", "title": t("column.change")},
        {"field": "why", "title": t("column.why")},
    ]
    accent, paper = ACCENT[ink], PAPER[ink]
    layers: list[Spec] = [
        {
            "data": {"values": [_band(band) for band in bands]},
            "mark": {"type": "rect", "opacity": 0.13},
            "encoding": {
                "x": {"field": "low", **x},
                "x2": {"field": "high"},
                "color": {"field": "colour", "type": "nominal", "scale": None},
            },
        }
    ]
    if scale.neutral is not None:
        layers.append(
            {
                "data": {"values": [{"neutral": scale.neutral}]},
                "mark": {"type": "rule", "color": FAINT[ink], "strokeDash": [3, 3]},
                "encoding": {"x": {"field": "neutral", **x}},
            }
        )
    layers += [
        {
            "transform": [{"filter": "isValid(datum.draft) && isValid(datum.revised)"}],
            "mark": {"type": "rule", "strokeWidth": 3, "color": accent, "opacity": 0.6},
            "encoding": {"x": {"field": "draft", **x}, "x2": {"field": "revised"}, "y": y},
        },
        {
            "transform": [{"filter": "isValid(datum.draft)"}],
            "mark": {
                "type": "point",
                "size": 120,
                "stroke": accent,
                "fill": paper,
                "strokeWidth": 2,
                "opacity": 1,
            },
            "encoding": {"x": {"field": "draft", **x}, "y": y, "tooltip": tooltip},
        },
        {
            "transform": [{"filter": "isValid(datum.revised)"}],
            "mark": {"type": "point", "size": 120, "fill": accent, "stroke": accent, "opacity": 1},
            "encoding": {"x": {"field": "revised", **x}, "y": y, "tooltip": tooltip},
        },
        {
            "mark": {
                "type": "text",
                "align": {"expr": "datum.side"},
                "dx": {"expr": "datum.shift"},
                "fontSize": 12,
            },
            "encoding": {
                "x": {"field": "at", **x},
                "y": y,
                "text": {"field": "note", "type": "nominal"},
                "color": {"value": FAINT[ink]},
                "tooltip": tooltip,
            },
        },
    ]
    return {
        "height": {"step": 34},
        "data": {"values": rows},
        "layer": layers,
        "config": chart_config(),
    }


def agents_by_run(runs: Sequence[tuple[str, Run]], scale: Scale, ink: Ink) -> Spec:
    """The final score of every agent on ``scale``, one mark per run, the first the largest.

    Args:
        runs: (title, run); titles are unique.
        scale: Agents on another scale are left out.
        ink: Theme of the page.
    """
    titles = [title for title, _ in runs]
    rows = [
        {
            "agent": report.title,
            "run": title,
            "score": report.final.score,
            "text": text.score(report.final.score, scale),
        }
        for title, run in runs
        for report in run.reports
        if report.scale == scale and report.final and report.final.score is not None
    ]
    agents = list(
        dict.fromkeys(report.title for _, run in runs for report in run.reports if report.scale == scale)
    )
    y = {"field": "agent", "type": "nominal", "sort": agents, "axis": _row_axis(ink)}
    x = {"field": "score", **_score_axis(scale)}
    return {
        "height": {"step": 30},
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "rule", "color": FAINT[ink], "opacity": 0.5, "strokeWidth": 2},
                "encoding": {
                    "y": y,
                    "x": {"aggregate": "min", **x},
                    "x2": {"aggregate": "max", "field": "score"},
                },
            },
            {
                "mark": {"type": "point", "filled": True, "opacity": 0.9},
                "encoding": {
                    "x": x,
                    "y": y,
                    "size": {  # the reference is the largest mark, so that an equal one does not hide it
                        "condition": {"test": {"field": "run", "equal": titles[0]}, "value": 260},
                        "value": 90,
                    },
                    "color": {
                        "field": "run",
                        "type": "nominal",
                        "scale": {"domain": titles, "range": SERIES[: len(titles)]},
                        "legend": {"title": None, "orient": "top", "columns": 1, "labelLimit": 320},
                    },
                    "shape": {
                        "field": "run",
                        "type": "nominal",
                        "scale": {"domain": titles, "range": SHAPES[: len(titles)]},
                    },
                    "tooltip": [
                        {"field": "agent", "title": t("column.agent")},
                        {"field": "run", "title": t("chart.run")},
                        {"field": "text", "title": t("column.score")},
                    ],
                },
            },
        ],
        "config": chart_config(),
    }


def outcomes(rows: Sequence[tuple[str, Mapping[Outcome, float]]], ink: Ink) -> Spec:
    """Stacked bars of home win, draw and away win, one bar per source.

    Args:
        rows: (source, {"1": p, "X": p, "2": p}), probabilities adding up to 1.
        ink: Theme of the page.
    """
    pieces: list[dict[str, Any]] = []
    for source, shares in rows:
        start = 0.0
        for outcome in ("1", "X", "2"):
            share = shares[outcome]
            pieces.append(
                {
                    "source": source,
                    "colour": COLOURS[outcome],
                    "outcome": term("label", outcome),
                    "start": start,
                    "end": start + share,
                    "middle": start + share / 2,
                    "text": f"{SIGNS[outcome]} {text.probability(share)}",
                }
            )
            start += share
    y = {
        "field": "source",
        "type": "nominal",
        "sort": [source for source, _ in rows],
        "axis": {"title": None, "ticks": False, "domain": False, "labelLimit": 120, "labelColor": TEXT[ink]},
    }
    x = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": None}
    return {
        "height": {"step": 34},
        "data": {"values": pieces},
        "layer": [
            {
                "mark": {"type": "bar", "opacity": 0.45, "stroke": PAPER[ink], "strokeWidth": 2},
                "encoding": {
                    "x": {"field": "start", **x},
                    "x2": {"field": "end"},
                    "y": y,
                    "color": {"field": "colour", "type": "nominal", "scale": None},
                    "tooltip": [
                        {"field": "source", "title": t("chart.source")},
                        {"field": "outcome", "title": t("chart.outcome")},
                        {"field": "text", "title": t("chart.probability")},
                    ],
                },
            },
            {
                "mark": {"type": "text", "fontSize": 13, "fontWeight": 600, "color": TEXT[ink]},
                "encoding": {
                    "x": {"field": "middle", **x},
                    "y": y,
                    "text": {"field": "text", "type": "nominal"},
                },
            },
        ],
        "config": chart_config(),
    }


def _band(band: Band) -> dict[str, Any]:
    label = band.label or ""
    sign = f"{SIGNS[label]} " if label in SIGNS else ""
    return {
        "low": band.low,
        "high": band.high,
        "range": f"{text.number(band.low)}–{text.number(band.high)}",
        "words": band.words,
        "name": f"{sign}{term('label', label)}" if label else "",
        "colour": COLOURS.get(label, GREY),
    }


def _row_axis(ink: Ink) -> Spec:
    return {
        "title": None,
        "labelLimit": 150,
        "ticks": False,
        "domain": False,
        "grid": True,
        "gridOpacity": 0.4,
        "labelColor": TEXT[ink],
        "labelFontSize": 12,
    }


def _score_axis(scale: Scale) -> Spec:
    axis = {
        "title": term("unit", scale.unit) or None,
        "tickCount": 5,
        "grid": False,
        "format": "+.1f" if scale.low < 0 else ".0f" if scale.high > 10 else ".1f",
    }
    return {
        "type": "quantitative",
        "scale": {"domain": [scale.low, scale.high], "nice": False},
        "axis": axis,
    }


def _dumbbell_row(report: Report, scale: Scale) -> dict[str, Any]:
    draft = report.draft.score if report.draft else None
    revised = report.revised.score if report.revised else None
    seen = [value for value in (draft, revised) if value is not None]
    if not seen:
        note = term("status", report.standing)
    elif draft is None or revised is None:
        note = text.score(seen[0], scale)
    else:
        note = f"{text.score(draft, scale)} → {text.score(revised, scale)}"
    # The note stands right of the marks, or left of them where the right edge of a phone would cut it off.
    places = [(value - scale.low) / (scale.high - scale.low) for value in seen]
    right = not seen or max(places) < 0.6 or min(places) < 0.4
    return {
        "agent": report.title,
        "draft": draft,
        "revised": revised,
        "draft_text": text.score(draft, scale),
        "revised_text": text.score(revised, scale),
        "change": text.change(report.change, scale),
        "why": report.revised.why_changed if report.revised else "",
        "note": note,
        "at": (max(seen) if right else min(seen)) if seen else scale.low,
        "side": "left" if right else "right",
        "shift": 12 if right else -12,
    }
