"""Charts of scores against what followed: the order of each date, and every score with its return."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.evaluate.companies import Judged
from workbench.evaluate.scores import DateIC
from workbench.evaluate.uncertainty import Estimate
from workbench.strategy.schema import LABELS
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.palette import ACCENT, COLOURS, FAINT, Ink, Spec, chart_config
from workbench.ui.titles import subject_title

SHAPES = ("triangle-up", "diamond", "triangle-down")
"""The signs of buy, watch and avoid as marks."""


def by_date(dates: Sequence[DateIC], mean: Estimate, ink: Ink) -> Spec:
    """The information coefficient of each date as a bar, and their mean as a line.

    A date without one keeps its place and has a dash.
    """
    values = [
        {
            "day": text.day(date.as_of),
            "ic": date.ic,
            "text": text.MISSING if date.ic is None else text.number(date.ic, 2),
            "n": text.number(date.n),
        }
        for date in dates
    ]
    x = {
        "field": "day",
        "type": "ordinal",
        "axis": {"title": t("companies.date"), "labelAngle": -45, "labelOverlap": True, "ticks": False},
    }
    y = {
        "type": "quantitative",
        "scale": {"domain": [-1, 1], "padding": 6},
        "axis": {"title": t("companies.ic_axis"), "tickCount": 5, "format": ".1f", "gridOpacity": 0.4},
    }
    tooltip = [
        {"field": "day", "title": t("companies.date")},
        {"field": "text", "title": t("companies.ic")},
        {"field": "n", "title": t("companies.companies")},
    ]
    line = [
        {
            "data": {"values": [{"at": mean.value}]},
            "mark": {"type": "rule", "color": FAINT[ink], "strokeDash": [4, 4]},
            "encoding": {"y": {"field": "at", **y}},
        }
    ]
    return {
        "height": 260,
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "bar", "color": ACCENT[ink], "opacity": 0.8},
                "encoding": {"x": x, "y": {"field": "ic", **y}, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": "!isValid(datum.ic)"}],
                "mark": {"type": "text", "color": FAINT[ink], "fontSize": 15},
                "encoding": {
                    "x": x,
                    "y": {"datum": 0, **y},
                    "text": {"field": "text", "type": "nominal"},
                    "tooltip": tooltip,
                },
            },
            *(line if mean.enough else []),
        ],
        "config": chart_config(),
    }


def scatter(judged: Sequence[Judged], ink: Ink) -> Spec:
    """Score against return, one mark a company and date, in the colour and shape of its label."""
    words = [term("label", label) for label in LABELS]
    values = [
        {
            "company": subject_title(each.run),
            "day": text.day(each.run.as_of),
            "score": each.score,
            "value": each.value,
            "label": term("label", each.run.label),
            "text": text.percent(each.value),
        }
        for each in judged
    ]
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, 100]},
        "axis": {"title": t("companies.score_axis"), "tickCount": 5, "gridOpacity": 0.4},
    }
    y = {
        "type": "quantitative",
        "axis": {"title": t("companies.return_axis"), "format": ".0%", "tickCount": 6, "gridOpacity": 0.4},
    }
    return {
        "height": 320,
        "layer": [
            {
                "data": {"values": [{"at": 0}]},
                "mark": {"type": "rule", "color": FAINT[ink], "strokeDash": [4, 4]},
                "encoding": {"y": {"field": "at", **y}},
            },
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 0.8},
                "encoding": {
                    "x": {"field": "score", **x},
                    "y": {"field": "value", **y},
                    "color": {
                        "field": "label",
                        "type": "nominal",
                        "scale": {"domain": words, "range": [COLOURS[label] for label in LABELS]},
                        "legend": {"title": None, "orient": "top"},
                    },
                    "shape": {
                        "field": "label",
                        "type": "nominal",
                        "scale": {"domain": words, "range": list(SHAPES)},
                    },
                    "tooltip": [
                        {"field": "company", "title": t("column.subject")},
                        {"field": "day", "title": t("column.as_of")},
                        {"field": "score", "title": t("column.score")},
                        {"field": "text", "title": t("companies.return")},
                        {"field": "label", "title": t("column.label")},
                    ],
                },
            },
        ],
        "config": chart_config(),
    }
