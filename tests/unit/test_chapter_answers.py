"""How the answers of chapters and synthesis are read: leniently in form, strictly in what they mean."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.llm.replies import ReplyError, parse_reply
from workbench.pipelines.answers import chapter_form, synthesis_form
from workbench.strategy.files import load_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.schema import ChaptersStrategy

STRATEGY = Path(__file__).parents[2] / "strategy"
VALUE = load_strategy(STRATEGY / "value.yaml").strategy
assert isinstance(VALUE, ChaptersStrategy)
SYNTHESIS = synthesis_form(VALUE).schema
DEBT = OperatorLibrary(STRATEGY / "operators").get("debt_structure")
CHAPTER = chapter_form((DEBT,), "zh").schema

ESSENTIAL = {"综合评分": 78, "最终建议": "买入", "信心水平": "中"}
CHAPTER_ANSWER = {
    "score": 62,
    "confidence": 0.7,
    "conclusion": "债务可控。",
    "analysis": "净现金为正。",
    "key_evidence": ["净现金 36.2 亿元（2018）"],
    "debt_assessment": "可控",
    "debt_trend": "持平",
    "net_cash_now": 3616.0,
}


def synthesis(**fields: Any) -> dict[str, Any]:
    return parse_reply(json.dumps(ESSENTIAL | fields, ensure_ascii=False), SYNTHESIS).value


def chapter(**fields: Any) -> dict[str, Any]:
    return parse_reply(json.dumps(CHAPTER_ANSWER | fields, ensure_ascii=False), CHAPTER).value


def test_score_recommendation_and_confidence_are_an_answer_and_nothing_is_filled_in() -> None:
    assert synthesis() == ESSENTIAL


@pytest.mark.parametrize("name", ESSENTIAL)
def test_none_of_the_three_may_be_missing(name: str) -> None:
    rest = {field: value for field, value in ESSENTIAL.items() if field != name}
    with pytest.raises(ReplyError, match="required") as refused:
        parse_reply(json.dumps(rest, ensure_ascii=False), SYNTHESIS)
    assert (refused.value.kind, refused.value.field) == ("validation", name)


@pytest.mark.parametrize(
    ("written", "score"), [("78 / 100", 78.0), ("78分", 78.0), ("７８", 78.0), ("64%", 64.0), (78.5, 78.5)]
)
def test_a_score_may_be_written_as_text(written: object, score: float) -> None:
    assert synthesis(综合评分=written)["综合评分"] == score
    assert chapter(score=written)["score"] == score


@pytest.mark.parametrize("score", [105, -1, "七十八", None, True, "70-80分"])
def test_a_score_that_is_none_is_refused(score: object) -> None:
    with pytest.raises(ReplyError) as refused:
        synthesis(综合评分=score)
    assert refused.value.field == "综合评分"


@pytest.mark.parametrize(
    "answer",
    [
        {"overall_score": 78, "recommendation": "buy", "信心水平": "中"},
        {"score": "78 / 100", "最终建议": "Buy", "信心水平": "中"},
        {"综合评分 ": 78, "最终建议": "买入", "信心水平（必填）": "中"},
    ],
)
def test_the_three_are_also_known_by_the_names_other_strategies_give_them(answer: dict[str, object]) -> None:
    assert parse_reply(json.dumps(answer, ensure_ascii=False), SYNTHESIS).value == ESSENTIAL


def test_a_field_is_known_without_its_remark_in_brackets_and_in_any_width() -> None:
    for name in ("一句话买入逻辑", "一句话买入逻辑(强制)", "一句话 买入逻辑 （强制）"):
        assert synthesis(**{name: "低于十元才买"})["一句话买入逻辑（强制）"] == "低于十元才买"
    assert chapter(**{"Debt Assessment": "x"})["debt_assessment"] == "可控"


def test_the_schemas_own_name_goes_before_another_one() -> None:
    parsed = parse_reply(json.dumps(ESSENTIAL | {"score": 12}, ensure_ascii=False), SYNTHESIS)
    assert (parsed.value["综合评分"], parsed.extra) == (78, {"score"})


def test_a_list_where_a_text_is_asked_for_is_its_lines_and_the_other_way_round() -> None:
    answer = chapter(analysis=["净现金为正。", "短债不多。"], key_evidence="净现金 36.2 亿元\n\n短债 0 元")
    assert answer["analysis"] == "净现金为正。\n短债不多。"
    assert answer["key_evidence"] == ["净现金 36.2 亿元", "短债 0 元"]
    answer = synthesis(
        analysis=["一", "二"], key_evidence="三", step_findings={"一票否决": ["未触发", "未知两项"]}
    )
    assert (answer["analysis"], answer["key_evidence"]) == ("一\n二", ["三"])
    assert answer["step_findings"] == {"一票否决": "未触发\n未知两项"}


@pytest.mark.parametrize("risks", ["渠道库存", ["渠道库存", "提价"], {"首要": "渠道库存"}, None])
def test_free_fields_take_text_lists_and_mappings(risks: object) -> None:
    assert synthesis(关键风险=risks)["关键风险"] == risks


def test_what_a_strategy_does_not_ask_for_is_set_aside() -> None:
    raw = json.dumps(ESSENTIAL | {"核心矛盾": "现金流稳，但增速放缓"}, ensure_ascii=False)
    assert parse_reply(raw, SYNTHESIS).extra == {"核心矛盾"}


def test_a_chapters_answer_is_no_synthesis_though_it_has_a_score() -> None:
    with pytest.raises(ReplyError):
        parse_reply(json.dumps(CHAPTER_ANSWER | {"action": "买入"}, ensure_ascii=False), SYNTHESIS)


def test_a_chapter_may_have_no_score_but_must_say_so() -> None:
    assert chapter(score=None)["score"] is None
    silent = {name: value for name, value in CHAPTER_ANSWER.items() if name != "score"}
    with pytest.raises(ReplyError):
        parse_reply(json.dumps(silent, ensure_ascii=False), CHAPTER)
