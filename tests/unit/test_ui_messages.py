"""Errors and findings on the Chinese page: the catalogue follows the source, and nothing is lost."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from workbench.errors import InputError
from workbench.evidence.view import parse_day
from workbench.ui.messages import SLOT, in_language, messages

PACKAGE = Path(__file__).parents[2] / "workbench"
CATALOGUE = messages("zh")
WITHOUT_LAST = (
    "{} cannot be the name of a {}.",
    "{} cannot be the name of a {}: Windows reserves it.",
    "hard rule {} reads {}, which {}.",
)
"""Their last value is English words, which the translation has in its own."""


def raised() -> set[str]:
    """Every text of the source, with a slot for each value."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else SLOT for part in node.values)
                found.add("".join(map(str, parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_the_catalogue_has_only_words_that_are_raised() -> None:
    assert sorted(set(CATALOGUE) - raised()) == []


@pytest.mark.parametrize("words", CATALOGUE)
def test_a_translation_keeps_every_value(words: str) -> None:
    translation = CATALOGUE[words]
    slots = [name for _, name, _, _ in string.Formatter().parse(translation) if name is not None]
    assert set(slots) <= {str(number) for number in range(words.count(SLOT))}
    if words not in WITHOUT_LAST:
        assert len(set(slots)) == words.count(SLOT)
    assert re.search(r"[\u4e00-\u9fff]", translation)


def test_an_error_is_told_in_the_language_of_the_reader() -> None:
    with pytest.raises(InputError) as refused:
        parse_day("31.12.2020")
    assert in_language(refused.value.what, "zh") == "'31.12.2020' 不是日期。"
    assert in_language(refused.value.remedy, "zh") == "请写成 YYYY-MM-DD，例如 2021-06-30。"
    assert in_language(refused.value.what, "en") == refused.value.what


def test_values_are_no_part_of_the_words() -> None:
    assert in_language("there is no run '{0} {oops}'.", "zh") == "没有运行 '{0} {oops}'。"


def test_what_the_catalogue_does_not_know_is_shown_as_it_was_raised() -> None:
    assert in_language("the moon is missing a piece", "zh") == "the moon is missing a piece"
    assert in_language("", "zh") == ""


def test_every_message_is_found_under_its_own_words() -> None:
    """``{} is missing.`` must not take what another line says more exactly."""
    for words, translation in CATALOGUE.items():
        values = [f"value{number}" for number in range(words.count(SLOT))]
        message = words.replace(SLOT, "\0")
        for value in values:
            message = message.replace("\0", value, 1)
        assert in_language(message, "zh") == translation.format(*values)


def test_why_evidence_is_missing_is_told_in_the_language_of_the_reader() -> None:
    """A Chinese run said "no report says who of Liverpool is out on 2019-04-14"."""
    reason = "no report says who of Liverpool is out on 2019-04-14"
    assert in_language(reason, "zh") == "2019-04-14 Liverpool 没有伤停报道"


def test_a_label_in_a_finding_is_told_in_the_language_of_the_reader() -> None:
    """A Chinese page said "其分数分属 watch and buy"."""
    what = "the anchor 60-80 lies across the threshold 75: its scores are watch and buy."
    assert in_language(what, "zh") == "锚点 60-80 跨过阈值 75：其分数分属观望与买入。"


@pytest.mark.parametrize("value", ["1", "2", "12"])
def test_a_number_in_a_message_is_no_outcome_of_a_match(value: str) -> None:
    """``line 1`` was told as ``第 主胜 行``: ``1`` is also the word for a home win."""
    told = in_language(f"line {value} cannot be read as CSV: bad.", "zh")
    assert told == f"第 {value} 行不是有效的 CSV：bad。"
