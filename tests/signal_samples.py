"""Finished signals runs made by hand: five specialists with the figures a test asks for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from workbench.engine.plan import AnswerForm, Plan, Step
from workbench.records import (
    IMPACT_SCALE,
    EventType,
    Evidence,
    Models,
    NewsSubject,
    Opinion,
    Receipt,
    Report,
    StageName,
    Urgency,
)
from workbench.rules.signal_words import to_verdict
from workbench.store.runs import RunStore
from workbench.strategy.news import SignalPolicy
from workbench.strategy.prompts import Prompt

TITLES = {
    "signal_scope": "SignalScope",
    "sentiment_pulse": "SentimentPulse",
    "macro_mind": "MacroMind",
    "sector_scan": "SectorScan",
    "policy_radar": "PolicyRadar",
}


@cache
def _strategy() -> str:
    return (Path(__file__).parents[1] / "strategy" / "news.yaml").read_text(encoding="utf-8")


def report(
    agent: str,
    impact: float,
    confidence: float,
    event: EventType,
    tickers: Mapping[str, float],
    *,
    draft: float | None = None,
) -> Report:
    """A specialist that counts; its draft had the impact ``draft`` where that is given."""

    def opinion(stage: StageName, score: float) -> Opinion:
        return Opinion(
            stage=stage,
            score=score,
            confidence=confidence,
            analysis="Written by hand.",
            fields={
                "impact_score": score,
                "confidence_score": confidence,
                "event_type": event,
                "direction": "negative",
                "tickers_linked": [
                    {"ticker": ticker, "impact_score": value, "link_type": "direct"}
                    for ticker, value in tickers.items()
                ],
            },
        )

    return Report(
        agent=agent,
        title=TITLES[agent],
        role="specialist",
        scale=IMPACT_SCALE,
        status="ok",
        evidence=Evidence(text="none", sufficiency="high"),
        draft=opinion("draft", impact if draft is None else draft),
        revised=opinion("revised", impact),
    )


def finished_signal(
    store: RunStore,
    item: str,
    published: dt.date,
    urgency: Urgency,
    impact: float,
    *,
    title: str = "A headline",
    event: EventType = "routine_news",
    tickers: Sequence[str] = ("AAPL",),
    draft: float | None = None,
) -> str:
    """Store a finished run whose highest impact is ``impact``, and return its id.

    Raises:
        AssertionError: The figures do not make a signal of ``urgency``.
    """
    if urgency == "FLASH" and event == "routine_news":
        event = "bankruptcy"
    scores = {agent: min(impact, 0.3) for agent in TITLES} | {"signal_scope": impact}
    reports = [
        report(agent, score, 0.6, event, dict.fromkeys(tickers, score), draft=draft)
        for agent, score in scores.items()
    ]
    verdict = to_verdict(reports, SignalPolicy(), "en")
    assert verdict.label == urgency
    run_id = store.start(plan_of_item(item, published, title), Models())
    for each in reports:
        store.save_report(run_id, each)
    store.finish(run_id, status="done", verdict=verdict, receipt=Receipt(as_of=published))
    return run_id


def plan_of_item(item: str, published: dt.date, title: str) -> Plan:
    """A plan of the five specialists that asks nobody."""
    prompt = Prompt(agent="none", version="v1", system="", template="", hash="")
    form = AnswerForm(BaseModel, IMPACT_SCALE, score=lambda fields: None, confidence="confidence_score")
    return Plan(
        pipeline="signals",
        subject=NewsSubject(id=item, published=published, title=title, source="Wire", language="en"),
        as_of=published,
        strategy="news",
        strategy_text=_strategy(),
        strategy_hash="ab" * 32,
        prompt_version="v1",
        language="en",
        steps=tuple(
            Step(agent, name, "specialist", (), gather=lambda reports: Evidence(), form=form, draft=prompt)
            for agent, name in TITLES.items()
        ),
        conclude=lambda reports: to_verdict(list(reports.values()), SignalPolicy(), "en"),
        receipt=lambda: Receipt(as_of=published),
    )
