"""The ruler of the studio: what anchors cover, leave out and cover twice."""

from __future__ import annotations

from workbench.ui.palette import BLUE, GREY
from workbench.ui.ruler import Mark, ruler, stretches


def kinds(*ranges: str, top: float = 100.0) -> list[tuple[str, float, float]]:
    found = stretches([{"range": one, "description": "x"} for one in ranges], top)
    return [(piece.kind, round(piece.low, 6), round(piece.high, 6)) for piece in found]


def test_anchors_that_touch_leave_no_gap() -> None:
    assert kinds("85-100", "75-84", "0-74") == [
        ("anchor", 0, 75),
        ("anchor", 75, 85),
        ("anchor", 85, 100),
    ]


def test_a_gap_and_the_ends_that_no_anchor_covers_are_found() -> None:
    assert [piece for piece in kinds("10-40", "50-80") if piece[0] == "gap"] == [
        ("gap", 0, 10),
        ("gap", 41, 50),
        ("gap", 81, 100),
    ]


def test_an_overlap_is_found() -> None:
    assert ("overlap", 30, 41) in kinds("0-40", "30-100")


def test_a_short_scale_is_measured_in_its_own_steps() -> None:
    assert kinds("0.00-0.39", "0.40-1.00", top=1.0) == [("anchor", 0, 0.4), ("anchor", 0.4, 1.0)]


def test_a_range_that_cannot_be_read_covers_nothing() -> None:
    assert kinds("from 0 to 10") == [("gap", 0, 100)]
    assert kinds() == [("gap", 0, 100)]


def test_an_anchor_has_the_colour_of_the_label_its_lowest_score_earns() -> None:
    spec = ruler([{"range": "0-49"}, {"range": "50-100"}], [Mark(50, "High", BLUE)], 100, "light")
    rows = spec["layer"][0]["data"]["values"]
    assert [(row["range"], row["colour"]) for row in rows] == [("0-49", GREY), ("50-100", BLUE)]


def test_the_sign_of_an_overlap_stands_clear_of_the_name_of_an_anchor() -> None:
    """An anchor that lies within another one had its name written over the ``!``."""
    spec = ruler([{"range": "0-100"}, {"range": "40-60"}], [], 100, "light")
    names = [
        (row["middle"], row["level"], row["name"])
        for layer in spec["layer"]
        if layer["mark"]["type"] == "text" and "level" in str(layer["encoding"]["y"])
        for row in layer["data"]["values"]
    ]
    assert {name for *_, name in names} == {"0-100", "40-60", "!"}
    (sign,) = (one for one in names if one[2] == "!")
    assert all(abs(sign[1] - level) > 11 for _, level, name in names if name != "!")
