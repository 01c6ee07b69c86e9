"""From opinions to a signal: the written rules, hand-computed figures, and properties that always hold."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import InputError
from workbench.records import (
    EVENT_TYPES,
    FLASH_TYPES,
    IMPACT_SCALE,
    LINK_TYPES,
    SIGNAL_TYPES,
    URGENCIES,
    Evidence,
    Opinion,
    Report,
)
from workbench.rules.signal_words import explain, to_verdict
from workbench.rules.signals import DEFAULT, aggregate, conclude
from workbench.strategy.news import EVENT_ZH, SignalPolicy, UrgencyThresholds

CASES = Path(__file__).parents[3] / "shared" / "cases" / "urgency.json"
FIVE = ("SignalScope", "SentimentPulse", "MacroMind", "SectorScan", "PolicyRadar")


def agent(
    name: str,
    impact: float,
    confidence: float = 0.5,
    event: str = "earnings",
    tickers: list[tuple[str, float, str]] | None = None,
    **more: Any,
) -> dict[str, Any]:
    linked = [{"ticker": t, "impact_score": i, "link_type": link} for t, i, link in tickers or []]
    return {
        "name": name,
        "status": "ok",
        "impact_score": impact,
        "confidence_score": confidence,
        "event_type": event,
        "tickers_linked": linked,
    } | more


def report(
    name: str,
    impact: float,
    *,
    draft: float | None = None,
    confidence: float = 0.5,
    status: Any = "ok",
    failed_tools: tuple[str, ...] = (),
    **fields: Any,
) -> Report:
    said = {
        "confidence_score": confidence,
        "event_type": "earnings",
        "tickers_linked": [],
        "analysis": "",
    } | fields
    opinions = {
        stage: Opinion(stage=stage, score=score, fields=said | {"impact_score": score})
        for stage, score in (("draft", impact if draft is None else draft), ("revised", impact))
    }
    return Report(
        agent=name,
        title=name.title(),
        role="specialist",
        scale=IMPACT_SCALE,
        status=status,
        evidence=Evidence(facts={"failed_tools": list(failed_tools)}, sufficiency="low"),
        draft=opinions["draft"],
        revised=opinions["revised"],
    )


def given_cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text(encoding="utf-8"))["cases"] if CASES.is_file() else []


@pytest.mark.skipif(not CASES.is_file(), reason="the collection of cases is not beside this checkout")
@pytest.mark.parametrize("case", given_cases(), ids=lambda case: case["id"])
def test_the_collected_cases_are_concluded_as_written(case: dict[str, Any]) -> None:
    signal, expected = conclude(case["agents"]), case["expect"]
    assert signal.impact_score == pytest.approx(expected["impact_score"], abs=1e-6)
    assert signal.confidence_score == pytest.approx(expected["confidence_score"], abs=1e-6)
    assert (signal.urgency, signal.degraded) == (expected["urgency"], expected["degraded"])
    assert [(t.ticker, t.link_type) for t in signal.tickers] == [
        (t["ticker"], t["link_type"]) for t in expected["tickers"]
    ]
    assert [t.impact_score for t in signal.tickers] == pytest.approx(
        [t["impact_score"] for t in expected["tickers"]], abs=1e-6
    )


def test_the_closed_lists_are_the_documents() -> None:
    assert (len(FLASH_TYPES), len(SIGNAL_TYPES)) == (10, 8)
    assert EVENT_TYPES == FLASH_TYPES + SIGNAL_TYPES
    assert set(EVENT_ZH) == set(EVENT_TYPES)


def test_impact_is_the_maximum_confidence_the_mean_and_a_ticker_the_weighted_mean() -> None:
    signal = conclude(
        [
            agent("SignalScope", 0.6, 0.8, tickers=[("AAPL", 0.6, "sector")]),
            agent("SectorScan", 0.9, 0.2, tickers=[("AAPL", 0.9, "chain")]),
            agent("MacroMind", 0.3, 0.5),
        ]
    )
    # 0.9; (0.8 + 0.2 + 0.5) / 3; (0.6 * 0.8 + 0.9 * 0.2) / 1.0
    assert (signal.impact_score, signal.confidence_score) == (0.9, 0.5)
    assert [(t.ticker, t.impact_score, t.link_type) for t in signal.tickers] == [("AAPL", 0.66, "chain")]
    assert (signal.urgency, signal.event_type, signal.counted, signal.total) == ("ALERT", "earnings", 3, 3)


@pytest.mark.parametrize(
    ("impact", "event", "name", "urgency"),
    [
        (0.80, "fraud", "SectorScan", "FLASH"),
        (0.79, "fraud", "SectorScan", "ALERT"),
        (0.95, "m_and_a", "SectorScan", "ALERT"),
        (0.65, "m_and_a", "SectorScan", "ALERT"),
        (0.64, "m_and_a", "SectorScan", "NOTE"),
        (0.40, "tariffs", "PolicyRadar", "FLASH"),
        (0.40, "tariffs", "policy_radar", "FLASH"),
        (0.40, "tariffs", "MacroMind", "FLASH"),
        (0.40, "tariffs", "SectorScan", "NOTE"),
        (0.39, "tariffs", "PolicyRadar", "FYI"),
    ],
)
def test_urgency_by_impact_event_and_who_reports_it(
    impact: float, event: str, name: str, urgency: str
) -> None:
    others = [agent("a", 0.1, event="routine_news"), agent("b", 0.1, event="routine_news")]
    assert conclude([agent(name, impact, event=event), *others]).urgency == urgency


def test_a_score_that_floating_point_leaves_just_below_a_bound_reaches_it() -> None:
    """0.1 + 0.7 is 0.7999999999999999 to a computer, which made an ALERT of a FLASH."""
    trio = [agent(name, 0.1 + 0.7, event="fraud") for name in FIVE[:3]]
    assert conclude(trio).urgency == "FLASH"
    assert conclude(trio).impact_score == 0.8


@pytest.mark.parametrize(
    ("impact", "before", "after"), [(0.9, "FLASH", "ALERT"), (0.7, "ALERT", "NOTE"), (0.5, "NOTE", "FYI")]
)
def test_fewer_than_three_agents_lower_the_urgency_by_one_step_and_say_so(
    impact: float, before: str, after: str
) -> None:
    signal = conclude([agent(name, impact, event="fraud") for name in FIVE[:2]], language="en")
    assert signal.degraded
    assert signal.urgency == after
    (change,) = signal.adjustments
    assert (change.rule, change.field, change.before, change.after) == ("degraded", "urgency", before, after)
    assert "Only 2" in change.why


def test_fyi_cannot_fall_and_nothing_is_recorded() -> None:
    signal = conclude([agent("SignalScope", 0.1)])
    assert (signal.urgency, signal.degraded, signal.adjustments) == ("FYI", True, ())


@pytest.mark.parametrize("agents", [[], [agent("SignalScope", 0.9, event="fraud", status="error")]])
def test_without_an_agent_that_counts_there_is_no_signal(agents: list[dict[str, Any]]) -> None:
    signal = conclude(agents)
    assert (signal.impact_score, signal.confidence_score, signal.urgency) == (None, None, None)
    assert (signal.degraded, signal.tickers, signal.total) == (True, (), len(agents))


def test_each_failed_required_tool_takes_a_fifth_of_the_agents_confidence() -> None:
    signal = conclude(
        [
            report("sentiment_pulse", 0.5, confidence=0.5, failed_tools=("reddit", "stocktwits")),
            report("macro_mind", 0.5, confidence=0.9),
            report("sector_scan", 0.5, confidence=0.7),
        ]
    )
    # 0.5 * 0.8 * 0.8 = 0.32; (0.32 + 0.9 + 0.7) / 3
    assert signal.confidence_score == 0.64
    (change,) = signal.adjustments
    assert (change.field, change.before, change.after) == ("sentiment_pulse.confidence_score", 0.5, 0.32)
    assert "reddit, stocktwits" in change.why
    lenient = conclude([report("a", 0.5, failed_tools=("reddit",))], SignalPolicy(tool_factor=1))
    assert (lenient.confidence_score, [a.rule for a in lenient.adjustments]) == (0.5, ["degraded"])


def test_stored_opinions_are_concluded_again_under_another_policy_without_asking_anybody() -> None:
    agents = [
        agent("SignalScope", 0.9, 0.2, tickers=[("AAPL", 0.9, "direct")]),
        agent("MacroMind", 0.3, 0.6, tickers=[("AAPL", 0.3, "macro")]),
        agent("PolicyRadar", 0.3, 0.2),
    ]
    mean = conclude(agents, SignalPolicy(impact="mean", confidence="max", tickers="max"))
    assert (mean.impact_score, mean.confidence_score, mean.urgency) == (0.5, 0.6, "NOTE")
    assert mean.tickers[0].impact_score == 0.9
    weighted = conclude(agents, SignalPolicy(impact="weighted", tickers="mean"))
    # (0.9 * 0.2 + 0.3 * 0.6 + 0.3 * 0.2) / 1.0
    assert (weighted.impact_score, weighted.tickers[0].impact_score) == (0.42, 0.6)
    strict = SignalPolicy(quorum=4, urgency=UrgencyThresholds(flash=0.95, alert=0.9, note=0.2))
    assert conclude(agents, strict).urgency == "NOTE"


@pytest.mark.parametrize(
    ("how", "pairs", "expected"),
    [
        ("max", [(0.2, 0.0), (0.7, 0.1)], 0.7),
        ("mean", [(0.2, 0.9), (0.7, 0.1)], 0.45),
        ("weighted", [(0.2, 0.9), (0.7, 0.1)], 0.25),
        ("weighted", [(0.2, 0.0), (0.7, 0.0)], 0.45),
        ("weighted", [(1.0, 5e-324), (1.0, 5e-324)], 1.0),
    ],
)
def test_the_three_ways_of_aggregating(how: Any, pairs: list[tuple[float, float]], expected: float) -> None:
    assert aggregate(how, pairs) == pytest.approx(expected, abs=1e-9)


def test_a_score_outside_its_range_is_refused_with_the_agent_and_the_field() -> None:
    with pytest.raises(InputError, match=r"MacroMind\.impact_score"):
        conclude([agent("MacroMind", 1.2)])
    assert conclude([agent("MacroMind", 1.2, status="error")]).counted == 0


GOOD_LINK = {"ticker": "MSFT", "impact_score": 0.4, "link_type": "direct"}


@pytest.mark.parametrize(
    "bad",
    [
        {"ticker": "AAPL", "impact_score": 0.2, "link_type": "rumour"},
        {"ticker": "AAPL", "impact_score": 0.2},
        {"ticker": "AAPL", "impact_score": 1.2, "link_type": "direct"},
        {"ticker": "", "impact_score": 0.2, "link_type": "direct"},
        {"ticker": "  ", "impact_score": 0.2, "link_type": "direct"},
        {"ticker": None, "impact_score": 0.2, "link_type": "direct"},
        {"impact_score": 0.2, "link_type": "direct"},
        {"ticker": ["AAPL"], "impact_score": "high", "link_type": 3},
        "AAPL",
        7,
    ],
)
def test_a_link_that_cannot_be_used_is_dropped_and_the_rest_concluded(bad: Any) -> None:
    """One link without a ticker, or of an unknown type, left the whole item without a signal."""
    others = [agent("PolicyRadar", 0.5, event="fraud"), agent("SectorScan", 0.3)]
    honest = conclude([agent("MacroMind", 0.2) | {"tickers_linked": [GOOD_LINK]}, *others], language="en")
    signal = conclude(
        [agent("MacroMind", 0.2) | {"tickers_linked": [bad, GOOD_LINK]}, *others], language="en"
    )
    assert signal.model_copy(update={"adjustments": ()}) == honest
    (change,) = signal.adjustments
    assert (change.rule, change.field, change.after) == ("unusable", "MacroMind.tickers_linked", None)
    assert "left out" in change.why


@pytest.mark.parametrize("linked", [{"ticker": "AAPL"}, "AAPL", 7])
def test_links_in_another_form_than_a_list_are_no_reason_to_fail(linked: Any) -> None:
    signal = conclude([agent("MacroMind", 0.2) | {"tickers_linked": linked}])
    assert (signal.counted, signal.tickers) == (1, ())


@pytest.mark.parametrize("direction", ["up", "", 1, ["positive"]])
def test_a_direction_that_is_none_is_dropped_and_the_rest_concluded(direction: Any) -> None:
    """One agent's unknown direction left the whole item without a signal."""
    trio = [agent("A", 0.5, direction=direction), agent("B", 0.5, direction="negative"), agent("C", 0.5)]
    signal = conclude(trio)
    assert (signal.counted, signal.direction) == (3, "negative")
    assert [(change.rule, change.field) for change in signal.adjustments] == [("unusable", "A.direction")]


