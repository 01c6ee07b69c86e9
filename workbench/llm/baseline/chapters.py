"""How the baseline writes a chapter: one finding per operator for the draft, then a second look at it.

The draft takes the evidence at its word: its score is the mean of the findings. The second look asks what
the draft did not: how thin or old the evidence is, whether earlier chapters say the opposite, and whether
the score fits the worst finding. Each change is named.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.llm.base import Request
from workbench.llm.baseline import business, cash, industry, quality, valuation  # noqa: F401 - register rules
from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import RULES, Finding, no_view
from workbench.llm.baseline.registry import answers

CONFIDENCE = {"high": 0.8, "medium": 0.6, "low": 0.4}
"""Confidence of a draft by the sufficiency of its evidence."""

NEUTRAL = 50.0
"""Score of a chapter on which the evidence allows no view at all."""

NO_VIEW_CONFIDENCE = 0.1
"""Confidence of such a chapter; the synthesis leaves it out."""

FATAL_CAP = 45.0
"""A chapter with a fatal finding is not scored above this, however good the rest."""

TOP = 75.0
"""A chapter is only this good when no finding is below ``WEAK``."""

WEAK = 45.0
STRONG_CHAPTER = 65.0
WEAK_CHAPTER = 40.0


@dataclass(frozen=True)
class Change:
    """One correction of a draft: the new score or confidence, and the reason as a clause."""

    why: str
    score: float | None = None
    confidence: float | None = None


@answers("chapter")
def draft(request: Request) -> dict[str, Any]:
    """One finding per operator; the score is the mean of those that have a view."""
    book = open_book(request)
    findings = _findings(request, book)
    views = [finding.score for finding in findings if finding.score is not None]
    sufficiency = str(request.facts.get("sufficiency", "low"))
    return {
        "score": round(sum(views) / len(views), 1) if views else NEUTRAL,
        "confidence": CONFIDENCE.get(sufficiency, 0.4) if views else NO_VIEW_CONFIDENCE,
        "conclusion": _conclusion(findings, book),
        "analysis": _analysis(findings),
        "key_evidence": list(dict.fromkeys(line for finding in findings for line in finding.evidence))[:10],
        **_outputs(request, findings),
    }


@answers("chapter", "revised")
def revise(request: Request) -> dict[str, Any]:
    """The draft after a second look; ``why_changed`` names what moved and why, or why nothing did."""
    book = open_book(request)
    findings = _findings(request, book)
    before = dict(request.draft or draft(request))
    score, confidence = float(before["score"]), float(before["confidence"])
    reasons = []
    for change in (
        *_thin(book, findings, confidence),
        *_contradictions(book, before, score),
        *_anchors(book, findings, score),
    ):
        if change.score is not None:
            score = min(score, change.score)
        if change.confidence is not None:
            confidence = min(confidence, change.confidence)
        reasons.append(change.why)
    why = _why(book, before, score, confidence, reasons)
    return {
        **{name: value for name, value in before.items() if name != "why_changed"},
        "score": round(score, 1),
        "confidence": round(confidence, 2),
        "analysis": before["analysis"]
        + book.say(f"\n\n复核：{'；'.join(reasons)}。", f"\n\nSecond look: {'; '.join(reasons)}.")
        if reasons
        else before["analysis"],
        "why_changed": why,
    }


def open_book(request: Request) -> Book:
    """The facts of a request as a book in the language of its task."""
    as_of = request.task.get("as_of")
    language = "en" if request.task.get("language") == "en" else "zh"
    return Book(request.facts, language, dt.date.fromisoformat(str(as_of)) if as_of else None)


def _findings(request: Request, book: Book) -> list[Finding]:
    """A finding for every operator of the chapter; an operator the baseline has no rule for has no view."""
    findings = []
    for operator in request.task["operators"]:
        rule = RULES.get(operator["id"])
        findings.append(
            rule(book)
            if rule
            else no_view(
                book,
                f"“{operator['title']}”没有对应的内置规则，不作判断。",
                f"There is no built-in rule for {operator['title']!r}: no view.",
            )
        )
    return findings


def _outputs(request: Request, findings: Sequence[Finding]) -> dict[str, Any]:
    """Every output the operators ask for; None where a rule gave none, or one the operator does not allow."""
    answered: dict[str, Any] = {}
    for operator, finding in zip(request.task["operators"], findings, strict=True):
        for name, output in operator["outputs"].items():
            value = finding.outputs.get(name)
            allowed = output["type"] != "choice" or value in output["values"]
            answered[name] = value if allowed else None
    return answered


def _conclusion(findings: Sequence[Finding], book: Book) -> str:
    """The two findings that stand out most, in the order of the chapter."""
    views = [finding for finding in findings if finding.score is not None and finding.gist]
    if not views:
        return book.say("证据不足，本章没有结论。", "The evidence allows no conclusion.")
    marked = sorted(views, key=lambda finding: abs((finding.score or NEUTRAL) - 55.0), reverse=True)[:2]
    told = [finding.gist for finding in views if finding in marked]
    return book.say("；".join(told) + "。", "; ".join(told) + ".")


def _analysis(findings: Sequence[Finding]) -> str:
    """One paragraph for each view, and one for everything that could not be judged."""
    views = [finding.note for finding in findings if finding.score is not None or finding.outputs]
    blanks = [finding.note for finding in findings if finding.score is None and not finding.outputs]
    return "\n\n".join([*views, "\n".join(blanks)] if blanks else views)


def _thin(book: Book, findings: Sequence[Finding], confidence: float) -> Iterator[Change]:
    """Evidence that is short, old, estimated, single-sourced or silent costs confidence."""
    penalty, reasons = 0.0, []
    blank = sum(1 for finding in findings if finding.score is None and not finding.outputs)
    if 3 * blank >= len(findings):
        penalty += 0.1
        reasons.append(
            book.say(
                f"{book.words.count(len(findings))}个视角里有{book.words.count(blank)}个没有证据可依",
                f"{book.words.count(blank)} of {book.words.count(len(findings))} lenses had nothing to look at",
            )
        )
    if 0 < len(book.years) < 5:
        penalty += 0.1
        reasons.append(
            book.say(f"年报只从 {book.years[0]} 年开始", f"statements only begin in {book.years[0]}")
        )
    if book.stale:
        penalty += 0.15
        reasons.append(book.say(f"最新年报仍是 {book.year} 年", f"the newest statement is still {book.year}"))
    if book.year in book.estimated:
        penalty += 0.05
        reasons.append(book.say("最新年报的发布日期是估计的", "the newest publication date is an estimate"))
    if len(book.sources) == 1:
        penalty += 0.05
        reasons.append(book.say("只有报表一个来源", "the statements are the only source"))
    if reasons and confidence > NO_VIEW_CONFIDENCE:
        yield Change(
            book.say("，".join(reasons), ", ".join(reasons)), confidence=max(0.1, confidence - penalty)
        )


def _contradictions(book: Book, answer: Mapping[str, Any], score: float) -> Iterator[Change]:
    """Answers that cannot both be right, here and in an earlier chapter; the score moves to the doubt."""
    for earlier_field, earlier_values, field, values, zh, en in CONTRADICTIONS:
        if book.earlier(earlier_field) in earlier_values and answer.get(field) in values:
            yield Change(book.say(zh, en), score=score - 10.0)
    for chapter in book.chapters:
        theirs = chapter.get("score")
        if theirs is not None and theirs <= WEAK_CHAPTER and score >= STRONG_CHAPTER:
            title = chapter["title"]
            yield Change(
                book.say(
                    f"“{title}”一章已给出明显的负面结论，本章不能当它不存在",
                    f"the chapter {title!r} is plainly negative and cannot be ignored here",
                ),
                score=score - (score - theirs) / 4,
            )


def _anchors(book: Book, findings: Sequence[Finding], score: float) -> Iterator[Change]:
    """A score must fit its worst finding."""
    views = [finding for finding in findings if finding.score is not None]
    worst = min(views, key=lambda finding: finding.score or 0.0, default=None)
    if worst is None or worst.score is None:
        return
    if worst.fatal and score > FATAL_CAP:
        yield Change(
            book.say(
                f"“{worst.gist}”足以让人放弃，平均数掩盖了它",
                f"{worst.gist!r} is reason enough to stop, and the mean hid it",
            ),
            score=FATAL_CAP,
        )
    elif worst.score < WEAK and score >= TOP:
        yield Change(
            book.say(
                f"“{worst.gist}”未解决，不能列入可以放心的一档",
                f"{worst.gist!r} is unresolved, so this is no chapter to rest on",
            ),
            score=TOP - 1.0,
        )


def _why(
    book: Book, before: Mapping[str, Any], score: float, confidence: float, reasons: Sequence[str]
) -> str:
    moves = []
    if round(score, 1) != round(before["score"], 1):
        moves.append(
            book.say(
                f"评分由 {before['score']:g} 改为 {round(score, 1):g}",
                f"score from {before['score']:g} to {round(score, 1):g}",
            )
        )
    if round(confidence, 2) != round(before["confidence"], 2):
        moves.append(
            book.say(
                f"信心由 {before['confidence']:g} 降为 {round(confidence, 2):g}",
                f"confidence from {before['confidence']:g} to {round(confidence, 2):g}",
            )
        )
    if not moves:
        return book.say(
            "未改：证据年数与新旧够用，与前面各章没有矛盾，分数与最差的一项相称。",
            "Unchanged: the evidence is long and recent enough, nothing contradicts earlier chapters, and the score "
            "fits the worst finding.",
        )
    return book.say(
        f"{'，'.join(moves)}：{'；'.join(reasons)}。", f"{', '.join(moves)}: {'; '.join(reasons)}."
    )


CONTRADICTIONS: tuple[tuple[str, frozenset[str], str, frozenset[str], str, str], ...] = (
    (
        "cash_quality", frozenset({"差"}), "ev_fcf_view", frozenset({"低估"}),
        "现金流章判利润含金量差，这里却按现金给出低估", "cash conversion was found poor, yet cash makes it look cheap here",
    ),
    (
        "debt_assessment", frozenset({"危险"}), "margin_level", frozenset({"充足"}),
        "债务危险的公司，安全边际先属于债权人", "with dangerous debt the margin of safety belongs to the lenders first",
    ),
    (
        "screen_result", frozenset({"观察", "不通过"}), "action", frozenset({"买入"}),
        "初筛没有过关，这里却要买入", "the quick screen was not passed, yet this says buy",
    ),
    (
        "pe_trap", frozenset({"疑似", "陷阱"}), "action", frozenset({"买入"}),
        "低市盈率可能是陷阱，这里却要买入", "the low P/E may be a trap, yet this says buy",
    ),
    (
        "cash_trend", frozenset({"恶化"}), "margin_level", frozenset({"充足"}),
        "经营现金流在恶化，按过去三年平均估出的价值偏高", "operating cash flow is worsening, so a value on three-year averages is too high",
    ),
    (
        "presale_trend", frozenset({"下滑"}), "cash_trend", frozenset({"改善", "平稳"}),
        "预收在下滑，现金流的平稳撑不久", "presales are falling, so steady cash will not last",
    ),
)  # fmt: skip
"""(earlier field, its values, field here, its values, reason): pairs of answers that cannot both stand."""
