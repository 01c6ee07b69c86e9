"""Find the JSON object a model meant as its answer, in whatever it wrote around it.

The last complete top-level object outside ``<think>`` blocks is the answer. What is forgiven is small and
listed here: single-quoted strings, trailing commas, full-width digits, colons and commas, exotic spaces, a
plus sign before a number, Python's ``True``, ``False`` and ``None``, raw line breaks inside strings. An
object that is cut off, or cannot be read for another reason, is never replaced by a part of itself.

Every character is looked at a bounded number of times, so that no text takes quadratic time.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 64
"""Objects nested deeper than this are not answers."""

# A brace that opens neither `{}` nor a quoted key belongs to the prose: "the template {home} - {away}".
_NEXT = re.compile(r"\{(?=\s*[\"'}])|\[(?=\s*\{)|<(?P<closing>/?)think(?:ing)?\s*>", re.IGNORECASE)
_THINK_END = re.compile(r"</think(?:ing)?\s*>", re.IGNORECASE)
_HAS_KEY = re.compile(r"[{\[\s]*(?:\"[^\"]*\"|'[^']*')\s*[:：]|\{\s*\}")

_WIDE_SIGNS = "０-９：，．－＋"
_ODD_SPACES = "\u00a0\u2000-\u200b\u3000\ufeff"
_TOKEN = re.compile(
    rf"""
      (?P<flat>     # a whole object or list with nothing nested and nothing to repair
        [{{\[]
        (?: [^{{}}\[\]"',+TFN{_WIDE_SIGNS}{_ODD_SPACES}] | ,(?!\s*[}}\]]) | "(?:[^"\\]|\\.)*+" )*+
        [}}\]] )
    | (?P<open>     [{{\[] )
    | (?P<close>    (?:[,，]\s*)? [}}\]] )
    | (?P<string>   "(?:[^"\\]|\\.)*+" )
    | (?P<single>   '(?:[^'\\]|\\.|'(?!\s*[:：,，}}\]]))*+' )
    | (?P<unclosed> ["'] )
    | (?P<plus>     (?<=[\s:：,，\[])\+(?=[0-9]) )
    | (?P<word>     (?:True|False|None)\b )
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_UNESCAPED_QUOTE = re.compile(r'\\.|(")', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_OUTSIDE_STRINGS = {
    **{code: half for code, half in _HALF_WIDTH.items() if chr(code) in "０１２３４５６７８９：，．－＋"},
    **dict.fromkeys((0xA0, *range(0x2000, 0x200C), 0x3000, 0xFEFF), 0x20),
}
"""What stands for what between the strings of an object: ``_WIDE_SIGNS`` and ``_ODD_SPACES``."""


def last_object(text: str) -> dict[str, Any] | None:
    """The answer in ``text``; None when there is none, or when the last attempt at one cannot be read.

    A list that holds nothing but one object counts as that object.
    """
    text = _SURROGATE.sub("\ufffd", text)
    if (whole := _whole_object(text.strip())) is not None:
        return whole
    for attempt in reversed(_attempts(text)):
        value = None if attempt is None else _loads(attempt)
        if value is None:
            # Meant as an answer and unreadable: an earlier draft must not take its place.
            return None
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            return value
    return None


def _whole_object(text: str) -> dict[str, Any] | None:
    """A text that is one JSON object and nothing else, as most answers are; None for any other."""
    if not text.startswith("{") or text.count("{") + text.count("[") > MAX_DEPTH:
        return None
    value = _loads(text)
    return value if isinstance(value, dict) else None


def to_half_width(text: str) -> str:
    """Full-width letters, digits and signs as their ASCII twins."""
    return text.translate(_HALF_WIDTH)


def _attempts(text: str) -> list[str | None]:
    """Everything at top level that begins like an answer, repaired; None where it is cut off."""
    attempts: list[str | None] = []
    position = 0
    while match := _NEXT.search(text, position):
        start, position = match.span()
        if match["closing"] is None:
            attempt, position = _balanced(text, start)
            if attempt is None or _HAS_KEY.match(text, start):
                attempts.append(attempt)
        elif match["closing"]:
            # A closing tag without its opening: the prompt had opened the block, and all this was thought.
            attempts.clear()
        else:
            end = _THINK_END.search(text, position)
            if end is None:
                break
            position = end.end()
    return attempts


def _balanced(text: str, start: int) -> tuple[str | None, int]:
    """The object or list that begins at ``start``, repaired, and where it ends; None if it never does."""
    pieces: list[str] = []
    depth = 0
    copied = start
    for token in _TOKEN.finditer(text, start):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
            if depth > MAX_DEPTH:
                break
            continue
        if kind == "unclosed":
            break
        if depth == 0:
            return token[0], token.end()
        between = text[copied : token.start()]
        pieces.append(between if between.isascii() else between.translate(_OUTSIDE_STRINGS))
        copied = token.end()
        if kind == "close":
            pieces.append(token[0][-1])
            depth -= 1
            if depth == 0:
                return "".join(pieces), copied
        elif kind == "string" or kind == "flat":
            pieces.append(token[0])
        elif kind == "single":
            pieces.append(_double_quoted(token[0]))
        elif kind == "word":
            pieces.append(_WORDS[token[0]])
    return None, len(text)


def _double_quoted(token: str) -> str:
    """A single-quoted string as JSON writes it; its other escapes stay what they are."""
    inner = token[1:-1]
    if '"' in inner or "\\" in inner:
        inner = inner.replace("\\'", "'")
        inner = _UNESCAPED_QUOTE.sub(lambda found: '\\"' if found[1] else found[0], inner)
    return f'"{inner}"'


def _loads(text: str) -> Any:
    """The value of a JSON text, None when it cannot be read."""
    try:
        value = json.loads(text, strict=False, parse_int=_integer)
    except ValueError:
        return None
    # Halves of characters, written as `\ud83d`, are legal in JSON, but no file or database takes them.
    return _without_surrogates(value) if "\\ud" in text.lower() else value


def _integer(digits: str) -> int | float:
    # Python refuses to read integers of more than a few thousand digits.
    return int(digits) if len(digits) < 300 else float(digits)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value
