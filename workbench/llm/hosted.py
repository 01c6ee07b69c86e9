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
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel

from workbench.errors import ModelError
from workbench.llm.base import Reply, Request
from workbench.llm.failures import Failure, NoAnswerError
from workbench.llm.limits import Gate, Sleep, backoff
from workbench.llm.prices import Price
from workbench.llm.replies import ReplyError, parse_reply
from workbench.llm.schemas import json_schema
from workbench.llm.skeleton import skeleton
from workbench.settings import Settings

AnswerFormat = Literal["json_schema", "json_object", "plain"]
"""How an answer's form is asked for beside the prompt, most binding first."""

ATTEMPTS = 4

SELF_HOSTED = frozenset(
    {"openai", "ollama", "ollama_chat", "hosted_vllm", "lm_studio", "llamafile", "litellm_proxy"}
)
"""Providers that ``LLM_API_BASE`` applies to: local servers, and whatever speaks the OpenAI protocol."""


class Hosted:
    """A ``Model`` that answers through litellm.

    Args:
        settings: Address of a local server, limits.
        sleep: How to wait between attempts.
    """

    def __init__(self, settings: Settings, sleep: Sleep = asyncio.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._litellm: Any = None
        self._gates: dict[str, Gate] = {}
        self._formats: dict[str, AnswerFormat] = {}

    async def complete(self, request: Request) -> Reply:
        """Answer one request, with retries where the trouble may pass.

        Raises:
            ModelError: The model did not answer; says what the provider said and what to do.
        """
        if self._litellm is None:
            self._litellm = await asyncio.to_thread(load_library)
        litellm = self._litellm
        target = self._target(litellm, request.model)
        gate = self._gates.setdefault(
            target.provider,
            Gate(self._settings.concurrency, self._settings.requests_per_minute, self._sleep),
        )
        attempt = 1
        while True:
            form = self._format(litellm, target)
            try:
                async with gate.turn(), asyncio.timeout(self._settings.call_timeout_s):
                    started = time.perf_counter()
                    response = await litellm.acompletion(**self._arguments(request, target, form))
                    return _reply(response, target, time.perf_counter() - started)
            except Exception as error:  # noqa: BLE001 - litellm lets through whatever its providers raise
                failure = Failure.of(error)
            if failure.is_about_format and form != "plain":
                self._formats[target.model] = "json_object" if form == "json_schema" else "plain"
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
        """The provider's price as litellm lists it; None for unknown models and for servers of one's own.

        Raises:
            ModelError: No provider is known for the model.
        """
        litellm = load_library()
        if self._target(litellm, model).api_base:
            return None
        try:
            listed = litellm.get_model_info(model)
        except Exception:  # noqa: BLE001 - what litellm raises for a model that is not listed has no common type
            return None
        costs = listed.get("input_cost_per_token"), listed.get("output_cost_per_token")
        return None if None in costs else Price(*costs, source=_price_list())

    async def check(self, model: str) -> Check:
        """Ask a model one tiny question.

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
        )
        reply = await self.complete(question)
        try:
            parse_reply(reply.text, _Ready)
        except ReplyError:
            readable = False
        else:
            readable = True
        return Check(reply, self._formats[model], readable, self.price(model))

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

    def _format(self, litellm: Any, target: _Target) -> AnswerFormat:
        """The most binding form the model is known to accept; lowered for good when it is refused."""
        known = self._formats.get(target.model)
        if known is None:
            if target.api_base or litellm.supports_response_schema(target.name, target.provider):
                known = "json_schema"
            else:
                accepted = litellm.get_supported_openai_params(target.name, target.provider) or []
                known = "json_object" if "response_format" in accepted else "plain"
            self._formats[target.model] = known
        return known

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
        if form == "json_schema":
            schema = {"name": request.schema.__name__, "schema": json_schema(request.schema)}
            arguments["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif form == "json_object":
            arguments["response_format"] = {"type": "json_object"}
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
        price: The price on the list, if any.
    """

    reply: Reply
    answer_format: AnswerFormat
    readable: bool
    price: Price | None


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


def _reply(response: Any, target: _Target, latency_s: float) -> Reply:
    if not response.choices:
        raise NoAnswerError("the server answered without a choice.", transient=True)
    choice = response.choices[0]
    text = choice.message.content
    if not text:
        reasons = {
            "content_filter": "the provider's content filter stopped the answer.",
            "length": "all tokens were spent before an answer began; raise max_tokens.",
        }
        raise NoAnswerError(reasons.get(choice.finish_reason, "the answer is empty."))
    usage: Any = getattr(response, "usage", None)
    reported = usage is not None and usage.total_tokens > 0
    details = getattr(usage, "prompt_tokens_details", None)
    # A price list knows the provider's own prices, not what a server of one's own costs.
    cost = None if target.api_base else response._hidden_params.get("response_cost")
    # Some providers prefix the name they report, some do not.
    resolved = (response.model or target.name).removeprefix(f"{target.provider}/")
    return Reply(
        text=text,
        resolved_model=f"{target.provider}/{resolved}",
        input_tokens=usage.prompt_tokens if reported else None,
        cached_tokens=getattr(details, "cached_tokens", None) if reported else None,
        output_tokens=usage.completion_tokens if reported else None,
        cost=cost if reported else None,
        cost_source=_price_list() if reported and cost is not None else "",
        latency_s=latency_s,
    )
