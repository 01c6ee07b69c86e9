"""How the baseline writes and revises a chapter, and how it concludes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import BaseModel

from workbench.errors import ModelError
from workbench.llm.base import Request
from workbench.llm.baseline import Baseline
from workbench.llm.baseline.wording import Wording
from workbench.records import StageName

OUTPUTS = {
    "cash_trend_5y": {"cash_trend": ["改善", "平稳", "恶化"], "negative_cash_years": None},
    "earnings_quality": {"cash_quality": ["优", "良", "差"], "cash_to_profit": None},
    "price_model": {"action": ["买入", "观望", "回避"], "buy_price": None},
    "catalyst": {"catalyst_certainty": ["明确", "模糊", "没有"]},
    "home_made": {"colour": ["red"]},
}
"""Operator -> output -> its values; None for a number."""


def ask(
    task: Mapping[str, Any],
    facts: Mapping[str, Any],
    stage: StageName = "draft",
    draft: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    request = Request("agent", stage, "baseline", "", "", BaseModel, facts=facts, task=task, draft=draft)
    reply = asyncio.run(Baseline().complete(request))
    answer: dict[str, Any] = json.loads(reply.text)
    return answer


def chapter_task(*operators: str, language: str = "zh") -> dict[str, Any]:
    return {
        "kind": "chapter",
        "language": language,
        "as_of": "2019-06-30",
        "operators": [
            {
                "id": name,
                "title": name,
                "outputs": {
                    output: {"type": "choice" if values else "number", "values": values or []}
                    for output, values in OUTPUTS[name].items()
                },
            }
            for name in operators
        ],
    }


def company(
    *,
    years: Sequence[str] = ("2014", "2015", "2016", "2017", "2018"),
    cfo: Sequence[float] = (100, 100, 100, 120, 120),
    profit: Sequence[float] = (80, 80, 80, 80, 80),
    chapters: Sequence[Mapping[str, Any]] = (),
    **facts: Any,
) -> dict[str, Any]:
    return {
        "profile": {"industry_kind": "consumer", "currency": "CNY", "statement_currency": "CNY"},
        "statements": {
            "years": list(years),
            "currency": "CNY",
            "items": {
                "cfo": dict(zip(years, cfo, strict=True)),
                "net_profit": dict(zip(years, profit, strict=True)),
            },
            "published": {years[-1]: "2019-04-30"},
            "estimated": [],
        },
        "ratios": {},
        "latest": {"price": 50.0},
        "sufficiency": "high",
        "chapters": list(chapters),
        **facts,
    }


def chapter(
    score: float | None, confidence: float = 0.8, agent: str = "ch01", **fields: Any
) -> dict[str, Any]:
    return {
        "agent": agent,
        "title": agent,
        "status": "no_data" if score is None else "ok",
        "sufficiency": "none" if score is None else "high",
        "score": score,
        "confidence": None if score is None else confidence,
        "key_evidence": [],
        "fields": {} if score is None else {"conclusion": f"{agent}。", **fields},
    }


CASH = chapter_task("cash_trend_5y", "earnings_quality")


def second_look(
    task: Mapping[str, Any], facts: Mapping[str, Any], **changed: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draft and revised answer; ``changed`` overrides fields of the draft before it is looked at again."""
    draft = ask(task, facts) | changed
    return draft, ask(task, facts, "revised", draft)


def test_a_draft_is_the_mean_of_its_findings() -> None:
    # 改善 is 80; 540 / 400 = 1.35 is 86
    answer = ask(CASH, company())
    assert answer["score"] == 83.0
    assert answer["confidence"] == 0.8
    assert answer["cash_to_profit"] == 1.35
    assert answer["conclusion"] == "经营现金流改善；累计净现比 1.35 倍。"


def test_long_recent_consistent_evidence_changes_nothing() -> None:
    draft, revised = second_look(CASH, company())
    assert revised["why_changed"].startswith("未改")
    assert {name: revised[name] for name in draft} == draft


