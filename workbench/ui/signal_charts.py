"""Charts of news signals: impact against confidence, and what revising changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.evaluate.signals import DRIFT
from workbench.records import URGENCIES
from workbench.store.signals import SignalRow
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.palette import ACCENT, COLOURS, FAINT, Ink, Spec, chart_config

IMPACT_LINE = 0.65
"""Where the quadrants part: the impact of an ALERT ..."""

CONFIDENCE_LINE = 0.5
"""... and a confidence of even odds."""

BIN = 0.01
"""Width of a bar of the histogram of changes."""


def quadrants(rows: Sequence[SignalRow], ink: Ink) -> Spec:
    """Impact against confidence, one mark a signal, parted into four quadrants."""
    colours = [COLOURS[urgency] for urgency in URGENCIES]
    words = [term("label", urgency) for urgency in URGENCIES]
    values = [
        {
            "title": text.short(row.title, 60),
            "day": row.published.isoformat(),
            "urgency": term("label", row.urgency),
            "impact": row.impact,
            "confidence": row.confidence,
        }
        for row in rows
    ]
    share = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"grid": False, "tickCount": 5}}
    x = {**share, "title": t("signals.confidence")}
    y = {**share, "title": t("signals.impact")}
    line = {"type": "rule", "color": FAINT[ink], "strokeDash": [4, 4]}
    corners = [
        {"x": 0.99 if sure else 0.01, "y": 0.98 if big else 0.02, "words": term("quadrant", f"{b}_{c}")}
        for big, b in ((True, "high"), (False, "low"))
        for sure, c in ((True, "high"), (False, "low"))
    ]
    return {
        "height": 340,
        "layer": [
            {
                "data": {"values": [{"at": CONFIDENCE_LINE}]},
                "mark": line,
                "encoding": {"x": {"field": "at", **x}},
            },
            {
                "data": {"values": [{"at": IMPACT_LINE}]},
                "mark": line,
                "encoding": {"y": {"field": "at", **y}},
            },
            {
                "data": {"values": corners},
                "mark": {
                    "type": "text",
                    "color": FAINT[ink],
                    "fontSize": 12,
                    "align": {"expr": "datum.x > 0.5 ? 'right' : 'left'"},
                    "baseline": {"expr": "datum.y > 0.5 ? 'top' : 'bottom'"},
                },
                "encoding": {
                    "x": {"field": "x", **x},
                    "y": {"field": "y", **y},
                    "text": {"field": "words", "type": "nominal"},
                },
            },
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 0.8},
                "encoding": {
                    "x": {"field": "confidence", **x},
                    "y": {"field": "impact", **y},
                    "color": {
                        "field": "urgency",
                        "type": "nominal",
                        "scale": {"domain": words, "range": colours},
                        # One row of four would be cut off on a telephone.
                        "legend": {"title": None, "orient": "top", "columns": 2},
                    },
                    "shape": {
                        "field": "urgency",
                        "type": "nominal",
                        "scale": {
                            "domain": words,
                            "range": ["triangle-up", "diamond", "circle", "square"],
                        },
                    },
                    "tooltip": [
                        {"field": "title", "title": t("signals.item")},
                        {"field": "day", "title": t("signals.day")},
                        {"field": "urgency", "title": t("signals.urgency")},
                        {"field": "impact", "title": t("signals.impact"), "format": ".2f"},
                        {"field": "confidence", "title": t("signals.confidence"), "format": ".2f"},
                    ],
                },
            },
        ],
        "config": chart_config(),
    }


def drift(changes: Sequence[float], ink: Ink) -> Spec:
    """How often a second look changed an impact by how much; the band is the drift between two runs."""
    reach = max(2 * DRIFT, *(abs(change) for change in changes)) + BIN
    steps = int(reach / DRIFT)
    spacing = 1 + steps // 6  # a label at every multiple of the drift, or at every few
    x = {
        "type": "quantitative",
        "title": t("signals.change"),
        "scale": {"domain": [-reach, reach], "nice": False},
        "axis": {
            "format": "+.2f",
            "grid": False,
            "values": [round(n * DRIFT, 2) for n in range(-steps, steps + 1) if n % spacing == 0],
        },
    }
    # Counted here: Vega gives no bar at all where every change is the same.
    bins = Counter(round(change / BIN) for change in changes)
    bars = [
        {"low": (n - 0.5) * BIN, "high": (n + 0.5) * BIN, "change": n * BIN, "count": count}
        for n, count in sorted(bins.items())
    ]
    return {
        "height": 240,
        "layer": [
            {
                "data": {"values": [{"low": -DRIFT, "high": DRIFT}]},
                "mark": {"type": "rect", "color": FAINT[ink], "opacity": 0.15},
                "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
            },
            {
                "data": {"values": bars},
                "mark": {"type": "bar", "color": ACCENT[ink]},
                "encoding": {
                    "x": {"field": "low", **x},
                    "x2": {"field": "high"},
                    "y": {
                        "field": "count",
                        "type": "quantitative",
                        "title": t("signals.opinions"),
                        "axis": {"tickMinStep": 1},
                    },
                    "y2": {"datum": 0},
                    "tooltip": [
                        {"field": "change", "title": t("signals.change"), "format": "+.2f"},
                        {"field": "count", "title": t("signals.opinions")},
                    ],
                },
            },
        ],
        "config": chart_config(),
    }
