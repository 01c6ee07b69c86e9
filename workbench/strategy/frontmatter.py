"""Files with a YAML head between two ``---`` lines and free text below: operators and prompts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from workbench.errors import StrategyError
from workbench.strategy import tree
from workbench.strategy.document import Document
from workbench.strategy.findings import KeyPath, schema_findings
from workbench.strategy.layout import newline_of

Head = TypeVar("Head", bound=BaseModel)

_HEAD = re.compile(r"(\ufeff?---[ \t]*\r?\n)(.*?)^(---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class FrontMatter(Generic[Head]):
    """The validated head, and the text below it with ``\\n`` as line break and no blank lines around it."""

    head: Head
    body: str


def read_front_matter(data: bytes, model: type[Head], where: str) -> FrontMatter[Head]:
    """Split and validate a file.

    Raises:
        StrategyError: Not UTF-8, or the head is absent, malformed or refused by ``model``; with its line.
    """
    _, text, _, body, _ = _cut(data, where)
    head = tree.parse("\n" + text, where)  # the line of the opening mark keeps line numbers true

    def place(path: KeyPath) -> str:
        return f"{where}:{head.line(path)}"

    try:
        validated = model.model_validate(head.value)
    except ValidationError as error:
        first = schema_findings(error, model, place)[0]
        raise StrategyError(first.what, where=first.where, remedy=first.remedy) from None
    return FrontMatter(validated, body.replace("\r\n", "\n"))


def front_document(data: bytes, where: str) -> Document:
    """The head of a file, opened for edits; ``edit_front_matter`` puts it back.

    Raises:
        StrategyError: The file has no head, or the head is malformed.
    """
    return Document.parse(_cut(data, where)[1].encode(), where)


def edit_front_matter(
    data: bytes, where: str, *, head: Callable[[Document], Document] | None = None, body: str | None = None
) -> bytes:
    """Change the head, the text below it, or both; what is not changed stays byte for byte.

    Args:
        data: The file.
        where: Its name, for messages.
        head: Edits of the head.
        body: The new text, with ``\\n`` as line break; None leaves it.

    Raises:
        StrategyError: The file is no such file, or an edit is refused.
    """
    opening, text, closing, old, rest = _cut(data, where)
    if head is not None:
        text = head(Document.parse(text.encode(), where)).data.decode()
    if body is not None and body.strip("\n") != old.replace("\r\n", "\n"):
        old = body.strip("\n").replace("\n", newline_of(opening))
    return (opening + text + closing + old + rest).encode()


def _cut(data: bytes, where: str) -> tuple[str, str, str, str, str]:
    """Opening mark, head, closing mark, text, and the blank lines after it; joined, they are the file."""
    text = tree.decode(data, where)
    match = _HEAD.match(text)
    if match is None:
        raise StrategyError(
            "the file has no head.",
            where=f"{where}:1",
            remedy="Start it with `---`, YAML keys, and `---` again.",
        )
    below = text[match.end() :]
    body = below.strip("\r\n")
    start = below.index(body)
    return match[1], match[2], match[3] + below[:start], body, below[start + len(body) :]
