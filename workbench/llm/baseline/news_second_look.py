"""The second look of the baseline's news specialists: what stands around the words that carried the draft.

A draft goes by the words alone. Here an event that is denied no longer counts, a rumour counts for less, a
company merely listed among others is no direct blow, and what was reported before is known already; a score
too low for a company that the title names with a clear event is raised, as the scoring document demands. An
event of one company without any figure, or without any row of a tool to support it, is less certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from workbench.llm.base import Request
from workbench.llm.baseline.news import FIELDS, OF_ONE_COMPANY, Desk, Judgement, answer, desk_of, judge
from workbench.llm.baseline.registry import answers

HEDGED, PASSING, KNOWN, UNSIZED = 0.85, 0.80, 0.90, 0.95
"""What is left of the impact of a rumour, a mention in passing, known news, and news without a figure."""

CLEAR = 0.75
"""Impact that a company named in the title deserves, and the strength from which its event is clear."""


class Finding(NamedTuple):
    """What one check says: the impact times ``factor``, the confidence plus ``confidence``."""

    why: str
    factor: float
    confidence: float


@answers("news_specialist", "revised")
def revise(request: Request) -> Mapping[str, Any]:
    """The draft after a second look at the same item and rows."""
    desk, draft = desk_of(request), request.draft or {}
    specialist = str(request.task["specialist"])
    denied = _denied(specialist, desk)
    standing = tuple(hit for hit in desk.reading.hits if not hit.denied)
    judgement = judge(specialist, replace(desk, reading=replace(desk.reading, hits=standing)))
    doubts = [*denied, *_doubts(desk, judgement)]
    findings = [*doubts, *_gaps(specialist, desk, judgement)]
    for finding in findings:
        judgement.impact *= finding.factor
        judgement.confidence = max(0.1, judgement.confidence + finding.confidence)
        judgement.tickers = {
            code: (impact * finding.factor, kind) for code, (impact, kind) in judgement.tickers.items()
        }
    reasons = [finding.why for finding in findings]
    if not doubts and (raised := _raised(specialist, desk, judgement)):
        reasons.append(raised)
    revised = answer(judgement, desk)
    words = desk.words
    reasons.append(
        words.say(
            f"冲击 {draft['impact_score']:.2f} → {revised['impact_score']:.2f}，"
            f"信心 {draft['confidence_score']:.2f} → {revised['confidence_score']:.2f}。",
            f"Impact {draft['impact_score']:.2f} -> {revised['impact_score']:.2f}, "
            f"confidence {draft['confidence_score']:.2f} -> {revised['confidence_score']:.2f}.",
        )
        if reasons
        else words.say(
            "核对了否认、传闻、顺带提及与旧闻，初稿站得住。",
            "Checked for denials, rumours, mentions in passing and known news; the draft stands.",
        )
    )
    return revised | {"why_changed": words.sentences(reasons)}


def _denied(specialist: str, desk: Desk) -> Iterator[Finding]:
    """The event that carried the draft did not happen. The judgement without it is the answer's base."""
    carried = desk.reading.strongest(FIELDS[specialist]) or desk.reading.strongest()
    if carried is not None and carried.denied:
        yield Finding(
            desk.words.say(
                f"“{carried.words}”被否认或已解除，不再计入。",
                f"“{carried.words}” is denied or over and no longer counts.",
            ),
            1.0,
            -0.10,
        )


def _doubts(desk: Desk, judgement: Judgement) -> Iterator[Finding]:
    """Why the event is less than its words say."""
    words, reading, hit = desk.words, desk.reading, judgement.hit
    if hit is None:
        return
    if hit.sentence.hedged:
        yield Finding(
            words.say(
                "所在句子是传闻或推测，打折。", "The sentence is a rumour or a guess; it counts for less."
            ),
            HEDGED,
            -0.10,
        )
    if reading.companies and not any(company.alone for company in reading.companies):
        yield Finding(
            words.say("公司只是与多家并列提及，不是直接冲击。", "The company is only listed among others."),
            PASSING,
            -0.05,
        )
    before = [row for row in desk.bearing("news_wire") if hit.term.pattern.search(row["title"])]
    if before:
        yield Finding(
            words.say(
                f"{before[0]['date']} 已有同类报道，市场已知。", f"Already reported on {before[0]['date']}."
            ),
            KNOWN,
            0.05,
        )


def _gaps(specialist: str, desk: Desk, judgement: Judgement) -> Iterator[Finding]:
    """What is missing to be sure of its size."""
    words, hit = desk.words, judgement.hit
    if hit is None:
        return
    if hit.term.event in OF_ONE_COMPANY and not any(char.isdigit() for char in desk.reading.text):
        why = words.say("没有给出金额或比例，幅度不明。", "No figure is given, so its size is unknown.")
        yield Finding(why, UNSIZED, -0.05)
    if not judgement.support and _own(specialist, judgement):
        yield Finding(words.say("没有工具内容佐证。", "No row of a tool supports it."), 1.0, -0.03)


def _raised(specialist: str, desk: Desk, judgement: Judgement) -> str:
    """Lift a score held back although the title names the company and the event is clear; why, or nothing."""
    hit = judgement.hit
    clear = hit is not None and hit.term.strength >= CLEAR and _own(specialist, judgement)
    if not clear or not desk.reading.named_in_title or judgement.impact >= CLEAR:
        return ""
    if specialist == "sector_scan":  # whose score is about the others
        return ""
    judgement.impact = CLEAR
    judgement.tickers = {
        code: (max(impact, CLEAR) if kind == "direct" else impact, kind)
        for code, (impact, kind) in judgement.tickers.items()
    }
    return desk.words.say(
        "标题点名且事件明确，不因谨慎压低。",
        "The title names the company and the event is clear: not held back.",
    )


def _own(specialist: str, judgement: Judgement) -> bool:
    """Whether the event that carries the score is one of the specialist's own field."""
    events, hit = FIELDS[specialist], judgement.hit
    return hit is not None and (events is None or hit.term.event in events)
