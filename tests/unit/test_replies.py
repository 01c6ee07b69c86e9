"""What is read from a model's answer, and what is refused."""

from __future__ import annotations

import gc
import json
import math
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from workbench.llm.json_text import last_object
from workbench.llm.replies import ParsedReply, ReplyError, parse_reply
from workbench.llm.schemas import SCHEMAS

CASES_FILE = Path(__file__).parents[2].parent / "shared" / "cases" / "replies.json"
CASES: list[dict[str, Any]] = json.loads(CASES_FILE.read_text())["cases"] if CASES_FILE.exists() else []

SIGNAL = {
    "impact_score": 0.5,
    "confidence_score": 0.6,
    "event_type": "guidance",
    "tickers_linked": [{"ticker": "AAPL", "impact_score": 0.5, "link_type": "direct"}],
    "analysis": "Above the range.",
}
VERDICT = {"综合评分": 66, "最终建议": "观望", "信心水平": "中"}
EXPERT = {
    "status": "ok",
    "data_sufficiency": "low",
    "analysis": "Two wins.",
    "home_edge": 0.1,
    "subjective_confidence": 0.4,
    "key_evidence": ["two wins"],
}
FORECAST = {
    "pred_home_goals": 1.4,
    "pred_away_goals": 1.1,
    "1x2": "1",
    "subjective_confidence": 0.4,
    "reasoning": "Home.",
    "agent_weights": {"form": 0.6, "h2h": 0.4},
}
ARBITER = {
    "decision": "buy",
    "direction": "bullish",
    "confidence": 0.7,
    "position_ratio": 0.2,
    "reasoning": "Two of three.",
    "signals_summary": {"total": 3},
    "risks": ["volume"],
    "reasoning_chain": ["sum", "size"],
}


def text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def refused(raw: str, schema: str | type[BaseModel]) -> ReplyError:
    with pytest.raises(ReplyError) as caught:
        parse_reply(raw, schema)
    return caught.value


def equal(got: Any, expected: Any) -> bool:
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        return isinstance(got, int | float) and math.isclose(got, expected, abs_tol=1e-9)
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(equal(got[name], expected[name]) for name in expected)
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(equal, got, expected))
    return bool(got == expected)


@pytest.mark.skipif(not CASES, reason="the example answers in ../shared are not on this machine")
@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']} {case['why']}" for case in CASES])
def test_example_answers(case: dict[str, Any]) -> None:
    expect = case["expect"]
    if "error" in expect:
        error = refused(case["raw"], case["schema"])
        assert error.kind == expect["error"]
        if "field" in expect:
            assert error.field.split(".")[0].split("[")[0] == expect["field"]
        return
    reply = parse_reply(case["raw"], case["schema"])
    for name, value in expect.get("ok", {}).items():
        assert equal(reply.value[name], value)
    assert reply.extra == set(expect.get("extra", reply.extra))
    assert reply.dropped == set(expect.get("dropped", reply.dropped))


