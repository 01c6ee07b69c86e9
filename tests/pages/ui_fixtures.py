"""Two hand-made runs the pages are drawn from: a company in six chapters, and a match with five experts.

They hold one of everything a page must be able to show: a revised score, an unchanged one, an agent
without data, a failed one, a rule that moved the verdict, a label that differs, text like markup.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from pydantic import BaseModel
from streamlit.testing.v1 import AppTest

from workbench.engine.plan import AnswerForm, Plan, Step
from workbench.records import (
    EDGE_SCALE,
    PERCENT_SCALE,
    Adjustment,
    Call,
    Evidence,
    MatchSubject,
    Models,
    Opinion,
    Receipt,
    Report,
    Role,
    Run,
    Scale,
    TickerSubject,
    Verdict,
)
from workbench.store.runs import RunStore
from workbench.strategy.prompts import Prompt
from workbench.ui.panels.opinions import COLUMNS

Open = Callable[..., AppTest]
"""``open_page(name, **query)`` of the fixture of that name."""

Lines = list[dict[str, str]]

STARTED = dt.datetime(2026, 3, 2, 1, 30, tzinfo=dt.UTC)
HOSTILE = (
    '<img src="http://evil.example/x.png"> ![x](http://evil.example/y.png) **bold** $x$ :red[r] {t} </script>'
)

CHAPTERS = (
    ("ch01_data", "数据核查", 72, 70, "三年报表口径一致，审计意见为标准无保留。"),
    ("ch02_fundamentals", "基本面", 85, 84, "高端白酒龙头，毛利率长期高于 90%。"),
    ("ch03_cashflow", "现金流质量", 88, 88, "经营现金流覆盖净利润，资本开支占比低。"),
    (
        "ch04_valuation",
        "估值",
        46,
        39,
        "市盈率 50.9 倍处于近五年 92% 分位，自由现金流倍数缺失，仅凭单一来源的估值证据不足以支持草稿的判断；"
        "按安全边际要求下调，并与现金流质量一章的结论相互印证。",
    ),
    ("ch05_stress", "压力测试", 66, 58, "三个情景通过两个，批价下行情景未通过。"),
    ("ch06_decision", "投资决策", 60, 55, "好公司、贵价格，等待更好的买点。"),
)


def call(agent: str, stage: str, *, error: str = "") -> Call:
    return Call.model_validate(
        {
            "agent": agent,
            "stage": stage,
            "attempt": 1,
            "requested_model": "baseline",
            "resolved_model": "baseline",
            "system": "你是一名审慎的价值投资研究员。",
            "prompt": f"# {agent}\n\n依据如下证据作答。\n\n<evidence>\n{HOSTILE}\n</evidence>",
            "prompt_version": "v1",
            "template_hash": "ab" * 32,
            "reply": '{"score": 72, "confidence": 0.7, "analysis": "……"}',
            "input_tokens": 1840,
            "output_tokens": 320,
            "cost": 0.0,
            "cost_source": "rules",
            "latency_s": 0.012,
            "error": error,
            "started": STARTED,
        }
    )


def report(
    agent: str,
    title: str,
    draft: float,
    revised: float,
    why: str,
    *,
    role: Role,
    scale: Scale = PERCENT_SCALE,
) -> Report:
    analysis = f"{title}：草稿认为得分 {draft}。毛利率 91.5%，净利率 52.2%，经营现金流 517 亿元。"
    return Report(
        agent=agent,
        title=title,
        role=role,
        scale=scale,
        status="ok",
        evidence=Evidence(
            facts={"ratios": {"gross_margin": {"2019": 0.913, "2020": 0.915}, "roe": {"2019": None}}},
            text="毛利率 2019 91.3% 2020 91.5%\n" + HOSTILE,
            sources=("年度报告 2020",),
            newest=dt.date(2021, 3, 31),
            sufficiency="high",
            missing={"ev_fcf": "自由现金流为负，倍数无意义"},
        ),
        draft=Opinion(
            stage="draft",
            score=draft,
            confidence=0.75,
            analysis=analysis,
            key_evidence=("毛利率 91.5%", "经营现金流 / 净利润 = 1.1"),
            fields={"score": draft, "conclusion": why, "moat": "强"},
        ),
        revised=Opinion(
            stage="revised",
            score=revised,
            confidence=0.65,
            analysis=analysis.replace("草稿认为", "复核后下调，") + "安全边际不足。",
            key_evidence=("毛利率 91.5%", "市盈率 50.9 倍"),
            fields={"score": revised, "conclusion": why, "moat": "强"},
            why_changed=why if draft != revised else "",
        ),
        calls=(call(agent, "draft"), call(agent, "revised")),
    )


STRATEGY_TEXT = """\
kind: chapters
name: value
title: 价值投资
language: zh
revise: true
prompt_version: v1
framework:
  chapters:
    - {id: ch01_data, title: 数据核查, question: 数据可信吗？, operators: [data_check]}
  synthesis:
    thinking_steps:
      - {step: 一票否决, instruction: 逐条检查。}
    scoring_rubric:
      - {range: "85-100", description: 明显低估且无重大风险}
      - {range: "75-84", description: 低估，各章一致}
      - {range: "50-74", description: 有吸引力但存在疑虑}
      - {range: "30-49", description: 风险收益不对称}
      - {range: "0-29", description: 重大风险或数据不可信}
    decision_thresholds: {buy: 75, watch: [30, 74], avoid: 29}
    synthesis_fields: ["综合评分: 0-100分", "最终建议: 买入 / 观望 / 回避", "信心水平: 高 / 中 / 低"]
