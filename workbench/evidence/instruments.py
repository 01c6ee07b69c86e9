"""Listed companies, and every common way of writing one down.

``canonical`` knows only how codes are spelled, so it also serves codes nobody has facts about;
``Instruments`` knows the companies in the evidence and their names.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal, Self, get_args

from workbench.errors import AmbiguousError, EvidenceError, InputError
from workbench.records import Record, TickerSubject

IndustryKind = Literal[
    "bank",
    "insurer",
    "broker",
    "real_estate",
    "utility",
    "commodity",
    "consumer",
    "pharma",
    "tech",
    "industrial",
    "other",
]
"""What decides which ratios mean something and which operators apply."""

FINANCIAL_KINDS: frozenset[IndustryKind] = frozenset({"bank", "insurer", "broker"})
"""Businesses whose debt is raw material: debt ratios, cash conversion and EV say nothing about them."""

_EXCHANGES = {
    "SH": "SH SS SSE SHA SHSE XSHG",
    "SZ": "SZ SZSE SHE XSHE",
    "BJ": "BJ BSE BJSE XBSE",
    "HK": "HK HKG HKEX SEHK XHKG",
    "US": "US NASDAQ NYSE AMEX",
    "CN": "CN CH",  # a mainland exchange, left to the number to tell which
}
_MARKET_OF = {spelling: market for market, spellings in _EXCHANGES.items() for spelling in spellings.split()}
_MARKET = "|".join(sorted(_MARKET_OF, key=len, reverse=True))
_SEPARATOR = r"[.:_\s-]?"
_PREFIXED = re.compile(rf"(?P<market>{_MARKET}){_SEPARATOR}(?P<number>[0-9]{{1,6}})")
_SUFFIXED = re.compile(rf"(?P<number>[0-9]{{1,6}}){_SEPARATOR}(?P<market>{_MARKET})")
_LETTERS = re.compile(
    r"(?:(?:US|NASDAQ|NYSE|AMEX)[.:])?(?P<root>[A-Z]{1,5})(?:[./-](?P<share>[A-Z]))?(?:[.\s]US)?"
)

# Number ranges of shares (not funds, bonds or indices) on the three mainland exchanges.
_MAINLAND = (
    ("SH", re.compile(r"(?:60[0-9]|68[89]|900)[0-9]{3}")),
    ("SZ", re.compile(r"(?:00[0-4]|30[0-2]|200)[0-9]{3}")),
    ("BJ", re.compile(r"(?:43|8[378]|92)[0-9]{4}")),
)
_YEAR_MONTH = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])")


def canonical(text: str) -> str | None:
    """The canonical form of a code, or None when ``text`` is not spelled like one.

    ``600519``, ``600519.SS``, ``SH600519`` and ``６００５１９`` are ``600519.SH``; ``sz000001`` is
    ``000001.SZ``; ``430047`` is ``430047.BJ``; ``700.HK``, ``hk00700`` and ``00700`` are ``00700.HK``;
    ``BRK-B`` is ``BRK.B``; ``$tsla`` is ``TSLA``. Leading zeros belong to the code: ``0700.HK`` is not
    ``000700``. One to five letters are spelled like a US ticker whether or not such a ticker exists. A bare
    number of fewer than five digits, or one that reads as a year and month, is no code.
    """
    code = _fold(text).upper().removeprefix("$")
    if match := _PREFIXED.fullmatch(code) or _SUFFIXED.fullmatch(code):
        return _numbered(_MARKET_OF[match["market"]], match["number"])
    if code.isascii() and code.isdecimal():
        if len(code) == 5:
            return f"{code}.HK"
        return None if _YEAR_MONTH.fullmatch(code) else _numbered("CN", code)
    if match := _LETTERS.fullmatch(code):
        return f"{match['root']}.{match['share']}" if match["share"] else match["root"]
    return None


def _numbered(market: str, number: str) -> str | None:
    if market == "HK":
        return f"{number.zfill(5)}.HK" if len(number) <= 5 else None
    if market == "US" or len(number) != 6:
        return None
    if market == "CN":
        market = next((name for name, numbers in _MAINLAND if numbers.fullmatch(number)), "")
    return f"{number}.{market}" if market else None


def _fold(text: str) -> str:
    """One spelling per text: full-width forms narrowed, invisible characters and extra spaces dropped."""
    visible = (char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return " ".join("".join(visible).split())


class Instrument(Record):
    """One listed company.

    Attributes:
        code: Canonical code.
        name: Name in its home language.
        name_en: English name.
        aliases: Other names in either language.
        exchange: Exchange it is listed on.
        currency: Currency it trades in; its statements may be in another one.
        industry: Industry as named in the source language.
        industry_kind: Closed kind behind ``industry``.
        listed: First trading day, None when unknown.
        note: What to know about its facts.
    """

    code: str
    name: str
    name_en: str = ""
    aliases: tuple[str, ...] = ()
    exchange: str = ""
    currency: str = ""
    industry: str = ""
    industry_kind: IndustryKind = "other"
    listed: dt.date | None = None
    note: str = ""

    @property
    def title(self) -> str:
        return f"{self.name} {self.code}"

    @property
    def is_financial(self) -> bool:
        return self.industry_kind in FINANCIAL_KINDS

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in both languages."""
        return tuple(dict.fromkeys(name for name in (self.name, self.name_en, *self.aliases) if name))

    def subject(self, language: str) -> TickerSubject:
        """The company as a subject, by its English name for ``en`` where there is one."""
        return TickerSubject(code=self.code, name=(self.name_en if language == "en" else "") or self.name)


