"""The baseline's five news specialists: rules over the words of the item and the rows of each one's tools.

A draft scores the strongest event of the specialist's own field by how closely the item ties it to a company;
an event of another field counts for little. The second look (``news_second_look``) reads what stands around
the words. Every answer names the words and the rows that moved its score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import ModelError
from workbench.llm.base import Request
from workbench.llm.baseline.news_reading import Company, Facts, Hit, Reading, read
from workbench.llm.baseline.registry import answers
from workbench.llm.baseline.wording import Wording
from workbench.records import FLASH_TYPES, Direction, EventType
from workbench.strategy.news import EVENT_ZH

MACRO = frozenset({"rate_surprise", "macro_event", "tariffs", "geopolitical_conflict"})
POLICY = frozenset(
    {"regulatory_action", "policy_change", "sanctions", "export_ban", "tariffs", "rate_surprise"}
)
MOOD = frozenset({"sentiment_surge"})
OF_ONE_COMPANY = frozenset(
    {"earnings", "earnings_shock", "guidance_change", "m_and_a", "fraud", "bankruptcy"}
)
"""Events of one company, which touch its rivals less than a rule or a shortage does."""
SPREADING = frozenset({"supply_chain", "export_ban", "tariffs", "sanctions"})
"""Events that travel along a supply chain."""

IN_TITLE, IN_BODY, UNNAMED = 1.0, 0.92, 0.80
"""What an event is worth where the title names a company, where the body does, and where nothing does."""
ANOTHER_FIELD = 0.40
"""What an event is worth to a specialist of another field."""
NOTHING = 0.15
"""Impact of an item without any event."""
SECTOR, RIVAL, CHAIN = 0.70, 0.45, 0.55
"""Impact on a company of the same sector, on a rival of the one company concerned, and along a relation."""
REACHING, ALONE = 0.85, 0.60
"""What an event is worth to the sector specialist where it reaches others, and where it does not."""
ROW_IMPACT, ROW_CONFIDENCE, MAX_ROWS = 0.02, 0.05, 3
"""What each row of a tool that bears on the item adds, and how many count."""

_SERIES_WORDS = {
    "cpi_": ("通胀", "物价", "inflation", "consumer prices"),
    "policy_rate_": ("利率", "降准", "降息", "加息", "逆回购", "fed", "rate"),
    "fx_": ("汇率", "人民币", "yuan", "dollar"),
    "oil_": ("原油", "油价", "oil", "crude"),
    "gold": ("黄金", "金价", "gold"),
}


@dataclass
class Judgement:
    """What a specialist makes of an item.

    Beside the fields of the answer: the hit that carries the score, and how many rows support it.
    """

    impact: float
    confidence: float
    event: EventType
    direction: Direction
    hit: Hit | None
    support: int = 0
    tickers: dict[str, tuple[float, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)

    def link(self, code: str, impact: float, kind: str) -> None:
        """Name a ticker, unless it is named already."""
        self.tickers.setdefault(code, (impact, kind))


@dataclass(frozen=True)
class Desk:
    """The item and the tools as one specialist finds them."""

    facts: Facts
    reading: Reading
    words: Wording

    def rows(self, *tools: str) -> list[Mapping[str, Any]]:
        return [row for tool in tools for row in self.facts["tools"].get(tool, {}).get("rows", ())]

    def bearing(self, *tools: str) -> list[Mapping[str, Any]]:
        """Documents about the item's companies or its matter, not the merely recent ones."""
        return [row for row in self.rows(*tools) if row["because"] != "recent"]

    @property
    def closeness(self) -> float:
        if self.reading.named_in_title:
            return IN_TITLE
        return IN_BODY if self.reading.companies else UNNAMED


Specialist = Callable[[Desk], Judgement]


@answers("news_specialist")
def draft(request: Request) -> Mapping[str, Any]:
    """The specialist's first score."""
    desk = desk_of(request)
    return answer(judge(str(request.task["specialist"]), desk), desk)


def desk_of(request: Request) -> Desk:
    """What the specialist of a request works with."""
    return Desk(request.facts, read(request.facts), Wording(request.task["language"], currency=""))


def judge(specialist: str, desk: Desk) -> Judgement:
    """The first judgement of one specialist.

    Raises:
        ModelError: The baseline has no such specialist.
    """
    if specialist not in SPECIALISTS:
        raise ModelError(
            f"the baseline has no news specialist {specialist!r}.",
            remedy=f"It has {', '.join(SPECIALISTS)}; choose a hosted model for this one.",
        )
    return SPECIALISTS[specialist](desk)


