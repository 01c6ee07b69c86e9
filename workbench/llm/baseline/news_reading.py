"""What the baseline reads in a news item: its sentences, the events they report, the companies they name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from workbench.evidence.addressed import told
from workbench.llm.baseline.news_lexicon import (
    DENIED_BEFORE,
    FALLING,
    HEDGED,
    MOVE,
    RISING,
    SHARE_PRICE,
    TERMS,
    Term,
)

Facts = Mapping[str, Any]

_SENTENCE = re.compile(r"[^。！？!?\n；;]+?(?:[。！？!?\n；;]|\.(?=\s|$)|$)")

CROWD = 3
"""Companies in one sentence from which it only lists them."""

LATER_SHARE = 0.85
"""What an event is worth in the body, against one in the title."""


class _Link(NamedTuple):
    """A company as the evidence links it to the item."""

    code: str
    name: str
    name_en: str
    industry_kind: str
    matched: str

    def named_in(self, text: str) -> bool:
        return any(name and name in text for name in (self.matched, self.name, self.name_en, self.code))


@dataclass(frozen=True)
class Sentence:
    text: str
    in_title: bool

    @property
    def hedged(self) -> bool:
        return bool(HEDGED.search(self.text))


@dataclass(frozen=True)
class Hit:
    """An event the item reports.

    Attributes:
        term: Entry of the lexicon.
        words: As the item writes them.
        sentence: Where they stand.
        denied: Whether the words before say that it did not happen.
    """

    term: Term
    words: str
    sentence: Sentence
    denied: bool

    @property
    def strength(self) -> float:
        return self.term.strength if self.sentence.in_title else self.term.strength * LATER_SHARE


@dataclass(frozen=True)
class Company:
    """A company the item names. ``alone`` is False where the body lists it among several others."""

    code: str
    name: str
    industry_kind: str
    in_title: bool
    alone: bool


@dataclass(frozen=True)
class Reading:
    """An item as the baseline understands it.

    Attributes:
        text: Title and body as far as they were read.
        hits: Events, the strongest first.
        companies: Those named in sentences that report something.
        rising: How many words speak of something getting better.
        falling: And worse.
        move: Largest change of a share price in per cent, 0 where none is told.
        addressed: Passages that speak to whoever scores the item; they were not read.
    """

    text: str
    hits: tuple[Hit, ...]
    companies: tuple[Company, ...]
    rising: int
    falling: int
    move: float
    addressed: int

    def strongest(self, events: frozenset[str] | None = None) -> Hit | None:
        """The strongest event, or the strongest among some types."""
        return next((hit for hit in self.hits if events is None or hit.term.event in events), None)

    @property
    def named_in_title(self) -> bool:
        return any(company.in_title for company in self.companies)


def read(facts: Facts) -> Reading:
    """Read the item among an agent's facts."""
    links = tuple(_Link(**{key: link[key] for key in _Link._fields}) for link in facts["links"])
    return _read(facts["item"]["title"], facts["item"]["body"], links)


@lru_cache(maxsize=64)
def _read(title: str, body: str, links: tuple[_Link, ...]) -> Reading:
    """Five specialists read each item twice; it says the same to all of them."""
    heading, rest = told(title), told(body)
    sentences = [Sentence(text, True) for text in _sentences(heading.text)]
    sentences += [Sentence(text, False) for text in _sentences(rest.text)]
    hits = sorted(_hits(sentences), key=lambda hit: -hit.strength)
    return Reading(
        text=f"{heading.text} {rest.text}",
        hits=tuple(hits),
        companies=tuple(_companies(links, sentences)),
        rising=sum(len(RISING.findall(sentence.text)) for sentence in sentences),
        falling=sum(len(FALLING.findall(sentence.text)) for sentence in sentences),
        move=max((move for sentence in sentences for move in _moves(sentence.text)), default=0.0),
        addressed=heading.addressed + rest.addressed,
    )


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text):
        if sentence := " ".join(match[0].split()):
            yield sentence


def _hits(sentences: Sequence[Sentence]) -> Iterator[Hit]:
    for sentence in sentences:
        for term in TERMS:
            if match := term.pattern.search(sentence.text):
                before = sentence.text[: match.start()]
                yield Hit(term, match[0], sentence, bool(DENIED_BEFORE.search(before)))


def _companies(links: Sequence[_Link], sentences: Sequence[Sentence]) -> Iterator[Company]:
    """The linked companies, as far as a sentence that was read names them."""
    named = {link.code: {n for n, s in enumerate(sentences) if link.named_in(s.text)} for link in links}
    crowd = Counter(position for positions in named.values() for position in positions)
    for link in links:
        where = named[link.code]
        if where:
            in_title = any(sentences[position].in_title for position in where)
            alone = in_title or any(crowd[position] < CROWD for position in where)
            yield Company(link.code, link.name, link.industry_kind, in_title, alone)


def _moves(sentence: str) -> Iterator[float]:
    if SHARE_PRICE.search(sentence):
        for match in MOVE.finditer(sentence):
            yield float(match[1] or match[2])
