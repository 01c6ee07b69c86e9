"""How the baseline writes a chapter: one finding per operator for the draft, then a second look at it.

The draft takes the evidence at its word: its score is the mean of the findings. The second look asks what
the draft did not: how thin or old the evidence is, whether earlier chapters say the opposite, and whether
the mean hides a bad finding. It never raises a score: missing a good company costs less than owning a bad
one. Each change is named.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.llm.base import Request
from workbench.llm.baseline import (  # noqa: F401 - each registers its rules
    business,
    cash,
    financials,
    industry,
    quality,
    stress,
    valuation,
)
from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import RULES, Finding, no_view
from workbench.llm.baseline.registry import answers
from workbench.llm.baseline.wording import Wording

CONFIDENCE = {"high": 0.8, "medium": 0.6, "low": 0.4}
"""Confidence of a draft by the sufficiency of its evidence."""

NEUTRAL = 50.0
"""Neither good nor bad. A chapter without a view has no score at all, and not this one."""

LEAST_CONFIDENCE = 0.1
"""Confidence of a chapter without a view, and the least that doubts leave of any other."""

FATAL_CAP = 45.0
"""A chapter with a fatal finding is not scored above this, however good the rest."""

WEAK = 45.0
PULL_OF_THE_WORST = 0.15
"""Share of the way to its worst finding, where that one is below ``WEAK``."""

DOUBT = 60.0
"""A chapter below this is an open doubt."""

PRICE_FIELDS = frozenset({"safety_margin", "margin_level", "ev_fcf_view", "fair_pb", "buy_price", "action"})
"""A chapter that answers one of these judges the price."""

STRONG_CHAPTER = 65.0
WEAK_CHAPTER = 40.0
WIDE_SPREAD = 45.0
"""Points between the best and the worst finding from which their mean says little."""

KEY_EVIDENCE = 10


@dataclass(frozen=True)
class Change:
    """One correction of a draft.

    Attributes:
        why: The reason, as a clause.
        cost: Points the score loses.
        cap: What the score may be at most.
        doubt: What the confidence loses, and the share a score loses of its points above neutral.
    """

    why: str
    cost: float = 0.0
    cap: float = 100.0
    doubt: float = 0.0


@dataclass(frozen=True)
class Contradiction:
    """Two answers that cannot both stand: one of an earlier chapter, one of this chapter."""

    earlier: str
    earlier_values: frozenset[str]
    here: str
    here_values: frozenset[str]
    zh: str
    en: str


def _against(
    earlier: str, earlier_values: str, here: str, here_values: str, zh: str, en: str
) -> Contradiction:
    return Contradiction(
        earlier, frozenset(earlier_values.split()), here, frozenset(here_values.split()), zh, en
    )


CONTRADICTION_COST = 10.0
CONTRADICTIONS = (
    _against(
        *("cash_quality", "差", "ev_fcf_view", "低估"),
        "现金流章判利润含金量差，这里却按现金给出低估",
        "cash conversion was found poor, yet here cash makes it look cheap",
    ),
    _against(
        *("debt_assessment", "危险", "margin_level", "充足"),
        "债务危险的公司，安全边际先属于债权人",
        "with dangerous debt the margin of safety belongs to the lenders first",
    ),
    _against(
        *("screen_result", "观察 不通过", "action", "买入"),
        "初筛没有过关，这里却要买入",
        "the quick screen was not passed, yet this says buy",
    ),
    _against(
        *("pe_trap", "疑似 陷阱", "action", "买入"),
        "低市盈率可能是陷阱，这里却要买入",
        "the low P/E may be a trap, yet this says buy",
    ),
    _against(
        *("cash_trend", "恶化", "margin_level", "充足"),
        "经营现金流在恶化，按过去三年平均估出的价值偏高",
        "operating cash flow is worsening, so three-year averages value it too high",
    ),
    _against(
        *("presale_trend", "下滑", "cash_trend", "改善 平稳"),
        "预收在下滑，现金流的平稳撑不久",
        "presales are falling, so steady cash will not last",
    ),
    _against(
        *("cycle_position", "顶部 下行", "margin_level", "充足"),
        "利润处在周期高位或正在下行，安全边际没有看上去那么厚",
        "profit is at or past the top of its cycle, so the margin is thinner than it looks",
    ),
)


@answers("chapter")
def draft(request: Request) -> dict[str, Any]:
    """One finding per operator; the score is the mean of those that have a view."""
    book = open_book(request)
    findings = _findings(request, book)
    views = [finding.score for finding in findings if finding.score is not None]
    sufficiency = str(request.facts.get("sufficiency", "low"))
    evidence = dict.fromkeys(line for finding in _by_weight(findings) for line in finding.evidence)
    return {
        "score": round(sum(views) / len(views), 1) if views else None,
        "confidence": CONFIDENCE[sufficiency] if views else LEAST_CONFIDENCE,
        "conclusion": _conclusion(findings, book),
        "analysis": _analysis(findings),
        "key_evidence": list(evidence)[:KEY_EVIDENCE],
        **_outputs(request, findings, book.words),
    }


@answers("chapter", "revised")
def revise(request: Request) -> dict[str, Any]:
    """The draft after a second look; ``why_changed`` names what moved and why, or why nothing did."""
    book = open_book(request)
    before = dict(request.draft or draft(request))
    if before["score"] is None:
        unchanged = book.say("未改：没有证据可供复核。", "Unchanged: there is no evidence to look at again.")
        return {**before, "why_changed": unchanged}
    findings = _findings(request, book)
    score, confidence = float(before["score"]), float(before["confidence"])
    changes = [
        *_thin(book, findings),
        *_contradictions(book, before, score),
        *_anchors(book, findings, score),
    ]
    doubt = sum(change.doubt for change in changes)
    confidence -= doubt
    score -= doubt * max(0.0, score - NEUTRAL) + sum(change.cost for change in changes)
    score = max(0.0, min([score, *(change.cap for change in changes)]))
    after = {"score": round(score, 1), "confidence": round(max(confidence, LEAST_CONFIDENCE), 2)}
    reasons = [change.why for change in changes]
    return {
        **before,
        **after,
        "analysis": "\n\n".join(
            [
                before["analysis"],
                *([book.words.sentence(reasons, book.say("复核：", "Second look: "))] if reasons else []),
            ]
        ),
        "why_changed": _why(book, before, after, reasons),
    }


def open_book(request: Request) -> Book:
    """The facts of a request as a book in the language of its task."""
    return Book(
        request.facts,
        "en" if request.task["language"] == "en" else "zh",
        dt.date.fromisoformat(request.task["as_of"]),
    )


def _findings(request: Request, book: Book) -> list[Finding]:
    """A finding for every operator of the chapter; an operator without a rule of ours has no view."""
    return [
        rule(book)
        if (rule := RULES.get(operator["id"]))
        else no_view(
            book,
            f"“{operator['title']}”没有对应的内置规则，不作判断。",
            f"There is no built-in rule for {operator['title']!r}: no view.",
        )
        for operator in request.task["operators"]
    ]


def _outputs(request: Request, findings: Sequence[Finding], words: Wording) -> dict[str, Any]:
    """Every output the operators ask for; None where no rule gave one, or one the operator does not allow."""
    answered: dict[str, Any] = {}
    for operator, finding in zip(request.task["operators"], findings, strict=True):
        for name, output in operator["outputs"].items():
            value = finding.outputs.get(name)
            if output["type"] == "choice" and value is not None:
                spellings = (value, words.choice(value))
                value = next((known for known in spellings if known in output["values"]), None)
            answered[name] = value
    return answered


def _conclusion(findings: Sequence[Finding], book: Book) -> str:
    """The worst finding first, then the second worst of a doubtful chapter, or the best of a sound one."""
    views = sorted((finding for finding in findings if finding.score is not None), key=_score)
    if not views:
        return book.say("证据不足，本章没有结论。", "The evidence allows no conclusion.")
    doubtful = sum(map(_score, views)) < DOUBT * len(views)
    told = views[:2] if doubtful else [views[0], *views[1:][-1:]]
    return book.words.sentence([finding.gist for finding in told])


def _by_weight(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that weigh most first: those farthest from neutral; those without a score last."""
    return sorted(
        findings,
        key=lambda finding: -1.0 if finding.score is None else abs(_score(finding) - NEUTRAL),
        reverse=True,
    )