@pytest.mark.parametrize(
    ("facts", "reason", "confidence", "score"),
    [
        # the draft of 83 loses a tenth, and a twentieth, of its 33 points above neutral
        (
            company(years=("2015", "2016", "2017", "2018"), cfo=(4, 4, 6, 6), profit=(4, 4, 4, 4)),
            "不足五年",
            0.7,
            79.7,
        ),
        (company(latest={}), "只有报表一个来源", 0.75, 81.3),
    ],
)
def test_thin_evidence_lowers_confidence_and_praise(
    facts: dict[str, Any], reason: str, confidence: float, score: float
) -> None:
    draft, revised = second_look(CASH, facts)
    assert draft["score"] == 83.0
    assert (revised["score"], revised["confidence"]) == (score, confidence)
    assert reason in revised["why_changed"]
    assert reason in revised["analysis"]


def test_thin_evidence_does_not_soften_a_bad_score() -> None:
    _, revised = second_look(CASH, company(cfo=(200, 200, 200, -100, -100), latest={}), score=30.0)
    assert revised["score"] == 28.2  # the worst finding of 18 pulls, and the thin evidence leaves it alone


def test_an_estimated_or_overdue_report_lowers_the_confidence() -> None:
    facts = company()
    facts["statements"]["estimated"] = ["2018"]
    assert second_look(CASH, facts)[1]["confidence"] == 0.75
    facts = company()
    facts["statements"]["published"] = {"2018": "2018-04-30"}
    assert second_look(CASH, facts)[1]["confidence"] == 0.65


def test_a_contradiction_with_an_earlier_chapter_is_named_and_pulls_the_score() -> None:
    facts = company(chapters=[chapter(70, presale_trend="下滑")])
    draft, revised = second_look(CASH, facts)
    assert revised["score"] == draft["score"] - 10
    assert "预收在下滑" in revised["why_changed"]


def test_a_plainly_negative_earlier_chapter_pulls_a_good_one() -> None:
    draft, revised = second_look(CASH, company(chapters=[chapter(23, agent="数据核查")]))
    assert (draft["score"], revised["score"]) == (83.0, 68.0)  # a quarter of the 60 points between them
    assert "“数据核查”一章明显负面" in revised["why_changed"]


def test_a_draft_above_a_fatal_finding_is_moved_to_its_anchor() -> None:
    """Cash that ran out in the last two years is fatal: a draft of 62 is moved to 45."""
    facts = company(cfo=(200, 200, 200, -100, -100))
    _, revised = second_look(CASH, facts, score=62.0)
    assert revised["score"] == 45.0
    assert "“经营现金流恶化”足以让人放弃" in revised["why_changed"]


def test_a_mean_that_waters_down_a_weak_finding_moves_towards_it() -> None:
    # 恶化 is 42 and a ratio of 1.3 is 86: a mean of 64 moves by 15 % of the 22 points
    draft, revised = second_look(CASH, company(cfo=(120, 120, 120, 80, 80), profit=(80, 80, 80, 80, 80)))
    assert (draft["score"], revised["score"]) == (64.0, 60.7)
    assert "“经营现金流恶化”的分量重于平均数所示，因此下调" in revised["why_changed"]


def test_why_changed_says_from_what_to_what() -> None:
    _, revised = second_look(CASH, company(latest={}))
    assert revised["why_changed"] == "评分由 83 改为 81.3、信心由 0.8 改为 0.75：只有报表一个来源。"


def test_without_a_view_the_chapter_has_no_score() -> None:
    """It once had a neutral 50, which looked like a judgement."""
    task = chapter_task("price_model", "catalyst")
    draft, revised = second_look(task, company(latest={}))
    assert (draft["score"], draft["confidence"]) == (None, 0.1)
    assert draft["action"] is None
    assert (revised["score"], revised["confidence"]) == (None, 0.1)
    assert "没有证据可供复核" in revised["why_changed"]


def test_an_operator_without_a_rule_is_answered_with_null() -> None:
    answer = ask(chapter_task("cash_trend_5y", "home_made"), company())
    assert answer["colour"] is None
    assert "没有对应的内置规则" in answer["analysis"]