def test_one_failed_tool_may_be_given_by_its_name_alone() -> None:
    """The letters of the name were counted as so many tools."""
    (voice,) = conclude([agent("MacroMind", 0.5, 0.5, failed_tools="reddit")]).voices
    assert (voice.failed_tools, voice.confidence_score) == (("reddit",), 0.4)


def test_an_agent_that_states_no_score_does_not_count() -> None:
    silent = agent("MacroMind", 0.9) | {"confidence_score": None}
    assert conclude([silent, agent("SignalScope", 0.5)]).counted == 1


def test_the_direction_is_that_with_the_most_confidence_behind_it() -> None:
    def said(*votes: tuple[str | None, float]) -> str | None:
        return conclude([agent(f"a{n}", 0.5, c, direction=d) for n, (d, c) in enumerate(votes)]).direction

    assert said(("positive", 0.9), ("negative", 0.4), ("negative", 0.4)) == "positive"
    assert said(("positive", 0.4), ("negative", 0.4)) == "mixed"
    assert said((None, 0.9), ("negative", 0.1)) == "negative"
    assert said((None, 0.9)) is None


def test_words_and_numbers_say_how_each_figure_came_about() -> None:
    agents = [
        agent("SignalScope", 0.5, 0.4, tickers=[("AAPL", 0.5, "direct")]),
        agent("PolicyRadar", 0.82, 0.6, event="regulatory_action", tickers=[("AAPL", 0.8, "direct")]),
        agent("MacroMind", 0.2, 0.5),
        agent("SectorScan", 0.2, 0.5),
        agent("SentimentPulse", 0.9, 0.9, status="error"),
    ]
    signal = conclude(agents, language="en")
    words = explain(signal, DEFAULT, "en")
    assert words is not None
    assert words.impact == "Impact 0.82 = max, from PolicyRadar; 4 of 5 counted."
    assert words.confidence == (
        "Confidence 0.50 = mean of MacroMind 0.50, PolicyRadar 0.60, SectorScan 0.50, SignalScope 0.40."
    )
    assert words.urgency == "FLASH: the impact reaches 0.80 and PolicyRadar reports regulatory action."
    assert words.tickers == {
        "AAPL": "AAPL (direct) 0.68 = mean weighted by confidence of PolicyRadar 0.80×0.60, "
        "SignalScope 0.50×0.40."
    }
    chinese = explain(conclude(agents), DEFAULT, "zh")
    assert chinese is not None
    assert chinese.impact == "冲击 0.82 = 最大值，来自 PolicyRadar；5 位专家中 4 位有效。"
    assert chinese.urgency == "FLASH：冲击达到 0.80，且 PolicyRadar 报告监管行动。"
    policy = SignalPolicy(impact="mean")
    again = explain(conclude(agents, policy, language="en"), policy, "en")
    assert again is not None
    assert again.impact.startswith("Impact 0.43 = mean of MacroMind 0.20, PolicyRadar 0.82")
    assert again.urgency == "FLASH: the impact reaches 0.40 and PolicyRadar reports regulatory action."
    assert explain(conclude([]), DEFAULT, "en") is None


