"""The colours of the product, and the sign that doubles each.

One colour stands for one meaning everywhere, and never alone: a sign, a word or a shape says the same. The
colours are those of Okabe and Ito (2008), "Color universal design", which readers with any common
colour-vision deficiency can tell apart; ``.streamlit/config.toml`` gives badges and text the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

GREEN, ORANGE, VERMILLION = "#009E73", "#E69F00", "#D55E00"
BLUE, PURPLE, GREY = "#0072B2", "#CC79A7", "#8A8A8A"
GOLD = "#D9C41E"

COLOURS: Mapping[str, str] = {
    "buy": GREEN,
    "watch": ORANGE,
    "avoid": VERMILLION,
    "1": BLUE,
    "X": GREY,
    "2": PURPLE,
    "FLASH": VERMILLION,
    "ALERT": ORANGE,
    "NOTE": GOLD,
    "FYI": GREY,
}
"""Colour of each verdict label, of home win, draw and away win, and of each urgency."""

SIGNS: Mapping[str, str] = {
    "buy": "▲",
    "watch": "◆",
    "avoid": "▼",
    "1": "⌂",
    "X": "=",
    "2": "→",
    "FLASH": "▲",
    "ALERT": "◆",
    "NOTE": "●",
    "FYI": "■",
}
BADGES: Mapping[str, str] = {
    "buy": "green",
    "watch": "orange",
    "avoid": "red",
    "1": "blue",
    "X": "gray",
    "2": "violet",
    "FLASH": "red",
    "ALERT": "orange",
    "NOTE": "yellow",
    "FYI": "gray",
}
"""Name of the same colour in Streamlit's badges."""

Spec = dict[str, Any]
Ink = Literal["light", "dark"]
"""Theme of the page: marks have one colour in both, text has not."""

STRONG_IMPACT, SOME_IMPACT = 0.70, 0.45
"""From where the bar of a news impact is red, and from where amber; below it is blue."""

IMPACTS: Mapping[Ink, tuple[str, str, str]] = {
    "light": ("#C01818", "#B87A00", "#0072B2"),
    "dark": ("#FF6B6B", "#FFC440", "#56B4E9"),
}
"""Red, amber and blue of these bars: thin lines, which the colours of text would leave brown in brown."""


def impact_colour(impact: float, ink: Ink) -> str:
    """The colour of a news impact (0..1)."""
    red, amber, blue = IMPACTS[ink]
    return red if impact >= STRONG_IMPACT else amber if impact >= SOME_IMPACT else blue


TEXT: Mapping[Ink, str] = {"light": "#22262B", "dark": "#E4E2DC"}
FAINT: Mapping[Ink, str] = {"light": "#5E5A54", "dark": "#B5B1AA"}
ACCENT: Mapping[Ink, str] = {"light": "#2B4C7E", "dark": "#9DBDF0"}
PAPER: Mapping[Ink, str] = {"light": "#FCFBF8", "dark": "#0F1115"}
"""Words to read, words beside the point, marks of the agents, and what everything stands on."""

SERIES = (BLUE, ORANGE, GREEN, PURPLE, "#56B4E9", VERMILLION, GREY)
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "triangle-right")
"""Colour and shape of things without a meaning of their own, e.g. compared runs."""


def chart_config() -> Spec:
    """What every chart has in common."""
    return {
        "view": {"stroke": None},
        "axis": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": 400},
    }