def test_a_choice_the_analyst_has_renamed_is_answered_with_null() -> None:
    task = chapter_task("cash_trend_5y")
    task["operators"][0]["outputs"]["cash_trend"]["values"] = ["up", "down"]
    answer = ask(task, company())
    assert (answer["cash_trend"], answer["negative_cash_years"]) == (None, 0)


def test_the_same_question_gets_the_same_answer() -> None:
    assert ask(CASH, company()) == ask(CASH, company())


def test_english_notes_hold_no_chinese() -> None:
    _, revised = second_look(chapter_task("cash_trend_5y", language="en"), company(latest={}))
    prose = revised["analysis"] + revised["conclusion"] + revised["why_changed"]
    assert prose.isascii()
    assert "Operating cash flow CNY 100 in 2014" in revised["analysis"]


def test_a_task_without_a_rule_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="no rule for the task 'poem'"):
        ask({"kind": "poem"}, {})


# --- synthesis ---------------------------------------------------------------------------------------

FIELDS = (
    "流派判定",
    "筛选评级",
    "苹果买卖模型",
    "一句话买入逻辑（强制）",
    "关键风险",
    "最终建议",
    "综合评分",
    "信心水平",
    "作者随想",
)
STEPS = ("一票否决", "识别机会类型", "一致性裁决", "核心矛盾", "锚点校准", "输出结论", "喝杯茶")


