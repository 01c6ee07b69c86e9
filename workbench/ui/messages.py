"""Errors and findings in the language of the reader.

They are raised in English, from places that know no reader. ``locale/messages.zh.toml`` has the most frequent
ones in Chinese, under the words they are raised with; a test holds these against the source. What it does
not know is shown as it was raised.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from workbench.strategy.schema import LABELS
from workbench.ui.language import Language, catalogue, language

SLOT = "{}"
"""Stands for a value in the words of the catalogue; in the translation it is ``{0}``, ``{1}``, ..."""

_LOCALE = Path(__file__).with_name("locale")


def translated(message: str) -> str:
    """A message of an error or a finding as the reader of this session reads it."""
    return in_language(message, language())


def in_language(message: str, language: Language) -> str:
    """A message in one language, or unchanged where the catalogue does not have it."""
    for pattern, words in _patterns(language):
        if found := pattern.fullmatch(message):
            return words.format(*(_label_word(value, language) for value in found.groups()))
    return message


def _label_word(value: str, language: Language) -> str:
    """A value of a message: a label of a strategy has its word, anything else stands as it is."""
    return catalogue(language)[f"label.{value}"] if value in LABELS else value


@cache
def messages(language: Language) -> dict[str, str]:
    """Words as they are raised -> words in a language; empty for English."""
    if language == "en":
        return {}
    return tomllib.loads((_LOCALE / f"messages.{language}.toml").read_text(encoding="utf-8"))


@cache
def _patterns(language: Language) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(re.escape(raised).replace(re.escape(SLOT), "(.+?)"), re.DOTALL), words)
        for raised, words in messages(language).items()
    )
