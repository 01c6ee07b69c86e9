"""What a run would cost is told before it is started."""

from __future__ import annotations

import asyncio

from tests.conftest import FakeModel
from tests.engine_samples import GOOD, REVISED, two_and_a_conclusion
from workbench.engine.estimate import Estimate, estimate
from workbench.llm.prices import Price
from workbench.records import Evidence, Models


class FlatPrices:
    """One token a character; only the small model has a price."""

    def tokens(self, model: str, text: str) -> int:
        return len(text)

    def price(self, model: str) -> Price | None:
        return Price(1e-6, 2e-6, "flat") if model == "small" else None


def estimated(fake_model: FakeModel, models: Models) -> Estimate:
    fake_model.enqueue(GOOD, REVISED, agent="a")
    fake_model.enqueue(GOOD, agent="end")
    plan = two_and_a_conclusion(a={"revise": True}, b={"gather": lambda reports: Evidence()})
    return asyncio.run(estimate(plan, models, FlatPrices(), fake_model))


def test_tokens_and_cost_follow_the_calls_each_agent_would_make(fake_model: FakeModel) -> None:
    result = estimated(fake_model, Models(specialist="small", aggregator="small"))

    a, b, end = result.agents
    assert [agent.calls for agent in result.agents] == [2, 0, 1]
    sent = [len(request.system) + 1 + len(request.prompt) for request in fake_model.asked("a")]
    assert a.input_tokens == sum(sent)
    assert a.cost == (a.input_tokens + 2 * a.output_tokens) / 1e6
    assert (b.input_tokens, b.cost, b.price_source) == (0, 0.0, "flat")
    assert result.cost == a.cost + (end.cost or 0)
    assert (result.calls, result.unpriced) == (3, ())


def test_an_unknown_price_leaves_the_total_unknown_and_is_named(fake_model: FakeModel) -> None:
    result = estimated(fake_model, Models(specialist="small", aggregator="large"))

    assert result.agents[0].cost is not None
    assert (result.cost, result.unpriced) == (None, ("large",))
    assert result.input_tokens > 0
