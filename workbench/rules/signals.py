"""From the opinions of the specialists on one news item to its signal. Pure arithmetic, no model.

The source is the scoring document of the signals pipeline. Impact is the highest of the agents that count:
one specialist who sees something big is enough. Confidence is their plain mean: doubt is shared. The impact
on one ticker is the mean over the agents that name it, weighted by confidence. How each of the three is
formed is a setting, so stored opinions can be concluded again in another way.

Every figure is rounded to six decimals before it meets a threshold or an order, so that 0.1 + 0.7 is 0.8.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import StringConstraints, ValidationError

from workbench.errors import InputError
from workbench.records import (
    FLASH_TYPES,
    LINK_TYPES,
    SIGNAL_TYPES,
    URGENCIES,
    Adjustment,
    Direction,
    LinkType,
    Record,
    Report,
    Urgency,
)
from workbench.strategy.news import Aggregation, Share, SignalPolicy

__all__ = [
    "DEFAULT",
    "FLASH_TYPES",
    "SIGNAL_TYPES",
    "Mention",
    "SignalVerdict",
    "TickerImpact",
    "Voice",
    "aggregate",
    "conclude",
    "strongest",
]

DEFAULT = SignalPolicy()
DECIMALS = 6
SHOWN_LETTERS = 120
"""Letters of a value that cannot be used that its adjustment shows."""


class Mention(Record):
    """What one agent says about one ticker: its highest impact and its strongest link."""

    ticker: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    impact_score: Share
    link_type: LinkType


class Voice(Record):
    """One agent that counts.

    ``confidence_score`` is what counts, after the rule about failed tools; ``stated_confidence`` is what the
    agent said.
    """

    agent: str
    title: str
    impact_score: Share
    confidence_score: Share
    stated_confidence: Share
    event_type: str = ""
    direction: Direction | None = None
    mentions: tuple[Mention, ...] = ()
    failed_tools: tuple[str, ...] = ()

    @property
    def flash(self) -> bool:
        return self.event_type in FLASH_TYPES


class TickerImpact(Record):
    """A ticker of the signal; ``titles`` names the agents that mention it."""

    ticker: str
    impact_score: float
    link_type: LinkType
    titles: tuple[str, ...] = ()


class SignalVerdict(Record):
    """The signal of one news item.

    Attributes:
        impact_score: 0..1; None, like confidence and urgency, when no agent counted.
        confidence_score: 0..1.
        urgency: After the step down of a degraded signal.
        degraded: Whether fewer agents than the quorum counted.
        event_type: That of the flash that decided, else of the agent with the highest impact.
        flash_from: Title of the agent whose flash event decided; empty where none did.
        direction: What most of the confidence expects for the companies named; None where nobody says.
        tickers: Highest impact first, equal ones by ticker.
        adjustments: What the rules changed, and why.
        voices: The agents that counted, by name.
        total: How many agents were asked.
    """

    impact_score: float | None = None
    confidence_score: float | None = None
    urgency: Urgency | None = None
    degraded: bool = True
    event_type: str | None = None
    flash_from: str = ""
    direction: Direction | None = None
    tickers: tuple[TickerImpact, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    voices: tuple[Voice, ...] = ()
    total: int = 0

    @property
    def counted(self) -> int:
        return len(self.voices)


def conclude(
    agents: Iterable[Report | Mapping[str, Any]],
    policy: SignalPolicy = DEFAULT,
    *,
    language: Literal["zh", "en"] = "zh",
) -> SignalVerdict:
    """The signal that follows from what the agents said, in whatever order they are given.

    Args:
        agents: Reports, or mappings with ``name``, ``status``, ``impact_score``, ``confidence_score``,
            ``event_type``, ``tickers_linked`` and, optionally, ``direction`` and ``failed_tools``. Only a
            status of exactly ``ok`` counts; everything else about the other agents is ignored. A ticker or a
            direction that cannot be used is dropped with an adjustment, and the rest of the agent counts.
        policy: How the opinions add up.
        language: Language of the reasons.

    Raises:
        InputError: The impact or the confidence of an agent that counts is no number within 0..1.
    """
    given = list(agents)
    heard = sorted(
        filter(None, map(_heard, given)), key=lambda each: (each.voice.model_dump_json(), each.unusable)
    )
    adjustments = [_dropped(each.voice, *said, language) for each in heard for said in each.unusable]
    voices = [_less_sure(each.voice, policy, language, adjustments) for each in heard]
    if not voices:
        return SignalVerdict(total=len(given))
    impact = aggregate(policy.impact, [(voice.impact_score, voice.confidence_score) for voice in voices])
    confidence = aggregate(
        policy.confidence, [(voice.confidence_score, voice.confidence_score) for voice in voices]
    )
    urgency, flash = _urgency(impact, voices, policy)
    degraded = len(voices) < policy.quorum
    if degraded:
        urgency = _step_down(urgency, len(voices), policy, language, adjustments)
    return SignalVerdict(
        impact_score=impact,
        confidence_score=confidence,
        urgency=urgency,
        degraded=degraded,
        event_type=(flash or strongest(voices)).event_type or None,
        flash_from=flash.title if flash else "",
        direction=_direction(voices),
        tickers=_tickers(voices, policy),
        adjustments=tuple(adjustments),
        voices=tuple(voices),
        total=len(given),
    )


def aggregate(how: Aggregation, values: Sequence[tuple[float, float]]) -> float:
    """Highest value, plain mean, or weighted mean of ``(value, weight)`` pairs, rounded to six decimals.

    Weights that are all 0 make the weighted mean a plain one. The order of the pairs does not matter.
    """
    numbers = [value for value, _ in values]
    weight = math.fsum(weight for _, weight in values)
    if how == "max":
        return round(max(numbers), DECIMALS)
    if how == "weighted" and weight > 0:
        mean = math.fsum(value * share for value, share in values) / weight
    else:
        mean = math.fsum(numbers) / len(numbers)
    # Weights near the smallest float can carry the quotient past the values it is a mean of.
    return round(min(max(mean, min(numbers)), max(numbers)), DECIMALS)


def strongest(voices: Sequence[Voice]) -> Voice:
    """The agent that sees the highest impact; among equals the surest, then the first by name."""
    return min(voices, key=lambda voice: (-voice.impact_score, -voice.confidence_score, voice.agent))


class _Heard(NamedTuple):
    """A voice, and what of its agent's answer could not be used: pairs of field and value."""

    voice: Voice
    unusable: tuple[tuple[str, str], ...]


