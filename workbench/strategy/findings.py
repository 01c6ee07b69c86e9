"""Findings: what is wrong in a file the analyst writes, where, and how to mend it.

Loading raises the first error as an exception; checking lists every error and warning. Both speak through
the same record, so a message reads the same on a page, in ``workbench lint`` and in a refusal.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ValidationError

KeyPath = tuple[str | int, ...]
"""Keys and list positions that lead from the top of a file to one value."""

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing to mend. An ``error`` keeps the file from being used, a ``warning`` does not.

    Attributes:
        severity: ``error`` or ``warning``.
        where: File and line, e.g. ``value.yaml:12``.
        what: What is wrong, one sentence.
        remedy: How to mend it, one sentence.
        path: The value concerned, for a page that marks it.
    """

    severity: Severity
    where: str
    what: str
    remedy: str
    path: KeyPath = ()

    def __str__(self) -> str:
        return f"{self.where}: {self.severity}: {self.what} {self.remedy}".rstrip()


def dotted(path: Iterable[str | int]) -> str:
    """A path as it is written in messages: ``framework.chapters[2].id``."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def schema_findings(
    error: ValidationError, model: type[BaseModel], place: Callable[[KeyPath], str], skip: int = 0
) -> list[Finding]:
    """Turn pydantic's complaints into findings.

    Args:
        error: What pydantic raised.
        model: The model that was validated, to suggest the key that was meant.
        place: KeyPath -> ``file:line``.
        skip: Leading parts of pydantic's locations that are not in the file (the tag of a union).
    """
    findings = []
    for detail in error.errors(include_url=False):
        path: KeyPath = tuple(detail["loc"][skip:])
        name = dotted(path) or "the file"
        match detail["type"]:
            case "missing":
                what, remedy = f"{name} is missing.", f"Add `{path[-1]}:` here."
            case "extra_forbidden":
                known = _keys_beside(model, path)
                near = difflib.get_close_matches(str(path[-1]), known, n=1)
                what = f"{name} is not a key the workbench knows."
                remedy = f"Did you mean `{near[0]}`?" if near else f"Known keys: {', '.join(known)}."
            case "value_error":
                what = f"{name}: {_without_prefix(detail['msg'])}"
                remedy = ""
            case _:
                what = f"{name}: {detail['msg']}."
                remedy = f"The value here is {_short(detail['input'])}."
        findings.append(Finding("error", place(path), what, remedy, path))
    return findings


def _without_prefix(message: str) -> str:
    return message.removeprefix("Value error, ")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _keys_beside(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The keys allowed where the last part of ``path`` stands."""
    current: Any = model
    for part in path[:-1]:
        if isinstance(part, int):
            continue
        field = current.model_fields.get(part)
        current = _model_in(field.annotation) if field else None
        if current is None:
            return []
    return [field.alias or name for name, field in current.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