def test_a_degraded_signal_says_what_it_would_have_been() -> None:
    signal = conclude([agent("SignalScope", 0.7)], language="en")
    words = explain(signal, DEFAULT, "en")
    assert words is not None
    assert words.urgency.startswith("ALERT: the impact reaches 0.65. Only 1")


def test_the_verdict_keeps_the_draft_beside_the_final_figure_for_the_item_agents_and_tickers() -> None:
    linked = [{"ticker": "AAPL", "impact_score": 0.8, "link_type": "direct"}]
    verdict = to_verdict(
        [
            report("signal_scope", 0.85, draft=0.80, event_type="fraud", tickers_linked=linked),
            report("macro_mind", 0.30, draft=0.35),
            report("sector_scan", 0.20),
            report("policy_radar", 0.99, status="error"),
        ],
        DEFAULT,
        "en",
    )
    assert (verdict.score, verdict.label, verdict.counted, verdict.total) == (0.85, "FLASH", 3, 4)
    assert verdict.fields["draft_impact_score"] == 0.80
    assert {a["agent"]: a["draft_impact_score"] for a in verdict.fields["agents"]} == {
        "signal_scope": 0.80,
        "macro_mind": 0.35,
        "sector_scan": 0.20,
    }
    (ticker,) = verdict.fields["tickers"]
    assert (ticker["ticker"], ticker["draft_impact_score"]) == ("AAPL", 0.8)
    assert verdict.fields["explanation"][0] == "Impact 0.85 = max, from Signal_Scope; 3 of 4 counted."


