"""Anchors and thresholds of a scale on one axis, with what is missing and what is there twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from workbench.strategy.parts import RubricAnchor
from workbench.ui import palette, text
from workbench.ui.language import t
from workbench.ui.palette import Ink, Spec

LEVEL, OVERLAP_LEVEL = 38, 51
"""Height of the names on the bands: an overlap has its own, as it may have its middle where an anchor has."""


@dataclass(frozen=True)
class Mark:
    """Where a label begins: its lowest score, its word, and its colour."""

    at: float
    word: str
    colour: str


@dataclass(frozen=True)
class Stretch:
    """A part of the scale: an anchor, a gap no anchor covers, or an overlap of two."""

    low: float
    high: float
    kind: str
    words: str
    range: str


def stretches(anchors: Sequence[Mapping[str, object]], top: float) -> list[Stretch]:
    """What the anchors cover of the scale from 0 to ``top``; one whose range cannot be read is left out.

    "75-84" and "85-100" leave nothing between them: an anchor reaches to the next step it is written in.
    """
    read = sorted(filter(None, map(_read, anchors)), key=lambda anchor: (anchor.low, anchor.high))
    if not read:
        return [Stretch(0, top, "gap", "", "")]
    ends = [min(anchor.high + anchor.resolution, max(top, anchor.high)) for anchor in read]
    found = [
        Stretch(anchor.low, end, "anchor", anchor.description, anchor.range)
        for anchor, end in zip(read, ends, strict=True)
    ]
    reach = 0.0
    for anchor, end in zip(read, ends, strict=True):
        step = anchor.resolution * 1e-6
        if anchor.low > reach + step:
            found.append(Stretch(reach, anchor.low, "gap", "", f"{reach:g}–{anchor.low:g}"))
        elif anchor.low < reach - step:
            found.append(
                Stretch(anchor.low, min(reach, end), "overlap", "", f"{anchor.low:g}–{min(reach, end):g}")
            )
        reach = max(reach, end)
    if reach < top:
        found.append(Stretch(reach, top, "gap", "", f"{reach:g}–{top:g}"))
    return found


def ruler(anchors: Sequence[Mapping[str, object]], marks: Sequence[Mark], top: float, ink: Ink) -> Spec:
    """The chart: anchors as bands in the colour of their label, gaps dashed, overlaps struck out, thresholds.

    Args:
        anchors: ``range`` and ``description`` as they stand in the file, valid or not.
        marks: Where the labels begin.
        top: Upper end of the scale.
        ink: Theme of the page.
    """
    dark, faint, paper = palette.TEXT[ink], palette.FAINT[ink], palette.PAPER[ink]
    x = {
        "type": "quantitative",
        "scale": {"domain": [0, top], "nice": False, "clamp": True},
        "axis": {"title": None, "grid": False, "tickCount": 10, "domain": False},
    }
    rising = sorted(marks, key=lambda mark: mark.at)
    rows = []
    for piece in stretches(anchors, top):
        below = [mark for mark in rising if mark.at <= piece.low]
        rows.append(
            {
                "low": piece.low,
                "high": min(piece.high, top),
                "middle": (piece.low + min(piece.high, top)) / 2,
                "kind": piece.kind,
                "range": piece.range,
                "words": piece.words,
                "name": {"anchor": piece.range, "gap": "?", "overlap": "!"}[piece.kind],
                "level": OVERLAP_LEVEL if piece.kind == "overlap" else LEVEL,
                "colour": below[-1].colour if below else palette.GREY,
            }
        )
    tooltip = [
        {"field": "range", "title": t("chart.range")},
        {"field": "words", "title": t("chart.anchor")},
    ]
    span = {"x": {"field": "low", **x}, "x2": {"field": "high"}, "y": {"value": 26}, "y2": {"value": 58}}

    def band(kind: str, mark: Spec, **encoding: object) -> Spec:
        return {
            "data": {"values": [row for row in rows if row["kind"] == kind]},
            "mark": {"type": "rect", **mark},
            "encoding": {**span, "tooltip": tooltip, **encoding},
        }

    colour = {"color": {"field": "colour", "type": "nominal", "scale": None}}
    shown = [mark for mark in rising if 0 < mark.at <= top]
    rows_of = [0] * len(shown)
    for index in range(1, len(shown)):
        near = shown[index].at - shown[index - 1].at < top / 4
        rows_of[index] = 1 - rows_of[index - 1] if near else 0
    thresholds = [
        {"at": mark.at, "name": f"{mark.word} ≥ {mark.at:g}", "row": row}
        for mark, row in zip(shown, rows_of, strict=True)
    ]
    layers: list[Spec] = [
        band("anchor", {"opacity": 0.35, "stroke": paper, "strokeWidth": 2}, **colour),
        band(
            "gap", {"fillOpacity": 0, "stroke": palette.VERMILLION, "strokeDash": [4, 3], "strokeWidth": 1.5}
        ),
        band("overlap", {"opacity": 0.55, "color": palette.VERMILLION}),
        {
            "data": {"values": rows},
            "mark": {"type": "text", "fontSize": 11, "color": dark, "baseline": "middle"},
            "encoding": {
                "x": {"field": "middle", **x},
                "y": {"field": "level", "type": "quantitative", "scale": None},
                "text": {"field": "name", "type": "nominal"},
            },
        },
        {
            "data": {"values": thresholds},
            "mark": {"type": "rule", "strokeWidth": 2, "color": dark},
            "encoding": {"x": {"field": "at", **x}, "y": {"value": 18}, "y2": {"value": 64}},
        },
    ]
    for row in (0, 1):
        layers.append(
            {
                "data": {"values": [one for one in thresholds if one["row"] == row]},
                "mark": {"type": "text", "fontSize": 12, "color": dark, "baseline": "bottom"},
                "encoding": {
                    "x": {"field": "at", **x},
                    "y": {"value": 15 if row == 0 else 1},
                    "text": {"field": "name", "type": "nominal"},
                },
            }
        )
    return {
        "height": 108,
        "layer": layers,
        "config": {"view": {"stroke": None}, "axis": {"labelColor": faint}},
    }


def _read(anchor: Mapping[str, object]) -> RubricAnchor | None:
    try:
        return RubricAnchor(
            range=str(anchor.get("range")), description=str(anchor.get("description") or text.MISSING)
        )
    except ValidationError:
        return None