def answer(judgement: Judgement, desk: Desk) -> dict[str, Any]:
    """A judgement as the fields of the answer."""
    words = desk.words
    notes = list(judgement.notes)
    if desk.reading.addressed:
        count = words.count(desk.reading.addressed)
        notes.append(
            words.say(
                f"原文有{count}处是对评分者提要求，未予理会。",
                f"Passages that address the scorer were not read: {count}.",
            )
        )
    return {
        "impact_score": _share(judgement.impact),
        "confidence_score": _share(judgement.confidence),
        "event_type": judgement.event,
        "tickers_linked": [
            {"ticker": code, "impact_score": _share(impact), "link_type": kind}
            for code, (impact, kind) in judgement.tickers.items()
        ],
        "direction": judgement.direction,
        "analysis": words.sentences(notes),
        "key_evidence": judgement.evidence[:5],
    }


def _signal_scope(desk: Desk) -> Judgement:
    """The event itself, whatever its field."""
    judgement = _of_field(desk, None, desk.bearing("world_events", "news_wire", "web_search"))
    for company in desk.reading.companies:
        judgement.link(company.code, judgement.impact * _named(company), "direct")
    return judgement


def _sentiment_pulse(desk: Desk) -> Judgement:
    """The mood: words of better and worse, a share price that moved, and what social media say."""
    reading, words = desk.reading, desk.words
    posts = desk.bearing("reddit", "youtube")
    judgement = _of_field(desk, MOOD, posts)
    tone = reading.rising + reading.falling
    moved = next((part for bound, part in ((10, 0.30), (5, 0.20), (2, 0.10)) if reading.move >= bound), 0.0)
    mood = 0.25 + 0.06 * min(tone, 5) + moved
    judgement.evidence.append(
        words.say(
            f"措辞：向好 {reading.rising} 处，向坏 {reading.falling} 处 → 冲击 {mood - moved:.2f}",
            f"tone: {reading.rising} words for better, {reading.falling} for worse -> {mood - moved:.2f}",
        )
    )
    if moved:
        judgement.evidence.append(
            words.say(
                f"股价变动 {reading.move:g}% → 冲击 +{moved:.2f}",
                f"share price moved {reading.move:g}% -> impact +{moved:.2f}",
            )
        )
    for row in desk.rows("stocktwits"):
        extreme = abs(row["value"] - 0.5) > 0.25
        mood += 0.10 if extreme else 0.0
        judgement.confidence += ROW_CONFIDENCE
        judgement.evidence.append(
            words.say(
                f"{row['name']} {row['period']} 看多占比 {row['value']:.0%}",
                f"{row['name']} {row['period']}: {row['value']:.0%} bullish",
            )
            + (" → +0.10" if extreme else "")
        )
    if mood >= judgement.impact:
        judgement.impact = mood
        judgement.notes = [
            words.say(
                "按措辞、股价反应与社交媒体判断情绪。", "The mood is read from wording, prices and posts."
            )
        ]
    for company in reading.companies:
        judgement.link(company.code, judgement.impact * _named(company), "direct")
    return judgement


def _macro_mind(desk: Desk) -> Judgement:
    """Rates, prices, currencies and commodities, where the item speaks of them."""
    text = desk.reading.text.lower()
    spoken = tuple(prefix for prefix, names in _SERIES_WORDS.items() if any(name in text for name in names))
    series = desk.rows("policy_rates", "consumer_prices", "exchange_rates", "commodities")
    bearing = [row for row in series if spoken and row["name"].startswith(spoken)]
    judgement = _of_field(desk, MACRO, bearing, closeness=0.95)
    if judgement.hit and judgement.hit.term.event in MACRO:
        for company in desk.reading.companies:
            judgement.link(company.code, judgement.impact * 0.8, "macro")
    return judgement


def _sector_scan(desk: Desk) -> Judgement:
    """Who else is touched: the same sector, and along relations."""
    words = desk.words
    judgement = _of_field(desk, None, [])
    peers, relations = desk.rows("same_sector"), desk.rows("supply_chain")
    event = judgement.event
    strength = judgement.impact
    for company in desk.reading.companies:
        judgement.link(company.code, strength * 0.9 * _named(company), "direct")
    share = RIVAL if event in OF_ONE_COMPANY else SECTOR
    for row in peers:
        judgement.link(row["code"], strength * share, "sector")
        judgement.evidence.append(
            words.say(
                f"同板块 {row['code']} {row['name']}（{row['industry']}）→ ×{share:.2f}",
                f"same sector: {row['code']} {row['name']} ({row['industry']}) -> x{share:.2f}",
            )
        )
    for row in relations:
        spreads = event in SPREADING and row["relation"] in ("supplier", "customer")
        reached = row["other"] if row["code"] in judgement.tickers else row["code"]
        if (row["named"] or spreads) and (reached == row["code"] or row["listed"]):
            judgement.link(reached, strength * CHAIN, "chain")
            judgement.evidence.append(
                words.say(
                    f"关联 {row['code']}：{row['name']}（{row['relation']}）→ ×{CHAIN:.2f}",
                    f"relation of {row['code']}: {row['name']} ({row['relation']}) -> x{CHAIN:.2f}",
                )
            )
    reached = [kind for _, kind in judgement.tickers.values() if kind != "direct"]
    judgement.impact = strength * (0.85 if reached else 0.6)
    judgement.confidence += ROW_CONFIDENCE * min(len(reached), MAX_ROWS)
    judgement.notes.append(
        words.say(
            f"可沿板块与关联传到 {len(reached)} 只股票。" if reached else "没有可传导的同业或关联公司。",
            f"It reaches {len(reached)} more tickers."
            if reached
            else "It reaches no other company on record.",
        )
    )
    return judgement