def condition(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


VETO = {
    "name": "否决：债务",
    "cap": 25,
    "label_bar": ["buy", "watch"],
    "why": "债务危险。",
    "when": {"all": [condition("debt_assessment", "==", "危险")]},
}
CLASH = {
    "name": "矛盾：初筛",
    "cap": 65,
    "label_bar": "buy",
    "why": "初筛没过却要买入。",
    "when": {"all": [condition("screen_result", "==", "观察"), condition("最终建议", "==", "买入")]},
}
CONCLUDE = {
    "kind": "synthesis",
    "language": "zh",
    "as_of": "2019-06-30",
    "steps": [{"step": name, "instruction": "..."} for name in STEPS],
    "rubric": [
        {"range": "75-100", "low": 75, "description": "明确低估"},
        {"range": "0-74", "low": 0, "description": "其余"},
    ],
    "thresholds": {"buy": 75, "watch": [30, 74], "avoid": 29},
    "fields": [{"name": name, "description": ""} for name in FIELDS],
    "hard_rules": [VETO, CLASH],
}


def conclude(*chapters: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return second_look(CONCLUDE, company(chapters=chapters))


def test_the_score_is_the_mean_by_confidence_and_leans_to_a_doubtful_chapter() -> None:
    good, _ = conclude(chapter(80, 0.8, safety_margin=40.0), chapter(60, 0.2, "ch02"))
    assert good["综合评分"] == 76.0  # (80 x 0.8 + 60 x 0.2) / 1.0
    doubtful, _ = conclude(chapter(80, 0.5), chapter(40, 0.5, "ch02"))
    assert doubtful["综合评分"] == 55.0  # 60 - a quarter of the 20 points below 60


def test_a_veto_stops_the_draft_and_the_first_step_says_why() -> None:
    draft, revised = conclude(chapter(90, debt_assessment="危险"))
    assert (draft["综合评分"], draft["最终建议"]) == (25, "回避")
    assert draft["step_findings"]["一票否决"] == "触发否决：债务危险（ch01.debt_assessment = 危险）。"
    assert revised["综合评分"] == 25


def test_an_unanswered_veto_is_told_as_unknown_and_a_field_nobody_was_asked_for_is_not() -> None:
    asked, _ = conclude(chapter(70, debt_assessment=None))
    assert asked["step_findings"]["一票否决"] == "没有触发否决。债务未知，不算过关。"
    gated, _ = conclude(chapter(70))
    assert gated["step_findings"]["一票否决"] == "没有触发否决。"


def test_a_contradiction_is_settled_in_the_second_look() -> None:
    draft, revised = conclude(chapter(80, screen_result="观察", safety_margin=40.0))
    assert (draft["综合评分"], draft["最终建议"]) == (80, "买入")
    assert (revised["综合评分"], revised["最终建议"]) == (65, "观望")
    assert (
        "初筛没过却要买入（ch01.screen_result = 观察，synthesis.最终建议 = 买入）" in revised["why_changed"]
    )
    assert "发现矛盾" in revised["step_findings"]["一致性裁决"]


def test_a_silent_chapter_counts_as_neutral_and_costs_confidence() -> None:
    draft, revised = conclude(chapter(70, 0.7), chapter(None, agent="估值"))
    assert (draft["信心水平"], revised["信心水平"]) == ("高", "中")
    assert (
        revised["why_changed"] == "评分由 70 改为 60、信心由高改为中：估值没有结论，按中性计入，信心打折扣。"
    )
    assert "估值没有可用的结论" in draft["analysis"]


def test_a_price_to_stay_away_from_keeps_a_good_company_below_the_middle() -> None:
    """At 2.7 times its value a fine company once had 53 points and no word on the advice to stay away."""
    draft, revised = conclude(chapter(85), chapter(40, 0.7, "估值", margin_level="为负", action="回避"))
    assert draft["综合评分"] > 50
    assert (revised["综合评分"], revised["最终建议"]) == (49, "观望")
    assert "估值：估值，所以分数不过中线" in revised["why_changed"]
    assert "“估值”一章说回避，综合给观望" in revised["step_findings"]["一致性裁决"]


def test_a_conclusion_to_buy_above_the_buy_price_says_what_holds_it_up() -> None:
    answer, _ = conclude(chapter(90, safety_margin=12.0), chapter(76, agent="决策", action="观望"))
    assert answer["最终建议"] == "买入"
    told = "“决策”一章说观望，综合给买入：现价还没到买入价，撑起分数的是其余各章。"
    assert told in answer["step_findings"]["一致性裁决"]


def test_a_price_to_buy_at_is_no_reason_to_buy_where_another_chapter_doubts() -> None:
    answer, _ = conclude(chapter(40, agent="现金流"), chapter(90, agent="决策", action="买入"))
    assert answer["最终建议"] == "观望"
    told = "“决策”一章说买入，综合只给观望：现金流（40）的疑问没有解开。"
    assert told in answer["step_findings"]["一致性裁决"]


def test_what_nobody_could_value_is_no_buy() -> None:
    """A company without a price was once a buy, because the chapters that could be written were good."""
    assert conclude(chapter(85))[0]["综合评分"] == 74
    assert conclude(chapter(85, safety_margin=40.0))[0]["综合评分"] == 85


def test_a_verdict_in_the_buy_band_may_not_rest_on_a_weak_chapter() -> None:
    draft, revised = conclude(chapter(95, 0.9, safety_margin=40.0), chapter(48, 0.1 + 0.05, "现金流"))
    assert draft["综合评分"] == pytest.approx(85.3)  # (95 x 0.9 + 48 x 0.15) / 1.05 - a quarter of 12
    assert revised["综合评分"] == 74
    assert "“现金流”一章的疑问没有解开" in revised["why_changed"]


def test_a_step_about_the_dividend_says_whether_it_can_go_on_and_what_stands_behind_it() -> None:
    steps = {"step": "股息来源", "instruction": "..."}
    task = CONCLUDE | {"steps": [steps]}
    answers = {"dividend_sustainability": "需观察", "cash_quality": "优", "debt_assessment": "可控"}
    draft, _ = second_look(task, company(chapters=[chapter(70, **answers)]))
    assert draft["step_findings"] == {"股息来源": "股息：需观察；利润含金量：优；债务：可控。"}
    draft, _ = second_look(task, company(chapters=[chapter(70)]))
    assert draft["step_findings"] == {"股息来源": "股息能否照付未知，不当作付得出。"}


def test_every_step_reports_in_order_and_an_unknown_step_says_so() -> None:
    draft, _ = conclude(chapter(80, stream="纯硬收息", dividend_sustainability="可持续", safety_margin=40.0))
    assert tuple(draft["step_findings"]) == STEPS
    assert (
        draft["step_findings"]["识别机会类型"] == "属于纯硬收息，最要紧的是股息能否照付，目前的答案：可持续。"
    )
    assert draft["step_findings"]["锚点校准"].startswith("落在 75-100 一档：明确低估。")
    assert draft["step_findings"]["喝杯茶"] == "内置规则没有这一步的判断。"


def test_the_thesis_can_be_proved_wrong_by_a_figure() -> None:
    prices = {"buy_price": 10.5, "normal_price": 15.0, "sell_price": 22.5, "owner_earnings": 1234.5}
    draft, _ = conclude(chapter(80, **prices))
    assert draft["一句话买入逻辑（强制）"] == (
        "不高于 10.50 元才买，赌的是回到 15.00 元；三年平均自由现金流跌破 12.3 亿元，就是错了。"
    )
    assert draft["苹果买卖模型"] == {"买入价": 10.5, "正常价": 15.0, "卖出价": 22.5}
    without, _ = conclude(chapter(80))
    assert without["苹果买卖模型"] is None
    assert without["一句话买入逻辑（强制）"] == "给不出买入价，也就没有可证伪的买入命题。"


@pytest.mark.parametrize(
    ("fair", "proof"),
    [
        ({"fair_pb": 0.9}, "三年平均净资产收益率撑不起 0.90 倍市净率"),
        ({"fair_multiple": 25.0}, "三年平均盈利撑不起 25.0 倍的估值倍数"),
        ({}, "三年平均盈利下降"),
    ],
)
def test_a_multiple_of_earnings_is_not_called_a_price_to_book(fair: dict[str, float], proof: str) -> None:
    """25 times the earnings was told as 25 times the book, which a return on equity had to earn."""
    prices = {"buy_price": 10.5, "normal_price": 15.0, "sell_price": 22.5}
    thesis = conclude(chapter(80, **prices, **fair))[0]["一句话买入逻辑（强制）"]
    assert thesis == f"不高于 10.50 元才买，赌的是回到 15.00 元；{proof}，就是错了。"


def test_a_field_the_rules_know_nothing_about_is_null() -> None:
    assert conclude(chapter(80))[0]["作者随想"] is None


def test_without_any_view_the_conclusion_is_neutral() -> None:
    draft, revised = conclude(chapter(None))
    assert (draft["综合评分"], revised["信心水平"]) == (50, "低")


# --- wording -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "zh", "en"),
    [
        (83_799_000_000.0, "838.0 亿元", "CNY 83.8 bn"),
        (39_872_990_000_000.0, "39.87 万亿元", "CNY 39.87 tn"),
        (-2_040_000.0, "-204.0 万元", "CNY -2.0 m"),
        (950.4, "950 元", "CNY 950"),
        (-0.2, "0 元", "CNY 0"),
    ],
)
def test_amounts(amount: float, zh: str, en: str) -> None:
    assert Wording("zh", "CNY").money(amount) == zh
    assert Wording("en", "CNY").money(amount) == en


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("roe", 0.125, "12.5%"),
        ("net_interest_to_assets", 0.01549, "1.55%"),
        ("pe", 8.31, "8.3 倍"),
        ("pb", 0.528, "0.53 倍"),
        ("inventory_days", 1969.2, "1969 天"),
        ("cfo", 1e8, "1.0 亿元"),
    ],
)
def test_a_figure_is_written_in_its_own_unit(name: str, value: float, text: str) -> None:
    assert Wording("zh", "CNY").figure(name, value) == text


def test_small_counts_are_words() -> None:
    assert [Wording("zh", "").count(n) for n in (0, 1, 2, 10, 11)] == ["零", "一", "两", "十", "11"]
    assert Wording("en", "").count(2) == "two"
