"""What ``models.yaml`` changes about calls: limits, prices, the budget; and what is remembered of a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.hosted_samples import GOOD, KEY, Sleeps, question
from tests.stub_server import StubServer, answer, failure, silence
from workbench.llm.budget import BudgetError, DailyBudget
from workbench.llm.formats import AnswerFormats
from workbench.llm.hosted import Hosted
from workbench.llm.presets import Presets
from workbench.settings import Settings

# litellm takes seconds to import: one worker does it for all tests that need it.
pytestmark = pytest.mark.xdist_group("litellm")

USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 100,
    "total_tokens": 1100,
    "prompt_tokens_details": {"cached_tokens": 400},
}
PRICES = {"openai/stub-1": {"input": 0.4, "cached": 0.1, "output": 1.6}}


class Ledger:
    def __init__(self, paid: float = 0.0) -> None:
        self.paid = paid

    def add(self, cost: float) -> None:
        self.paid += cost

    def today(self) -> float:
        return self.paid


def model_of(server: StubServer, sleeps: Sleeps, presets: Presets, **more: Any) -> Hosted:
    return Hosted(Settings(api_base=server.address), presets=lambda: presets, sleep=sleeps, **more)


def test_an_own_price_is_what_a_call_costs_also_at_a_server_of_ones_own(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(answer(GOOD, usage=USAGE))
    model = model_of(server, sleeps, Presets.model_validate({"prices": PRICES}))

    reply = loop.run(model.complete(question()))

    # 600 x 0.40 + 400 x 0.10 + 100 x 1.60 dollars a million
    assert reply.cost == pytest.approx(0.00044)
    assert reply.cost_source == "models.yaml"
    assert model.price("openai/stub-1").source == "models.yaml"


def test_an_own_price_is_no_cost_where_the_server_counts_no_tokens(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(answer(GOOD, usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}))
    model = model_of(server, sleeps, Presets.model_validate({"prices": PRICES}))

    reply = loop.run(model.complete(question()))

    assert (reply.cost, reply.cost_source) == (None, "")


def in_flight(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, presets: Presets, share: int = 1
) -> int:
    """How many of six questions reach the server at once."""

    async def scenario() -> int:
        model = model_of(server, sleeps, presets, share=share)
        server.then(*[silence()] * 6)
        tasks = [asyncio.create_task(model.complete(question())) for _ in range(6)]
        while not server.received:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return len(server.received)

    return loop.run(scenario())


@pytest.mark.parametrize(
    ("provider", "share", "expected"), [("openai", 1, 3), ("openai", 2, 2), ("ollama_chat", 1, 6)]
)
def test_a_provider_has_limits_of_its_own_which_processes_share(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, provider: str, share: int, expected: int
) -> None:
    presets = Presets.model_validate({"providers": {provider: {"concurrency": 3}}})

    assert in_flight(loop, server, sleeps, presets, share) == expected


def test_a_limit_that_is_changed_counts_from_the_next_call_on(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    said = [Presets()]
    model = Hosted(Settings(api_base=server.address), presets=lambda: said[0], sleep=sleeps)
    loop.run(model.complete(question()))
    assert sleeps.asked == []

    said[0] = Presets.model_validate({"providers": {"openai": {"requests_per_minute": 60}}})
    for _ in range(2):
        loop.run(model.complete(question()))

    assert sleeps.asked == pytest.approx([1.0], abs=0.2)


def test_every_paid_call_counts_towards_the_budget_and_none_is_made_beyond_it(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    presets = Presets.model_validate({"prices": PRICES, "daily_budget": 0.001})
    ledger = Ledger()
    model = model_of(server, sleeps, presets, budget=DailyBudget(lambda: presets, ledger))
    server.then(*[answer(GOOD, usage=USAGE)] * 9)

    for paid in (0.00044, 0.00088, 0.00132):
        loop.run(model.complete(question()))
        assert ledger.paid == pytest.approx(paid)
    with pytest.raises(BudgetError, match="is spent"):
        loop.run(model.complete(question()))

    assert len(server.received) == 3
    assert sleeps.asked == []


def test_calls_that_wait_for_their_turn_look_at_the_budget_when_it_comes(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    """Twenty agents that all looked before the first was paid would overrun the budget twentyfold."""
    presets = Presets.model_validate(
        {"prices": PRICES, "daily_budget": 0.0004, "providers": {"openai": {"concurrency": 2}}}
    )
    model = model_of(server, sleeps, presets, budget=DailyBudget(lambda: presets, Ledger()))
    server.then(*[answer(GOOD, usage=USAGE)] * 20)

    async def scenario() -> list[object]:
        questions = [model.complete(question()) for _ in range(20)]
        return await asyncio.gather(*questions, return_exceptions=True)

    outcomes = loop.run(scenario())

    assert len(server.received) == 2
    assert sum(isinstance(outcome, BudgetError) for outcome in outcomes) == 18


def test_under_a_budget_no_model_of_unknown_price_is_asked(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    presets = Presets(daily_budget=1)
    model = model_of(server, sleeps, presets, budget=DailyBudget(lambda: presets, Ledger()))

    with pytest.raises(BudgetError, match="its price is not known"):
        loop.run(model.complete(question()))

    assert server.received == []


def asked(server: StubServer) -> list[str | None]:
    return [received.body.get("response_format", {}).get("type") for received in server.received]


def test_the_form_a_model_accepts_is_remembered_by_a_later_process(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, tmp_path: Path
) -> None:
    """It was known to one process only, so each new one began with a refused call to every model."""
    server.then(failure(400, "json_schema is not supported"))
    first = model_of(server, sleeps, Presets(), formats=AnswerFormats(tmp_path / "cache.db"))
    loop.run(first.complete(question()))

    later = model_of(server, sleeps, Presets(), formats=AnswerFormats(tmp_path / "cache.db"))
    loop.run(later.complete(question()))

    assert asked(server) == ["json_schema", "json_object", "json_object"]


def test_the_form_is_remembered_for_one_model_at_one_server(tmp_path: Path) -> None:
    formats = AnswerFormats(tmp_path / "cache.db")
    formats.learn("openai/a", "http://one", "plain")

    again = AnswerFormats(tmp_path / "cache.db")
    assert again.get("openai/a", "http://one") == "plain"
    assert again.get("openai/a", "http://two") is None
    assert again.get("openai/b", "http://one") is None


def test_a_form_that_was_never_answered_is_not_remembered(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, tmp_path: Path
) -> None:
    server.then(failure(401, "no"))
    model = model_of(server, sleeps, Presets(), formats=AnswerFormats(tmp_path / "cache.db"))

    with pytest.raises(Exception, match="401"):
        loop.run(model.complete(question()))

    assert AnswerFormats(tmp_path / "cache.db").get("openai/stub-1", server.address) is None


def test_a_check_finds_the_form_out_anew(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, tmp_path: Path
) -> None:
    """A server that has learnt JSON Schema since is not asked in plain words for ever."""
    formats = AnswerFormats(tmp_path / "cache.db")
    formats.learn("openai/stub-1", server.address, "plain")
    server.then(answer('{"ready": true}'))

    check = loop.run(model_of(server, sleeps, Presets(), formats=formats).check("openai/stub-1"))

    assert check.answer_format == "json_schema"
    assert AnswerFormats(tmp_path / "cache.db").get("openai/stub-1", server.address) == "json_schema"


def test_a_check_asks_with_the_parameters_of_its_tier_and_names_those_a_model_does_not_take(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.then(answer('{"ready": true}'))
    params = {"temperature": 0.2, "reasoning_effort": "high"}

    check = loop.run(model_of(server, sleeps, Presets()).check("openai/gpt-4.1-mini", params))

    assert server.received[0].body["temperature"] == 0.2
    assert "reasoning_effort" not in server.received[0].body
    assert check.ignored == ("reasoning_effort",)
