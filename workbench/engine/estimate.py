"""What a run would cost with other models, before it is started.

The baseline runs the plan first: it is free, takes a moment, and its run holds every prompt the models
would be sent and answers of about the length they would write. Only the counting is approximate.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.engine.plan import Plan
from workbench.engine.runner import run
from workbench.llm.base import Model
from workbench.llm.prices import PriceList
from workbench.records import Models


@dataclass(frozen=True)
class AgentEstimate:
    """About what one agent would use. ``cost`` is in USD; None where the model's price is unknown."""

    agent: str
    title: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    price_source: str


@dataclass(frozen=True)
class Estimate:
    """About what a run would use, agent by agent. Agents without evidence make no call."""

    agents: tuple[AgentEstimate, ...]

    @property
    def calls(self) -> int:
        return sum(agent.calls for agent in self.agents)

    @property
    def input_tokens(self) -> int:
        return sum(agent.input_tokens for agent in self.agents)

    @property
    def output_tokens(self) -> int:
        return sum(agent.output_tokens for agent in self.agents)

    @property
    def cost(self) -> float | None:
        """USD for the run; None as soon as one agent's price is unknown."""
        costs = [agent.cost for agent in self.agents if agent.calls]
        return None if None in costs else sum(cost for cost in costs if cost is not None)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models whose price is unknown."""
        return tuple(sorted({agent.model for agent in self.agents if agent.calls and agent.cost is None}))


async def estimate(plan: Plan, models: Models, prices: PriceList, baseline: Model) -> Estimate:
    """Estimate one run of ``plan`` with ``models``.

    Args:
        plan: A plan that is not used for the run itself: its view keeps a receipt.
        models: Model name of each tier.
        prices: Counts tokens and knows prices.
        baseline: Answers the plan's prompts for the estimate.
    """
    rehearsal = await run(plan, Models(), baseline)
    agents = []
    for step in plan.steps:
        model, price = models.of(step.tier), prices.price(models.of(step.tier))
        calls = rehearsal.reports[step.agent].calls
        asked = sum(prices.tokens(model, f"{call.system}\n{call.prompt}") for call in calls)
        answered = sum(prices.tokens(model, call.reply) for call in calls)
        agents.append(
            AgentEstimate(
                agent=step.agent,
                title=step.title,
                model=model,
                calls=len(calls),
                input_tokens=asked,
                output_tokens=answered,
                cost=price.of(asked, answered) if price else None,
                price_source=price.source if price else "",
            )
        )
    return Estimate(tuple(agents))
