"""Which companies a text names, by the names and codes of the instruments table.

A name counts only where it stands by itself: a Latin name as whole words in its own capitals, a Chinese name
where the next characters do not make another word of it. Letters that are also an ordinary word or somebody
else's initials (MA, ABC) count only where the text marks them as a ticker. Whether Apple is the company or
the fruit is left to whoever reads the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from workbench.evidence.instruments import Instrument, Instruments, canonical
from workbench.evidence.news_text import visible

SHORT = 3
"""Letters up to which a US ticker must be marked as one."""

SHOUTING_WORDS = 5
"""Words from which a text all in capitals says nothing about which of them is a ticker."""

_WORD = re.compile(r"[A-Za-z\u00c0-\u024f0-9]+")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[^\s@]{1,64}@[^\s@]{1,255}")
_NUMBER_CODE = re.compile(
    r"(?<![A-Za-z0-9_.$¥€£,-])(?:(?:SH|SZ|BJ|HK|sh|sz|bj|hk)[.:]?)?[0-9]{1,6}"
    r"(?:[. ]?(?:SH|SS|SZ|BJ|HK|XSHG|XSHE|XHKG)(?![A-Za-z]))?"
    r"(?![A-Za-z0-9_%]|[.,][0-9]|\s?(?:[元吨万亿家台辆套件手笔张户桶箱瓶克斤米亩]|股(?![票价份])|人(?!气)"
    r"|名(?!列)|个(?!股)|位(?![列居])|次(?![日新])|点(?!评))"
    r"|[ ](?:shares|units|people|votes|tons|tonnes|lots|contracts|users|jobs)\b)"
)
_NO_CODE = re.compile(
    r"(?:电话|热线|专线|传真|手机|邮编|编号|单号|尾号|订单|客服|致电|拨打|验证码|密码|QQ|微信|成交|合计|总计|共计?|(?<!合)约"
    r"|超过?|[到高]达|逾"
    r"|\b(?i:tel|telephone|phone|fax|call|dial|hotline|order|invoice|zip|ref|no|id))[号码为是至了.:#\s]{0,3}$"
)
"""What stands before a number that is a telephone's, a document's or a quantity."""
_MARK_BEFORE = re.compile(r"(?:[$（(\[/]|\b(?:NYSE|NASDAQ|Nasdaq|AMEX|US)\s*[:：.]\s*)$")
_MARK_AFTER = re.compile(r"[.\s]US\b|\s+(?:stock|shares?|Inc|Corp)\b")
_BRACKET = re.compile(r"[（(\[/]$")
_CLOSED = re.compile(r"\s*[)）\]/:：]|[.\s]US\b")

# 农行 is a bank in 农行业绩 and 农行为客户, but not in 农行业 or 助农行动; 微软 is none in 小微软件.
# 苹果 is a company in 苹果园区, 苹果树立 and 苹果派发, but not in 苹果园, 苹果树 and 苹果派.
_JOINED_AFTER = {
    "行": re.compile(r"业(?![绩务])"),
    "软": re.compile("件"),
    "果": re.compile(
        "[汁醋酱农]|园(?!区)|树(?!立)|派(?![发息出遣驻])|干(?![扰预涉])|酒(?!店)|种植|采摘|(?:大|喜)?丰收|滞销|期货|主?产区"
    ),
}
_JOINED_AROUND = {"行": (frozenset("涉支惠助兴务三新富扶护强其集"), re.compile("[业为动情政使列]"))}
_PLACE = re.compile(r"[镇乡村县]|新区|大道|机场")


class Link(NamedTuple):
    """A company a text names.

    Attributes:
        instrument: The company.
        matched: Its first mention as the text spells it.
        in_title: Whether the title names it.
        mentions: How often title and body name it.
    """

    instrument: Instrument
    matched: str
    in_title: bool
    mentions: int

    @property
    def code(self) -> str:
        return self.instrument.code


class _Name(NamedTuple):
    words: tuple[str, ...]
    instrument: Instrument
    is_code: bool


class _Mention(NamedTuple):
    start: int
    end: int
    instrument: Instrument


_LINKERS: WeakKeyDictionary[Instruments, _Linker] = WeakKeyDictionary()


def link(title: str, body: str, instruments: Instruments) -> tuple[Link, ...]:
    """The companies named, those of the title first, then the most often named.

    Args:
        title: Title of a text.
        body: Its body; may be empty.
        instruments: The companies that can be named.
    """
    linker = _LINKERS.get(instruments)
    if linker is None:
        linker = _LINKERS[instruments] = _Linker(instruments)
    counts: Counter[str] = Counter()
    first: dict[str, tuple[Instrument, str, bool]] = {}
    for text, in_title in ((title, True), (body, False)):
        for instrument, spelling in linker.mentions(text):
            counts[instrument.code] += 1
            first.setdefault(instrument.code, (instrument, spelling, in_title))
    links = [Link(*found, mentions=counts[code]) for code, found in first.items()]
    return tuple(sorted(links, key=lambda link: (not link.in_title, -link.mentions, link.code)))


class _Linker:
    """Names and codes indexed by how they begin, so that a text is read once however many there are."""

    def __init__(self, instruments: Iterable[Instrument]) -> None:
        self._by_code = {}
        self._latin: dict[str, list[_Name]] = {}
        self._chinese: dict[str, list[tuple[str, Instrument]]] = {}
        for instrument in instruments:
            self._by_code[instrument.code] = instrument
            names = instrument.names
            if instrument.code.replace(".", "").isalpha():
                self._add_latin(instrument.code, instrument, is_code=True)
            for name in map(_folded, names):
                if _HAN.search(name):
                    self._chinese.setdefault(name[:2], []).append((name, instrument))
                elif len(name) > SHORT or not name.isupper():
                    self._add_latin(name, instrument, is_code=False)
        for latin in self._latin.values():
            latin.sort(key=lambda name: -len(name.words))
        for chinese in self._chinese.values():
            chinese.sort(key=lambda pair: -len(pair[0]))

    def _add_latin(self, name: str, instrument: Instrument, *, is_code: bool) -> None:
        words = tuple(_WORD.findall(name))
        if words:
            self._latin.setdefault(words[0].casefold(), []).append(_Name(words, instrument, is_code))

    def mentions(self, raw: str) -> Iterator[tuple[Instrument, str]]:
        """Every mention in the order of the text, with its spelling; no two overlap."""
        text = _ADDRESS.sub(lambda address: " " * len(address[0]), _folded(raw))
        found = [*self._latin_mentions(text), *self._chinese_mentions(text), *self._numbered(text)]
        end = 0
        for mention in sorted(found, key=lambda mention: (mention.start, -mention.end)):
            if mention.start >= end:
                end = mention.end
                yield mention.instrument, text[mention.start : mention.end]

    def _latin_mentions(self, text: str) -> Iterator[_Mention]:
        words = list(_WORD.finditer(text))
        shouting = len(words) >= SHOUTING_WORDS and not any(char.islower() for char in text)
        for index, word in enumerate(words):
            for name in self._latin.get(word[0].casefold(), ()):
                span = words[index : index + len(name.words)]
                spelled = tuple(match[0] for match in span)
                if spelled != name.words and spelled != tuple(part.upper() for part in name.words):
                    continue
                start, end = word.start(), span[-1].end()
                short = name.is_code and (len(name.words[0]) <= SHORT or shouting)
                if not short or _marked(text[max(0, start - 12) : start], text[end : end + 12]):
                    yield _Mention(start, end, name.instrument)
                    break

    def _chinese_mentions(self, text: str) -> Iterator[_Mention]:
        for start in range(len(text) - 1):
            for name, instrument in self._chinese.get(text[start : start + 2], ()):
                end = start + len(name)
                if text.startswith(name, start) and _stands_alone(
                    name, text[:start][-1:], text[end : end + 3]
                ):
                    yield _Mention(start, end, instrument)
                    break

    def _numbered(self, text: str) -> Iterator[_Mention]:
        for match in _NUMBER_CODE.finditer(text):
            digits = match[0]
            # A bare number is a code only if it looks like nothing else: six digits, or a leading zero.
            if digits.isdigit() and len(digits) != 6 and not (len(digits) == 5 and digits[0] == "0"):
                continue
            if digits.isdigit() and _NO_CODE.search(text[max(0, match.start() - 12) : match.start()]):
                continue
            instrument = self._by_code.get(canonical(digits) or "")
            if instrument:
                yield _Mention(match.start(), match.end(), instrument)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text))


def _marked(before: str, after: str) -> bool:
    """Whether the text marks a few capitals as a ticker: ``$MA``, ``(MA)``, ``NYSE: MA``, ``MA shares``."""
    if _BRACKET.search(before):
        return bool(_CLOSED.match(after))
    return bool(_MARK_BEFORE.search(before) or _MARK_AFTER.match(after))


def _stands_alone(name: str, before: str, after: str) -> bool:
    """Whether a Chinese name is not part of another word or of the name of a place."""
    last = name[-1]
    if last in _JOINED_AFTER and _JOINED_AFTER[last].match(after):
        return False
    if last in _JOINED_AROUND and len(name) == 2:
        openers, continued = _JOINED_AROUND[last]
        if before in openers and before and continued.match(after):
            return False
    return not _PLACE.match(after)