"""


def chapters_run(run_id: str = "20260302-chapters", **changes: object) -> Run:
    """A finished company run: six chapters and the synthesis; a rule capped the score."""
    reports = tuple(
        report(agent, title, draft, revised, why, role="chapter")
        for agent, title, draft, revised, why in CHAPTERS
    )
    run = Run(
        run_id=run_id,
        pipeline="chapters",
        status="done",
        subject=TickerSubject(code="600519.SH", name="贵州茅台"),
        as_of=dt.date(2021, 6, 30),
        models=Models(),
        strategy="value",
        strategy_text=STRATEGY_TEXT,
        strategy_hash="cd" * 32,
        prompt_version="v1",
        language="zh",
        started=STARTED,
        finished=STARTED + dt.timedelta(seconds=1.4),
        reports=(
            *reports,
            report("synthesis", "综合研判", 78, 68, "估值与现金流结论矛盾。", role="synthesis"),
        ),
        verdict=Verdict(
            score=65,
            label="watch",
            confidence=0.5,
            fields={"综合评分": 68, "最终建议": "买入", "信心水平": "中", "关键风险": ["批价下行", HOSTILE]},
            adjustments=(
                Adjustment(
                    rule="contradiction_cap",
                    field="score",
                    before=68,
                    after=65,
                    why="现金流质量与估值结论矛盾且未调和",
                ),
            ),
            warnings=("模型给出的建议是买入，按阈值应为观望。",),
            counted=6,
            total=6,
        ),
        receipt=Receipt(
            as_of=dt.date(2021, 6, 30), newest_evidence=dt.date(2021, 6, 25), withheld=412, undated=3
        ),
    )
    return run.model_copy(update=changes)


def match_run(run_id: str = "20260302-match", **changes: object) -> Run:
    """A finished match run: three experts counted, one without data, one failed."""
    experts = (
        report(
            "form",
            "Recent form",
            0.35,
            0.28,
            "One of the wins was against ten men.",
            role="specialist",
            scale=EDGE_SCALE,
        ),
        report("stats", "Attack and defence", 0.42, 0.42, "", role="specialist", scale=EDGE_SCALE),
        report(
            "home_away",
            "Home and away",
            0.30,
            0.22,
            "Only six home matches.",
            role="specialist",
            scale=EDGE_SCALE,
        ),
        Report(
            agent="injuries",
            title="Squad",
            role="specialist",
            scale=EDGE_SCALE,
            status="no_data",
            evidence=Evidence(missing={"absences": "no source of absences is connected"}),
        ),
        Report(
            agent="h2h",
            title="Head to head",
            role="specialist",
            scale=EDGE_SCALE,
            status="error",
            evidence=Evidence(text="Last five meetings", sufficiency="medium"),
            error="the model did not answer within 120 s.",
            calls=(call("h2h", "draft", error="timeout"),),
        ),
    )
    last = report(
        "aggregator",
        "Final judgement",
        0.9,
        0.9,
        "",
        role="aggregator",
        scale=Scale(low=-5, high=5, neutral=0),
    )
    run = Run(
        run_id=run_id,
        pipeline="match",
        status="done",
        subject=MatchSubject(
            competition="English Premier League",
            season="2018-19",
            date=dt.date(2019, 4, 14),
            home="Liverpool",
            away="Chelsea",
        ),
        as_of=dt.date(2019, 4, 14),
        models=Models(),
        strategy="match",
        strategy_text="kind: match\nname: match\n",
        strategy_hash="ef" * 32,
        prompt_version="v1",
        language="en",
        started=STARTED,
        finished=STARTED + dt.timedelta(seconds=0.4),
        reports=(*experts, last.model_copy(update={"revised": None})),
        verdict=Verdict(
            score=0.9,
            label="1",
            confidence=0.6,
            fields={
                "pred_home_goals": 2.0,
                "pred_away_goals": 1.1,
                "probabilities": {"1": 0.58, "X": 0.22, "2": 0.20},
                "1x2": "1",
                "agent_weights": {"form": 0.8, "stats": 0.9, "home_away": 0.6, "injuries": 0.0, "h2h": 0.0},
            },
            counted=3,
            total=5,
        ),
        receipt=Receipt(as_of=dt.date(2019, 4, 14), newest_evidence=dt.date(2019, 4, 8), withheld=98),
    )
    return run.model_copy(update=changes)


def stored(store: RunStore, run: Run) -> str:
    """Keep ``run`` in a store as the engine would, and return the id it got."""
    run_id = store.start(plan_of(run), run.models)
    for each in run.reports:
        store.save_report(run_id, each)
    if run.status in ("done", "failed", "cancelled"):
        store.finish(run_id, status=run.status, verdict=run.verdict, receipt=run.receipt, error=run.error)
    return run_id


def plan_of(run: Run) -> Plan:
    """A plan with the agents of ``run`` which asks nobody."""
    prompt = Prompt(agent="none", version=run.prompt_version, system="", template="", hash="")
    form = AnswerForm(BaseModel, PERCENT_SCALE, score=lambda fields: None, confidence="confidence")
    return Plan(
        pipeline=run.pipeline,
        subject=run.subject,
        as_of=run.as_of,
        strategy=run.strategy,
        strategy_text=run.strategy_text,
        strategy_hash=run.strategy_hash,
        prompt_version=run.prompt_version,
        language=run.language,
        blind=run.blind,
        steps=tuple(
            Step(r.agent, r.title, r.role, (), gather=lambda reports: Evidence(), form=form, draft=prompt)
            for r in run.reports
        ),
        conclude=lambda reports: Verdict(),
        receipt=lambda: Receipt(as_of=run.as_of),
    )


def opinion_lines(app: AppTest) -> Lines:
    """The table of the agents on the page of a run, column by name."""
    agents = [str(button.label) for button in app.button if str(button.key).startswith("run.opinion.")]
    cells = [element.value for element in app.markdown if element.value.startswith(":small[")]
    columns = list(COLUMNS)[1:]
    assert len(cells) == len(agents) * len(columns)
    rows = [cells[start : start + len(columns)] for start in range(0, len(cells), len(columns))]
    return [
        {"agent": agent, **{name: cell[len(":small[") : -1] for name, cell in zip(columns, row, strict=True)}}
        for agent, row in zip(agents, rows, strict=True)
    ]