share = st.floats(0, 1)
mentions = st.lists(
    st.tuples(st.sampled_from(["AAPL", "MSFT", "600519.SH"]), share, st.sampled_from(LINK_TYPES)), max_size=4
)
agents_ = st.builds(
    agent,
    st.sampled_from(FIVE),
    share,
    share,
    st.sampled_from([*EVENT_TYPES, "other"]),
    mentions,
    failed_tools=st.lists(st.sampled_from(["reddit", "web"]), max_size=2, unique=True),
)
policies = st.builds(
    SignalPolicy,
    impact=st.sampled_from(["max", "mean", "weighted"]),
    confidence=st.sampled_from(["max", "mean", "weighted"]),
    tickers=st.sampled_from(["max", "mean", "weighted"]),
)


@settings(deadline=None, max_examples=150)
@given(st.lists(agents_, max_size=6), policies, st.randoms(use_true_random=False))
def test_the_order_of_the_agents_never_matters(
    agents: list[dict[str, Any]], policy: SignalPolicy, chance: random.Random
) -> None:
    shuffled = [
        one | {"tickers_linked": chance.sample(one["tickers_linked"], len(one["tickers_linked"]))}
        for one in agents
    ]
    chance.shuffle(shuffled)
    assert conclude(shuffled, policy) == conclude(agents, policy)


