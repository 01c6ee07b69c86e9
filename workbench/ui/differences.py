"""Word differences of two texts, for reading a draft beside its revision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_HAN = r"\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:[.,]\d+)*%?|\s+|.", re.DOTALL)
"""One Chinese character, one word or figure of another script, one run of white space, or one sign."""


@dataclass(frozen=True)
class Piece:
    """A stretch of text, and whether the other side lacks it."""

    text: str
    changed: bool


def differences(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces: what only the first one says, what only the second one says, and what both say.

    Joining the pieces of a side gives its text back.
    """
    left, right = _WORD.findall(before), _WORD.findall(after)
    matches = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return (
        list(_pieces((tag, left[i1:i2]) for tag, i1, i2, _, _ in matches)),
        list(_pieces((tag, right[j1:j2]) for tag, _, _, j1, j2 in matches)),
    )


def _pieces(stretches: Iterator[tuple[str, list[str]]]) -> Iterator[Piece]:
    for tag, words in stretches:
        if words:
            yield Piece("".join(words), tag != "equal")
