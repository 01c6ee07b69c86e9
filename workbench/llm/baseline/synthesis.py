"""How the baseline concludes: it walks through the strategy's thinking steps and reports each finding.

The draft weighs the chapters, leans towards the weakest one (avoiding a bad company is worth more than
finding a good one) and stops at a veto. The second look settles contradictions, asks what is missing, and
holds the score against the anchor it stands on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.llm.base import Request
from workbench.llm.baseline.chapters import NEUTRAL
from workbench.llm.baseline.desk import Desk
from workbench.llm.baseline.registry import answers
from workbench.llm.baseline.steps import step_finding, thesis, told, topic_of, worst
from workbench.rules.chapters import Triggered
from workbench.strategy.answer_fields import CONFIDENCE_LEVELS, label_words

UNRESOLVED = 50.0
"""A verdict in the buy band may not rest on a chapter below this."""

SILENCE_COST = 0.1
"""Confidence lost for every chapter without a judgement; in the score such a chapter counts as neutral."""

STAY_AWAY_CAP = NEUTRAL - 1.0
"""Where the price alone says stay away, there is more to lose than to gain, however good the company."""

CONFIDENCE_BOUNDS = (0.65, 0.4)
"""From here on the confidence is high, and medium; below it is low."""

KEY_EVIDENCE = 8


FIELD_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("stream", ("流派", "stream", "kind")),
    ("grade", ("评级", "grade", "rating")),
    ("metrics", ("估值指标", "valuation", "metrics")),
    ("prices", ("买卖模型", "价格模型", "price")),
    ("thesis", ("买入逻辑", "命题", "thesis")),
    ("risks", ("风险", "risk")),
    ("integrity", ("诚信", "integrity")),
)
"""What a synthesis field asks for, told by a word in its name."""


@answers("synthesis")
def draft(request: Request) -> dict[str, Any]:
    """The chapters weighed, with the vetoes applied."""
    desk = Desk(request)
    return _answer(desk, desk.score(), desk.confidence())


@answers("synthesis", "revised")
def revise(request: Request) -> dict[str, Any]:
    """The draft with contradictions settled, gaps counted and the anchor checked."""
    desk = Desk(request)
    before = dict(request.draft or draft(request))
    score, confidence, reasons = float(before[desk.name("score")]), desk.confidence(), []
    conflicts = desk.conflicts(before)
    for found in conflicts:
        score = score if found.rule.cap is None else min(score, found.rule.cap)
        reasons.append(found.clause(desk.language))
    if desk.silent:
        titles = desk.words.join([chapter["title"] for chapter in desk.silent])
        confidence -= SILENCE_COST * len(desk.silent)
        share = len(desk.silent) / (len(desk.silent) + len(desk.heard))
        score -= share * max(0.0, score - NEUTRAL)
        reasons.append(
            desk.say(
                f"{titles}没有结论，按中性计入，信心打折扣",
                f"{titles} came to no view: counted as neutral, at a cost in confidence",
            )
        )
    if desk.decision is not None and desk.says("action", "回避") and score > STAY_AWAY_CAP:
        score = STAY_AWAY_CAP
        decided = told(desk, desk.decision)
        reasons.append(
            desk.say(f"{decided}，所以分数不过中线", f"{decided}, so the score stays below the middle")
        )
    doubts = [chapter["title"] for chapter in desk.risks if chapter["score"] < UNRESOLVED]
    if score >= desk.thresholds.buy and doubts:
        title = doubts[0]
        score = desk.thresholds.buy - 1.0
        reasons.append(
            desk.say(
                f"“{title}”一章的疑问没有解开，够不上买入一档",
                f"{title!r} is open, so the buy anchor does not fit",
            )
        )
    answer = _answer(desk, score, confidence, conflicts)
    return {**answer, "why_changed": _why(desk, before, answer, reasons)}


def _answer(
    desk: Desk, score: float, confidence: float, conflicts: Sequence[Triggered] = ()
) -> dict[str, Any]:
    """Every field of the synthesis for this score."""
    score = round(score, 1)
    level = sum(confidence < bound for bound in CONFIDENCE_BOUNDS)
    label = label_words(desk.language)[desk.thresholds.label(score)]
    steps = {step["step"]: step_finding(desk, step["step"], score, conflicts) for step in desk.task["steps"]}
    return {
        **{field["name"]: _field(desk, field["name"], score) for field in desk.task["fields"]},
        desk.name("score"): score,
        desk.name("recommendation"): label,
        desk.name("confidence"): CONFIDENCE_LEVELS[desk.language][level],
        "analysis": "\n\n".join([_opening(desk, score, label), *steps.values()]),
        "key_evidence": list(
            dict.fromkeys(line for chapter in desk.telling for line in chapter["key_evidence"][:2])
        )[:KEY_EVIDENCE],
        "step_findings": steps,
    }


def _opening(desk: Desk, score: float, label: str) -> str:
    scores = [f"{chapter['title']} {chapter['score']:g}" for chapter in desk.heard]
    silent = desk.words.join([chapter["title"] for chapter in desk.silent])
    return desk.words.sentences(
        [
            desk.say(f"综合评分 {score:g}，{label}。", f"Score {score:g}: {label}."),
            desk.say(f"各章评分：{desk.words.join(scores)}。", f"Chapters: {desk.words.join(scores)}."),
            desk.say(f"{silent}没有可用的结论。", f"No usable conclusion: {silent}.") if silent else "",
        ]
    )


def _field(desk: Desk, name: str, score: float) -> Any:
    """The answer to one synthesis field; None for one the rules know nothing about."""
    match topic_of(name, FIELD_WORDS):
        case "stream":
            return desk.found("stream")
        case "grade":
            return _grade(desk, score)
        case "metrics":
            margin = desk.say("安全边际%", "margin of safety %")
            return _known(
                desk,
                {"EV/FCF": "ev_fcf", margin: "safety_margin", desk.say("合理市净率", "fair P/B"): "fair_pb"},
            )
        case "prices":
            names = desk.say("买入价 正常价 卖出价", "buy normal sell").split()
            return _known(desk, dict(zip(names, ("buy_price", "normal_price", "sell_price"), strict=True)))
        case "thesis":
            return thesis(desk)
        case "risks":
            risks = [worst(desk, chapter) for chapter in desk.risks]
            return risks + [desk.say(f"{name}未知", f"unknown: {name}") for name in desk.unknown_vetoes()]
        case "integrity":
            return desk.found("management_integrity")
    return None


def _grade(desk: Desk, score: float) -> str:
    grades = desk.say("S级 A级 B级 未达标", "S A B none").split()
    buy, watch = desk.thresholds.buy, desk.thresholds.watch[0]
    bounds = ((buy + 100.0) / 2, buy, (buy + watch) / 2)
    return grades[sum(score < bound for bound in bounds)]


def _known(desk: Desk, fields: Mapping[str, str]) -> dict[str, float] | None:
    values = {label: desk.found(field) for label, field in fields.items()}
    return {label: value for label, value in values.items() if value is not None} or None


def _why(desk: Desk, before: Mapping[str, Any], after: Mapping[str, Any], reasons: Sequence[str]) -> str:
    """One sentence on what the second look changed."""
    score, confidence = desk.name("score"), desk.name("confidence")
    moves = []
    if before[score] != after[score]:
        old, new = f"{before[score]:g}", f"{after[score]:g}"
        moves.append(desk.say(f"评分由 {old} 改为 {new}", f"score from {old} to {new}"))
    if before[confidence] != after[confidence]:
        old, new = before[confidence], after[confidence]
        moves.append(desk.say(f"信心由{old}改为{new}", f"confidence from {old} to {new}"))
    if moves:
        return desk.words.sentence(reasons, desk.say(f"{'、'.join(moves)}：", f"{', '.join(moves)}: "))
    if reasons:
        return desk.words.sentence(
            reasons, desk.say("未改，草稿已经计入：", "Unchanged, already in the draft: ")
        )
    return desk.say(
        "未改：各章没有解不开的矛盾，分数合乎所在的一档。",
        "Unchanged: no unresolved contradiction, and the score fits its anchor.",
    )
