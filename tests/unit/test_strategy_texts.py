"""Line differences, and typing over a file in an editor that knows only one line break."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.strategy.texts import changes, shown, typed_over, unified


def test_changes_counts_stretches_of_lines() -> None:
    assert changes("a\nb\nc\nd\n", "a\nB\nc\nD\ne\n") == 2
    assert changes("a\n", "a\n") == 0


def test_equal_texts_have_no_diff() -> None:
    assert unified("a\nb\n", "a\nb\n") == ""
    assert "-b" in unified("a\nb\n", "a\nc\n").split("\n")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_not_touched_keep_their_own_break_and_the_file_its_mark(mark: str) -> None:
    old = f"{mark}a: 1\r\nb: 2\nc: 3\r\n"
    assert shown(old) == "a: 1\nb: 2\nc: 3\n"
    assert typed_over(old, "a: 1\nb: 2\nnew: 9\nc: 3\n") == f"{mark}a: 1\r\nb: 2\nnew: 9\r\nc: 3\r\n"


@settings(deadline=None, max_examples=200)
@given(st.lists(st.tuples(st.text("ab \t", max_size=4), st.sampled_from(["\n", "\r\n"])), max_size=12))
def test_typing_nothing_changes_no_byte(lines: list[tuple[str, str]]) -> None:
    old = "".join(content + newline for content, newline in lines)
    assert typed_over(old, shown(old)) == old


@settings(deadline=None, max_examples=200)
@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_what_was_typed_is_what_is_shown_afterwards(old: str, typed: str) -> None:
    assert shown(typed_over(old.replace("\n", "\r\n"), typed)) == typed