def _score(finding: Finding) -> float:
    assert finding.score is not None
    return finding.score


def _analysis(findings: Sequence[Finding]) -> str:
    """A paragraph for each view, and one for everything that could not be judged."""
    views = [finding.note for finding in findings if not finding.blank]
    blanks = dict.fromkeys(finding.note for finding in findings if finding.blank)
    return "\n\n".join([*views, *(["\n".join(blanks)] if blanks else [])])


def _thin(book: Book, findings: Sequence[Finding]) -> Iterator[Change]:
    """Evidence that is silent, short, old, estimated or single-sourced, and findings far apart."""
    say, count = book.say, book.words.count
    blank = sum(finding.blank for finding in findings)
    if 3 * blank >= len(findings):
        yield Change(
            say(
                f"{count(len(findings))}个视角里有{count(blank)}个没有证据可依",
                f"{count(blank)} of {count(len(findings))} lenses had nothing to look at",
            ),
            doubt=0.1,
        )
    if len(book.years) < 5:
        yield Change(say("年报不足五年", "fewer than five annual statements"), doubt=0.1)
    if book.stale:
        yield Change(
            say(f"最新年报仍是 {book.year} 年", f"the newest statement is still {book.year}"), doubt=0.15
        )
    if book.year in book.estimated:
        yield Change(
            say("最新年报的发布日期是估计的", "the newest publication date is an estimate"), doubt=0.05
        )
    if not any("price" in source for source in book.sources) and not book.latest("price"):
        yield Change(say("只有报表一个来源", "the statements are the only source"), doubt=0.05)
    scores = [finding.score for finding in findings if finding.score is not None]
    if scores and max(scores) - min(scores) >= WIDE_SPREAD:
        yield Change(say("各项判断相差很大", "the findings are far apart"), doubt=0.05)