def _heard(agent: Report | Mapping[str, Any]) -> _Heard | None:
    """The voice of an agent that counts; None for any other."""
    if isinstance(agent, Report):
        if not agent.counted or agent.final is None:
            return None
        said: Mapping[str, Any] = agent.final.fields
        name, title = agent.agent, agent.title
        failed = agent.evidence.facts.get("failed_tools") or ()
    else:
        if agent.get("status") != "ok":
            return None
        said, failed = agent, agent.get("failed_tools") or ()
        name = title = str(agent.get("name", ""))
    if said.get("impact_score") is None or said.get("confidence_score") is None:
        return None
    mentions, unusable = _mentions(said.get("tickers_linked"))
    direction = said.get("direction")
    if direction is not None and direction not in get_args(Direction):
        unusable.append(("direction", str(direction)))
        direction = None
    try:
        voice = Voice(
            agent=name,
            title=title,
            impact_score=said["impact_score"],
            confidence_score=said["confidence_score"],
            stated_confidence=said["confidence_score"],
            event_type=str(said.get("event_type") or ""),
            direction=direction,
            mentions=mentions,
            failed_tools=(failed,) if isinstance(failed, str) else tuple(failed),
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        raise InputError(
            f"{first['msg']}.", where=".".join((name, *map(str, first["loc"]))), remedy="Scores are 0 to 1."
        ) from None
    return _Heard(voice, tuple(sorted(unusable)))


def _mentions(linked: object) -> tuple[tuple[Mention, ...], list[tuple[str, str]]]:
    """One mention per ticker, however often the agent names it, and the links that cannot be used."""
    best: dict[str, Mention] = {}
    unusable: list[tuple[str, str]] = []
    for link in linked if isinstance(linked, list | tuple) else [linked] if linked else []:
        if (
            isinstance(link, Mapping) and link.get("impact_score") is None
        ):  # without a score it weighs nothing
            continue
        try:
            new = Mention.model_validate(
                {name: link.get(name) for name in Mention.model_fields} if isinstance(link, Mapping) else link
            )
        except ValidationError:
            unusable.append(("tickers_linked", str(link)))
            continue
        old = best.get(new.ticker, new)
        best[new.ticker] = Mention(
            ticker=new.ticker,
            impact_score=max(old.impact_score, new.impact_score),
            link_type=_strongest_link((old.link_type, new.link_type)),
        )
    return tuple(best[ticker] for ticker in sorted(best)), unusable


def _dropped(voice: Voice, field: str, said: str, language: str) -> Adjustment:
    why = (
        "写法不可用，已略去；该专家的其余内容照常计入。"
        if language == "zh"
        else "It cannot be used and is left out; the rest of this agent counts."
    )
    return Adjustment(
        rule="unusable", field=f"{voice.agent}.{field}", before=said[:SHOWN_LETTERS], after=None, why=why
    )


def _strongest_link(links: Iterable[LinkType]) -> LinkType:
    return min(links, key=LINK_TYPES.index)


def _less_sure(voice: Voice, policy: SignalPolicy, language: str, adjustments: list[Adjustment]) -> Voice:
    """The voice with its confidence lowered for every required tool that failed it."""
    if not voice.failed_tools or policy.tool_factor == 1:
        return voice
    after = round(voice.stated_confidence * policy.tool_factor ** len(voice.failed_tools), DECIMALS)
    tools = ", ".join(voice.failed_tools)
    factor = f"{policy.tool_factor:g}" + (f"^{n}" if (n := len(voice.failed_tools)) > 1 else "")
    why = (
        f"必需工具没有取得内容：{tools}；信心乘以 {factor}。"
        if language == "zh"
        else f"Required tools came back with nothing: {tools}; confidence times {factor}."
    )
    adjustments.append(
        Adjustment(
            rule="failed_tools",
            field=f"{voice.agent}.confidence_score",
            before=voice.stated_confidence,
            after=after,
            why=why,
        )
    )
    return voice.model_copy(update={"confidence_score": after})


def _urgency(impact: float, voices: Sequence[Voice], policy: SignalPolicy) -> tuple[Urgency, Voice | None]:
    """The urgency before any step down, and the voice whose flash event decided it."""
    bounds = policy.urgency
    routes = {_plain(name) for name in policy.flash_routes}
    flashes = [voice for voice in voices if voice.flash]
    routed = [voice for voice in flashes if _plain(voice.agent) in routes]
    if impact >= bounds.flash and flashes:
        return "FLASH", strongest(flashes)
    if impact >= bounds.note and routed:
        return "FLASH", strongest(routed)
    if impact >= bounds.alert:
        return "ALERT", None
    return ("NOTE" if impact >= bounds.note else "FYI"), None


def _plain(name: str) -> str:
    """PolicyRadar and policy_radar are one agent."""
    return "".join(filter(str.isalnum, name)).casefold()


def _step_down(
    urgency: Urgency, counted: int, policy: SignalPolicy, language: str, adjustments: list[Adjustment]
) -> Urgency:
    lower = URGENCIES[min(URGENCIES.index(urgency) + 1, len(URGENCIES) - 1)]
    why = (
        f"只有 {counted} 位专家有效，不足 {policy.quorum} 位，紧急度降一档。"
        if language == "zh"
        else f"Only {counted} agents counted, fewer than {policy.quorum}: one step down."
    )
    if lower != urgency:
        adjustments.append(Adjustment(rule="degraded", field="urgency", before=urgency, after=lower, why=why))
    return lower


def _direction(voices: Sequence[Voice]) -> Direction | None:
    """The direction with the most confidence behind it; ``mixed`` when two have as much."""
    behind = {
        direction: math.fsum(voice.confidence_score for voice in voices if voice.direction == direction)
        for direction in get_args(Direction)
        if any(voice.direction == direction for voice in voices)
    }
    if not behind:
        return None
    top = max(behind.values())
    ahead = [direction for direction, weight in behind.items() if weight == top]
    return ahead[0] if len(ahead) == 1 else "mixed"


def _tickers(voices: Sequence[Voice], policy: SignalPolicy) -> tuple[TickerImpact, ...]:
    named: dict[str, list[tuple[Voice, Mention]]] = {}
    for voice in voices:
        for mention in voice.mentions:
            named.setdefault(mention.ticker, []).append((voice, mention))
    impacts = [
        TickerImpact(
            ticker=ticker,
            impact_score=aggregate(
                policy.tickers, [(mention.impact_score, voice.confidence_score) for voice, mention in pairs]
            ),
            link_type=_strongest_link(mention.link_type for _, mention in pairs),
            titles=tuple(voice.title for voice, _ in pairs),
        )
        for ticker, pairs in named.items()
    ]
    return tuple(sorted(impacts, key=lambda impact: (-impact.impact_score, impact.ticker)))
