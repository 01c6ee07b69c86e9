"""Describe an answer schema to a model: the JSON object it should write, with ranges and choices."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import MaxLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from workbench.llm.schemas import limits


@cache
def skeleton(schema: type[BaseModel]) -> str:
    """The JSON object ``schema`` asks for, one field a line; descriptions follow ``//``."""
    return _object(schema, "")


def _object(schema: type[BaseModel], indent: str) -> str:
    lines = []
    for name, field in schema.model_fields.items():
        note = f"  // {field.description}" if field.description else ""
        kind = _kind(field.annotation, field.metadata, f"{indent}  ")
        lines.append(f'{indent}  "{field.alias or name}": {kind},{note}')
    return "\n".join(["{", *lines, f"{indent}}}"])


def _kind(annotation: Any, metadata: list[Any], indent: str) -> str:
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin in (Union, UnionType):
        return " | ".join(_inner(kind, metadata, indent) for kind in arguments)
    if origin is Literal:
        return " | ".join(f'"{choice}"' for choice in arguments)
    if annotation in (int, float):
        return f"<{'integer' if annotation is int else 'number'}{_range(metadata)}>"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _object(annotation, indent)
    if origin is list:
        longest = next((limit.max_length for limit in metadata if isinstance(limit, MaxLen)), None)
        return f"[{_inner(arguments[0], [], indent)}, ...]" + (f" (at most {longest})" if longest else "")
    if origin is dict:
        return f'{{"<name>": {_inner(arguments[1], [], indent)}, ...}}'
    return {NoneType: "null", bool: "true | false", str: '"<text>"'}.get(annotation, "<value>")


def _inner(annotation: Any, metadata: list[Any], indent: str) -> str:
    field = FieldInfo.from_annotation(annotation)
    return _kind(field.annotation, [*metadata, *field.metadata], indent)


def _range(metadata: list[Any]) -> str:
    low, high = limits(metadata)
    if low is None and high is None:
        return ""
    if high is None:
        return f", at least {low:g}"
    return f", at most {high:g}" if low is None else f" from {low:g} to {high:g}"
