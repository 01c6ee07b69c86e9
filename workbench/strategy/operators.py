"""Operators: analysis lenses, each a question that must be answered from named evidence in typed fields."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from workbench.errors import StrategyError
from workbench.strategy.files import check_name, read_file, replace_file, write_atomically
from workbench.strategy.frontmatter import read_front_matter
from workbench.strategy.parts import Identifier, Language, Part, Text

OutputType = Literal["text", "number", "integer", "flag", "choice", "list"]


def _texts(values: Any) -> Any:
    """YAML reads 3, 2.5 and yes as numbers and flags; a choice is always between texts."""
    return tuple(str(value) for value in values) if isinstance(values, list | tuple) else values


class Output(Part):
    """One field an operator adds to the answer of its chapter.

    Attributes:
        type: ``choice`` is one of ``values``; ``list`` is a list of texts; ``flag`` is true or false.
        description: What is to be written there, shown to the model.
        values: The closed set of a ``choice``.
        unit: Unit of a number, e.g. ``%`` or ``x``.
    """

    type: OutputType
    description: Text
    values: Annotated[tuple[Text, ...], BeforeValidator(_texts)] = ()
    unit: str = ""

    @model_validator(mode="after")
    def _values_belong_to_a_choice(self) -> Output:
        if (self.type == "choice") != bool(self.values):
            raise ValueError("`values` lists what a `choice` chooses from, and only a `choice` has them.")
        return self


class EnglishOutput(Part):
    """An output in English: ``values`` stand for those of the original in the same order."""

    description: Text
    values: Annotated[tuple[Text, ...], BeforeValidator(_texts)] = ()
    unit: str = ""


class English(Part):
    """An operator in English, for strategies of that language; what has no words is as in the original."""

    title: Text
    question: Text
    outputs: dict[Text, EnglishOutput]


class OperatorHead(Part):
    """Front matter of an operator file.

    Attributes:
        id: The file name without ``.md``.
        title: What a reader calls it.
        category: Heading it is listed under.
        data_needed: Evidence slices it is shown.
        outputs: Fields it adds to the answer of its chapter.
        industries: Industry kinds it applies to; empty means all.
        industries_excluded: Industry kinds it does not apply to.
        english: Title, questions and outputs for an English strategy; without them it gets the original.
    """

    id: Identifier
    title: Text
    category: Text
    data_needed: tuple[Identifier, ...] = Field(min_length=1)
    outputs: dict[Text, Output] = Field(min_length=1)
    industries: tuple[Text, ...] = ()
    industries_excluded: tuple[Text, ...] = ()
    english: English | None = None

    @model_validator(mode="after")
    def _english_fits(self) -> OperatorHead:
        if self.english is None:
            return self
        if self.english.outputs.keys() != self.outputs.keys():
            raise ValueError("`english.outputs` must have the same fields as `outputs`.")
        for name, output in self.outputs.items():
            if len(self.english.outputs[name].values) != len(output.values):
                raise ValueError(f"`english.outputs.{name}` must have one value for each of {name}.")
        return self

    def applies(self, industry_kind: str | None) -> bool:
        """Whether a company of this industry kind is looked at through this operator."""
        if industry_kind in self.industries_excluded:
            return False
        return not self.industries or industry_kind in self.industries


class Operator(OperatorHead):
    """An operator with its questions (``question``, Markdown) and the sha256 of its whole file."""

    question: Text
    hash: str

    def in_language(self, language: Language) -> Operator:
        """The operator as a strategy of this language asks it."""
        if language == "zh" or self.english is None:
            return self
        outputs = {}
        for name, output in self.outputs.items():
            english = self.english.outputs[name]
            unit = english.unit or (output.unit if output.unit.isascii() else "")
            outputs[name] = output.model_copy(update={**dict(english), "unit": unit})
        words = {"title": self.english.title, "question": self.english.question, "outputs": outputs}
        return self.model_copy(update=words)

    def __hash__(self) -> int:
        """Operators of equal files are equal, so the hash of the file is that of the operator."""
        return hash(self.hash)


@lru_cache(maxsize=512)
def read_operator(data: bytes, where: str) -> Operator:
    """Read an operator from the bytes of its file.

    Raises:
        StrategyError: Unreadable or invalid; with file and line.
    """
    front = read_front_matter(data, OperatorHead, where)
    if not front.body.strip():
        raise StrategyError(
            "the operator asks nothing.", where=where, remedy="Write its questions below the head."
        )
    stem = where.removesuffix(".md")
    if front.head.id != stem:
        raise StrategyError(
            f"the operator in this file is called {front.head.id!r}.",
            where=where,
            remedy=f"Set `id: {stem}` or rename the file.",
        )
    return Operator(**dict(front.head), question=front.body, hash=hashlib.sha256(data).hexdigest())


class OperatorLibrary:
    """The operators of one folder, one ``ID.md`` file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ids(self) -> tuple[str, ...]:
        """Every operator id, sorted; whether the files can be read is not asked."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.md")))

    def get(self, id: str) -> Operator:
        """One operator.

        Raises:
            StrategyError: No such operator, or its file is invalid.
        """
        path = self._path(id)
        if not path.is_file():
            raise StrategyError(
                f"there is no operator {id!r}.",
                where=str(self.folder),
                remedy=f"Known operators: {', '.join(self.ids()) or 'none'}.",
            )
        return read_operator(read_file(path), path.name)

    def read(self, id: str) -> bytes:
        """The bytes of an operator file, to be edited with ``edit_front_matter``.

        Raises:
            StrategyError: No such operator.
        """
        return read_file(self._path(id))

    def save(self, id: str, mine: bytes, base: bytes) -> Operator:
        """Replace an operator whose content was ``base``.

        Raises:
            Conflict: The file is no longer ``base``.
            StrategyError: The content is no valid operator; nothing was written.
        """
        path = self._path(id)
        operator = read_operator(mine, path.name)
        replace_file(path, mine, base)
        return operator

    def create(self, id: str, data: bytes) -> Operator:
        """Write a new operator.

        Raises:
            StrategyError: The name is taken or cannot be one, or the content is no valid operator.
        """
        path = self._path(id)
        operator = read_operator(data, path.name)
        write_atomically(path, data, new=True)
        return operator

    def all(self) -> tuple[Operator, ...]:
        """Every operator, by id.

        Raises:
            StrategyError: One of the files is invalid.
        """
        return tuple(self.get(id) for id in self.ids())

    def _path(self, id: str) -> Path:
        return self.folder / f"{check_name(id, 'operator')}.md"


class FrozenOperators(OperatorLibrary):
    """The operators as they were when each was first asked for, so that all runs of a batch ask alike."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._known: dict[str, Operator] = {}

    def get(self, id: str) -> Operator:
        if id not in self._known:
            self._known[id] = super().get(id)
        return self._known[id]


class EditedOperators(OperatorLibrary):
    """The operators of a folder with one of them as it would be after an edit."""

    def __init__(self, folder: Path, edited: Operator) -> None:
        super().__init__(folder)
        self._edited = edited

    def get(self, id: str) -> Operator:
        return self._edited if id == self._edited.id else super().get(id)