# -- finding the object -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here: ```json\n{"a": 1}\n``` Good luck.', {"a": 1}),
        ('{"a": 1} then {"a": 2}', {"a": 2}),
        ('{"a": 1} and {placeholder}', {"a": 1}),
        ('{{"a": 1}}', {"a": 1}),
        ('see [1] and [note]: {"a": 1}', {"a": 1}),
        ('{"a": 1} as in {"a"}', {"a": 1}),
        ('[{"a": 1}]', {"a": 1}),
        ('[{"a": 1}, {"a": 2}]', None),
        ('[{"a": 1}, {"a": ', None),
        ('{"a": 1} {"a": 2, "b"', None),
        ('{"a": 1} {"a": oops, "b": 2}', None),
        ('{"a": {"b": 1}, "c": [', None),
        ('{"a": [1, 2}', None),
        ("{}", {}),
        ("", None),
        ("[]", None),
        ("12", None),
        ("{", None),
    ],
)
def test_the_last_complete_top_level_object_is_the_answer(raw: str, found: dict[str, Any] | None) -> None:
    assert last_object(raw) == found


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ('<THINK>{"a": 1}</Think>{"a": 2}', {"a": 2}),
        ('<thinking>{"a": 1}</thinking>', None),
        ('{"a": 1}<think>{"a": 2}', {"a": 1}),
        ('{"a": "the <think> tag"}', {"a": "the <think> tag"}),
        ('{"a": 1} is too harsh</think>{"a": 2}', {"a": 2}),
        ('{"a": 1} is too harsh</think>I would wait.', None),
        ('<think>about <think></think>{"a": 1}', {"a": 1}),
    ],
)
def test_what_was_only_thought_is_no_answer(raw: str, found: dict[str, Any] | None) -> None:
    assert last_object(raw) == found


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ('{"a": [1, 2, ], }', {"a": [1, 2]}),
        ("{'a': 'it''s', 'b': \"don't\"}", {"a": "it''s", "b": "don't"}),
        ("{'a': 'say \"hi\"', 'b': 'it\\'s \\n'}", {"a": 'say "hi"', "b": "it's \n"}),
        ('{"a"：７.５，"b"：－２}', {"a": 7.5, "b": -2}),
        ('{"a": +0.3, "b": [+1]}', {"a": 0.3, "b": [1]}),
        ('{"a": True, "b": None}', {"a": True, "b": None}),
        ('{\u00a0"a":\u30001}', {"a": 1}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": "７８：，＋ True \u3000 ,]"}', {"a": "７８：，＋ True \u3000 ,]"}),
        (r'{"a": "C:\\dir \"{x}\" // http://x.y/?q={1}"}', {"a": r'C:\dir "{x}" // http://x.y/?q={1}'}),
        (r'{"a": "half of an emoji: \ud83d"}', {"a": "half of an emoji: \ufffd"}),
        ('{"a": "whole: \\ud83d\\ude00"}', {"a": "whole: 😀"}),
    ],
)
def test_small_damage_is_repaired_and_strings_survive(raw: str, found: dict[str, Any]) -> None:
    assert last_object(raw) == found


@settings(deadline=None, max_examples=100)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=15,
    ).map(lambda value: {"key": value}),
    st.booleans(),
)
def test_any_json_object_is_read_exactly(value: dict[str, Any], ascii_only: bool) -> None:
    assert last_object(f"Answer: {json.dumps(value, ensure_ascii=ascii_only)} Done.") == value


# -- numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "score"),
    [
        ("78", 78),
        (" 78.5 ", 78.5),
        ("78分", 78),
        ("７８ 分", 78),
        ("78 / 100", 78),
        ("７８／１００", 78),
        ("39/50", 78),
        ("78分/100分", 78),
        ("64%", 64),
        ("６４％", 64),
        ("+3", 3),
        ("7.8e1", 78),
        (0, 0),
        (100, 100),
        (0.5, 0.5),
    ],
)
def test_a_score_may_be_written_as_text(written: object, score: float) -> None:
    assert parse_reply(text(VERDICT | {"综合评分": written}), "synthesis").value["综合评分"] == score


@pytest.mark.parametrize(
    "written",
    [
        "70-80分",
        "70~80",
        "约78",
        "seventy",
        "",
        "78 points",
        "1,234",
        "7²",
        "½",
        "٧٨",
        "NaN",
        "inf",
        "1e999",
        "78/0",
        "120/100",
        "101%",
        100.01,
        -0.01,
        None,
        True,
        False,
        [78],
        {"score": 78},
        math.nan,
        math.inf,
        10**400,
    ],
)
def test_what_is_no_score_on_the_scale_is_refused(written: object) -> None:
    error = refused(text(VERDICT | {"综合评分": written}), "synthesis")
    assert (error.kind, error.field) == ("validation", "综合评分")


