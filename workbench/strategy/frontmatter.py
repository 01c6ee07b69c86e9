"""Files with a YAML head between two ``---`` lines and free text below: operators and prompts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from workbench.errors import StrategyError
from workbench.strategy import tree
from workbench.strategy.findings import KeyPath, schema_findings

Head = TypeVar("Head", bound=BaseModel)

_HEAD = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class FrontMatter(Generic[Head]):
    """The validated head, and the text below it with line breaks normalised and outer blank lines removed."""

    head: Head
    body: str


def read_front_matter(data: bytes, model: type[Head], where: str) -> FrontMatter[Head]:
    """Split and validate a file.

    Raises:
        StrategyError: Not UTF-8, or the head is absent, malformed or refused by ``model``; with its line.
    """
    text = tree.decode(data, where)
    match = _HEAD.match(text)
    if match is None:
        raise StrategyError(
            "the file has no head.",
            where=f"{where}:1",
            remedy="Start it with `---`, YAML keys, and `---` again.",
        )
    head = tree.parse("\n" + match[1], where)  # the line of the opening mark keeps line numbers true

    def place(path: KeyPath) -> str:
        return f"{where}:{head.line(path)}"

    try:
        validated = model.model_validate(head.value)
    except ValidationError as error:
        first = schema_findings(error, model, place)[0]
        raise StrategyError(first.what, where=first.where, remedy=first.remedy) from None
    return FrontMatter(validated, text[match.end() :].replace("\r\n", "\n").strip("\n"))
