"""A small plan and its reports, for tests of what is stored and of what is made of it."""

from __future__ import annotations

import datetime as dt

from pydantic import BaseModel

from workbench.engine.plan import AnswerForm, Plan, Step
from workbench.records import (
    PERCENT_SCALE,
    Call,
    Evidence,
    Opinion,
    Receipt,
    Report,
    Status,
    TickerSubject,
    Verdict,
)
from workbench.strategy.prompts import Prompt

AGENTS = ("ch01", "ch02", "synthesis")
MOUTAI = TickerSubject(code="600519.SH", name="贵州茅台")
APPLE = TickerSubject(code="AAPL", name="Apple")


def make_plan(subject: TickerSubject = MOUTAI, *, strategy: str = "value", as_of: str = "2021-06-30") -> Plan:
    form = AnswerForm(BaseModel, PERCENT_SCALE, lambda fields: None, "confidence")
    prompt = Prompt("chapter", "v1", "system", "template", "hash")
    return Plan(
        pipeline="chapters",
        subject=subject,
        as_of=dt.date.fromisoformat(as_of),
        strategy=strategy,
        strategy_text=f"kind: chapters\nname: {strategy}\n",
        strategy_hash="0" * 64,
        prompt_version="v1",
        language="zh",
        steps=tuple(
            Step(
                agent=agent,
                title=agent.title(),
                role="synthesis" if agent == "synthesis" else "chapter",
                needs=(),
                gather=lambda reports: Evidence(),
                form=form,
                draft=prompt,
            )
            for agent in AGENTS
        ),
        conclude=lambda reports: Verdict(),
        receipt=lambda: Receipt(as_of=dt.date(2021, 6, 30)),
    )


def make_report(agent: str, *, score: float = 70, status: Status = "ok", cost: float | None = 0.01) -> Report:
    call = Call(
        agent=agent,
        stage="draft",
        attempt=1,
        requested_model="baseline",
        params={"temperature": 0},
        system="Be careful.",
        prompt="What is it worth?",
        reply='{"score": 70}',
        input_tokens=100,
        output_tokens=20,
        cost=cost,
        started=dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.timezone(dt.timedelta(hours=8))),
    )
    opinion = Opinion(
        stage="draft", score=score, confidence=0.6, analysis="净利率 52.5%", fields={"评分": score}
    )
    return Report(
        agent=agent,
        title=agent.title(),
        role="synthesis" if agent == "synthesis" else "chapter",
        scale=PERCENT_SCALE,
        status=status,
        evidence=Evidence(facts={"roe": 0.31}, text="ROE 31 %", sufficiency="high"),
        draft=opinion,
        revised=opinion.model_copy(update={"stage": "revised", "why_changed": "一致"}),
        calls=(call, call.model_copy(update={"stage": "revised", "system": "Be careful."})),
    )
