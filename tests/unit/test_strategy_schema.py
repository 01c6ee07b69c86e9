"""What a strategy may say, and what the score of a strategy means."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategy_samples import STRATEGY
from workbench.errors import StrategyError
from workbench.strategy.files import read_strategy
from workbench.strategy.schema import (
    ChaptersStrategy,
    Condition,
    Framework,
    RubricAnchor,
    Synthesis,
    Thresholds,
)

THRESHOLDS = Thresholds(buy=75, watch=(30, 74), avoid=29)


@pytest.fixture
def strategy() -> ChaptersStrategy:
    loaded = read_strategy(STRATEGY, "sample.yaml").strategy
    assert isinstance(loaded, ChaptersStrategy)
    return loaded


def refused(text: str) -> StrategyError:
    with pytest.raises(StrategyError) as error:
        read_strategy(text, "sample.yaml")
    return error.value


@pytest.mark.parametrize(
    ("score", "label"),
    [
        (0, "avoid"),
        (24.9, "avoid"),
        (25, "avoid"),
        (29, "avoid"),
        (29.5, "avoid"),
        (30, "watch"),
        (64.9, "watch"),
        (65, "watch"),
        (74, "watch"),
        (74.5, "watch"),
        (75, "buy"),
        (100, "buy"),
    ],
)
def test_a_label_follows_from_the_lower_bounds(score: float, label: str) -> None:
    assert THRESHOLDS.label(score) == label


def test_the_bands_cover_0_to_100_without_a_gap() -> None:
    assert THRESHOLDS.bands() == (("buy", 75, 100), ("watch", 30, 75), ("avoid", 0, 30))


@given(score=st.floats(0, 100), buy=st.integers(2, 100), watch=st.integers(1, 99))
@settings(max_examples=200, deadline=None)
def test_every_score_has_the_label_of_the_band_it_lies_in(score: float, buy: int, watch: int) -> None:
    if watch >= buy:
        return
    thresholds = Thresholds(buy=buy, watch=(watch, buy - 1), avoid=watch - 1)
    inside = [
        band.label
        for band in thresholds.bands()
        if band.low <= score < band.high or (band.label == "buy" and score == 100)
    ]
    assert inside == [thresholds.label(score)]


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ("{buy: 30, watch: [30, 74], avoid: 29}", "watch starts at 30"),
        ("{buy: 75, watch: [30, 80], avoid: 29}", "watch ends at 80"),
        ("{buy: 75, watch: [40, 35], avoid: 29}", "watch ends at 35"),
        ("{buy: 75, watch: [30, 74], avoid: 30}", "avoid ends at 30"),
        ("{buy: 101, watch: [30, 74], avoid: 29}", "less than or equal to 100"),
        ("{buy: .nan, watch: [30, 74], avoid: 29}", "finite number"),
    ],
)
def test_thresholds_must_rise(thresholds: str, message: str) -> None:
    error = refused(STRATEGY.replace("{buy: 75, watch: [30, 74], avoid: 29}", thresholds))
    assert message in error.what
    assert error.where == "sample.yaml:29"
    assert error.remedy


def test_an_anchor_knows_its_bounds_and_how_finely_they_are_written() -> None:
    whole, fine = (RubricAnchor(range=text, description="x") for text in ("75-84", "0.65 – 0.79"))
    assert (whole.low, whole.high, whole.resolution) == (75, 84, 1)
    assert (fine.low, fine.high, fine.resolution) == (0.65, 0.79, 0.01)


@pytest.mark.parametrize("text", ["85", "100-85", "a-b", "85-", "-5-10"])
def test_an_anchor_range_is_two_rising_numbers(text: str) -> None:
    error = refused(STRATEGY.replace('"75-100"', f'"{text}"'))
    assert "write two rising numbers" in error.what
    assert error.where == "sample.yaml:26"


def test_an_anchor_is_found_by_lower_bounds_too(strategy: ChaptersStrategy) -> None:
    synthesis = strategy.framework.synthesis
    found = [synthesis.anchor(score) for score in (0, 29.5, 30, 74.9, 75)]
    assert [anchor.range for anchor in found if anchor] == ["0-29", "0-29", "30-74", "30-74", "75-100"]


def test_a_synthesis_field_is_a_name_and_what_is_said_about_it() -> None:
    fields = Synthesis.model_construct(
        synthesis_fields=("一句话（强制）: 可证伪: 是", "信心：高", "bare")
    ).fields()
    assert fields == (("一句话（强制）", "可证伪: 是"), ("信心", "高"), ("bare", ""))


# -- the order of the chapters -------------------------------------------------------------------------------


def framework(strategy: ChaptersStrategy, **needs: list[str] | None) -> Framework:
    """The sample's framework with chapters a, b, ... and these needs."""
    base = strategy.framework.model_dump()
    chapter = base["chapters"][0]
    base["chapters"] = [{**chapter, "id": id, "needs": wanted} for id, wanted in needs.items()]
    return Framework.model_validate(base)


