"""Figures as a reader sees them, and text that must not become markup."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from workbench.records import EDGE_SCALE, PERCENT_SCALE, Models
from workbench.ui import language, text
from workbench.ui.differences import differences


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "language", lambda: "zh")
    monkeypatch.setattr(text, "t", lambda key, **values: language.catalogue("zh")[key].format(**values))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1234567.8, "1,234,568"), (-3, "−3"), (0, "0"), (None, "–"), (float("nan"), "–"), (float("inf"), "–")],
)
def test_a_number_has_separators_and_a_real_minus(value: float | None, shown: str) -> None:
    assert text.number(value) == shown


def test_money_is_in_billions_and_millions_in_english() -> None:
    assert text.amount(94_915_000_000, "CNY") == "94.9 bn CNY"
    assert text.amount(-2_500_000) == "−2.5 m"
    assert text.amount(None) == "–"
    assert text.amount(12.345) == "12.35"


@pytest.mark.usefixtures("chinese")
def test_money_is_in_yi_and_wan_in_chinese() -> None:
    assert text.amount(94_920_000_000, "CNY") == "949.2 亿 CNY"
    assert text.amount(32_000) == "3.2 万"
    assert text.duration(75) == "1 分 15 秒"


def test_percentages_have_one_decimal_and_probabilities_none() -> None:
    assert text.percent(0.1234) == "12.3%"
    assert text.probability(0.4483) == "45%"
    assert text.percent(None) == text.probability(None) == "–"


def test_a_score_has_the_digits_and_the_sign_of_its_scale() -> None:
    assert text.score(53.6, PERCENT_SCALE) == "54"
    assert text.score(0.3, EDGE_SCALE) == "+0.30"
    assert text.score(-0.3, EDGE_SCALE) == "−0.30"
    assert text.score(None, EDGE_SCALE) == "–"


def test_draft_change_and_revised_add_up_as_they_are_shown() -> None:
    """82.0 -> 70.9 was shown as 82, 71 and -11.1."""
    assert text.change(PERCENT_SCALE.difference(82.0, 70.9), PERCENT_SCALE) == "−11"
    assert text.change(EDGE_SCALE.difference(0.52, 0.42), EDGE_SCALE) == "−0.10"
    assert text.change(PERCENT_SCALE.difference(39, 46), PERCENT_SCALE) == "+7"
    assert text.change(PERCENT_SCALE.difference(None, 46), PERCENT_SCALE) == "–"


@pytest.mark.parametrize(("before", "after"), [(50.2, 49.8), (49.8, 50.2), (50, 50)])
def test_no_change_has_no_sign(before: float, after: float) -> None:
    """It was shown as +0, and -0 in a terminal."""
    assert text.change(PERCENT_SCALE.difference(before, after), PERCENT_SCALE) == "0"


def test_a_figure_without_a_unit_has_about_three_digits() -> None:
    assert [text.figure(value) for value in (3.0, 128.82, 1.234, 6.3, 40.0, None)] == [
        "3",
        "128.8",
        "1.23",
        "6.3",
        "40",
        "–",
    ]


def test_times_and_costs_are_short() -> None:
    assert text.duration(0.42) == "0.4 s"
    assert text.duration(42.4) == "42 s"
    assert text.duration(75) == "1 min 15 s"
    assert text.day(dt.date(2021, 6, 30)) == "2021-06-30"
    assert text.cost(0) == "no cost"
    assert text.cost(0.01234) == "$0.0123"
    assert text.cost(None) == text.duration(None) == text.day(None) == text.moment(None) == "–"


def test_the_baseline_is_never_named_without_saying_that_it_is_no_model() -> None:
    assert text.models_title(Models()) == "baseline (built-in rules, not a model)"
    mixed = Models(specialist="baseline", aggregator="openai/gpt")
    assert text.models_title(mixed) == "baseline (built-in rules, not a model) + openai/gpt"


def test_a_cut_counts_a_chinese_character_twice() -> None:
    assert text.short("abcdef", 6) == "abcdef"
    assert text.short("安全边际", 6) == "安全边…"
    assert text.short("first\nsecond") == "first"


@settings(deadline=None, max_examples=100)
@given(some.text(alphabet="ab *_[](){}<>!#`|~$:\\&@/\n\"'", max_size=60))
def test_escaping_loses_nothing_and_leaves_no_bare_mark(raw: str) -> None:
    escaped = text.escape(raw)
    unescaped, position = [], 0
    while position < len(escaped):
        if escaped[position] == "\\":
            position += 1
        else:
            assert escaped[position] not in "*_[](){}<>!#`|~$:&"
        unescaped.append(escaped[position])
        position += 1
    assert "".join(unescaped) == raw


@settings(deadline=None, max_examples=100)
@given(
    some.text(alphabet="毛利率安全 ab12.%，\n", max_size=80),
    some.text(alphabet="毛利率安全 ab12.%，\n", max_size=80),
)
def test_the_pieces_of_a_difference_join_to_both_texts(before: str, after: str) -> None:
    left, right = differences(before, after)
    assert "".join(piece.text for piece in left) == before
    assert "".join(piece.text for piece in right) == after


def test_a_difference_is_by_word_in_english_and_by_character_in_chinese() -> None:
    left, right = differences("margin 91.5% is high", "margin 52.2% is high")
    assert [piece.text for piece in left if piece.changed] == ["91.5%"]
    assert [piece.text for piece in right if piece.changed] == ["52.2%"]
    left, right = differences("安全边际充足", "安全边际不足")
    assert [piece.text for piece in left if piece.changed] == ["充"]
    assert [piece.text for piece in right if piece.changed] == ["不"]
