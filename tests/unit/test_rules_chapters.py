"""What the rules of the chapters pipeline make of the reports: score, label, confidence, adjustments."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.records import PERCENT_SCALE, Evidence, Opinion, Report, Status, Sufficiency, Verdict
from workbench.rules.chapters import conclude, triggered
from workbench.strategy.files import load_strategy
from workbench.strategy.schema import ChaptersStrategy, HardRule

VALUE = load_strategy(Path(__file__).parents[2] / "strategy" / "value.yaml").strategy
assert isinstance(VALUE, ChaptersStrategy)
UNKNOWN = {field.name: None for field in VALUE.framework.synthesis.fields()}
CHAPTERS = tuple((chapter.id, chapter.title) for chapter in VALUE.framework.chapters)


def report(
    agent: str,
    title: str = "",
    *,
    status: Status = "ok",
    sufficiency: Sufficiency = "high",
    score: float | None = 70,
    confidence: float | None = 0.7,
    fields: Mapping[str, Any] | None = None,
) -> Report:
    opinion = Opinion(stage="draft", score=score, confidence=confidence, fields=dict(fields or {}))
    return Report(
        agent=agent,
        title=title or agent,
        role="synthesis" if agent == "synthesis" else "chapter",
        scale=PERCENT_SCALE,
        status=status,
        evidence=Evidence(sufficiency=sufficiency),
        draft=opinion if status == "ok" else None,
    )


def verdict(
    score: float = 80,
    own: str = "买入",
    strategy: ChaptersStrategy = VALUE,
    **answers: Mapping[str, Any],
) -> Verdict:
    """The verdict when the synthesis scores ``score`` and the chapters answer ``answers``."""
    reports = {agent: report(agent, title, fields=answers.get(agent)) for agent, title in CHAPTERS}
    fields = {**UNKNOWN, "最终建议": own, "综合评分": score, "信心水平": "高"}
    reports["synthesis"] = report("synthesis", score=score, confidence=0.8, fields=fields)
    return conclude(reports, strategy)


def rule(**parts: Any) -> HardRule:
    return HardRule.model_validate({"name": "a rule", "cap": 25, **parts})


@pytest.mark.parametrize(
    ("score", "label"),
    [
        *((0, "avoid"), (24.9, "avoid"), (25, "avoid"), (29, "avoid"), (29.5, "avoid"), (29.99, "avoid")),
        *((30, "watch"), (64.9, "watch"), (65, "watch"), (74, "watch"), (74.5, "watch"), (74.999, "watch")),
        *((75, "buy"), (100, "buy")),
    ],
)
def test_the_label_follows_from_the_score_by_lower_bounds(score: float, label: str) -> None:
    found = verdict(score)
    assert (found.score, found.label) == (score, label)
    assert not found.adjustments


def test_the_models_own_label_is_kept_beside_the_derived_one_with_a_warning() -> None:
    found = verdict(74.5, own="买入")
    assert found.label == "watch"
    assert found.fields["最终建议"] == "买入"
    assert found.warnings == ("模型自己的建议是“买入”，按评分与规则应为“观望”。",)


def test_the_same_label_gives_no_warning() -> None:
    assert verdict(40, own="观望").warnings == ()


VETOES = {
    "否决：数据不可信": {"ch01_data": {"data_credibility": "不可信"}},
    "否决：管理人诚信": {"ch01_data": {"management_integrity": "存疑"}},
    "否决：债务危险": {"ch03_cashflow": {"debt_assessment": "危险", "debt_trend": "持平"}},
    "否决：审计意见": {"ch01_data": {"audit_opinion": "保留意见"}},
}
CONTRADICTIONS = {
    "矛盾：初筛与买卖价": {"ch01_data": {"screen_result": "观察"}, "ch06_decision": {"action": "买入"}},
    "矛盾：三个价格的次序": {"ch06_decision": {"buy_price": 12.0, "normal_price": 12.0, "sell_price": 20.0}},
    "矛盾：EV/FCF 与买卖价": {"ch04_valuation": {"ev_fcf_view": "高估"}, "ch06_decision": {"action": "买入"}},
    "矛盾：现金质量与现金估值": {
        "ch03_cashflow": {"cash_quality": "差"},
        "ch04_valuation": {"ev_fcf_view": "低估"},
    },
    "矛盾：压力测试与买卖价": {"ch05_stress": {"stress_passed": 0}, "ch06_decision": {"action": "买入"}},
}


@pytest.mark.parametrize("name", VETOES)
def test_a_veto_caps_the_score_at_25_and_says_avoid(name: str) -> None:
    found = verdict(81, own="买入", **VETOES[name])
    assert (found.score, found.label) == (25, "avoid")
    (adjustment,) = found.adjustments
    assert (adjustment.rule, adjustment.field) == (name, "score")
    assert (adjustment.before, adjustment.after) == (81, 25)


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_contradiction_caps_the_score_at_65_and_bars_buy(name: str) -> None:
    found = verdict(81, own="观望", **CONTRADICTIONS[name])
    assert (found.score, found.label) == (65, "watch")
    assert [adjustment.rule for adjustment in found.adjustments] == [name]


def test_rules_on_the_synthesis_own_advice_apply() -> None:
    found = verdict(81, own="买入", ch01_data={"screen_result": "不通过"}, ch05_stress={"stress_passed": 0})
    assert [a.rule for a in found.adjustments] == ["矛盾：初筛与最终建议", "矛盾：压力测试与最终建议"]
    assert found.score == 65


def test_an_adjustment_names_the_field_that_triggered_it() -> None:
    found = verdict(81, **VETOES["否决：债务危险"])
    assert "ch03_cashflow.debt_assessment = 危险" in found.adjustments[0].why
    assert "ch03_cashflow.debt_trend = 持平" in found.adjustments[0].why


def test_dangerous_debt_that_is_improving_is_no_veto() -> None:
    assert verdict(40, ch03_cashflow={"debt_assessment": "危险", "debt_trend": "改善"}).adjustments == ()


@pytest.mark.parametrize("field", ["data_credibility", "management_integrity", "audit_opinion"])
def test_unknown_is_neither_a_veto_nor_recorded_as_one(field: str) -> None:
    found = verdict(40, own="观望", ch01_data={field: None})
    assert (found.score, found.adjustments) == (40, ())


def test_a_rule_the_score_already_satisfies_is_still_recorded() -> None:
    found = verdict(20, own="回避", **VETOES["否决：数据不可信"])
    assert [(a.before, a.after) for a in found.adjustments] == [(20, 20)]


def test_several_rules_apply_one_after_the_other() -> None:
    found = verdict(90, own="观望", **(CONTRADICTIONS["矛盾：压力测试与买卖价"] | VETOES["否决：债务危险"]))
    assert [(a.before, a.after) for a in found.adjustments] == [(90, 25), (25, 25)]


def strategy_with(*rules: HardRule) -> ChaptersStrategy:
    return VALUE.model_copy(update={"hard_rules": rules})


def test_a_barred_label_gives_way_to_the_next_worse_one() -> None:
    bars = rule(cap=None, label_bar="buy", when={"all": [{"field": "moat_width", "op": "==", "value": "无"}]})
    found = verdict(80, own="买入", strategy=strategy_with(bars), ch02_business={"moat_width": "无"})
    assert (found.score, found.label) == (80, "watch")
    assert [(a.field, a.before, a.after) for a in found.adjustments] == [
        ("score", 80, 80),
        ("label", "买入", "观望"),
    ]


@pytest.mark.parametrize(
    ("condition", "answer", "holds"),
    [
        ({"op": "==", "value": 3}, 3, True),
        ({"op": "!=", "value": 3}, 3, False),
        ({"op": "in", "value": ["a", "b"]}, "b", True),
        ({"op": "in", "value": ["a", "b"]}, "c", False),
        ({"op": "<", "value": 0.5}, 0.4, True),
        ({"op": "<=", "value": 0.5}, 0.5, True),
        ({"op": ">", "value": 0.5}, 0.5, False),
        ({"op": ">=", "value": 0.5}, 0.5, True),
        ({"op": "contains", "value": "诉讼"}, "重大诉讼", True),
        ({"op": "contains", "value": "x"}, ["x", "y"], True),
        ({"op": ">", "value": 1}, "2", False),
        ({"op": "contains", "value": "x"}, 3, False),
        ({"op": "!=", "value": "改善"}, None, False),
        ({"op": ">=", "value": 0}, None, False),
    ],
)
def test_conditions(condition: Mapping[str, Any], answer: Any, holds: bool) -> None:
    found = triggered([rule(when={"all": [{"field": "f", **condition}]})], {"ch": {"f": answer}})
    assert bool(found) is holds


def test_a_field_nobody_answered_makes_a_condition_unknown() -> None:
    condition = {"field": "f", "op": "!=", "value": "改善"}
    assert triggered([rule(when={"all": [condition]})], {"ch": {}}) == []
    assert triggered([rule(when={"all": [{"chapter": "other", **condition}]})], {"ch": {"f": "x"}}) == []


def test_all_needs_every_condition_and_any_needs_one() -> None:
    conditions = [{"field": "a", "op": "==", "value": 1}, {"field": "b", "op": "==", "value": 1}]
    half = {"ch": {"a": 1, "b": None}}
    assert triggered([rule(when={"all": conditions})], half) == []
    (found,) = triggered([rule(when={"any": conditions})], half)
    assert found.because == ("ch.a = 1",)


def test_a_condition_may_compare_two_fields_of_two_chapters() -> None:
    condition = {"chapter": "x", "field": "low", "op": ">", "other": {"chapter": "y", "field": "high"}}
    (found,) = triggered([rule(when={"all": [condition]})], {"x": {"low": 3}, "y": {"high": 2}})
    assert found.because == ("x.low = 3", "y.high = 2")
    assert found.clause("zh") == "a rule（x.low = 3，y.high = 2）"
    assert found.clause("en") == "a rule (x.low = 3, y.high = 2)"


def run_with(**changes: Any) -> Verdict:
    reports = {agent: report(agent, title) for agent, title in CHAPTERS}
    reports["ch04_valuation"] = report("ch04_valuation", "估值", **changes)
    fields = {**UNKNOWN, "最终建议": "观望", "综合评分": 60.0}
    reports["synthesis"] = report("synthesis", score=60, confidence=0.8, fields=fields)
    return conclude(reports, VALUE)


@pytest.mark.parametrize("status", ["no_data", "error", "parse_error"])
def test_a_chapter_that_does_not_count_lowers_the_confidence_and_is_named(status: Status) -> None:
    found = run_with(status=status, sufficiency="none")
    assert (found.counted, found.total) == (5, 6)
    assert found.confidence == pytest.approx(0.8 * 5 / 6, abs=1e-4)
    assert found.warnings == ("6 章中计入 5 章，未计入：估值。",)
    (adjustment,) = found.adjustments
    assert (adjustment.field, adjustment.before) == ("confidence", 0.8)
    assert "估值" in adjustment.why


def test_what_the_synthesis_left_out_is_named_and_what_it_does_not_know_is_not() -> None:
    reports = {agent: report(agent, title) for agent, title in CHAPTERS}
    fields = UNKNOWN | {"最终建议": "观望", "综合评分": 60.0, "信心水平": "中"}
    del fields["流派判定"], fields["关键风险"]
    reports["synthesis"] = report("synthesis", score=60, confidence=0.5, fields=fields)
    assert conclude(reports, VALUE).warnings == ("综合研判没有回答：流派判定、关键风险。",)


def test_a_chapter_that_answers_without_a_score_does_not_count() -> None:
    found = run_with(score=None, confidence=0.1, sufficiency="low")
    assert (found.counted, found.total) == (5, 6)
    assert found.confidence == pytest.approx(0.8 * 5 / 6, abs=1e-4)
    assert found.warnings == ("6 章中计入 5 章，未计入：估值。",)


def test_where_no_chapter_came_to_a_judgement_there_is_no_score() -> None:
    reports = {agent: report(agent, title, score=None) for agent, title in CHAPTERS}
    reports["synthesis"] = report("synthesis", score=66, confidence=0.5, fields={"最终建议": "观望"})
    found = conclude(reports, VALUE)
    assert (found.score, found.label, found.counted) == (None, None, 0)
    assert len(found.warnings) == 1


def test_thin_evidence_counts_half() -> None:
    found = run_with(sufficiency="low")
    assert (found.counted, found.total) == (6, 6)
    assert found.confidence == pytest.approx(0.8 * 5.5 / 6, abs=1e-4)


def test_a_full_house_leaves_the_confidence_alone() -> None:
    found = run_with(sufficiency="medium")
    assert (found.confidence, found.adjustments) == (0.8, ())


def test_without_a_synthesis_there_is_no_score() -> None:
    reports = {agent: report(agent, title) for agent, title in CHAPTERS}
    reports["synthesis"] = report("synthesis", status="error")
    found = conclude(reports, VALUE)
    assert (found.score, found.label, found.counted) == (None, None, 6)


def test_an_english_strategy_is_told_in_english() -> None:
    found = verdict(
        81,
        own="buy",
        strategy=VALUE.model_copy(update={"language": "en"}),
        **VETOES["否决：数据不可信"],
    )
    assert found.warnings == ("The model itself recommends 'buy'; by score and rules it is 'avoid'.",)