def _policy_radar(desk: Desk) -> Judgement:
    """Rules, penalties and central banks."""
    rows = desk.bearing("regulations", "enforcement", "speeches")
    judgement = _of_field(desk, POLICY, rows)
    if judgement.hit and judgement.hit.term.event in POLICY:
        for company in desk.reading.companies:
            judgement.link(company.code, judgement.impact * _named(company), "direct")
    return judgement


SPECIALISTS: Mapping[str, Specialist] = {
    "signal_scope": _signal_scope,
    "sentiment_pulse": _sentiment_pulse,
    "macro_mind": _macro_mind,
    "sector_scan": _sector_scan,
    "policy_radar": _policy_radar,
}

FIELDS: Mapping[str, frozenset[str] | None] = {
    "signal_scope": None,
    "sentiment_pulse": MOOD,
    "macro_mind": MACRO,
    "sector_scan": None,
    "policy_radar": POLICY,
}
"""Events of each specialist's own field; None is any."""


def _of_field(
    desk: Desk,
    events: frozenset[str] | None,
    rows: Sequence[Mapping[str, Any]],
    closeness: float | None = None,
) -> Judgement:
    """The judgement over the strongest event of a field, supported by the rows that bear on it."""
    reading, words = desk.reading, desk.words
    own = reading.strongest(events)
    hit = own or reading.strongest()
    near = desk.closeness if closeness is None else closeness
    if hit is None:
        note = words.say("没有识别出事件。", "No event was recognised.")
        return Judgement(NOTHING, 0.35, "routine_news", direction(reading, None), None, notes=[note])
    support = len(rows[:MAX_ROWS]) if own else 0
    share = 1.0 if own else ANOTHER_FIELD
    impact = hit.strength * near * share + ROW_IMPACT * support
    confidence = 0.5 + 0.15 * reading.named_in_title + 0.1 * bool(own and hit.sentence.in_title)
    confidence += ROW_CONFIDENCE * support
    event: EventType = hit.term.event
    if not own and events in (MACRO, POLICY) and event in FLASH_TYPES:
        event = "routine_news"  # a flash is for the specialist of its field to call
    place = words.say(
        "标题" if hit.sentence.in_title else "正文", "title" if hit.sentence.in_title else "body"
    )
    name = words.say(EVENT_ZH[hit.term.event], hit.term.event.replace("_", " "))
    evidence = [
        words.say(
            f"{place}“{hit.words}” → {name}，强度 {hit.strength:.2f} × 关联 {near:.2f}",
            f"{place} “{hit.words}” -> {name}, strength {hit.strength:.2f} x closeness {near:.2f}",
        )
        + ("" if own else words.say(f" × 非本领域 {share:.2f}", f" x another field {share:.2f}"))
    ]
    evidence += [_row_line(row, words) for row in rows[:support]]
    note = words.say(
        f"{place}报告{name}。" if own else f"最强的事件是{name}，不属于本领域。",
        f"The {place} reports {name}." if own else f"The strongest event is {name}, of another field.",
    )
    side = direction(reading, hit)
    return Judgement(impact, confidence, event, side, hit, support, notes=[note], evidence=evidence)


def _row_line(row: Mapping[str, Any], words: Wording) -> str:
    what = row.get("title") or f"{row['name']} {row['period']} {row['value']:g} {row['unit']}".strip()
    gain = f"+{ROW_IMPACT:.2f}"
    return words.say(f"{row['date']} {what} → 冲击 {gain}", f"{row['date']} {what} -> impact {gain}")


def direction(reading: Reading, hit: Hit | None) -> Direction:
    """Whether the news helps or hurts: by the event, and by the words around it where these disagree."""
    lean = reading.rising - reading.falling
    sign = hit.term.sign if hit else 0
    if sign > 0:
        return "positive" if lean >= 0 else "mixed"
    if sign < 0:
        return "negative" if lean <= 1 else "mixed"
    return "mixed" if lean == 0 else "positive" if lean > 0 else "negative"


def _named(company: Company) -> float:
    return IN_TITLE if company.in_title else IN_BODY


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 2)