@pytest.mark.parametrize(
    ("written", "confidence"),
    [("80%", 0.8), ("12.5 %", 0.125), ("78/100", 0.78), ("0.8", 0.8), ("100%", 1), (1, 1), (0, 0)],
)
def test_a_share_keeps_its_own_scale(written: object, confidence: float) -> None:
    value = parse_reply(text(ARBITER | {"confidence": written}), "arbitration").value
    assert value["confidence"] == pytest.approx(confidence, abs=1e-12)


@pytest.mark.parametrize("written", [80, "80", "8", 1.01, -0.1, "120%", "80分", "high"])
def test_a_share_is_never_rescaled_or_clamped(written: object) -> None:
    assert refused(text(ARBITER | {"confidence": written}), "arbitration").field == "confidence"


@pytest.mark.parametrize(("written", "edge"), [("-25%", -0.25), ("+0.3", 0.3), (-1, -1), (1, 1)])
def test_an_edge_has_a_sign(written: object, edge: float) -> None:
    assert parse_reply(text(EXPERT | {"home_edge": written}), "specialist_match").value["home_edge"] == edge


@pytest.mark.parametrize("written", ["50%", "3/2", -1, "2-1", math.inf])
def test_goals_have_no_scale_to_be_a_share_of(written: object) -> None:
    error = refused(text(FORECAST | {"pred_home_goals": written}), "match_final")
    assert error.field == "pred_home_goals"


@pytest.mark.parametrize(
    ("score", "label", "stands"),
    [
        (0.72, "买入", False),
        (0.72, "BUY", False),
        (1, "买入", False),
        ("0.72%", "买入", False),
        (0.72, "回避", True),
        (1, "avoid", True),
        (0, "买入", True),
        (1.01, "买入", True),
    ],
)
def test_a_tiny_score_is_refused_only_beside_the_advice_to_buy(
    score: object, label: str, stands: bool
) -> None:
    raw = text(VERDICT | {"综合评分": score, "最终建议": label})
    if stands:
        parse_reply(raw, "synthesis")
    else:
        assert refused(raw, "synthesis").field == "综合评分"


# -- choices, lists, objects --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "answer", "field", "written", "meant"),
    [
        ("synthesis", VERDICT, "最终建议", "Buy", "买入"),
        ("synthesis", VERDICT, "最终建议", " 回避 ", "回避"),
        ("synthesis", VERDICT, "最终建议", "WATCH", "观望"),
        ("arbitration", ARBITER, "decision", "观望", "hold"),
        ("arbitration", ARBITER, "decision", "持有", "hold"),
        ("arbitration", ARBITER, "decision", "Wait", "wait"),
        ("arbitration", ARBITER, "direction", "看空", "bearish"),
        ("match_final", FORECAST, "1x2", "x", "X"),
        ("match_final", FORECAST, "1x2", "平", "X"),
        ("match_final", FORECAST, "1x2", "客胜", "2"),
        ("match_final", FORECAST, "1x2", "１", "1"),
        ("match_final", FORECAST, "1x2", "Home", "1"),
        ("specialist_match", EXPERT, "data_sufficiency", "HIGH", "high"),
    ],
)
def test_a_choice_may_be_a_listed_word(
    schema: str, answer: dict[str, Any], field: str, written: str, meant: str
) -> None:
    assert parse_reply(text(answer | {field: written}), schema).value[field] == meant


