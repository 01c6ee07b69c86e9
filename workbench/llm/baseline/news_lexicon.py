"""The baseline's lexicon for news, read from ``news_lexicon.toml`` beside this module."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from workbench.records import EventType

Sign = Literal[-1, 0, 1]

_TABLE: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _pattern(words: Mapping[str, Any], end: str = "") -> re.Pattern[str]:
    """One expression for the words of both languages; the English ones match whole words only."""
    chinese, english = "|".join(words["zh"]), "|".join(words["en"])
    for name, alternatives in _TABLE["lists"].items():
        chinese, english = (text.replace(f"{{{name}}}", alternatives) for text in (chinese, english))
    boundary = "" if end else r"\b"
    return re.compile(rf"(?:{chinese}|\b(?:{english}){boundary}){end}", re.IGNORECASE)


class Term(NamedTuple):
    """Words that mean one event: its type, whether it helps (1) or hurts (-1), and its impact if named."""

    event: EventType
    sign: Sign
    strength: float
    pattern: re.Pattern[str]


TERMS: tuple[Term, ...] = tuple(
    Term(entry["event"], entry["sign"], entry["strength"], _pattern(entry)) for entry in _TABLE["term"]
)
RISING, FALLING, HEDGED, SHARE_PRICE = (
    _pattern(_TABLE[name]) for name in ("rising", "falling", "hedged", "share_price")
)
DENIED_BEFORE = _pattern(_TABLE["denied"], end="$")

MOVE = re.compile(
    r"(?:收跌|收涨|下跌|上涨|跌|涨)(?:逾|超|近|约)?\s*(\d+(?:\.\d+)?)\s*%"
    r"|\b(?:fell|rose|dropped|jumped|slid|slumped|surged|plunged|tumbled|down|up)\s+"
    r"(?:more than |nearly |about |as much as )?(\d+(?:\.\d+)?)\s*%",
    re.IGNORECASE,
)
"""A change in per cent; of a share price where the sentence speaks of one."""
