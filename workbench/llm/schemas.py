"""The answers a model may be asked for by name, and the words it may use for the choices in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cache, lru_cache
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, Field, WithJsonSchema, create_model

from workbench.llm.json_text import to_half_width
from workbench.records import Outcome

SYNONYMS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "direction": {"bullish": ("看多",), "bearish": ("看空",), "neutral": ("中性",)},
    "decision": {"buy": ("买入",), "sell": ("卖出",), "hold": ("持有", "观望")},
    "最终建议": {"买入": ("buy",), "观望": ("watch",), "回避": ("avoid",)},
    "recommendation": {"buy": ("买入",), "watch": ("观望",), "avoid": ("回避",)},
    "1x2": {"1": ("主胜", "home"), "X": ("平", "draw"), "2": ("客胜", "away")},
}
"""Field name -> choice -> other words that mean exactly that choice in that field."""

BUYING = frozenset({"buy", "买入"})
"""Choices which a score of at most one in a hundred contradicts."""

Share = Annotated[float, Field(ge=0, le=1)]
EvidenceLine = Annotated[Any, WithJsonSchema({"type": "string"})]
"""Asked for as a text, and taken as it comes. Some servers cannot constrain a list of anything."""


class Answer(BaseModel):
    """Base of the answers below.

    ``trade_instructions`` are fields that are dropped from an answer and reported: the workbench judges,
    it does not place orders. ``other_names`` leads from a name as ``plain_name`` writes it to a field.
    """

    trade_instructions: ClassVar[frozenset[str]] = frozenset()
    other_names: ClassVar[Mapping[str, str]] = {}


class LinkedTicker(BaseModel):
    ticker: str
    impact_score: Share
    link_type: Literal["direct", "chain", "sector", "macro"]


class SpecialistSignal(Answer):
    """One expert's reading of a news item."""

    impact_score: Share
    confidence_score: Share
    event_type: str
    tickers_linked: list[LinkedTicker]
    analysis: str


class SpecialistMatch(Answer):
    """One expert's reading of a fixture. ``home_edge`` above 0 favours the home side."""

    status: str
    data_sufficiency: Literal["high", "medium", "low", "none"]
    analysis: str
    home_edge: float = Field(ge=-1, le=1)
    subjective_confidence: Share
    key_evidence: list[EvidenceLine] = Field(max_length=5)


class MatchForecast(Answer):
    """The forecast of a fixture."""

    pred_home_goals: float = Field(ge=0)
    pred_away_goals: float = Field(ge=0)
    outcome: Outcome = Field(alias="1x2")
    subjective_confidence: Share
    reasoning: str


class MatchFinal(MatchForecast):
    """The forecast of a fixture by whoever weighed the experts, with the credence each was given."""

    agent_weights: dict[str, Share]


class Synthesis(Answer):
    """What every synthesis answers, whatever else a strategy asks for."""

    score: float = Field(ge=0, le=100, alias="综合评分")
    recommendation: Literal["买入", "观望", "回避"] = Field(alias="最终建议")
    confidence: Literal["高", "中", "低"] = Field(alias="信心水平")


class Arbitration(Answer):
    """What an arbiter makes of several experts' signals about one ticker."""

    trade_instructions: ClassVar[frozenset[str]] = frozenset({"stop_loss", "target_price"})

    decision: Literal["buy", "hold", "sell", "wait"]
    direction: Literal["bullish", "bearish", "neutral"]
    confidence: Share
    position_ratio: Share
    reasoning: str
    signals_summary: dict[str, Any]
    risks: list[str]
    reasoning_chain: list[str]


SCHEMAS: Mapping[str, type[BaseModel]] = {
    "specialist_signal": SpecialistSignal,
    "specialist_match": SpecialistMatch,
    "match_final": MatchFinal,
    "synthesis": Synthesis,
    "arbitration": Arbitration,
}


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A field's name without what models vary in it: width, case, blanks, dashes, a remark in brackets."""
    return re.sub(r"\([^()]*\)|[\s_-]", "", to_half_width(name)).casefold()


@cache
def json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of an answer, under the names the answer uses. Shared: not to be changed."""
    return schema.model_json_schema(by_alias=True)


def reworded(schema: type[BaseModel], change: Callable[[str], str]) -> type[BaseModel]:
    """The schema under the names and descriptions ``change`` makes of its own; itself where it changes none.

    A blind run asks in this schema, because it goes to the model beside the prompt, and reads the answer in
    the original.
    """
    words = tuple(
        (change(field.alias or name), change(field.description or ""))
        for name, field in schema.model_fields.items()
    )
    return _reworded(schema, words)


@lru_cache(maxsize=256)
def _reworded(schema: type[BaseModel], words: tuple[tuple[str, str], ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    changed = False
    for number, ((name, field), (alias, description)) in enumerate(
        zip(schema.model_fields.items(), words, strict=True)
    ):
        changed = changed or (alias, description) != (field.alias or name, field.description or "")
        other = copy(field)
        other.alias = other.validation_alias = other.serialization_alias = alias
        other.description = description or None
        fields[f"field_{number}"] = (field.annotation, other)
    return create_model(schema.__name__, **fields) if changed else schema


def limits(metadata: Iterable[Any]) -> tuple[float | None, float | None]:
    """Lowest and highest value that the constraints of a field allow; None where there is no limit."""
    low = high = None
    for constraint in metadata:
        if isinstance(constraint, (Ge, Gt)):
            low = float(constraint.ge if isinstance(constraint, Ge) else constraint.gt)  # type: ignore[arg-type]
        elif isinstance(constraint, (Le, Lt)):
            high = float(constraint.le if isinstance(constraint, Le) else constraint.lt)  # type: ignore[arg-type]
    return low, high
