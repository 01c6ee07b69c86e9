"""``models.yaml``: which models answer, how they are asked, how fast, and what they cost.

The file belongs to the workspace and may be absent. It holds no keys. The environment goes before it, a
strategy goes before both. It is read anew when it has changed, so an edit counts from the next run on.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ConfigDict, Field, ValidationError

from workbench.errors import InputError, StrategyError
from workbench.llm.prices import Price
from workbench.records import BASELINE, Models, Record, Sampling, Tier
from workbench.strategy.document import Document
from workbench.strategy.files import read_file, replace_file, write_atomically
from workbench.strategy.findings import KeyPath, schema_findings

FILE_NAME: Final = "models.yaml"

_NEW = b"# Which models answer, how they are asked, and what they cost. Never a key.\n"
_CONTENT = re.compile(rb"^\s*[^\s#]", re.MULTILINE)
_MILLION = 1_000_000


class _Part(Record):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class TierPreset(Sampling):
    """The model of one tier, with its sampling parameters."""

    model: str | None = Field(default=None, min_length=1)


class Provider(_Part):
    """How fast one provider may be asked; what is None falls back to the settings.

    Attributes:
        concurrency: Calls in flight at once.
        requests_per_minute: Calls begun within a minute.
    """

    concurrency: int | None = Field(default=None, ge=1, le=512)
    requests_per_minute: int | None = Field(default=None, ge=1)


class TokenPrice(_Part):
    """USD per million tokens; ``cached`` is for tokens of the question that the provider had kept."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class Presets(_Part):
    """What the file says.

    Attributes:
        specialist: Who plays experts and chapters.
        aggregator: Who concludes.
        providers: Limits by provider, as litellm names it.
        prices: Own prices by model string; they go before any price list.
        daily_budget: USD that may be paid on one day (UTC); None for no limit.
    """

    specialist: TierPreset = TierPreset()
    aggregator: TierPreset = TierPreset()
    providers: dict[str, Provider] = Field(default_factory=dict)
    prices: dict[str, TokenPrice] = Field(default_factory=dict)
    daily_budget: float | None = Field(default=None, ge=0)

    @property
    def models(self) -> Models:
        """The model of each tier, the baseline where none is named."""
        return Models(
            specialist=self.specialist.model or BASELINE, aggregator=self.aggregator.model or BASELINE
        )

    def tier(self, tier: Tier) -> TierPreset:
        return self.specialist if tier == "specialist" else self.aggregator

    @property
    def sampling(self) -> Mapping[Tier, Sampling]:
        return {"specialist": self.specialist, "aggregator": self.aggregator}

    def price(self, model: str) -> Price | None:
        """The own price of a model."""
        listed = self.prices.get(model)
        if listed is None:
            return None
        cached = None if listed.cached is None else listed.cached / _MILLION
        return Price(listed.input / _MILLION, listed.output / _MILLION, FILE_NAME, cached)


class PresetsFile:
    """The file of one workspace. Safe to read from any thread.

    Args:
        path: Where it is, or would be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._known: _Known | None = None

    def read(self) -> Presets:
        """What it says now; nothing where there is no file.

        Raises:
            InputError: It cannot be read; with file, line and remedy.
        """
        with self._lock:
            try:
                status = self.path.stat()
            except OSError:
                return Presets()
            state = status.st_mtime_ns, status.st_size
            if self._known is None or self._known.state != state:
                self._known = _Known(state, _valid(self._document()))
            return self._known.presets

    def change(self, values: Mapping[KeyPath, Any]) -> Presets:
        """Write some values and leave every other character of the file as it is.

        Args:
            values: Where -> what; None removes the entry.

        Raises:
            InputError: The file cannot be read or written, or would not be valid; nothing was changed.
        """
        before = self._document()
        after = before
        try:
            for path, value in values.items():
                after = _without(after, path) if value is None else _with(after, path, value)
            presets = _valid(after)
            if not self.path.exists():
                write_atomically(self.path, after.data, new=True)
            elif after.data != before.data:
                replace_file(self.path, after.data, before.data)
        except StrategyError as error:
            raise _as_input(error) from None
        return presets

    def _document(self) -> Document:
        try:
            data = read_file(self.path) if self.path.exists() else _NEW
            # Comments alone are no YAML mapping yet.
            return Document.parse(data if _CONTENT.search(data) else data + b"{}\n", FILE_NAME)
        except StrategyError as error:
            raise _as_input(error) from None


@dataclass(frozen=True)
class _Known:
    state: tuple[int, int]
    presets: Presets


def _valid(document: Document) -> Presets:
    try:
        return Presets.model_validate(document.value() or {})
    except ValidationError as error:

        def place(path: KeyPath) -> str:
            return f"{document.where}:{document.line(path)}"

        first = schema_findings(error, Presets, place)[0]
        raise InputError(first.what, where=first.where, remedy=first.remedy) from None


def _with(document: Document, path: KeyPath, value: Any) -> Document:
    """The document with a value, and with the mappings above it where they are not there yet."""
    if not document.value():
        # A block cannot be begun within the braces of an empty mapping.
        text = document.tree.text.removesuffix("{}\n")
        document = Document.parse(f"{text}{path[0]}: {{}}\n".encode(), document.where)
    for length in range(1, len(path)):
        if not document.value(path[: length - 1]).get(path[length - 1]):
            for part in reversed(path[length:]):
                value = {part: value}
            return document.set(path[:length], value)
    return document.set(path, value)


def _without(document: Document, path: KeyPath) -> Document:
    """The document without an entry, and without the mapping above it if that is empty then."""
    value = document.value()
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return document
        value = value[part]
    above = path[:-1]
    if len(document.value(above)) > 1:
        return document.delete(path)
    return _without(document, above) if above else document.set(path, {} if isinstance(value, dict) else None)


def _as_input(error: StrategyError) -> InputError:
    return InputError(error.what, where=error.where, remedy=error.remedy)