@pytest.mark.parametrize(
    ("schema", "answer", "field", "written"),
    [
        ("synthesis", VERDICT, "最终建议", "不建议买入"),
        ("synthesis", VERDICT, "最终建议", "hold"),
        ("synthesis", VERDICT, "最终建议", "sell"),
        ("synthesis", VERDICT, "最终建议", ""),
        ("synthesis", VERDICT, "最终建议", None),
        ("synthesis", VERDICT, "最终建议", ["买入"]),
        ("arbitration", ARBITER, "decision", "watch"),
        ("arbitration", ARBITER, "decision", "strong buy"),
        ("arbitration", ARBITER, "direction", "买入"),
        ("match_final", FORECAST, "1x2", "1X"),
        ("match_final", FORECAST, "1x2", True),
        ("match_final", FORECAST, "1x2", 3),
    ],
)
def test_any_other_word_is_refused_and_never_a_default(
    schema: str, answer: dict[str, Any], field: str, written: object
) -> None:
    error = refused(text(answer | {field: written}), schema)
    assert (error.kind, error.field) == ("validation", field)


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ("specialist_signal", SIGNAL),
        ("specialist_match", EXPERT),
        ("match_final", FORECAST),
        ("synthesis", VERDICT),
        ("arbitration", ARBITER),
    ],
)
def test_no_field_may_be_missing(schema: str, answer: dict[str, Any]) -> None:
    assert parse_reply(text(answer), schema) == ParsedReply(answer, frozenset(), frozenset())
    for field in answer:
        left = {name: value for name, value in answer.items() if name != field}
        assert refused(text(left), schema).field == field


@pytest.mark.parametrize(
    ("schema", "answer", "change", "field"),
    [
        ("specialist_signal", SIGNAL, {"tickers_linked": {}}, "tickers_linked"),
        (
            "specialist_signal",
            SIGNAL,
            {"tickers_linked": [{"ticker": "A", "impact_score": 2, "link_type": "direct"}]},
            "tickers_linked[0].impact_score",
        ),
        (
            "specialist_signal",
            SIGNAL,
            {"tickers_linked": [{"ticker": "A", "impact_score": 0.5, "link_type": "indirect"}]},
            "tickers_linked[0].link_type",
        ),
        ("specialist_match", EXPERT, {"key_evidence": "two wins"}, "key_evidence"),
        ("specialist_match", EXPERT, {"key_evidence": list("abcdef")}, "key_evidence"),
        ("specialist_match", EXPERT, {"analysis": None}, "analysis"),
        ("match_final", FORECAST, {"agent_weights": {"form": 40}}, "agent_weights.form"),
        ("match_final", FORECAST, {"agent_weights": {"form": "most"}}, "agent_weights.form"),
        ("match_final", FORECAST, {"agent_weights": [0.5]}, "agent_weights"),
        ("arbitration", ARBITER, {"signals_summary": "3"}, "signals_summary"),
        ("arbitration", ARBITER, {"signals_summary": {"mean": [math.nan]}}, "signals_summary.mean[0]"),
        ("arbitration", ARBITER, {"risks": [1]}, "risks[0]"),
    ],
)
def test_nested_values_are_judged_and_named(
    schema: str, answer: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    assert refused(text(answer | change), schema).field == field


def test_nested_numbers_may_be_text_and_unknown_nested_fields_are_set_aside() -> None:
    linked = {"ticker": "AAPL", "impact_score": "50%", "link_type": "DIRECT", "note": "big"}
    value = parse_reply(text(SIGNAL | {"tickers_linked": [linked]}), "specialist_signal").value
    assert value["tickers_linked"] == [{"ticker": "AAPL", "impact_score": 0.5, "link_type": "direct"}]


def test_unknown_fields_are_named_and_trade_instructions_are_dropped_in_arbitration_only() -> None:
    surplus = {"stop_loss": 1, "target_price": 2, "mood": "calm"}

    arbiter = parse_reply(text(ARBITER | surplus), "arbitration")
    expert = parse_reply(text(EXPERT | surplus), "specialist_match")

    assert (arbiter.dropped, arbiter.extra) == ({"stop_loss", "target_price"}, {"mood"})
    assert (expert.dropped, expert.extra) == (frozenset(), set(surplus))
    assert arbiter.value == ARBITER


class Chapter(BaseModel):
    """As a strategy composes it: optional outputs, free fields, a list of choices."""

    score: float = Field(ge=0, le=100)
    payout: float | None = Field(ge=0)
    moat: Literal["宽", "窄"] | None
    tags: list[Literal["a", "b"]] = []
    years: int | None = None
    notes: str | list[str] | dict[str, Any] | None = None


def test_a_schema_of_ones_own_follows_the_same_rules() -> None:
    raw = text({"score": "78分", "payout": None, "moat": "宽", "tags": ["A", "b"], "years": "5"})
    assert parse_reply(raw, Chapter).value == {
        "score": 78,
        "payout": None,
        "moat": "宽",
        "tags": ["a", "b"],
        "years": 5,
    }


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"payout": "unknown"}, "payout"),
        ({"payout": -1}, "payout"),
        ({"moat": "中"}, "moat"),
        ({"years": 2.5}, "years"),
        ({"notes": {"x": math.inf}}, "notes.x"),
    ],
)
def test_a_schema_of_ones_own_refuses_the_same_way(change: dict[str, Any], field: str) -> None:
    answer = {"score": 78, "payout": 0.5, "moat": "窄"} | change
    assert refused(text(answer), Chapter).field == field