class Instruments:
    """The companies of the evidence database, found by code or by name."""

    def __init__(self, instruments: Iterable[Instrument]) -> None:
        self._by_code = {instrument.code: instrument for instrument in instruments}
        self._by_name: dict[str, dict[str, Instrument]] = {}
        for instrument in self._by_code.values():
            for name in (instrument.code, instrument.title, *instrument.names):
                self._by_name.setdefault(_fold(name).casefold(), {})[instrument.code] = instrument

    @classmethod
    def load(cls, rows: Iterable[tuple[str | None, ...]]) -> Self:
        """Make them of rows of the database, with the fields of ``Instrument`` as columns.

        Of two rows with the same code the later counts.

        Raises:
            EvidenceError: A row names an unknown kind of industry.
        """
        return cls(_instrument(dict(zip(Instrument.model_fields, row, strict=True))) for row in rows)

    def __iter__(self) -> Iterator[Instrument]:
        return iter(self._by_code.values())

    def __len__(self) -> int:
        return len(self._by_code)

    def get(self, code: str) -> Instrument | None:
        """The instrument under a canonical code, or None."""
        return self._by_code.get(code)

    def by_code(self, code: str) -> Instrument:
        """The instrument under a canonical code.

        Raises:
            InputError: There is none.
        """
        if code not in self._by_code:
            raise self._unknown(code)
        return self._by_code[code]

    def resolve(self, text: str) -> Instrument:
        """The one company meant by a code in any common spelling, or by a name or alias in either language.

        Raises:
            AmbiguousError: Several companies answer to it.
            InputError: None does; the message names near matches.
        """
        found = self._exact(text)
        if len(found) > 1:
            candidates = tuple(instrument.title for instrument in found)
            raise AmbiguousError(
                f"{_quoted(text)} may be any of {', '.join(candidates)}.",
                candidates,
                remedy="Give the full code.",
            )
        if not found:
            raise self._unknown(text)
        return found[0]

    def search(self, text: str, limit: int = 20) -> list[Instrument]:
        """Companies whose code or names contain ``text``, best match first; all of them for an empty text."""
        wanted = _fold(text).casefold()
        exact = self._exact(text) if wanted else []
        ranked = {instrument.code: instrument for instrument in exact}
        for fits in (str.startswith, str.__contains__):
            for name, named in self._by_name.items():
                if fits(name, wanted):
                    ranked |= {code: instrument for code, instrument in named.items() if code not in ranked}
        return list(ranked.values())[:limit]

    def _exact(self, text: str) -> list[Instrument]:
        found = dict(self._by_name.get(_fold(text).casefold(), {}))
        code = canonical(text)
        if code in self._by_code:
            found[code] = self._by_code[code]
        number = _fold(text)
        if not found and number.isdecimal() and len(number) < 5:
            # Too short for a code, but spreadsheets drop leading zeros: 700 for 00700.HK, 1 for 000001.SZ.
            found = {
                code: instrument
                for code, instrument in self._by_code.items()
                if code[0].isdecimal() and int(code.partition(".")[0]) == int(number)
            }
        return list(found.values())

    def _unknown(self, text: str) -> InputError:
        wanted = _fold(text).casefold()
        code = (canonical(text) or "").casefold()
        near = self.search(text, limit=3) if wanted else []
        for spelling in (wanted, code):
            for name in difflib.get_close_matches(spelling, self._by_name, n=3, cutoff=0.6):
                near += [instrument for instrument in self._by_name[name].values() if instrument not in near]
        titles = ", ".join(instrument.title for instrument in near[:3])
        return InputError(
            f"{_quoted(text)} is no company with facts in this workspace.",
            remedy=f"Near matches: {titles}."
            if titles
            else "Give a code such as 600519.SH, or a company name.",
        )


def _instrument(row: dict[str, str | None]) -> Instrument:
    kind = row["industry_kind"] or "other"
    if kind not in get_args(IndustryKind):
        known = ", ".join(get_args(IndustryKind))
        raise EvidenceError(
            f"{kind!r} is no industry kind.", where=str(row["code"]), remedy=f"Use one of: {known}."
        )
    aliases = (row["aliases"] or "").split("|")
    fields = {name: value for name, value in row.items() if value is not None}
    return Instrument.model_validate(
        fields | {"industry_kind": kind, "aliases": tuple(filter(None, aliases))}
    )


def _quoted(text: str) -> str:
    short = _fold(text)
    return repr(short if len(short) <= 40 else f"{short[:40]}…")
