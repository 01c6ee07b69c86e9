"""Language models through litellm: any model string, any provider, one way of failing.

litellm takes seconds and some 200 MB to import, so that happens inside the first call and off the event
loop. It keeps connections per event loop: use one loop per process. Its own retries, cache and callbacks
stay off; retries are counted and spaced here.

Keys are read from the environment by litellm itself. Nothing here holds one, and no error text leaves
this module without having been searched for them.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel

from workbench.errors import ModelError
from workbench.llm.base import Reply, Request
from workbench.llm.budget import BudgetError, DailyBudget
from workbench.llm.failures import Failure
from workbench.llm.formats import FORMATS, AnswerFormat, AnswerFormats
from workbench.llm.limits import Gate, Sleep, backoff
from workbench.llm.presets import Presets, Provider
from workbench.llm.prices import Price
from workbench.llm.replies import ReplyError, parse_reply
from workbench.llm.responses import read_response
from workbench.llm.schemas import json_schema
from workbench.llm.skeleton import skeleton
from workbench.settings import Settings

ATTEMPTS = 4

SELF_HOSTED = frozenset(
    {"openai", "ollama", "ollama_chat", "hosted_vllm", "lm_studio", "llamafile", "litellm_proxy"}
)
"""Providers that ``LLM_API_BASE`` applies to: local servers, and whatever speaks the OpenAI protocol."""


class Hosted:
    """A ``Model`` that answers through litellm.

    Args:
        settings: Address of a local server, limits.
        presets: What ``models.yaml`` says now: limits of single providers, own prices.
        formats: What is known of the answer formats.
        budget: What may be spent.
        share: How many processes share the limits.
        sleep: How to wait between attempts.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        presets: Callable[[], Presets] = Presets,
        formats: AnswerFormats | None = None,
        budget: DailyBudget | None = None,
        share: int = 1,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._presets = presets
        self._formats = formats or AnswerFormats()
        self._budget = budget
        self._share = share
        self._sleep = sleep
        self._litellm: Any = None
        self._gates: dict[str, Gate] = {}

    async def complete(self, request: Request) -> Reply:
        """Answer one request, with retries where the trouble may pass.

        Raises:
            ModelError: The model did not answer; says what the provider said and what to do.
        """
        if self._litellm is None:
            self._litellm = await asyncio.to_thread(load_library)
        litellm = self._litellm
        target = self._target(litellm, request.model)
        gate = self._gate(target.provider)
        forms = self._forms(litellm, target)
        attempt = 1
        while True:
            try:
                async with gate.turn():
                    self._check_budget(request.model)
                    reply = await self._ask(litellm, request, target, forms[0])
                    self._formats.learn(target.model, target.api_base, forms[0])
                    await self._pay(reply)
                    return reply
            except BudgetError:
                raise
            except Exception as error:  # noqa: BLE001 - litellm lets through whatever its providers raise
                failure = Failure.of(error)
            if failure.is_about_format and len(forms) > 1:
                forms = forms[1:]
                continue
            if failure.wait_s is not None:
                gate.pause(failure.wait_s)
            if not failure.transient or attempt == ATTEMPTS:
                raise failure.as_error(target.model, attempt) from None
            await self._sleep(backoff(attempt) if failure.wait_s is None else failure.wait_s)
            attempt += 1

    def tokens(self, model: str, text: str) -> int:
        """About how many tokens a text is for a model; exact where its tokenizer is public."""
        return int(load_library().token_counter(model=model, text=text))

    def price(self, model: str) -> Price | None:
        """The price of a model: one's own, else the one litellm lists.

        None for a model nobody lists, and for one on a server of one's own.

        Raises:
            ModelError: No provider is known for the model.
        """
        if own := self._presets().price(model):
            return own
        litellm = load_library()
        if self._target(litellm, model).api_base:
            return None
        try:
            listed = litellm.get_model_info(model)
        except Exception:  # noqa: BLE001 - what litellm raises for a model that is not listed has no common type
            return None
        costs = listed.get("input_cost_per_token"), listed.get("output_cost_per_token")
        if None in costs:
            return None
        return Price(*costs, source=_price_list(), cached=listed.get("cache_read_input_token_cost"))

    async def check(self, model: str, params: Mapping[str, Any] | None = None) -> Check:
        """Ask a model one tiny question, and find out anew how its answers may be asked for.

        Args:
            model: A litellm model string.
            params: Sampling parameters it is asked with.

        Raises:
            ModelError: It does not answer.
        """
        question = Request(
            agent="check",
            stage="draft",
            model=model,
            system="You are being tested.",
            prompt=f"Answer with this JSON object and nothing else:\n{skeleton(_Ready)}",
            schema=_Ready,
            params=params or {},
        )
        litellm = await asyncio.to_thread(load_library)
        target = self._target(litellm, model)
        self._formats.forget(target.model, target.api_base)
        reply = await self.complete(question)
        try:
            parse_reply(reply.text, _Ready)
        except ReplyError:
            readable = False
        else:
            readable = True
        return Check(
            reply=reply,
            answer_format=self._forms(litellm, target)[0],
            readable=readable,
            price=self.price(model),
            ignored=tuple(name for name in question.params if name not in _accepted(litellm, target)),
        )

    def _target(self, litellm: Any, model: str) -> _Target:
        try:
            name, provider, _, _ = litellm.get_llm_provider(model)
        except Exception:  # noqa: BLE001 - litellm's error is a page of advertising
            raise ModelError(
                "no provider is known for this model.",
                where=model,
                remedy="Write it as provider/model, e.g. openai/gpt-4.1-mini or ollama_chat/qwen3.",
            ) from None
        own = self._settings.api_base if provider in SELF_HOSTED else None
        return _Target(model, name, provider, own)

    def _gate(self, provider: str) -> Gate:
        """Where calls to a provider wait for their turn; a new one when its limits were changed."""
        own, common = self._presets().providers.get(provider, Provider()), self._settings
        per_minute = own.requests_per_minute or common.requests_per_minute
        limits = (
            -(-(own.concurrency or common.concurrency) // self._share),
            per_minute and max(1, per_minute // self._share),
        )
        gate = self._gates.get(provider)
        if gate is None or gate.limits != limits:
            gate = self._gates[provider] = Gate(*limits, self._sleep)
        return gate

    def _forms(self, litellm: Any, target: _Target) -> Sequence[AnswerFormat]:
        """The forms to ask in: the one that has worked, or else the most binding one, and those below it."""
        best = self._formats.get(target.model, target.api_base)
        if best is None:
            if target.api_base or litellm.supports_response_schema(target.name, target.provider):
                best = "json_schema"
            else:
                best = "json_object" if "response_format" in _accepted(litellm, target) else "plain"
        below = FORMATS[FORMATS.index(best) :]
        return below if target.api_base else [form for form in below if form != "json_object_schema"]

    def _check_budget(self, model: str) -> None:
        if self._budget is not None:
            self._budget.check(priced=lambda: self.price(model) is not None)

    async def _pay(self, reply: Reply) -> None:
        if self._budget is not None and reply.cost:
            await self._budget.pay(reply.cost)

    async def _ask(self, litellm: Any, request: Request, target: _Target, form: AnswerFormat) -> Reply:
        started = time.perf_counter()
        async with asyncio.timeout(self._settings.call_timeout_s):
            response = await litellm.acompletion(**self._arguments(request, target, form))
        return read_response(
            response,
            provider=target.provider,
            model=target.name,
            latency_s=time.perf_counter() - started,
            price=self._presets().price(request.model),
            # A price list knows the provider's own prices, not what a server of one's own costs.
            listed_by="" if target.api_base else _price_list(),
        )

    def _arguments(self, request: Request, target: _Target, form: AnswerFormat) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": target.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            "timeout": self._settings.call_timeout_s,
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": True,
            **request.params,
        }
        if target.api_base:
            arguments["api_base"] = target.api_base
            if target.provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
                # The client insists on a key; a local server does not read it.
                arguments["api_key"] = "none"
        if form != "plain":
            arguments["response_format"] = _response_format(request, form)
        return arguments


class _Ready(BaseModel):
    ready: bool


@dataclass(frozen=True)
class Check:
    """What one tiny question has shown.

    Attributes:
        reply: The answer, with latency, tokens and resolved model.
        answer_format: The most binding form the model accepts.
        readable: Whether the answer was the JSON object asked for.
        price: What it costs, if that is known.
        ignored: Sampling parameters it does not take; they are left out of its calls.
    """

    reply: Reply
    answer_format: AnswerFormat
    readable: bool
    price: Price | None
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Target:
    """A model string, taken apart: litellm's name for the model, its provider, and our own server."""

    model: str
    name: str
    provider: str
    api_base: str | None


def load_library() -> Any:
    """Import litellm, set up to stay off the network and silent. Takes seconds the first time."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
    import litellm

    litellm.suppress_debug_info = True
    return litellm


@cache
def _price_list() -> str:
    return f"price list of litellm {version('litellm')}"


def _response_format(request: Request, form: AnswerFormat) -> dict[str, Any]:
    if form == "json_object":
        return {"type": "json_object"}
    schema = json_schema(request.schema)
    if form == "json_object_schema":
        return {"type": "json_object", "schema": schema}
    return {"type": "json_schema", "json_schema": {"name": request.schema.__name__, "schema": schema}}


def _accepted(litellm: Any, target: _Target) -> Sequence[str]:
    return litellm.get_supported_openai_params(target.name, target.provider) or ()