def test_an_error_names_the_field_and_does_not_repeat_the_answer() -> None:
    error = refused(text(ARBITER | {"decision": "SECRET WORD"}), "arbitration")
    assert str(error).startswith("decision: ")
    assert "SECRET WORD" not in str(error)


# -- nothing else may come out, and never slowly ------------------------------------------------------

FRAGMENTS = st.sampled_from(
    [
        "{", "}", "[", "]", '"', "'", ":", ",", "：", "，", "\\", "\\u", "\\ud800", "<think>", "</think>",
        "```json", "NaN", "Infinity", "-", "+", "1e999", "９", "%", "分", "/", "null", "True", "\n", "\x00",
        " ", "\u00a0", "\ud800", "{}", "[]", "{'", '{"', "'}", '"}', '"a":', "买入", "1x2", "综合评分", "😀",
    ]
)  # fmt: skip


@st.composite
def damaged_answers(draw: st.DrawFn) -> str:
    """A good answer with pieces cut out, doubled, swapped in from another, or replaced by troublemakers."""
    pieces = st.sampled_from([text(a) for a in (SIGNAL, VERDICT, EXPERT, FORECAST, ARBITER)])
    raw = draw(pieces)
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 30)))
        middle = draw(FRAGMENTS | st.text(max_size=6) | pieces | st.just(raw[start:end] * 2))
        raw = raw[:start] + middle + raw[end:]
    return raw


@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(damaged_answers(), st.sampled_from(sorted(SCHEMAS)))
def test_a_damaged_answer_gives_a_value_or_a_reply_error(raw: str, schema: str) -> None:
    with suppress(ReplyError):
        reply = parse_reply(raw, schema)
        json.dumps(reply.value, allow_nan=False)
        text(reply.value).encode()


SIZE = 200_000
QUADRATIC_S = 0.5
"""Ten times what any of these takes; a reader that looks at everything twice for each brace needs minutes."""


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Looking through what other tests have left in memory is no part of reading an answer."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "pattern",
    [
        "a", "{", "[", "[{", "{{", '"', "'", "\\", ",", "{ ", '{"a":', "{'a':", '{"a":[', '{"a"} ',
        '{"a":x} ', '{"a":1} ', '{"a":1}</think>', "<think>", "<think></think>", '{"a":"\\', '{"a":1,',
        "{'a':' }", "[1],", '"x",', "'x',", "１", "\u3000", "+1,", "True,", "]", "}", "[{},", '{"a":1}{',
    ],
)  # fmt: skip
@pytest.mark.parametrize("frame", ["{}", '{{"key":{}', '{{"key":[{}1]}}', "{{'key':'{}'}}"])
def test_time_grows_with_the_length_of_the_text_and_no_faster(
    pattern: str, frame: str, no_collection: None
) -> None:
    raw = frame.format(pattern * (SIZE // len(pattern)))
    started = time.process_time()
    last_object(raw)
    assert time.process_time() - started < QUADRATIC_S
