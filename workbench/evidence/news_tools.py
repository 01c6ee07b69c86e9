"""The tools of the news specialists: slices of a news item, called before anybody is asked for a score.

Each looks one thing up as of the item's day and shows the rows it found; the feeds fill the tables they read.
A tool that finds nothing returns ``Evidence()`` with the reason under ``missing``, which a required tool's
specialist pays for with confidence.

What a tool looks for is the item's companies and the words of its title; it judges nothing.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

from workbench.evidence.instruments import Instrument, Instruments
from workbench.evidence.linking import Link, link
from workbench.evidence.news import NewsItem
from workbench.evidence.slices import slice_
from workbench.evidence.view import Headline, Indicator, Relation, View
from workbench.records import Evidence

DocumentKind = Literal[
    "news", "event", "regulation", "filing", "speech", "enforcement", "post", "video", "web"
]
"""What a document can be: ``post`` and ``video`` are social media, ``web`` the answer of a web search."""

BULLISH = "stocktwits_bullish"
"""Indicator of the bullish share (0..1) of tagged messages, by code: ``stocktwits_bullish:AAPL``."""

POLICY_RATE, CPI, FX, OIL, GOLD = "policy_rate_", "cpi_", "fx_", "oil_", "gold"
"""Prefixes of the macro series."""

TOOLS_ZH = {
    "world_events": "地缘、制裁与宏观事件",
    "news_wire": "此前报道",
    "web_search": "网页搜索",
    "reddit": "Reddit 帖子",
    "stocktwits": "Stocktwits 多空比",
    "youtube": "YouTube 视频",
    "policy_rates": "政策利率",
    "consumer_prices": "消费者物价",
    "exchange_rates": "汇率",
    "commodities": "原油与黄金",
    "same_sector": "同板块公司",
    "supply_chain": "上下游与关联公司",
    "regulations": "监管文件",
    "speeches": "央行讲话",
    "enforcement": "执法动向",
}
"""What a Chinese reader calls each tool; an English one reads its name."""

NOTHING = "nothing on record"
"""Reason of a tool that found nothing."""

MAX_ROWS = 6
EXCERPT = 240
"""Characters of a document's body that a row shows."""

RECENT_DAYS = 30
"""How old a document without a word in common may be to be shown as background."""

SERIES_DAYS = 550
"""How old the latest reading of a series may be to be shown."""

SHARED_WORDS = 2
"""Words a document must share with the item when it is about none of its companies; two pairs are a word."""

_LATIN_WORD = re.compile(r"[a-z][a-z0-9]{2,}")
_HAN_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}")
_COMMON_WORDS = """
the and for that with from this will has have had its are was were been after over under into amid says said
say new more than about first year years quarter company companies billion million percent chinese
公司 发布 中国 公告 规定 通知 市场 表示 以及 有关 进一步 工作 管理 办法 关于 同比 增长 下降 万元 亿元
"""
_COMMON = frozenset(_COMMON_WORDS.split())

_SECTORS = {
    "bank": ("银行业", "银行股", "银行板块", "国有大行", "商业银行", "净息差", "banks", "lenders"),
    "insurer": ("保险股", "保险业", "insurers"),
    "broker": ("券商", "brokers", "brokerages"),
    "real_estate": ("房地产", "地产", "房企", "property", "developers"),
    "utility": ("电力", "公用事业", "utilities"),
    "commodity": ("煤炭", "有色", "钢铁", "石油", "miners", "steel", "oil"),
    "pharma": ("医药", "药企", "pharma", "drugmakers"),
}
"""Words that name an industry of this kind as a whole; any other is named by its own name."""

Row = dict[str, Any]


def industries_named(item: NewsItem, instruments: Iterable[Instrument]) -> dict[str, str]:
    """Industries the item speaks of as a whole -> the word it uses, in title and body."""
    text = f"{item.title}\n{item.body}"
    words = set(_LATIN_WORD.findall(text.lower()))
    found: dict[str, str] = {}
    for instrument in instruments:
        names = _SECTORS.get(instrument.industry_kind) or filter(None, (instrument.industry,))
        for name in names:
            if name.lower() in words if name.isascii() else name in text:
                found.setdefault(instrument.industry, name)
    return found


