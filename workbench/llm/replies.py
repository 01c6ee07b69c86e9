"""Read a model's answer: strictly where a value could be misunderstood, leniently where it could not.

The text is searched for its JSON object (``json_text``), the values are brought into the form the schema
asks for, and pydantic judges them. Two things are never done: filling in what the model left out, and
guessing the scale of a number. A value that cannot be used is an error naming its field, so that the model
can be asked again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from workbench.errors import WorkbenchError
from workbench.llm.json_text import last_object, to_half_width
from workbench.llm.schemas import BUYING, SCHEMAS, SYNONYMS, Answer, limits, plain_name

_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*分?")
_PERCENT = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*%")
_FRACTION = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*分?\s*/\s*([0-9]+\.?[0-9]*)\s*分?")


@dataclass(frozen=True)
class ParsedReply:
    """A usable answer.

    Attributes:
        value: The schema's fields under the schema's own names; only those the answer gave.
        extra: Names of fields the schema does not know. Their values are in the raw answer.
        dropped: Names of trade instructions that were taken out.
    """

    value: dict[str, Any]
    extra: frozenset[str]
    dropped: frozenset[str]


class ReplyError(WorkbenchError):
    """An answer cannot be used.

    Attributes:
        kind: ``parse``: there is no complete object. ``validation``: a value is missing or not acceptable.
        field: The field concerned, e.g. ``tickers_linked[0].link_type``; empty for ``parse``.
    """

    def __init__(self, kind: Literal["parse", "validation"], what: str, *, field: str = "") -> None:
        super().__init__(what, where=field)
        self.kind = kind
        self.field = field


def parse_reply(raw: str, schema: str | type[BaseModel]) -> ParsedReply:
    """Read the answer in ``raw``.

    Args:
        raw: All the model wrote.
        schema: Name of a schema in ``llm.schemas``, or a pydantic model.

    Raises:
        ReplyError: There is no complete JSON object, or a field of it cannot be used.
        KeyError: No schema has that name.
    """
    model = SCHEMAS[schema] if isinstance(schema, str) else schema
    given = last_object(raw)
    if given is None:
        raise ReplyError("parse", "there is no complete JSON object in the answer.")
    fields = _by_alias(model)
    kind = model if issubclass(model, Answer) else Answer
    given = _under_known_names(given, fields, kind.other_names)
    unknown = given.keys() - fields.keys()
    forbidden = kind.trade_instructions
    value = _validated(model, _read_object(model, given, ""))
    _check_finite(value, "")
    _check_score_against_label(fields, value)
    return ParsedReply(value, frozenset(unknown - forbidden), frozenset(unknown & forbidden))


def _under_known_names(
    given: Mapping[str, Any], fields: Mapping[str, FieldInfo], other_names: Mapping[str, str]
) -> dict[str, Any]:
    """The values under the schema's own names; one answered under its own name goes before any other."""
    named: dict[str, Any] = {}
    for name, value in given.items():
        own = name if name in fields else to_half_width(name)
        if own not in fields:
            meant = other_names.get(plain_name(name), own)
            own = own if meant in given or meant in named else meant
        named[own] = value
    return named


@cache
def _by_alias(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


@cache
def _element(annotation: Any) -> FieldInfo:
    """What is asked of one element of a list or mapping."""
    return FieldInfo.from_annotation(annotation)


def _validated(model: type[BaseModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    try:
        answer = model.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        path = ""
        for part in first["loc"]:
            path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
        raise ReplyError("validation", f"{first['msg']}.", field=path) from None
    return answer.model_dump(by_alias=True, exclude_unset=True)


def _read_object(model: type[BaseModel], given: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The known fields of ``given``, each read as its annotation says."""
    return {
        name: _read(given[name], field.annotation, field.metadata, _join(path, name))
        for name, field in _by_alias(model).items()
        if name in given
    }


def _read(value: Any, annotation: Any, metadata: list[Any], path: str) -> Any:
    """Bring a value into the form ``annotation`` asks for, where its meaning is beyond doubt.

    What is left as it is, pydantic refuses or accepts.
    """
    if _taken_as_is(annotation):
        return value
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        kinds = [kind for kind in get_args(annotation) if kind is not NoneType]
        optional = len(kinds) < len(get_args(annotation))
        if len(kinds) > 1 or (value is None and optional):
            return value
        inner = _element(kinds[0])
        return _read(value, inner.annotation, [*metadata, *inner.metadata], path)
    if annotation in (int, float):
        return _number(value, limits(metadata)[1], path)
    if origin is Literal:
        return _choice(value, get_args(annotation), path)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel) and isinstance(value, dict):
        return _read_object(annotation, value, path)
    if origin is list and isinstance(value, list):
        inner = _element(*get_args(annotation))
        return [
            _read(item, inner.annotation, inner.metadata, f"{path}[{index}]")
            for index, item in enumerate(value)
        ]
    if origin is dict and isinstance(value, dict):
        inner = _element(get_args(annotation)[1])
        return {
            name: _read(item, inner.annotation, inner.metadata, _join(path, name))
            for name, item in value.items()
        }
    return value


@cache
def _taken_as_is(annotation: Any) -> bool:
    """Whether no value of this kind is ever brought into another form: text, or whatever it may be."""
    if get_origin(annotation) in (list, dict):
        return all(_taken_as_is(inner) for inner in get_args(annotation))
    return annotation in (str, bool, Any)


def _number(value: Any, high: float | None, path: str) -> int | float:
    """A number, also one written as text.

    A percentage or a fraction is a share of the full scale ``0..high`` and needs one; a plain number is
    taken at face value.
    """
    if isinstance(value, str):
        text = to_half_width(value).strip()
        if plain := _NUMBER.fullmatch(text):
            return float(plain[1])
        if high is not None and (percent := _PERCENT.fullmatch(text)):
            return float(percent[1]) * high / 100
        if high is not None and (fraction := _FRACTION.fullmatch(text)) and float(fraction[2]) > 0:
            return float(fraction[1]) * high / float(fraction[2])
    elif isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    raise ReplyError("validation", "a number is needed.", field=path)


def _choice(value: Any, choices: tuple[Any, ...], path: str) -> Any:
    """The choice a word stands for; any other value as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return value
    word = to_half_width(value).strip().casefold()
    synonyms = SYNONYMS.get(path.rpartition(".")[2], {})
    for choice in choices:
        if word in (str(known).casefold() for known in (choice, *synonyms.get(choice, ()))):
            return choice
    return value


def _check_finite(value: Any, path: str) -> None:
    """Refuse NaN and infinity wherever the schema leaves a value open."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ReplyError("validation", "a number is needed.", field=path)
    if isinstance(value, Mapping):
        for name, item in value.items():
            _check_finite(item, _join(path, str(name)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_finite(item, f"{path}[{index}]")


def _check_score_against_label(fields: Mapping[str, FieldInfo], value: Mapping[str, Any]) -> None:
    """Refuse a score of at most 1 in 100 beside the advice to buy: it was meant on another scale."""
    labels = [value.get(name) for name, field in fields.items() if get_origin(field.annotation) is Literal]
    if BUYING.isdisjoint(labels):
        return
    for name, field in fields.items():
        score = value.get(name)
        if isinstance(score, int | float) and limits(field.metadata) == (0, 100) and 0 < score <= 1:
            raise ReplyError(
                "validation", "it is on a scale of 0 to 100 and contradicts the label.", field=name
            )


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
