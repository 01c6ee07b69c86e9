"""How the baseline concludes: it walks through the strategy's thinking steps and reports each finding.

The draft weighs the chapters by their confidence, leans towards the weakest one (avoiding a bad company is
worth more than finding a good one) and stops at a veto. The second look settles contradictions, asks what
is missing, and holds the score against the anchor it stands on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from workbench.llm.base import Request
from workbench.llm.baseline.chapters import CONFIDENCE, NO_VIEW_CONFIDENCE
from workbench.llm.baseline.registry import answers
from workbench.llm.baseline.wording import Language, Wording
from workbench.rules.chapters import Triggered, triggered
from workbench.strategy.answer_fields import CONFIDENCE_LEVELS, ROLE_NAMES, FieldRole, label_words
from workbench.strategy.schema import HardRule, Thresholds

_RULES: TypeAdapter[tuple[HardRule, ...]] = TypeAdapter(tuple[HardRule, ...])

LEAN = 0.25
"""Share of the way from the weighted mean to the weakest chapter."""

UNRESOLVED = 50.0
"""A chapter below this is an open doubt; a verdict in the buy band may not rest on one."""

NEUTRAL = 50.0

HIGH_CONFIDENCE, MEDIUM_CONFIDENCE = 0.65, 0.4

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
    """The chapters weighed, with the veto step applied."""
    desk = Desk(request)
    score = desk.weighed()
    veto = desk.veto()
    if veto:
        score = min(score, min(found.rule.cap or 0.0 for found in veto))
    return desk.answer(round(score, 1), desk.mean_confidence())


@answers("synthesis", "revised")
def revise(request: Request) -> dict[str, Any]:
    """The draft with contradictions settled, gaps counted and the anchor checked."""
    desk = Desk(request)
    before = dict(request.draft or draft(request))
    before_score = float(before[desk.name("score")])
    score, confidence, reasons = before_score, desk.mean_confidence(), []
    conflicts = desk.conflicts(before)
    for found in conflicts:
        score = min(score, found.rule.cap if found.rule.cap is not None else score)
        reasons.append(f"{found.rule.why.rstrip('。.')}")
    if desk.silent:
        titles = desk.words.join([chapter["title"] for chapter in desk.silent])
        confidence -= 0.15 * len(desk.silent)
        reasons.append(
            desk.say(
                f"{titles}没有结论，信心随之降低",
                f"{titles} came to no conclusion, which lowers the confidence",
            )
        )
    doubt = desk.weakest
    if score >= desk.thresholds.buy and (desk.silent or (doubt is not None and doubt["score"] < UNRESOLVED)):
        score = desk.thresholds.buy - 1.0
        what = desk.silent[0]["title"] if desk.silent else doubt["title"] if doubt else ""
        reasons.append(
            desk.say(
                f"“{what}”一章的疑虑没有解开，够不上买入一档",
                f"the doubt in {what!r} is open, so the buy anchor does not fit",
            )
        )
    answer = desk.answer(round(score, 1), confidence, conflicts)
    answer["why_changed"] = desk.why(before, answer, reasons)
    return answer


class Desk:
    """What the baseline has before it when it concludes: the chapters' reports and the framework."""

    def __init__(self, request: Request) -> None:
        self.task = request.task
        self.language: Language = "en" if self.task.get("language") == "en" else "zh"
        self.words = Wording(self.language, "")
        self.say = self.words.say
        chapters: Sequence[Mapping[str, Any]] = request.facts.get("chapters") or ()
        self.heard = [
            c for c in chapters if c["score"] is not None and (c["confidence"] or 0.0) > NO_VIEW_CONFIDENCE
        ]
        self.silent = [chapter for chapter in chapters if chapter not in self.heard]
        self.fields = {chapter["agent"]: chapter["fields"] for chapter in chapters}
        self.thresholds = Thresholds.model_validate(self.task["thresholds"])
        self.rules = _RULES.validate_python(self.task.get("hard_rules") or ())

    @property
    def weakest(self) -> Mapping[str, Any] | None:
        return min(self.heard, key=lambda chapter: float(chapter["score"]), default=None)

    @property
    def strongest(self) -> Mapping[str, Any] | None:
        return max(self.heard, key=lambda chapter: float(chapter["score"]), default=None)

    def found(self, field: str) -> Any:
        """A chapter's answer to one field; None when nobody gave it."""
        return next((fields[field] for fields in self.fields.values() if fields.get(field) is not None), None)

    def name(self, role: FieldRole) -> str:
        """Name of the synthesis field that plays a role."""
        names = [field["name"] for field in self.task["fields"]]
        return next(str(name) for name in names if name in ROLE_NAMES[role])

    def weighed(self) -> float:
        """Mean of the chapters' scores by confidence, moved towards the weakest."""
        if not self.heard or self.weakest is None:
            return NEUTRAL
        weight = sum(chapter["confidence"] for chapter in self.heard)
        mean = sum(chapter["score"] * chapter["confidence"] for chapter in self.heard) / weight
        return float(mean - LEAN * (mean - self.weakest["score"]))

    def mean_confidence(self) -> float:
        if not self.heard:
            return CONFIDENCE["low"]
        return float(sum(chapter["confidence"] for chapter in self.heard) / len(self.heard))

    def veto(self) -> list[Triggered]:
        """The strategy's rules that end the matter: they leave no label but the worst."""
        return [found for found in triggered(self.rules, self.fields) if self._ends_it(found.rule)]

    def conflicts(self, own: Mapping[str, Any]) -> list[Triggered]:
        """The strategy's consistency rules that the chapters, with this conclusion, run into."""
        answers = {**self.fields, "synthesis": own}
        return [found for found in triggered(self.rules, answers) if not self._ends_it(found.rule)]

    def _ends_it(self, rule: HardRule) -> bool:
        return rule.cap is not None and self.thresholds.label(rule.cap) == "avoid"

    def answer(self, score: float, confidence: float, conflicts: Sequence[Triggered] = ()) -> dict[str, Any]:
        """Every field of the synthesis for this score."""
        level = 0 if confidence >= HIGH_CONFIDENCE else 1 if confidence >= MEDIUM_CONFIDENCE else 2
        steps = {step["step"]: self._step(step["step"], score, conflicts) for step in self.task["steps"]}
        label = label_words(self.language)[self.thresholds.label(score)]
        fields: dict[str, Any] = {
            field["name"]: self._field(field["name"], score) for field in self.task["fields"]
        }
        fields |= {
            self.name("score"): score,
            self.name("recommendation"): label,
            self.name("confidence"): CONFIDENCE_LEVELS[self.language][level],
        }
        return {
            **fields,
            "analysis": "\n\n".join([self._opening(score, label), *steps.values()]),
            "key_evidence": [line for chapter in self._by_weight() for line in chapter["key_evidence"][:2]][
                :8
            ],
            "step_findings": steps,
        }

    def why(self, before: Mapping[str, Any], after: Mapping[str, Any], reasons: Sequence[str]) -> str:
        """One sentence on what the second look changed."""
        moves = []
        score, confidence = self.name("score"), self.name("confidence")
        if before[score] != after[score]:
            moves.append(
                self.say(
                    f"评分由 {before[score]:g} 改为 {after[score]:g}",
                    f"score from {before[score]:g} to {after[score]:g}",
                )
            )
        if before[confidence] != after[confidence]:
            moves.append(
                self.say(
                    f"信心由{before[confidence]}降为{after[confidence]}",
                    f"confidence from {before[confidence]} to {after[confidence]}",
                )
            )
        if not moves:
            kept = self.say("分数与建议不变", "score and recommendation stand")
            return (
                self.say(
                    f"{kept}：已计入{'；'.join(reasons)}。",
                    f"{kept}, with this already in them: {'; '.join(reasons)}.",
                )
                if reasons
                else self.say(
                    f"{kept}：各章没有解不开的矛盾，分数合乎所在的一档。",
                    f"{kept}: nothing is unresolved and the score fits its anchor.",
                )
            )
        return self.say(
            f"{'，'.join(moves)}：{'；'.join(reasons)}。", f"{', '.join(moves)}: {'; '.join(reasons)}."
        )

    def _by_weight(self) -> list[Mapping[str, Any]]:
        """Chapters by how far they stand from neutral, the most telling first."""
        return sorted(self.heard, key=lambda chapter: abs(chapter["score"] - NEUTRAL), reverse=True)

    def _opening(self, score: float, label: str) -> str:
        scores = [f"{chapter['title']} {chapter['score']:g}" for chapter in self.heard]
        text = self.say(
            f"综合评分 {score:g}，{label}。各章：{self.words.join(scores)}。",
            f"Score {score:g}, {label}. Chapters: {self.words.join(scores)}.",
        )
        if self.silent:
            titles = self.words.join([chapter["title"] for chapter in self.silent])
            text += self.say(f"{titles}没有可用的结论。", f" No usable conclusion: {titles}.")
        return text

    def _step(self, name: str, score: float, conflicts: Sequence[Triggered]) -> str:
        topic = _topic(name, STEP_WORDS)
        writers: dict[str, Callable[[], str]] = {
            "veto": self._veto_step,
            "stream": self._stream_step,
            "consistency": lambda: self._consistency_step(conflicts),
            "tension": self._tension_step,
            "anchor": lambda: self._anchor_step(score),
            "output": lambda: self._thesis(),
        }
        writer = writers.get(topic or "")
        return (
            writer()
            if writer
            else self.say("内置规则没有这一步的判断。", "The built-in rules have nothing for this step.")
        )

    def _veto_step(self) -> str:
        veto = self.veto()
        if veto:
            return self._told(veto, self.say("触发否决：", "Veto: "))
        unknown = [title for field, title in self._veto_fields() if self.found(field) is None]
        text = self.say("没有触发否决。", "No veto.")
        if unknown:
            text += self.say(
                f"{self.words.join(unknown)}未知，不算过关。",
                f" Unknown, and not a pass: {self.words.join(unknown)}.",
            )
        return text

    def _veto_fields(self) -> list[tuple[str, str]]:
        """Fields the vetoes read -> the name of the veto."""
        return [
            (condition.field, rule.name.split("：")[-1])
            for rule in self.rules
            if self._ends_it(rule)
            for condition in rule.when.conditions[:1]
        ]

    def _stream_step(self) -> str:
        stream = self.found("stream")
        if stream is None:
            return self.say(
                "流派不明，各章按通用标准看。", "The kind of opportunity is unclear; general standards apply."
            )
        focus = {
            "纯硬收息": (
                self.found("dividend_sustainability"),
                "股息能否照付",
                "whether the dividend can go on",
            ),
            "质量成长(GARP)": (self.found("moat_width"), "回报率能维持多久", "how long the return lasts"),
            "价值发现": (self.found("catalyst_certainty"), "有没有催化剂", "whether there is a catalyst"),
            "烟蒂股": (self.found("margin_level"), "资产能不能变现", "whether the assets can be sold"),
        }.get(str(stream))
        if focus is None:
            return self.say(f"属于{stream}。", f"Filed under {stream}.")
        answer, zh, en = focus
        known = self.say("未知", "unknown") if answer is None else str(answer)
        return self.say(
            f"属于{stream}，最要紧的是{zh}：{known}。",
            f"Filed under {stream}; what matters most is {en}: {known}.",
        )

    def _consistency_step(self, conflicts: Sequence[Triggered]) -> str:
        if not conflicts:
            return self.say("各章之间没有解不开的矛盾。", "No unresolved contradiction between the chapters.")
        return self._told(conflicts, self.say("发现矛盾：", "Contradictions: "))

    def _told(self, rules: Sequence[Triggered], opening: str) -> str:
        return self.words.sentence([found.clause(self.language) for found in rules], opening)

    def _tension_step(self) -> str:
        loss = [
            f"{chapter['title']}{self.say('：', ': ')}{_conclusion(chapter)}" for chapter in self._risks()[:1]
        ]
        if scenario := self.found("weakest_scenario"):
            loss.append(self.say(f"扛不住{scenario}", f"it would not withstand {scenario}"))
        return self.words.sentences(
            [
                self.words.sentence(
                    loss or [self.say("未知", "unknown")], self.say("最可能亏在：", "The likeliest loss: ")
                ),
                self.words.sentence([self._gain()], self.say("若买入，赚的是", "The gain would be ")),
            ]
        )

    def _risks(self) -> list[Mapping[str, Any]]:
        """Chapters by score, the worst first; a chapter that only sets prices is the result of the others."""
        return sorted((c for c in self.heard if "action" not in c["fields"]), key=lambda c: float(c["score"]))

    def _gain(self) -> str:
        stream, margin = self.found("stream"), self.found("safety_margin")
        if stream == "纯硬收息":
            return self.say("股息", "the dividend")
        if stream == "质量成长(GARP)":
            return self.say("业绩成长", "growth")
        if margin is not None and margin > 0:
            return self.say("估值修复", "a recovery of the valuation")
        return self.say("什么钱，说不清", "nothing that can be named")

    def _anchor_step(self, score: float) -> str:
        reached = [anchor for anchor in self.task["rubric"] if _low(anchor) <= score]
        if not reached:
            return self.say("分数低于所有锚点。", "The score is below every anchor.")
        anchor = max(reached, key=_low)
        weak = self.weakest
        drag = (
            self.say(
                f"拖住分数的是“{weak['title']}”（{weak['score']:g}）。",
                f" What holds it down is {weak['title']!r} ({weak['score']:g}).",
            )
            if weak
            else ""
        )
        return self.say(
            f"落在 {anchor['range']} 一档：{anchor['description'].rstrip('。')}。{drag}",
            f"It stands on {anchor['range']}: {anchor['description'].rstrip('.')}.{drag}",
        )

    def _field(self, name: str, score: float) -> Any:
        match _topic(name, FIELD_WORDS):
            case "stream":
                return self.found("stream")
            case "grade":
                return self._grade(score)
            case "metrics":
                return self._known(
                    {
                        "EV/FCF": "ev_fcf",
                        self.say("安全边际%", "margin %"): "safety_margin",
                        self.say("合理市净率", "fair P/B"): "fair_pb",
                    }
                )
            case "prices":
                return self._known(
                    {
                        self.say("买入价", "buy"): "buy_price",
                        self.say("正常价", "normal"): "normal_price",
                        self.say("卖出价", "sell"): "sell_price",
                    }
                )
            case "thesis":
                return self._thesis()
            case "risks":
                return [_conclusion(chapter) for chapter in self._risks()[:3]]
            case "integrity":
                return self.found("management_integrity")
        return None

    def _grade(self, score: float) -> str:
        grades = self.say("S级 A级 B级 未达标", "S A B none").split()
        bounds = (
            max(self.thresholds.buy + 10.0, 85.0),
            self.thresholds.buy,
            (self.thresholds.buy + self.thresholds.watch[0]) / 2,
        )
        return next(
            (grade for grade, bound in zip(grades, bounds, strict=False) if score >= bound), grades[-1]
        )

    def _known(self, names: Mapping[str, str]) -> dict[str, float] | None:
        values = {label: self.found(field) for label, field in names.items()}
        return {label: value for label, value in values.items() if value is not None} or None

    def _thesis(self) -> str:
        """A thesis that a figure can prove wrong; without prices there is none."""
        buy, normal = self.found("buy_price"), self.found("normal_price")
        earnings = self.found("owner_earnings")
        if buy is None or normal is None:
            return self.say(
                "没有可证伪的买入命题：给不出买入价。",
                "There is no thesis to test: no buy price can be given.",
            )
        proof = (
            self.say(
                f"三年平均自由现金流低于 {earnings:.0f} 即为错",
                f"wrong when three-year free cash flow falls below {earnings:.0f}",
            )
            if earnings is not None
            else self.say("三年平均 ROE 下降即为错", "wrong when the three-year return on equity falls")
        )
        return self.say(
            f"价格不高于 {buy:.2f} 时买入，赌的是价格回到 {normal:.2f}；{proof}。",
            f"Buy at {buy:.2f} or less for a return to {normal:.2f}; {proof}.",
        )


def _topic(name: str, words: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
    lowered = name.lower()
    return next((topic for topic, marks in words if any(mark in lowered for mark in marks)), None)


def _conclusion(chapter: Mapping[str, Any]) -> str:
    return str(chapter["fields"]["conclusion"]).rstrip("。.")


def _low(anchor: Mapping[str, Any]) -> float:
    return float(str(anchor["range"]).replace("–", "-").split("-")[0])
