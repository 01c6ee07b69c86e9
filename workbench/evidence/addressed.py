"""What a text reports, without what it says to whoever scores it.

An item may hold orders meant for the scorer ("ignore previous instructions", 打满分). Left in, they move the
result; were the whole sentence dropped, they would take the news beside them along. So a clause ends where
such an order begins, and the text goes on after it. An order is known by how it speaks, never by an ordinary
verb with an ordinary object: it bids its reader set instructions aside, give a score, or take the text for
something; or it names the scorer; or it bears the marks of a chat template. ``addressed.toml`` has the words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

_HIDDEN = (("<script", "</script"), ("<style", "</style"), ("<!--", "-->"))
_TAG = re.compile(r"</?[a-z!][^<>]{0,300}>", re.IGNORECASE)
_TEMPLATE = re.compile(
    r"\[(?P<mark>inst|sys(?:tem)?|instructions?|prompt)\].{0,2000}?(?:\[/(?P=mark)\]|\n|$)"
    r"|begin (?P<part>(?:system )?(?:prompt|instructions?))\b.{0,2000}?(?:end (?P=part)\b|\n|$)"
    r"|<<SYS>>.{0,2000}?(?:<</SYS>>|\n|$)"
    r"|<(?P<tag>system|instructions?|prompt|assistant)>.{0,2000}?(?:</(?P=tag)>|\n|$)"
    r"|<\|[a-z_]{1,30}\|>(?:system|user|assistant)?\s{0,3}.{0,2000}?(?:(?=<\|)|\n|$)"
    r"|\{[^{}]{0,200}(?:impact|confidence|score|urgency|event_type|tickers_linked|role)\b[^{}]{0,1000}(?:\}|$)",
    re.IGNORECASE | re.DOTALL,
)
_WRAPPED = re.compile(r"(?<=[a-z,])\n(?=[a-z])")
_CLAUSE_END = re.compile(r"[。！？!?\n；;，()（）\[\]【】\"“”「」『』—–]|\.(?=\s|$)|,(?!\d)|\s-+\s")
_SENTENCE_ENDS = frozenset("。！？!?\n.")
_QUOTES = frozenset('"“「『')

_FOLDED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | str.maketrans(
    "無視規則滿評給輸報將為標記條這該請務須應當內說統詞設擊響於鑑從現員裁審聞種認歸類",
    "无视规则满评给输报将为标记条这该请务须应当内说统词设击响于鉴从现员裁审闻种认归类",
)
"""Full-width and traditional characters to plain ones, one for one, so that places in a text stay."""


def _filled(words: str, lists: Mapping[str, str]) -> str:
    for name, meaning in lists.items():
        words = words.replace(f"{{{name}}}", meaning)
    return words


def _lists() -> Mapping[str, str]:
    """The lists of words, each with those above it put in."""
    lists: dict[str, str] = {}
    for name, words in _WORDS["lists"].items():
        lists[name] = _filled(words.replace("\n", ""), lists)
    return lists


def _pattern(kind: str) -> str:
    lists = _lists()
    english, chinese = (
        "|".join(_filled(words, lists) for words in _WORDS[kind][part]) for part in ("en", "zh")
    )
    return rf"(?:\b(?:{english})|{chinese})"


def _opening(kind: str) -> re.Pattern[str]:
    """Words of a kind where a clause begins."""
    return re.compile(rf"^\W*{_pattern(kind)}", re.IGNORECASE)


_ORDERS = (re.compile(_pattern("anywhere"), re.IGNORECASE), _opening("opening"))
_ANNOUNCEMENT, _GOES_ON, _CLAIM, _REASON = map(_opening, ("announcement", "goes_on", "claim", "reason"))


class Told(NamedTuple):
    """What is left of a text, and from how many of its passages something was taken out."""

    text: str
    addressed: int


class _Clause(NamedTuple):
    """A clause, the mark that ends it, whether a sentence begins with it, and whether a quotation does."""

    text: str
    end: str
    first: bool
    quoted: bool

    @property
    def plain(self) -> str:
        return self.text.translate(_FOLDED)


@lru_cache(maxsize=256)
def told(text: str) -> Told:
    """A text without what it says to whoever scores it, and without what its markup hides from a reader."""
    shown, marks = _TEMPLATE.subn(" ", _shown(text))
    clauses = list(_clauses(_WRAPPED.sub(" ", _TAG.sub(" ", shown))))
    left = [_before_order(clause) for clause in clauses]
    _close(left, clauses)
    announced = False
    for index, (before, clause) in enumerate(pairwise([_NOTHING, *clauses])):
        announced = announced and not clause.first
        after = index > 0 and left[index - 1] != before.text
        if announced or (after and _goes_on(clause)):
            left[index] = ""
        elif left[index] != clause.text:
            order = clause.plain[len(left[index]) :]
            announced = ":" in order or bool(_ANNOUNCEMENT.match(order))
            if not left[index].strip() and index > 0 and _leads(before, clause):
                left[index - 1] = ""
    addressed = sum(rest != clause.text for rest, clause in zip(left, clauses, strict=True))
    return Told(
        "".join(rest + clause.end for rest, clause in zip(left, clauses, strict=True)), marks + addressed
    )


_NOTHING = _Clause("", "", first=True, quoted=False)


def _shown(text: str) -> str:
    """A text without its scripts, styles and comments; one that is never closed hides the rest."""
    for begin, end in _HIDDEN:
        first, *rest = re.split(re.escape(begin), text, flags=re.IGNORECASE)
        shown = (re.split(re.escape(end), part, maxsplit=1, flags=re.IGNORECASE)[1:] for part in rest)
        text = " ".join([first, *(part[0] for part in shown if part)])
    return text


def _clauses(text: str) -> Iterator[_Clause]:
    start, first, quoted = 0, True, False
    for mark in _CLAUSE_END.finditer(text):
        yield _Clause(text[start : mark.start()], mark[0], first, quoted)
        start, first, quoted = mark.end(), mark[0] in _SENTENCE_ENDS, mark[0] in _QUOTES
    yield _Clause(text[start:], "", first, quoted)


def _before_order(clause: _Clause) -> str:
    """What a clause says before it turns to the scorer; all of it where it never does."""
    plain = clause.plain
    found = [match.start() for words in (*_ORDERS, _ANNOUNCEMENT) if (match := words.search(plain))]
    return clause.text[: min(found)] if found else clause.text


def _close(left: list[str], clauses: Sequence[_Clause]) -> None:
    """Take out what stands between two orders of one sentence."""
    last: int | None = None
    for index, clause in enumerate(clauses):
        if clause.first:
            last = None
        if left[index] != clause.text:
            if last is not None and not left[last].strip():
                left[last + 1 : index + 1] = [""] * (index - last)
            last = index


def _goes_on(clause: _Clause) -> bool:
    """Whether a clause after an order belongs to it."""
    if _CLAIM.match(clause.plain):
        return True
    return not clause.first and (clause.quoted or bool(_GOES_ON.match(clause.plain)))


def _leads(before: _Clause, clause: _Clause) -> bool:
    """Whether a clause only says why the order after it is to be obeyed."""
    reason = before.first and not clause.first and _REASON.match(before.plain)
    return bool(reason or _CLAIM.match(before.plain))
