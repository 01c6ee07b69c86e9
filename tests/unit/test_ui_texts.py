"""Every text of the interface comes from the catalogue, in both languages, and every text there is used."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from workbench import doctor
from workbench.configured import Origin
from workbench.evaluate import companies
from workbench.evaluate.company_board import Figure, Finding
from workbench.evaluate.forecasts import Reason, Yardstick
from workbench.evaluate.returns import HORIZONS
from workbench.evaluate.scoreboard import Metric
from workbench.evidence.league import Result, Venue
from workbench.evidence.view import MatchStatus
from workbench.llm.formats import AnswerFormat
from workbench.records import (
    BatchStatus,
    Blind,
    Direction,
    LinkType,
    PipelineName,
    RunStatus,
    StageName,
    Standing,
    Sufficiency,
)
from workbench.store.payments import SpendBy
from workbench.store.runs import Order
from workbench.strategy.news import Aggregation
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.schema import LABEL_EN, LABEL_ZH
from workbench.ui.language import LANGUAGES, catalogue
from workbench.ui.navigation import PageName, Section
from workbench.ui.signal_reading import Figure as SignalFigure

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    [
        *(ROOT / "pages").glob("*.py"),
        *(ROOT / "workbench" / "ui").rglob("*.py"),
        ROOT / "workbench/app.py",
        ROOT / "workbench/server.py",
    ]
)

CLOSED_SETS = {
    "page": get_args(PageName),
    "page_help": get_args(PageName),
    "section": [section for section in get_args(Section) if section],
    "metric": get_args(Metric),
    "metric_help": get_args(Metric),
    "yardstick": get_args(Yardstick),
    "left_out": get_args(Reason),
    "horizon": list(HORIZONS),
    "blind_short": get_args(Blind),
    "company_left_out": get_args(companies.Reason),
    "company_finding": get_args(Finding),
    "score_figure": [*get_args(Figure), "mean_return", "gap"],
    "score_figure_help": [*get_args(Figure), "mean_return", "gap"],
    "match_status": get_args(MatchStatus),
    "venue": get_args(Venue),
    "form_result": get_args(Result),
    "pipeline": get_args(PipelineName),
    "run_status": get_args(RunStatus),
    "batch_status": get_args(BatchStatus),
    "batch_ending": [status for status in get_args(BatchStatus) if status != "running"],
    "blind": get_args(Blind),
    "status": get_args(Standing),
    "sufficiency": get_args(Sufficiency),
    "stage": get_args(StageName),
    "runs_order": get_args(Order),
    "link_type": get_args(LinkType),
    "direction": get_args(Direction),
    "aggregation": get_args(Aggregation),
    "signal_figure": get_args(SignalFigure),
    "answer_format": get_args(AnswerFormat),
    "spend_by": get_args(SpendBy),
    "check_status": get_args(doctor.Status),
    "settings_origin": get_args(Origin),
    "operator_category": [one.category for one in OperatorLibrary(ROOT / "strategy" / "operators").all()],
}
"""Sections read with ``term`` whose members are a closed set of the code."""

SHOWS_TEXT = {
    "badge", "button", "caption", "checkbox", "code", "date_input", "dialog", "download_button", "error",
    "expander", "header", "info", "link_button", "markdown", "menu_button", "metric", "multiselect",
    "number_input", "page_link", "pills", "popover", "radio", "segmented_control", "selectbox", "slider",
    "subheader", "success", "table", "tabs", "text", "text_area", "text_input", "title", "toast", "toggle",
    "warning", "write", "form_submit_button", "TextColumn", "NumberColumn", "DateColumn", "ButtonColumn",
    "ProgressColumn", "ListColumn", "Column", "CheckboxColumn", "LinkColumn", "file_uploader", "chat_input",
}  # fmt: skip

TEXT_ARGUMENTS = {"label", "help", "placeholder", "body", "alt"}

DIRECTIVE = re.compile(r":(?:material/\w+:|(?:[a-z]+-badge|small|gray)(?=\[))")
"""``:material/lock:``, ``:orange-badge[`` and the like, which Markdown does not show."""


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            yield name, node


def literal(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def used_keys() -> tuple[set[str], set[str]]:
    """Keys read with a literal ``t``, and sections read with a literal ``term``."""
    keys, sections = set(), set()
    for source in SOURCES:
        for name, call in calls(ast.parse(source.read_text(encoding="utf-8"))):
            first = literal(call.args[0]) if call.args else None
            if name == "t":
                assert first is not None, f"{source.name}:{call.lineno}: t() takes a literal key"
                keys.add(first)
            elif name == "term":
                assert first is not None, f"{source.name}:{call.lineno}: term() takes a literal section"
                sections.add(first)
    return keys, sections


def test_both_languages_have_the_same_keys() -> None:
    english, chinese = (catalogue(language) for language in ("en", "zh"))
    assert english.keys() == chinese.keys()


def test_every_text_asked_for_exists() -> None:
    keys, sections = used_keys()
    assert keys - catalogue("en").keys() == set()
    assert sections - {key.split(".")[0] for key in catalogue("en")} == set()


def test_every_text_of_the_catalogue_is_used() -> None:
    keys, sections = used_keys()
    unused = {key for key in catalogue("en") if key not in keys and key.split(".")[0] not in sections}
    assert unused == set()


@pytest.mark.parametrize("section", CLOSED_SETS)
def test_a_closed_set_has_a_word_for_each_member(section: str) -> None:
    members = {key.split(".", 1)[1] for key in catalogue("en") if key.startswith(f"{section}.")}
    assert members == set(CLOSED_SETS[section])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_names_the_same_values_in_both_languages(language: str) -> None:
    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for key, text in catalogue(language).items():
        assert text.strip(), key
        assert names(text) == names(catalogue("en")[key]), key


def test_chinese_texts_are_chinese() -> None:
    """A text copied over untranslated is one with no Chinese character in it."""
    same_everywhere = {"number.missing"}
    untranslated = {
        key
        for key, text in catalogue("zh").items()
        if key not in same_everywhere and not any("一" <= character <= "鿿" for character in text)
    }
    assert untranslated == set()


def test_labels_are_the_words_the_rules_use() -> None:
    for label, word in LABEL_ZH.items():
        assert catalogue("zh")[f"label.{label}"] == word
    for label, word in LABEL_EN.items():
        assert catalogue("en")[f"label.{label}"] == word


def literal_words(expression: ast.expr) -> str:
    """What a text says whatever is filled in, without the directives of Markdown."""
    parts = expression.values if isinstance(expression, ast.JoinedStr) else [expression]
    return DIRECTIVE.sub("", "{}".join(literal(part) or "" for part in parts))


def shown_texts(source: Path) -> Iterator[tuple[int, ast.expr]]:
    for name, call in calls(ast.parse(source.read_text(encoding="utf-8"))):
        if name in SHOWS_TEXT:
            named = [word.value for word in call.keywords if word.arg in TEXT_ARGUMENTS]
            yield from ((call.lineno, expression) for expression in (*call.args[:1], *named))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_no_page_shows_a_literal_text(source: Path) -> None:
    for line, expression in shown_texts(source):
        words = literal_words(expression)
        assert not any(c.isalpha() for c in words), f"{source.name}:{line}: {words!r}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_configured_column_has_a_title(source: Path) -> None:
    """A column without one is titled with the name it has in the code."""
    for name, call in calls(ast.parse(source.read_text(encoding="utf-8"))):
        if name.endswith("Column") and name in SHOWS_TEXT - {"Column"}:
            titled = call.args or any(word.arg == "label" for word in call.keywords)
            assert titled, f"{source.name}:{call.lineno}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_every_choice_that_can_be_empty_says_so_in_the_language_of_the_page(source: Path) -> None:
    """Without a placeholder Streamlit writes "Choose an option" on a Chinese page."""
    for name, call in calls(ast.parse(source.read_text(encoding="utf-8"))):
        words = {word.arg: word.value for word in call.keywords}
        index = words.get("index")
        unchosen = index is not None and any(
            isinstance(node, ast.Constant) and node.value is None for node in ast.walk(index)
        )
        if name == "multiselect" or (name == "selectbox" and unchosen):
            assert "placeholder" in words, f"{source.name}:{call.lineno}"


def test_a_literal_text_is_seen_wherever_it_stands() -> None:
    assert literal_words(ast.parse('f"{n} runs"', mode="eval").body) == "{} runs"
    assert not any(map(str.isalpha, literal_words(ast.parse('f":small[{words}]"', mode="eval").body)))


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_no_page_lets_text_become_html(source: Path) -> None:
    text = source.read_text(encoding="utf-8")
    assert "unsafe_allow" not in text
    assert "st.html" not in text
    assert "st.write(" not in text
