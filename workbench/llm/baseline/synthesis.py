"""How the baseline concludes: it walks through the strategy's thinking steps and reports each finding.

The draft weighs the chapters, leans towards the weakest one (avoiding a bad company is worth more than
finding a good one) and stops at a veto. The second look settles contradictions, asks what is missing, and
holds the score against the anchor it stands on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.llm.base import Request
from workbench.llm.baseline.cash import MILLION
from workbench.llm.baseline.chapters import DOUBT, NEUTRAL
from workbench.llm.baseline.desk import Chapter, Desk
from workbench.llm.baseline.registry import answers
from workbench.rules.chapters import Triggered
from workbench.strategy.answer_fields import CONFIDENCE_LEVELS, label_words
from workbench.strategy.schema import LABEL_ZH, LABELS, Label

UNRESOLVED = 50.0
"""A verdict in the buy band may not rest on a chapter below this."""

SILENCE_COST = 0.1
"""Confidence lost for every chapter without a judgement; in the score such a chapter counts as neutral."""

STAY_AWAY_CAP = NEUTRAL - 1.0
"""Where the price alone says stay away, there is more to lose than to gain, however good the company."""

CONFIDENCE_BOUNDS = (0.65, 0.4)
"""From here on the confidence is high, and medium; below it is low."""

KEY_EVIDENCE = 8

STEP_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("veto", ("否决", "veto")),
    ("stream", ("类型", "流派", "归类", "kind", "type")),
    ("consistency", ("一致", "裁决", "consisten", "contradict")),
    ("tension", ("核心矛盾", "亏钱", "tension", "lose", "risk")),
    ("anchor", ("锚点", "校准", "评分", "anchor", "calibrat", "score")),
    ("output", ("输出", "结论", "决策", "output", "conclu", "decision")),
)
"""What a thinking step is about, told by a word in its name; the first match counts."""

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
        decided = _told(desk, desk.decision)
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
    steps = {step["step"]: _step(desk, step["step"], score, conflicts) for step in desk.task["steps"]}
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


def _step(desk: Desk, name: str, score: float, conflicts: Sequence[Triggered]) -> str:
    """What one thinking step finds; a step the rules know nothing about says so."""
    writers: dict[str, Callable[[], str]] = {
        "veto": lambda: _veto_step(desk),
        "stream": lambda: _stream_step(desk),
        "consistency": lambda: _consistency_step(desk, score, conflicts),
        "tension": lambda: _tension_step(desk),
        "anchor": lambda: _anchor_step(desk, score),
        "output": lambda: _thesis(desk),
    }
    topic = _topic(name, STEP_WORDS)
    if topic is None:
        return desk.say("内置规则没有这一步的判断。", "The built-in rules have nothing for this step.")
    return writers[topic]()


def _veto_step(desk: Desk) -> str:
    vetoes = [found.clause(desk.language) for found in desk.vetoes()]
    if vetoes:
        return desk.words.sentence(vetoes, desk.say("触发否决：", "Veto: "))
    unknown = desk.words.join(desk.unknown_vetoes())
    return desk.words.sentences(
        [
            desk.say("没有触发否决。", "No veto."),
            desk.say(f"{unknown}未知，不算过关。", f"Unknown, and no pass: {unknown}.") if unknown else "",
        ]
    )


def _stream_step(desk: Desk) -> str:
    stream = desk.found("stream")
    if stream is None:
        return desk.say("流派不明，按通用标准看。", "The kind of opportunity is unclear.")
    focus = {
        "纯硬收息": ("dividend_sustainability", "股息能否照付", "whether the dividend can go on"),
        "质量成长(GARP)": ("moat_width", "护城河守不守得住回报率", "whether a moat keeps the return"),
        "价值发现": ("catalyst_certainty", "有没有催化剂", "whether there is a catalyst"),
        "烟蒂股": ("margin_level", "安全边际够不够", "whether the margin of safety is enough"),
    }
    known = next((kind for kind in focus if desk.says("stream", kind)), None)
    if known is None:
        return desk.say(f"属于{stream}。", f"Filed under {desk.words.choice(stream)}.")
    field, zh, en = focus[known]
    answer = desk.found(field)
    reply = desk.say("未知", "unknown") if answer is None else desk.words.choice(answer)
    return desk.say(
        f"属于{stream}，最要紧的是{zh}，目前的答案：{reply}。",
        f"Filed under {desk.words.choice(stream)}; what matters is {en}: {reply}.",
    )


def _consistency_step(desk: Desk, score: float, conflicts: Sequence[Triggered]) -> str:
    clauses = [found.clause(desk.language) for found in conflicts]
    found = desk.words.sentence(clauses, desk.say("发现矛盾：", "Contradictions: "))
    none = desk.say("各章之间没有解不开的矛盾。", "No unresolved contradiction between the chapters.")
    return desk.words.sentences([found or none, _beside_the_decision(desk, score)])


def _beside_the_decision(desk: Desk, score: float) -> str:
    """Why the conclusion is another than what the price alone says; empty where it is the same."""
    if desk.decision is None or desk.weakest is None:
        return ""
    own = desk.thresholds.label(score)
    price: Label = next(label for label, word in LABEL_ZH.items() if desk.says("action", word))
    if own == price:
        return ""
    title, weakest = desk.decision["title"], desk.weakest
    said, given = desk.words.choice(LABEL_ZH[price]), label_words(desk.language)[own]
    if LABELS.index(own) > LABELS.index(price):
        why = _what_holds_back(desk, weakest)
        return desk.say(
            f"{title}按价格说{said}，综合只给{given}：{why}。",
            f"{title} says {said} by the price, the conclusion only {given}: {why}.",
        )
    return desk.say(
        f"{title}按价格说{said}，综合给{given}：不该按这个价买，公司本身还不到放弃的地步。",
        f"{title} says {said} by the price, the conclusion {given}:"
        " this is no price to buy at, yet the company itself is no reason to give up on it.",
    )


def _what_holds_back(desk: Desk, weakest: Chapter) -> str:
    if desk.vetoes():
        return desk.say("有一条否决成立", "a veto holds")
    title, score = weakest["title"], weakest["score"]
    if score < DOUBT:
        return desk.say(f"{title}（{score:g}）的疑问没有解开", f"{title} ({score:g}) leaves its doubts")
    if desk.silent:
        silent = desk.words.join([chapter["title"] for chapter in desk.silent])
        return desk.say(f"{silent}没有结论", f"no conclusion on {silent}")
    return desk.say("其余各章还没有好到可以买入", "the other chapters are not good enough to buy on")


def _tension_step(desk: Desk) -> str:
    losses = [_worst(desk, chapter) for chapter in desk.risks[:1]]
    if scenario := desk.found("weakest_scenario"):
        losses.append(desk.say(f"扛不住“{scenario}”", f"it would not withstand {scenario}"))
    if not losses:
        losses = [desk.say("各章里看不到明显的一处", "no chapter shows an obvious place")]
    gain = _gain(desk)
    return desk.words.sentences(
        [
            desk.words.sentence(losses, desk.say("最可能亏钱的地方：", "The likeliest loss: ")),
            desk.say(f"若买入，赚的是{gain}。", f"The gain would be {gain}."),
        ]
    )


def _gain(desk: Desk) -> str:
    margin = desk.found("safety_margin")
    if desk.says("stream", "纯硬收息"):
        return desk.say("股息", "the dividend")
    if desk.says("stream", "质量成长(GARP)"):
        return desk.say("业绩成长", "growth")
    if margin is not None and margin > 0:
        return desk.say("估值修复", "a recovery of the valuation")
    return desk.say("什么钱，说不出来", "nothing that can be named")


def _anchor_step(desk: Desk, score: float) -> str:
    reached = [anchor for anchor in desk.task["rubric"] if _low(anchor) <= score]
    if not reached:
        return desk.say("分数低于所有锚点。", "The score is below every anchor.")
    anchor, weakest = max(reached, key=_low), desk.weakest
    text = str(anchor["description"]).rstrip("。.")
    drag = ""
    if weakest is not None:
        title, low = weakest["title"], weakest["score"]
        drag = desk.say(f"最弱的一章是{title}（{low:g}）。", f"The weakest chapter is {title} ({low:g}).")
    return desk.words.sentences(
        [desk.say(f"落在 {anchor['range']} 一档：{text}。", f"It stands on {anchor['range']}: {text}."), drag]
    )


def _thesis(desk: Desk) -> str:
    """A thesis that a figure can prove wrong; without prices there is none."""
    buy, normal, earnings = (desk.found(f) for f in ("buy_price", "normal_price", "owner_earnings"))
    if buy is None or normal is None:
        return desk.say("给不出买入价，也就没有可证伪的买入命题。", "No buy price, so no thesis to test.")
    at, goal = (desk.words.price(amount, desk.price_currency) for amount in (buy, normal))
    proof = _proof(desk, earnings)
    return desk.say(
        f"不高于 {at}才买，赌的是回到 {goal}；{proof}，就是错了。",
        f"Buy at {at} or less for a return to {goal}; wrong when {proof}.",
    )


def _proof(desk: Desk, earnings: float | None) -> str:
    """The figure that would prove the thesis wrong: the one the normal price rests on."""
    if earnings is not None:
        amount = desk.words.money(earnings * MILLION)
        return desk.say(f"三年平均自由现金流跌破 {amount}", f"three-year free cash flow falls below {amount}")
    fair = desk.found("fair_pb") or desk.found("fair_multiple")
    if fair is None:
        return desk.say("三年平均盈利下降", "three-year earnings fall")
    times = desk.words.times(fair)
    return desk.say(
        f"三年平均净资产收益率撑不起 {times}市净率",
        f"the three-year return on equity no longer earns a P/B of {times}",
    )


def _field(desk: Desk, name: str, score: float) -> Any:
    """The answer to one synthesis field; None for one the rules know nothing about."""
    match _topic(name, FIELD_WORDS):
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
            return _thesis(desk)
        case "risks":
            risks = [_worst(desk, chapter) for chapter in desk.risks]
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


def _told(desk: Desk, chapter: Chapter) -> str:
    """A chapter's conclusion under its title, without the full stop."""
    text = str(chapter["fields"]["conclusion"]).rstrip("。.")
    within = text[:1].lower() + text[1:] if text[1:2].islower() else text
    return desk.say(f"{chapter['title']}：{text}", f"{chapter['title']}: {within}")


def _worst(desk: Desk, chapter: Chapter) -> str:
    """A chapter's worst finding under its title: what its conclusion begins with."""
    return _told(desk, chapter).partition(desk.say("；", "; "))[0]


def _topic(name: str, words: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
    lowered = name.lower()
    return next((topic for topic, marks in words if any(mark in lowered for mark in marks)), None)


def _low(anchor: Mapping[str, Any]) -> float:
    return float(anchor["low"])