def test_a_chapter_needs_all_earlier_ones_unless_it_says_otherwise(strategy: ChaptersStrategy) -> None:
    made = framework(strategy, a=None, b=None, c=["a"], d=[])
    assert [made.needs(chapter) for chapter in made.chapters] == [(), ("a",), ("a",), ()]


def test_chapters_run_after_what_they_need_and_otherwise_in_file_order(strategy: ChaptersStrategy) -> None:
    made = framework(strategy, a=["c"], b=[], c=[], d=None)
    assert [chapter.id for chapter in made.run_order()] == ["b", "c", "a", "d"]


def test_a_cycle_is_an_error_and_never_a_forced_order(strategy: ChaptersStrategy) -> None:
    with pytest.raises(StrategyError, match="b -> c -> b"):
        framework(strategy, a=[], b=["a", "c"], c=["b"]).run_order()


def test_a_file_with_a_cycle_is_refused_with_its_line() -> None:
    error = refused(
        STRATEGY.replace("operators: [credibility]", "operators: [credibility]\n      needs: [ch02_price]")
    )
    assert "ch01_data -> ch02_price -> ch01_data" in error.what
    assert error.where == "sample.yaml:6"


# -- contradictions and misspellings -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "remedy"),
    [
        ("title: 数据", "titel: 数据", 8, "chapters[0].title is missing", "Add `title:`"),
        ("title: 样例", "title: 样例\ndescripton: x", 5, "descripton is not a key", "`description`"),
        (
            "    scoring_rubric:",
            "    zzz: 1\n    scoring_rubric:",
            25,
            "zzz is not a key",
            "Known keys",
        ),
        ("kind: chapters", "kind: chapter", 2, "kind is 'chapter'", "`kind: chapters`"),
        ("kind: chapters\n", "", 2, "kind is missing", "`kind: chapters`"),
        ("id: ch02_price", "id: ch01_data", 13, "two chapters are called 'ch01_data'", "Rename"),
        ("id: ch02_price", "id: synthesis", 13, "the last agent", "another name"),
        ("id: ch02_price", "id: Ch02", 13, "String should match pattern", "'Ch02'"),
        ("[valuation]", "[valuation, valuation]", 16, "two operators are called", "remove one"),
        ("[valuation]", "[valuation]\n      needs: [ch07]", 17, "'ch07', which does not", "ch01_data"),
        ("- step: 定分", "- step: 否决", 23, "two thinking steps are called", "Rename"),
        ("chapter: ch01_data", "chapter: ch09", 36, "reads chapter 'ch09'", "synthesis"),
        ('op: "=="', "op: like", 36, "Input should be '=='", "'like'"),
        ('op: "==", value: false', 'op: "=="', 36, "exactly one of them", ""),
        ('op: "==", value: false', "op: in, value: 可信", 36, "list of values", ""),
        ("{all: [{", "{any: [], all: [], x: [{", 36, "x is not a key", "all, any"),
        ("    cap: 25\n    label_bar: [buy, watch]\n", "", 35, "changes nothing", ""),
        ("[buy, watch]\n", "[buy, watch, avoid]\n", 35, "bars every label", ""),
        ("title: 样例", "title: 2024", 4, "valid string", "2024"),
        ("title: 样例", "title: 样例\nprompt_version: 1", 5, "valid string", "1"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_remedy(
    old: str, new: str, line: int, what: str, remedy: str
) -> None:
    error = refused(STRATEGY.replace(old, new, 1))
    assert what in error.what
    assert error.where == f"sample.yaml:{line}"
    assert remedy in error.remedy


def test_one_barred_label_needs_no_list() -> None:
    loaded = read_strategy(STRATEGY.replace("[buy, watch]\n", "buy\n"), "sample.yaml").strategy
    assert isinstance(loaded, ChaptersStrategy)
    assert loaded.hard_rules[0].label_bar == ("buy",)


def test_a_condition_may_compare_two_answers() -> None:
    condition = Condition.model_validate({"field": "买入价", "op": ">=", "other": {"field": "正常价"}})
    assert condition.other is not None
    assert condition.other.field == "正常价"


@given(
    st.recursive(st.none() | st.text(max_size=5) | st.integers(), lambda inner: st.lists(inner, max_size=3))
)
@settings(max_examples=60, deadline=None)
def test_nonsense_in_place_of_a_part_is_an_error_and_never_a_crash(nonsense: Any) -> None:
    value = yaml.safe_load(STRATEGY)
    for key in ("framework", "hard_rules", "models", "name"):
        text = yaml.safe_dump({**value, key: nonsense}, allow_unicode=True)
        with suppress(StrategyError):
            read_strategy(text, "sample.yaml")
