"""Charts of how well things were forecast: estimates with their intervals, and calibration."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.evaluate.scoreboard import Bin
from workbench.evaluate.uncertainty import Estimate
from workbench.ui import estimates, text
from workbench.ui.estimates import Write
from workbench.ui.language import t
from workbench.ui.palette import ACCENT, FAINT, GREY, TEXT, Ink, Spec, chart_config


def forest(
    rows: Sequence[tuple[str, Estimate]],
    axis: str,
    ink: Ink,
    *,
    write: Write = estimates.plain,
    zero: bool = False,
    labels: str = "",
) -> Spec:
    """Estimates with their intervals, one a row, in the order given.

    Args:
        rows: (name, estimate); one without a value keeps its row and says so.
        axis: Title of the axis, with the direction that is better.
        ink: Theme of the page.
        write: How a figure is written.
        zero: Draw the line at zero that a difference is held against.
        labels: Format of the numbers on the axis, as Vega writes it; left to the chart if empty.
    """
    values = [
        {
            "name": name,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "text": estimates.with_interval(estimate, write),
            "short": write(estimate.value) if estimate.enough else t("estimate.no_data"),
            "n": text.number(estimate.n),
        }
        for name, estimate in rows
    ]
    y = {
        "field": "name",
        "type": "nominal",
        "sort": [name for name, _ in rows],
        "axis": {
            "title": None,
            "ticks": False,
            "domain": False,
            "labelLimit": 220,
            "labelColor": TEXT[ink],
            "labelExpr": "split(datum.label, ' · ')",  # one line for the model, one for the prompts
        },
    }
    x = {
        "type": "quantitative",
        "scale": {"zero": zero, "nice": True, "padding": 24},
        "axis": {"title": axis, "tickCount": 5, "gridOpacity": 0.4} | ({"format": labels} if labels else {}),
    }
    tooltip = [
        {"field": "name", "title": t("estimate.who")},
        {"field": "text", "title": t("estimate.figure")},
        {"field": "n", "title": t("estimate.n")},
    ]
    line = [
        {
            "data": {"values": [{"at": 0}]},
            "mark": {"type": "rule", "color": FAINT[ink], "strokeDash": [3, 3]},
            "encoding": {"x": {"field": "at", **x}},
        }
    ]
    return {
        "height": {"step": 34},
        "data": {"values": values},
        "layer": [
            *(line if zero else []),
            {
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "strokeWidth": 3, "color": ACCENT[ink], "opacity": 0.5},
                "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}, "y": y, "tooltip": tooltip},
            },
            {
                "transform": [{"filter": "isValid(datum.value)"}],
                "mark": {"type": "point", "filled": True, "size": 90, "color": ACCENT[ink], "opacity": 1},
                "encoding": {"x": {"field": "value", **x}, "y": y, "tooltip": tooltip},
            },
            {
                "mark": {"type": "text", "dy": -11, "fontSize": 11},
                "encoding": {
                    "x": {"field": "value", **x},
                    "y": y,
                    "text": {"field": "short", "type": "nominal"},
                    "color": {"value": TEXT[ink]},
                },
            },
        ],
        "config": chart_config(),
    }


def calibration(bins: Sequence[Bin], ink: Ink) -> Spec:
    """How often what was forecast happened, by tenths of probability; a larger mark is more forecasts."""
    rows = [
        {
            "forecast": each.forecast,
            "happened": each.happened.value,
            "low": each.happened.low,
            "high": each.happened.high,
            "n": each.happened.n,
            "said": text.percent(each.forecast),
            "was": estimates.with_interval(each.happened, estimates.share),
        }
        for each in bins
        if each.forecast is not None
    ]

    def axis(title: str) -> Spec:
        return {
            "type": "quantitative",
            "scale": {"domain": [0, 1]},
            "axis": {"title": title, "format": ".0%", "tickCount": 5, "gridOpacity": 0.4},
        }

    x, y = axis(t("football.said")), axis(t("football.was"))
    tooltip = [
        {"field": "said", "title": t("football.said")},
        {"field": "was", "title": t("football.was")},
        {"field": "n", "title": t("estimate.n")},
    ]
    return {
        "height": 300,
        "layer": [
            {
                "data": {"values": [{"a": 0, "b": 0}, {"a": 1, "b": 1}]},
                "mark": {"type": "line", "color": GREY, "strokeDash": [4, 4], "strokeWidth": 1},
                "encoding": {"x": {"field": "a", **x}, "y": {"field": "b", **y}},
            },
            {
                "data": {"values": rows},
                "transform": [{"filter": "isValid(datum.low)"}],
                "mark": {"type": "rule", "color": ACCENT[ink], "strokeWidth": 2, "opacity": 0.5},
                "encoding": {
                    "x": {"field": "forecast", **x},
                    "y": {"field": "low", **y},
                    "y2": {"field": "high"},
                },
            },
            {
                "data": {"values": rows},
                "mark": {"type": "point", "filled": True, "color": ACCENT[ink], "opacity": 1},
                "encoding": {
                    "x": {"field": "forecast", **x},
                    "y": {"field": "happened", **y},
                    "size": {
                        "field": "n",
                        "type": "quantitative",
                        "scale": {"range": [30, 340]},
                        "legend": None,
                    },
                    "tooltip": tooltip,
                },
            },
            {
                "data": {"values": rows},
                "mark": {"type": "text", "dx": 12, "align": "left", "fontSize": 10},
                "encoding": {
                    "x": {"field": "forecast", **x},
                    "y": {"field": "happened", **y},
                    "text": {"field": "n", "type": "quantitative"},
                    "color": {"value": FAINT[ink]},
                },
            },
        ],
        "config": chart_config(),
    }