@settings(deadline=None, max_examples=100)
@given(st.lists(agents_, max_size=5), agents_, st.sampled_from(["error", "no_data", "parse_error", "OK", ""]))
def test_a_failed_agent_changes_nothing_but_how_many_were_asked(
    agents: list[dict[str, Any]], failed: dict[str, Any], status: str
) -> None:
    with_it = conclude([*agents, failed | {"status": status}])
    assert with_it.model_copy(update={"total": len(agents)}) == conclude(agents)


@settings(deadline=None, max_examples=150)
@given(st.lists(agents_, min_size=1, max_size=6), policies)
def test_scores_stay_within_0_and_1_and_tickers_are_sorted(
    agents: list[dict[str, Any]], policy: SignalPolicy
) -> None:
    signal = conclude(agents, policy)
    scores = [signal.impact_score, signal.confidence_score, *(t.impact_score for t in signal.tickers)]
    assert all(score is not None and 0 <= score <= 1 for score in scores)
    assert list(signal.tickers) == sorted(signal.tickers, key=lambda t: (-t.impact_score, t.ticker))
    assert signal.urgency in URGENCIES


@settings(deadline=None, max_examples=100)
@given(st.lists(agents_, min_size=1, max_size=5), agents_)
def test_one_more_agent_never_lowers_the_impact_nor_makes_the_signal_quieter(
    agents: list[dict[str, Any]], another: dict[str, Any]
) -> None:
    before, after = conclude(agents), conclude([*agents, another])
    assert before.impact_score is not None
    assert after.impact_score is not None
    assert after.impact_score >= before.impact_score
    assert before.urgency is not None
    assert after.urgency is not None
    assert URGENCIES.index(after.urgency) <= URGENCIES.index(before.urgency)


def test_every_order_of_five_agents_gives_the_same_sum() -> None:
    """Plain addition of 0.1, 0.2, ... depends on its order in the last digit."""
    five = [agent(name, 0.1 * (n + 1), 0.1 * (n + 1)) for n, name in enumerate(FIVE)]
    policy = SignalPolicy(impact="mean", confidence="weighted")
    assert len({conclude(order, policy).model_dump_json() for order in itertools.permutations(five)}) == 1
