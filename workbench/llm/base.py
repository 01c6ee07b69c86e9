"""What the engine asks of a model, and what it gets back.

A model is anything with ``async complete(Request) -> Reply``. A hosted model reads ``system`` and
``prompt``; the built-in baseline reads ``facts`` and ``task``. Both answer with text, and both texts
go through the same parser, so nothing downstream knows which of the two has spoken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from workbench.records import StageName

CacheUse = Literal["use", "refresh", "off"]
"""``use`` stored answers, ``refresh`` them (ask again and store), or leave the cache ``off``."""


@dataclass(frozen=True)
class Request:
    """One question to one model.

    Attributes:
        agent: Agent name, e.g. ``form`` or ``ch03_cashflow``.
        stage: ``draft`` or ``revised``.
        model: Requested model string as litellm spells it, or ``baseline``.
        system: System message.
        prompt: User message, fully rendered.
        schema: Pydantic model of the answer.
        facts: The evidence facts, JSON-ready.
        task: What the strategy asks of this agent (operators, rubric, thresholds, language, ...), JSON-ready.
        draft: The agent's own draft answer when ``stage`` is ``revised``.
        params: Sampling parameters (temperature, seed, max_tokens, reasoning_effort).
        template_hash: sha256 of the prompt template, part of the cache key.
        repeat: Index of a repeated run, so that repeats do not share one cached answer.
        cache: Whether a stored answer may be used.
    """

    agent: str
    stage: StageName
    model: str
    system: str
    prompt: str
    schema: type[BaseModel]
    facts: Mapping[str, Any] = field(default_factory=dict)
    task: Mapping[str, Any] = field(default_factory=dict)
    draft: Mapping[str, Any] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    template_hash: str = ""
    repeat: int = 0
    cache: CacheUse = "use"


@dataclass(frozen=True)
class Reply:
    """A model's answer. Token counts are None where the provider reported none; ``cost`` is in USD.

    ``text`` is all the model wrote, its thinking in front between ``<think>`` and ``</think>``; ``cut_off``
    says that the limit of tokens ended it.
    """

    text: str
    resolved_model: str
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cost_source: str = ""
    latency_s: float = 0.0
    cache_hit: bool = False
    cut_off: bool = False


class Model(Protocol):
    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ModelError: The model did not answer. Nothing else may escape but cancellation.
        """
        ...