def _contradictions(book: Book, answer: Mapping[str, Any], score: float) -> Iterator[Change]:
    """Answers that cannot both be right pull the score, and so does a chapter that is plainly negative.

    A high price contradicts nothing but the wish to buy, so a chapter about the price pulls no other.
    """
    for pair in CONTRADICTIONS:
        earlier, here = book.earlier(pair.earlier), answer.get(pair.here)
        if book.words.means(earlier, pair.earlier_values) and book.words.means(here, pair.here_values):
            yield Change(book.say(pair.zh, pair.en), cost=CONTRADICTION_COST)
    for chapter in book.chapters:
        theirs = chapter["score"]
        if theirs is None or not PRICE_FIELDS.isdisjoint(chapter["fields"]):
            continue
        if theirs <= WEAK_CHAPTER and score >= STRONG_CHAPTER:
            title = chapter["title"]
            yield Change(
                book.say(
                    f"“{title}”一章明显负面，本章不能当它不存在",
                    f"the chapter {title!r} is plainly negative and cannot be ignored here",
                ),
                cost=(score - theirs) / 4,
            )


def _anchors(book: Book, findings: Sequence[Finding], score: float) -> Iterator[Change]:
    """A score must fit its worst finding, which a mean hides."""
    worst = min((f for f in findings if f.score is not None), key=lambda f: f.score or 0.0, default=None)
    if worst is None or worst.score is None or worst.score >= min(WEAK, score):
        return
    if worst.fatal and score > FATAL_CAP:
        yield Change(
            book.say(
                f"“{worst.gist}”足以让人放弃，平均数掩盖了它",
                f"the mean hid {worst.gist!r}, a reason to stop",
            ),
            cap=FATAL_CAP,
        )
    else:
        yield Change(
            book.say(
                f"“{worst.gist}”的分量重于平均数所示，因此下调",
                f"{worst.gist!r} weighs more than the mean shows, so the score is lowered",
            ),
            cost=PULL_OF_THE_WORST * (score - worst.score),
        )


def _why(book: Book, before: Mapping[str, Any], after: Mapping[str, float], reasons: Sequence[str]) -> str:
    names = {"score": book.say("评分", "score"), "confidence": book.say("信心", "confidence")}
    moves = [
        book.say(
            f"{name}由 {before[field]:g} 改为 {after[field]:g}",
            f"{name} from {before[field]:g} to {after[field]:g}",
        )
        for field, name in names.items()
        if before[field] != after[field]
    ]
    if moves:
        return book.words.sentence(reasons, book.say(f"{'、'.join(moves)}：", f"{', '.join(moves)}: "))
    return book.say(
        "未改：证据够长够新，与前面各章没有矛盾，分数与最差的一项相称。",
        "Unchanged: long and recent evidence, no contradiction, and a score that fits the worst finding.",
    )