@slice_("world_events", of="news")
def world_events(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Geopolitics, sanctions and macro events of the last year."""
    return _documents(view, item, links, ("event",), days=365)


@slice_("news_wire", of="news")
def news_wire(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Earlier news of the last 90 days about the same companies or the same matter."""
    return _documents(view, item, links, ("news",), days=90, background=False)


@slice_("web_search", of="news")
def web_search(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Stored answers of web searches of the last 90 days."""
    return _documents(view, item, links, ("web",), days=90, background=False)


@slice_("reddit", of="news")
def reddit(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Reddit posts of the last two weeks."""
    return _documents(view, item, links, ("post",), days=14, background=False, source="reddit")


@slice_("youtube", of="news")
def youtube(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Videos of the last two weeks."""
    return _documents(view, item, links, ("video",), days=14, background=False)


@slice_("stocktwits", of="news")
def stocktwits(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """The bullish share of tagged Stocktwits messages about the item's companies, of the last week."""
    readings = [
        reading
        for name in (f"{BULLISH}:{company.code}" for company in links)
        for reading in view.indicators(name)[-2:]
        if (view.as_of - reading.published).days <= 7
    ]
    return _indicator_evidence(_grouped(readings))


@slice_("policy_rates", of="news")
def policy_rates(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Rates of central banks: the latest reading of each and the one before."""
    return _series(view, POLICY_RATE)


@slice_("consumer_prices", of="news")
def consumer_prices(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Consumer price inflation."""
    return _series(view, CPI)


@slice_("exchange_rates", of="news")
def exchange_rates(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Exchange rates."""
    return _series(view, FX)


@slice_("commodities", of="news")
def commodities(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Oil and gold."""
    return _series(view, OIL, GOLD)


@slice_("same_sector", of="news")
def same_sector(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Companies of the industries that the item's companies belong to or that it names, and listed rivals."""
    named = {company.code for company in links}
    industries = industries_named(item, view.instruments)
    for company in links:
        industries.setdefault(company.instrument.industry, company.instrument.name)
    rows: list[Row] = [
        {
            "code": instrument.code,
            "name": instrument.name,
            "industry": instrument.industry,
            "because": industries[instrument.industry],
        }
        for instrument in view.instruments
        if instrument.code not in named and instrument.industry and instrument.industry in industries
    ]
    related, _ = _related(view, item, links)
    peers = [relation for relation in related if relation.kind == "peer"]
    rows += [
        {
            "code": relation.code,
            "name": view.instrument(relation.code).name,
            "industry": view.instrument(relation.code).industry,
            "because": _name(relation),
        }
        for relation in peers
        if relation.code not in named and relation.code not in {row["code"] for row in rows}
    ]
    lines = [f"- {row['code']} {row['name']}（{row['industry']}）: {row['because']}" for row in rows]
    return _found(rows, lines, sources=("instruments", "relations") if peers else ("instruments",))


@slice_("supply_chain", of="news")
def supply_chain(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Suppliers, customers, partners and holdings of the item's companies, or of those whose it names."""
    related, mentioned = _related(view, item, links)
    relations = [relation for relation in related if relation.kind != "peer"]
    rows: list[Row] = [
        {
            "code": relation.code,
            "other": relation.other,
            "name": _name(relation),
            "relation": relation.kind,
            "note": relation.note or "",
            "date": relation.published.isoformat(),
            "named": relation.other in mentioned,
            "listed": relation.other.isupper(),
        }
        for relation in relations
    ]
    lines = [
        f"- {row['code']}: {row['relation']} {row['name']} ({row['other']}) {row['note']}".rstrip()
        for row in rows
    ]
    newest = max((relation.published for relation in relations), default=None)
    return _found(rows, lines, sources=("relations",), newest=newest)


@slice_("regulations", of="news")
def regulations(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Rules and regulatory filings of the last two years."""
    return _documents(view, item, links, ("regulation", "filing"), days=730)


@slice_("speeches", of="news")
def speeches(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Speeches of central bankers of the last half year."""
    return _documents(view, item, links, ("speech",), days=182)


@slice_("enforcement", of="news")
def enforcement(view: View, item: NewsItem, links: Sequence[Link] = ()) -> Evidence:
    """Actions of regulators against companies in the last two years."""
    return _documents(view, item, links, ("enforcement",), days=730, background=False)


def _documents(
    view: View,
    item: NewsItem,
    links: Sequence[Link],
    kinds: Sequence[DocumentKind],
    *,
    days: int,
    background: bool = True,
    source: str = "",
) -> Evidence:
    """The documents nearest to the item: about its companies, then by shared words, then merely recent ones.

    Args:
        view: As of the item's day.
        item: The item.
        links: Its companies.
        kinds: Kinds of documents looked at.
        days: How far back.
        background: Whether recent documents without anything in common are shown too.
        source: How the name of the source begins, in small letters.
    """
    since = view.as_of - dt.timedelta(days=days)
    codes = {company.code for company in links}
    wanted = _words(f"{item.title} {item.body[:500]}")
    ranked: list[tuple[int, int, Headline]] = []
    for kind in kinds:
        for headline in view.headlines(kind):
            if headline.published < since or not headline.source.lower().startswith(source):
                continue
            shared = wanted & _words(headline.title)
            weight = sum(1.0 if word.isascii() else 0.5 for word in shared)
            if headline.code in codes:
                ranked.append((2, len(shared), headline))
            elif weight >= SHARED_WORDS:
                ranked.append((1, len(shared), headline))
            elif background and (view.as_of - headline.published).days <= RECENT_DAYS:
                ranked.append((0, 0, headline))
    ranked.sort(key=lambda entry: (-entry[0], -entry[1], -entry[2].published.toordinal(), entry[2].id))
    rows = [
        _document_row(view, headline, ("recent", "words", "company")[rank])
        for rank, _, headline in ranked[:MAX_ROWS]
    ]
    return _found(
        rows,
        [
            f"- {row['date']} {row['source']}: {row['title']}{row['excerpt'] and '. ' + row['excerpt']}"
            for row in rows
        ],
        sources=tuple(dict.fromkeys(str(row["source"]) for row in rows)),
        newest=max((headline.published for _, _, headline in ranked[:MAX_ROWS]), default=None),
        left_out=len(ranked) - len(rows),
    )


def _document_row(view: View, headline: Headline, because: str) -> Row:
    document = view.document(headline.id)
    body = " ".join((document.body or "").split()) if document else ""
    return {
        "date": headline.published.isoformat(),
        "kind": headline.kind,
        "source": headline.source,
        "title": " ".join(headline.title.split()),
        "excerpt": body if len(body) <= EXCERPT else f"{body[:EXCERPT]}…",
        "code": headline.code or "",
        "because": because,
    }


@lru_cache(maxsize=20_000)
def _words(text: str) -> frozenset[str]:
    """What texts can have in common: English words of three letters or more, pairs of Chinese characters."""
    low = text.lower()
    pairs = {run[i : i + 2] for run in _HAN_RUN.findall(low) for i in range(len(run) - 1)}
    return frozenset((set(_LATIN_WORD.findall(low)) | pairs) - _COMMON)


def _series(view: View, *prefixes: str) -> Evidence:
    fresh = [
        reading
        for reading in view.indicators()
        if reading.name.startswith(prefixes) and (view.as_of - reading.published).days <= SERIES_DAYS
    ]
    return _indicator_evidence(_grouped(fresh))


def _grouped(readings: Iterable[Indicator]) -> dict[str, list[Indicator]]:
    groups: dict[str, list[Indicator]] = {}
    for reading in readings:
        groups.setdefault(reading.name, []).append(reading)
    return groups


def _indicator_evidence(groups: dict[str, list[Indicator]]) -> Evidence:
    """The latest reading of each series, with the one before."""
    rows: list[Row] = []
    for name, readings in sorted(groups.items()):
        latest, before = readings[-1], readings[-2] if len(readings) > 1 else None
        rows.append(
            {
                "name": name,
                "period": latest.period,
                "value": latest.value,
                "unit": latest.unit or "",
                "date": latest.published.isoformat(),
                "source": latest.source or "",
                "before": before.value if before else None,
                "before_period": before.period if before else None,
            }
        )
    lines = [
        f"- {row['name']} {row['period']}: {row['value']:g} {row['unit']}".rstrip()
        + (f" (before: {row['before']:g}, {row['before_period']})" if row["before"] is not None else "")
        for row in rows
    ]
    return _found(
        rows,
        lines,
        sources=tuple(dict.fromkeys(str(row["source"]) for row in rows if row["source"])),
        newest=max((readings[-1].published for readings in groups.values()), default=None),
    )


def _related(view: View, item: NewsItem, links: Sequence[Link]) -> tuple[list[Relation], set[str]]:
    """Relations of the item's companies and those whose other side it names, and the other sides named."""
    codes = {company.code for company in links}
    every = view.relations()
    others = {
        relation.other: Instrument(code=relation.other, name=names[0], aliases=tuple(names[1:]))
        for relation in every
        if (names := relation.other_name.split("|"))
    }
    named = {found.code for found in link(item.title, item.body, Instruments(others.values()))}
    related = [r for r in every if r.code in codes or r.other in codes or r.other in named]
    return related, named


def _name(relation: Relation) -> str:
    return relation.other_name.partition("|")[0]


def _found(
    rows: Sequence[Row],
    lines: Sequence[str],
    *,
    sources: tuple[str, ...],
    newest: dt.date | None = None,
    left_out: int = 0,
) -> Evidence:
    if not rows:
        return Evidence(missing={"rows": NOTHING})
    return Evidence(
        facts={"rows": list(rows), "left_out": left_out},
        text="\n".join([*lines, *([f"(and {left_out} more)"] if left_out else [])]),
        sources=sources,
        newest=newest,
        sufficiency="high" if len(rows) >= 3 else "medium",
    )
