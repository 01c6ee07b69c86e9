"""What the strategies of every kind are made of: the base class, and the parts more than one kind has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, field_validator

from workbench.records import Record, Sampling
from workbench.strategy.findings import KeyPath

Language = Literal["zh", "en"]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Text = Annotated[str, Field(min_length=1)]


class Part(Record):
    """Base of everything in a strategy file: frozen, no unknown keys, no NaN or infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Problem:
    """A contradiction within a strategy that its types alone cannot show."""

    path: KeyPath
    what: str
    remedy: str


_RANGE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*[-–—~]\s*(\d+(?:\.\d+)?)\s*")


class RubricAnchor(Part):
    """What a subject in one score range looks like: a calibration aid, not a formula."""

    range: str
    description: Text

    @field_validator("range")
    @classmethod
    def _two_rising_numbers(cls, text: str) -> str:
        match = _RANGE.fullmatch(text)
        if not match or float(match[1]) > float(match[2]):
            raise ValueError(f'{text!r} is not a range; write two rising numbers such as "75-84".')
        return text

    def _bounds(self) -> tuple[str, str]:
        match = _RANGE.fullmatch(self.range)
        assert match is not None  # the validator has seen it
        return match[1], match[2]

    @property
    def low(self) -> float:
        return float(self._bounds()[0])

    @property
    def high(self) -> float:
        return float(self._bounds()[1])

    @property
    def resolution(self) -> float:
        """Smallest step the bounds are written in: 1 for ``75-84``, 0.01 for ``0.65-0.79``."""
        digits = max(len(bound.partition(".")[2]) for bound in self._bounds())
        return float(10.0**-digits)


class RoleModels(Part):
    """Models this strategy asks for by tier; what is not named falls back to the settings."""

    specialist: str | None = None
    aggregator: str | None = None


class RoleSampling(Part):
    """Sampling parameters this strategy asks for by tier; what is not named falls back to the settings."""

    specialist: Sampling = Sampling()
    aggregator: Sampling = Sampling()


class StrategyBase(Part):
    """What all kinds share."""

    name: Text
    title: Text
    description: str = ""
    language: Language = "zh"
    revise: bool = True
    prompt_version: str = Field(default="v1", pattern=r"^v[1-9]\d*$")
    models: RoleModels = RoleModels()
    sampling: RoleSampling = RoleSampling()

    def prompt_names(self) -> tuple[str, ...]:
        """The prompts a run of this strategy asks with."""
        raise NotImplementedError

    def problems(self) -> Iterator[Problem]:
        """Contradictions within the strategy; a strategy that has any cannot be used."""
        raise NotImplementedError


def duplicates(
    names: list[str] | tuple[str, ...], path: KeyPath, key: str | None, noun: str
) -> Iterator[Problem]:
    """A problem for each name that an earlier one has already; ``key`` is where an entry keeps it."""
    for index, name in enumerate(names):
        if name in names[:index]:
            at = (*path, index) if key is None else (*path, index, key)
            yield Problem(at, f"two {noun}s are called {name!r}.", "Rename or remove one of them.")


def reserved(names: list[str], path: KeyPath, key: str, agent: str) -> Iterator[Problem]:
    """A problem for each entry that takes the name of the pipeline's last agent."""
    for index, name in enumerate(names):
        if name == agent:
            what = f"{name!r} is the name of the last agent of the pipeline."
            yield Problem((*path, index, key), what, "Choose another name.")
