"""What each thinking step of a strategy finds, told from the chapters on the desk.

A step is told by a word in its name; one the rules know nothing about says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.llm.baseline.cash import MILLION
from workbench.llm.baseline.chapters import DOUBT
from workbench.llm.baseline.desk import Chapter, Desk
from workbench.rules.chapters import Triggered
from workbench.strategy.answer_fields import label_words
from workbench.strategy.schema import LABEL_ZH, LABELS, Label

STEP_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("veto", ("否决", "veto")),
    ("stream", ("类型", "流派", "归类", "kind", "type")),
    ("dividend", ("股息", "分红", "dividend")),
    ("consistency", ("一致", "裁决", "consisten", "contradict")),
    ("tension", ("核心矛盾", "亏钱", "tension", "lose", "risk")),
    ("anchor", ("锚点", "校准", "评分", "anchor", "calibrat", "score")),
    ("output", ("输出", "结论", "决策", "output", "conclu", "decision")),
)
"""What a thinking step is about, told by a word in its name; the first match counts."""


def step_finding(desk: Desk, name: str, score: float, conflicts: Sequence[Triggered]) -> str:
    """What one thinking step finds; a step the rules know nothing about says so."""
    writers: dict[str, Callable[[], str]] = {
        "veto": lambda: _veto_step(desk),
        "stream": lambda: _stream_step(desk),
        "dividend": lambda: _dividend_step(desk),
        "consistency": lambda: _consistency_step(desk, score, conflicts),
        "tension": lambda: _tension_step(desk),
        "anchor": lambda: _anchor_step(desk, score),
        "output": lambda: thesis(desk),
    }
    topic = topic_of(name, STEP_WORDS)
    if topic is None:
        return desk.say("内置规则没有这一步的判断。", "The built-in rules have nothing for this step.")
    return writers[topic]()


def thesis(desk: Desk) -> str:
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


def told(desk: Desk, chapter: Chapter) -> str:
    """A chapter's conclusion under its title, without the full stop."""
    text = str(chapter["fields"]["conclusion"]).rstrip("。.")
    within = text[:1].lower() + text[1:] if text[1:2].islower() else text
    return desk.say(f"{chapter['title']}：{text}", f"{chapter['title']}: {within}")


def worst(desk: Desk, chapter: Chapter) -> str:
    """A chapter's worst finding under its title: what its conclusion begins with."""
    return told(desk, chapter).partition(desk.say("；", "; "))[0]


def topic_of(name: str, words: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
    lowered = name.lower()
    return next((topic for topic, marks in words if any(mark in lowered for mark in marks)), None)


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


def _dividend_step(desk: Desk) -> str:
    """Whether the dividend can go on, and what stands behind it."""
    answer = desk.found("dividend_sustainability")
    if answer is None:
        return desk.say(
            "股息能否照付未知，不当作付得出。", "Whether the dividend can go on is unknown, and no yes."
        )
    behind = (
        ("cash_quality", "利润含金量", "cash behind the profit"),
        ("debt_assessment", "债务", "debt"),
        ("asset_quality", "资产质量", "asset quality"),
    )
    parts = [desk.say(f"股息：{desk.words.choice(answer)}", f"dividend: {desk.words.choice(answer)}")]
    parts += [
        desk.say(f"{zh}：{desk.words.choice(value)}", f"{en}: {desk.words.choice(value)}")
        for field, zh, en in behind
        if (value := desk.found(field)) is not None
    ]
    return desk.words.sentence(parts)


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
            f"“{title}”一章说{said}，综合只给{given}：{why}。",
            f"{title} says {said}, the conclusion only {given}: {why}.",
        )
    if price == "watch":
        return desk.say(
            f"“{title}”一章说{said}，综合给{given}：现价还没到买入价，撑起分数的是其余各章。",
            f"{title} says {said}, the conclusion {given}: the price is above the buy price,"
            " the other chapters hold up the score.",
        )
    return desk.say(
        f"“{title}”一章说{said}，综合给{given}：不该按这个价买，公司本身还不到放弃的地步。",
        f"{title} says {said}, the conclusion {given}:"
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
    losses = [worst(desk, chapter) for chapter in desk.risks[:1]]
    scenario = desk.found("weakest_scenario")
    if scenario and not any(scenario in loss for loss in losses):
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


def _proof(desk: Desk, earnings: float | None) -> str:
    """The figure that would prove the thesis wrong: the one the normal price rests on."""
    if earnings is not None:
        amount = desk.words.money(earnings * MILLION)
        return desk.say(f"三年平均自由现金流跌破 {amount}", f"three-year free cash flow falls below {amount}")
    if fair := desk.found("fair_pb"):
        times = desk.words.times(fair)
        return desk.say(
            f"三年平均净资产收益率撑不起 {times}市净率",
            f"the three-year return on equity no longer earns a P/B of {times}",
        )
    if fair := desk.found("fair_multiple"):
        times = desk.words.times(fair)
        return desk.say(
            f"三年平均盈利撑不起 {times}的估值倍数",
            f"three-year earnings no longer earn a multiple of {times}",
        )
    return desk.say("三年平均盈利下降", "three-year earnings fall")


def _low(anchor: Mapping[str, Any]) -> float:
    return float(anchor["low"])
