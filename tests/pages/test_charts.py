"""Charts are data: what they draw can be read off their specification."""

from __future__ import annotations

import colorsys
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

import workbench
from tests.pages.ui_fixtures import chapters_run, match_run
from workbench.records import EDGE_SCALE, PERCENT_SCALE
from workbench.strategy.files import read_strategy
from workbench.strategy.schema import ChaptersStrategy
from workbench.ui import charts, palette, rubric

THEME = tomllib.loads((Path(workbench.__file__).parent / ".streamlit" / "config.toml").read_text())["theme"]


def synthesis() -> rubric.Synthesis:
    strategy = read_strategy(chapters_run().strategy_text, "value.yaml").strategy
    assert isinstance(strategy, ChaptersStrategy)
    return strategy.framework.synthesis


def test_the_rubric_covers_the_scale_without_gaps() -> None:
    for bands in (rubric.anchors(synthesis()), sorted(rubric.label_ranges(synthesis()), key=lambda b: b.low)):
        assert [band.low for band in bands] == [0, *(band.high for band in bands[:-1])]
        assert bands[-1].high == 100
    assert [band.label for band in rubric.anchors(synthesis())] == ["avoid", "watch", "watch", "buy", "buy"]


def test_the_rubric_marks_the_score_and_where_it_was_before_the_rules() -> None:
    spec = charts.rubric(rubric.anchors(synthesis()), rubric.label_ranges(synthesis()), 65, 68, "light")
    drawn = [row["score"] for layer in spec["layer"] for row in layer["data"]["values"] if "score" in row]
    assert drawn == [68, 65, 65]  # hollow mark, line, number
    unmoved = charts.rubric(rubric.anchors(synthesis()), (), 65, None, "light")
    assert [r["score"] for layer in unmoved["layer"] for r in layer["data"]["values"] if "score" in r] == [
        65,
        65,
    ]
    empty = charts.rubric(rubric.anchors(synthesis()), (), None, None, "light")
    assert len(empty["layer"]) == 2


def test_the_dumbbell_has_a_row_for_every_agent_even_without_a_score() -> None:
    reports = [report for report in match_run().reports if report.scale == EDGE_SCALE]
    rows = charts.dumbbell(reports, EDGE_SCALE, (), "dark")["data"]["values"]
    assert [(row["draft"], row["revised"], row["note"]) for row in rows] == [
        (0.35, 0.28, "+0.35 → +0.28"),
        (0.42, 0.42, "+0.42 → +0.42"),
        (0.30, 0.22, "+0.30 → +0.22"),
        (None, None, "no data"),
        (None, None, "failed"),
    ]


@pytest.mark.parametrize(("draft", "revised", "side"), [(10, 20, "left"), (90, 80, "right"), (5, 95, "left")])
def test_a_note_stands_where_the_edge_does_not_cut_it_off(draft: int, revised: int, side: str) -> None:
    report = chapters_run().reports[0]
    assert report.draft
    assert report.revised
    moved = report.model_copy(
        update={
            "draft": report.draft.model_copy(update={"score": draft}),
            "revised": report.revised.model_copy(update={"score": revised}),
        }
    )
    (row,) = charts.dumbbell([moved], PERCENT_SCALE, (), "light")["data"]["values"]
    assert row["side"] == side


def test_outcomes_lie_end_to_end() -> None:
    spec = charts.outcomes([("run", {"1": 0.5, "X": 0.3, "2": 0.2})], "light")
    ends = [(piece["start"], piece["end"], piece["text"]) for piece in spec["data"]["values"]]
    assert ends == [(0, 0.5, "⌂ 50%"), (0.5, 0.8, "= 30%"), (0.8, 1.0, "→ 20%")]


def test_a_meaning_has_one_colour_in_charts_and_badges() -> None:
    for label, colour in palette.COLOURS.items():
        badge = palette.BADGES[label]
        for mode in ("light", "dark"):
            if badge != "gray":  # grey says nothing, so it may follow the paper
                assert THEME[mode][f"{badge}Color"] == colour


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_can_be_read_on_its_paper(mode: str) -> None:
    """WCAG 2.1, success criterion 1.4.3: contrast of at least 4.5 for text, 3 for controls."""
    theme = THEME[mode]
    for surface in ("backgroundColor", "secondaryBackgroundColor"):
        assert contrast(theme["textColor"], theme[surface]) >= 7
        assert contrast(theme["linkColor"], theme[surface]) >= 4.5
        assert contrast(theme["primaryColor"], theme[surface]) >= 3
    for name in ("green", "orange", "red", "blue", "violet", "gray"):
        assert contrast(theme[f"{name}TextColor"], theme[f"{name}BackgroundColor"]) >= 4.5, name
    assert contrast("#FFFFFF", theme["primaryColor"]) >= 4.5  # what Streamlit writes on primary buttons


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_bars_of_impacts_are_seen_and_told_apart(mode: palette.Ink) -> None:
    """Red and amber were two similar browns. WCAG 2.1, 1.4.11: contrast of at least 3 for graphics."""
    colours = palette.IMPACTS[mode]
    assert all(contrast(colour, palette.PAPER[mode]) >= 3 for colour in colours)
    hues = sorted(
        colorsys.rgb_to_hsv(*(int(part, 16) / 255 for part in re.findall("..", c[1:])))[0] for c in colours
    )
    assert all(after - before > 30 / 360 for before, after in pairwise(hues))
    red, amber, _ = colours
    assert contrast(red, amber) >= 1.6  # also for a reader who sees no red


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    channels = [int(part, 16) / 255 for part in re.findall("..", colour[1:])]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
