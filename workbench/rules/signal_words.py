"""A signal in words and numbers, and as the verdict of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from workbench.records import LinkType, Report, Verdict
from workbench.rules.signals import SignalVerdict, Voice, conclude
from workbench.strategy.news import EVENT_ZH, Aggregation, SignalPolicy

Language = Literal["zh", "en"]

LINK_ZH: dict[LinkType, str] = {"direct": "直接", "chain": "供应链", "sector": "同板块", "macro": "宏观"}

_EVENT_ZH: Mapping[str, str] = {str(event): name for event, name in EVENT_ZH.items()}


class Explanation(NamedTuple):
    """How each figure of a signal came about, one sentence each; ``tickers`` by ticker."""

    impact: str
    confidence: str
    urgency: str
    tickers: Mapping[str, str]


def event_name(event: str, language: Language) -> str:
    """What a reader calls an event type; one that is on no list keeps its name."""
    return _EVENT_ZH.get(event, event) if language == "zh" else event.replace("_", " ")


def explain(signal: SignalVerdict, policy: SignalPolicy, language: Language) -> Explanation | None:
    """How a signal came about.

    Args:
        signal: A signal.
        policy: The policy it was concluded with.
        language: Language of the sentences.

    Returns:
        E.g. ``Impact 0.82 = max, from PolicyRadar; 4 of 5 counted.``; None when no agent counted.
    """
    if signal.impact_score is None or signal.confidence_score is None:
        return None
    tell = _Teller(language)
    counted = tell.say(
        f"{signal.total} 位专家中 {signal.counted} 位有效", f"{signal.counted} of {signal.total} counted"
    )
    impacts = [(voice, voice.impact_score) for voice in signal.voices]
    confidences = [(voice, voice.confidence_score) for voice in signal.voices]
    tickers = {
        ticker.ticker: tell.sentence(
            f"{ticker.ticker}{tell.say('（', ' (')}{tell.link(ticker.link_type)}{tell.say('）', ')')}",
            tell.formed(
                ticker.impact_score,
                policy.tickers,
                [
                    (voice, mention.impact_score)
                    for voice in signal.voices
                    for mention in voice.mentions
                    if mention.ticker == ticker.ticker
                ],
            ),
        )
        for ticker in signal.tickers
    }
    return Explanation(
        impact=tell.sentence(
            tell.say("冲击", "Impact"), tell.formed(signal.impact_score, policy.impact, impacts), counted
        ),
        confidence=tell.sentence(
            tell.say("信心", "Confidence"),
            tell.formed(signal.confidence_score, policy.confidence, confidences),
        ),
        urgency=_urgency(signal, policy, tell),
        tickers=tickers,
    )


def to_verdict(reports: Sequence[Report], policy: SignalPolicy, language: Language) -> Verdict:
    """The verdict of a signals run: the signal of the final opinions beside the one of the drafts.

    ``score`` is the impact, ``label`` the urgency. Fields: the figures of the signal, and lists ``tickers``
    and ``agents``; a figure of the drafts stands beside the final one as ``draft_...``. ``explanation`` says
    in sentences how the figures came about.
    """
    final = conclude(reports, policy, language=language)
    draft = conclude(as_drafted(reports), policy, language=language)
    drafted_tickers = {ticker.ticker: ticker.impact_score for ticker in draft.tickers}
    drafted_voices = {voice.agent: voice for voice in draft.voices}
    reasons = explain(final, policy, language)
    degraded = [change.why for change in final.adjustments if change.rule == "degraded"]
    return Verdict(
        score=final.impact_score,
        label=final.urgency,
        confidence=final.confidence_score,
        fields={
            "impact_score": final.impact_score,
            "draft_impact_score": draft.impact_score,
            "confidence_score": final.confidence_score,
            "draft_confidence_score": draft.confidence_score,
            "urgency": final.urgency,
            "draft_urgency": draft.urgency,
            "degraded": final.degraded,
            "event_type": final.event_type,
            "direction": final.direction,
            "tickers": [
                {
                    "ticker": ticker.ticker,
                    "impact_score": ticker.impact_score,
                    "draft_impact_score": drafted_tickers.get(ticker.ticker),
                    "link_type": ticker.link_type,
                }
                for ticker in final.tickers
            ],
            "agents": [_agent(voice, drafted_voices[voice.agent]) for voice in final.voices],
            "explanation": [*reasons[:3], *reasons.tickers.values()] if reasons else [],
        },
        adjustments=final.adjustments,
        warnings=tuple(degraded),
        counted=final.counted,
        total=final.total,
    )


def as_drafted(reports: Sequence[Report]) -> list[Report]:
    """The reports as they were before the second look."""
    return [report.model_copy(update={"revised": None}) for report in reports]


def _agent(voice: Voice, draft: Voice) -> dict[str, Any]:
    """The figures of one agent; ``confidence_score`` is what counted, the stated ones are its own words."""
    return {
        "agent": voice.agent,
        "impact_score": voice.impact_score,
        "draft_impact_score": draft.impact_score,
        "confidence_score": voice.confidence_score,
        "stated_confidence": voice.stated_confidence,
        "draft_stated_confidence": draft.stated_confidence,
        "event_type": voice.event_type,
        "direction": voice.direction,
        "failed_tools": list(voice.failed_tools),
    }


class _Teller:
    """Sentences in one of the two languages."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def say(self, zh: str, en: str) -> str:
        return zh if self.language == "zh" else en

    def link(self, link: LinkType) -> str:
        return self.say(LINK_ZH[link], link)

    def sentence(self, subject: str, *clauses: str) -> str:
        return f"{subject} {self.say('；', '; ').join(clauses)}{self.say('。', '.')}"

    def formed(self, result: float, how: Aggregation, values: Sequence[tuple[Voice, float]]) -> str:
        """``0.82 = max, from PolicyRadar`` or ``0.55 = mean of SignalScope 0.60, PolicyRadar 0.50``."""
        if how == "max":
            top = max(values, key=lambda pair: pair[1])[0].title
            return self.say(f"{result:.2f} = 最大值，来自 {top}", f"{result:.2f} = max, from {top}")
        weighted = how == "weighted" and any(voice.confidence_score for voice, _ in values)
        terms = [
            f"{voice.title} {value:.2f}" + (f"×{voice.confidence_score:.2f}" if weighted else "")
            for voice, value in values
        ]
        if weighted:
            kind = self.say("按信心加权的平均：", "mean weighted by confidence of ")
        else:
            kind = self.say("平均：", "mean of ")
        return f"{result:.2f} = {kind}{self.say('、', ', ').join(terms)}"


def _urgency(signal: SignalVerdict, policy: SignalPolicy, tell: _Teller) -> str:
    bounds, impact = policy.urgency, signal.impact_score
    step = next((change for change in signal.adjustments if change.rule == "degraded"), None)
    before = step.before if step else signal.urgency
    if before == "FLASH":
        by_impact = impact is not None and impact >= bounds.flash
        bound = bounds.flash if by_impact else bounds.note
        event = event_name(signal.event_type or "", tell.language)
        reason = tell.say(
            f"冲击达到 {bound:.2f}，且 {signal.flash_from} 报告{event}",
            f"the impact reaches {bound:.2f} and {signal.flash_from} reports {event}",
        )
    elif before == "FYI":
        reason = tell.say(f"冲击低于 {bounds.note:.2f}", f"the impact is below {bounds.note:.2f}")
    else:
        bound = bounds.alert if before == "ALERT" else bounds.note
        reason = tell.say(f"冲击达到 {bound:.2f}", f"the impact reaches {bound:.2f}")
    text = f"{before}{tell.say('：', ': ')}{reason}{tell.say('。', '.')}"
    return f"{text} {step.why}" if step else text
