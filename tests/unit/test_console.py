from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.commands.console import columns, cut, one_line, plain, table


def test_chinese_takes_two_columns_and_a_combining_mark_none() -> None:
    assert [columns(text) for text in ("abc", "茅台", "ａ", "é", "")] == [3, 4, 2, 1, 0]


def test_columns_of_a_table_line_up_under_chinese() -> None:
    lines = list(table(("agent", "n"), [("数据核查", "7"), ("x", "12")], right={1}, width=80))

    assert lines == ["agent      n", "数据核查   7", "x         12"]


def test_a_line_ends_where_the_terminal_does() -> None:
    assert cut("贵州茅台", 8) == "贵州茅台"
    assert cut("贵州茅台", 7) == "贵州茅…"
    assert cut("贵州茅台", 6) == "贵州…"


@settings(deadline=None, max_examples=100)
@given(st.text(), st.integers(1, 40))
def test_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    assert columns(cut(text, width)) <= width


def test_a_text_cannot_move_the_cursor_or_turn_the_line_round() -> None:
    hostile = "a\x1b[2J\x07b\x9b1mc\u202ed\r\ne"

    assert plain(hostile) == "a [2J b 1mc d \ne"
    assert one_line(hostile) == "a [2J b 1mc d e"
