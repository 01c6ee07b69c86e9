"""What a strategy for news items may say: anchors, specialists with their tools, and how opinions add up."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from workbench.records import EventType
from workbench.strategy.findings import KeyPath
from workbench.strategy.parts import (
    Identifier,
    Part,
    Problem,
    RubricAnchor,
    StrategyBase,
    Text,
    duplicates,
)

Aggregation = Literal["max", "mean", "weighted"]
"""``weighted`` is the mean weighted by confidence."""

Share = Annotated[float, Field(ge=0, le=1)]

REVISE_SIGNAL = "revise_signal"

EVENT_ZH: dict[EventType, str] = {
    "export_ban": "出口禁令",
    "sanctions": "制裁",
    "tariffs": "关税",
    "rate_surprise": "利率突袭",
    "bankruptcy": "破产违约",
    "trading_halt": "停牌",
    "geopolitical_conflict": "地缘冲突",
    "fraud": "欺诈",
    "earnings_shock": "业绩剧震",
    "regulatory_action": "监管行动",
    "earnings": "财报",
    "guidance_change": "指引调整",
    "m_and_a": "并购",
    "policy_change": "政策变更",
    "supply_chain": "供应链",
    "macro_event": "宏观事件",
    "routine_news": "常规新闻",
    "sentiment_surge": "情绪激增",
}


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class ToolUse(Part):
    """A slice of the news item gathered before a specialist is asked.

    A required one that fails or finds nothing costs the specialist confidence. In a file it may be written
    as its name alone.
    """

    name: Identifier
    required: bool = True


class NewsSpecialist(Part):
    """One specialist: the tools called for it, and the prompt it answers (its own name by default)."""

    name: Identifier
    title: Text
    tools: tuple[Annotated[ToolUse, BeforeValidator(_named)], ...] = ()
    prompt: Identifier | None = None

    @property
    def prompt_name(self) -> str:
        return self.prompt or self.name


class UrgencyThresholds(Part):
    """Lowest impact of each urgency; below ``note`` it is FYI."""

    flash: Share = 0.80
    alert: Share = 0.65
    note: Share = 0.40


class SignalPolicy(Part):
    """How the opinions of the specialists become one signal.

    Attributes:
        impact: Over the impacts of the agents that count.
        confidence: Over their confidences.
        tickers: Over the impacts on one ticker of the agents that name it.
        urgency: Where an impact becomes an urgency.
        flash_routes: Agents whose flash event makes a FLASH from an impact of ``note`` on.
        quorum: With fewer agents that count, the signal is degraded and its urgency one step lower.
        tool_factor: What the confidence of an agent is multiplied by for each required tool that failed.
    """

    impact: Aggregation = "max"
    confidence: Aggregation = "mean"
    tickers: Aggregation = "weighted"
    urgency: UrgencyThresholds = UrgencyThresholds()
    flash_routes: tuple[Identifier, ...] = ("policy_radar", "macro_mind")
    quorum: int = Field(default=3, ge=1)
    tool_factor: Share = 0.8


class NewsStrategy(StrategyBase):
    """A news item, read by specialists in parallel and concluded by arithmetic.

    Attributes:
        anchors: What each range of impact means: the one table every specialist's prompt shows.
        against_caution: The sentence that keeps scores from being lowered out of caution.
        specialists: Who reads the item.
        policy: How their opinions add up.
    """

    kind: Literal["news"] = "news"
    anchors: tuple[RubricAnchor, ...] = Field(min_length=1)
    against_caution: str = ""
    specialists: tuple[NewsSpecialist, ...] = Field(min_length=1)
    policy: SignalPolicy = SignalPolicy()

    def prompt_names(self) -> tuple[str, ...]:
        names = tuple(dict.fromkeys(specialist.prompt_name for specialist in self.specialists))
        return (*names, REVISE_SIGNAL) if self.revise else names

    def problems(self) -> Iterator[Problem]:
        names = [specialist.name for specialist in self.specialists]
        yield from duplicates(names, ("specialists",), "name", "specialist")
        for position, specialist in enumerate(self.specialists):
            tools = [tool.name for tool in specialist.tools]
            yield from duplicates(tools, ("specialists", position, "tools"), None, "tool")
        yield from self._anchor_problems(("anchors",))
        yield from self._policy_problems(("policy",), names)

    def _anchor_problems(self, path: KeyPath) -> Iterator[Problem]:
        ordered = sorted(enumerate(self.anchors), key=lambda pair: pair[1].low)
        for (_, lower), (index, upper) in pairwise(ordered):
            step = max(lower.resolution, upper.resolution)
            if not 0 < upper.low - lower.high <= step * 1.001:
                yield Problem(
                    (*path, index, "range"),
                    f"the anchors {lower.range} and {upper.range} overlap or leave a gap.",
                    f"Let the upper one start at {lower.high + step:g}.",
                )
        (bottom, lowest), (top, highest) = ordered[0], ordered[-1]
        if lowest.low != 0:
            yield Problem((*path, bottom, "range"), "no anchor starts at 0.", "Impacts run from 0 to 1.")
        if highest.high != 1:
            yield Problem((*path, top, "range"), "no anchor ends at 1.", "Impacts run from 0 to 1.")

    def _policy_problems(self, path: KeyPath, names: list[str]) -> Iterator[Problem]:
        bounds = self.policy.urgency
        if not 0 < bounds.note < bounds.alert < bounds.flash:
            yield Problem(
                (*path, "urgency"),
                f"note {bounds.note:g}, alert {bounds.alert:g} and flash {bounds.flash:g} do not rise.",
                "Write three rising numbers above 0.",
            )
        if self.policy.quorum > len(names):
            yield Problem(
                (*path, "quorum"),
                f"the quorum of {self.policy.quorum} is more than the {len(names)} specialists.",
                "Every signal would be degraded; lower the quorum.",
            )
        chosen = self.policy.flash_routes if "flash_routes" in self.policy.model_fields_set else ()
        for index, name in enumerate(chosen):
            if name not in names:
                yield Problem(
                    (*path, "flash_routes", index),
                    f"{name!r} is no specialist of this strategy.",
                    f"Specialists: {', '.join(names)}.",
                )
