"""The registry of slices: named functions from a point-in-time view and a subject to evidence.

A slice is for one kind of subject. Two kinds may use one name, and a strategy of one kind never reaches a
slice of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from workbench.errors import StrategyError
from workbench.records import Evidence

Slice = Callable[..., Evidence]
"""``(view, subject) -> Evidence``; any further parameter is an option and has a default.

A slice that knows nothing returns ``Evidence()``, sufficiency none.
"""

SubjectKind = Literal["ticker", "match", "news"]

_SLICES: dict[tuple[SubjectKind, str], Slice] = {}


def slice_(name: str, of: SubjectKind = "ticker") -> Callable[[Slice], Slice]:
    """Register a function as the slice ``name``; a second function under one name is a programming error."""

    def register(function: Slice) -> Slice:
        if _SLICES.get((of, name), function) is not function:
            raise ValueError(f"two slices of a {of} are called {name!r}")
        _SLICES[of, name] = function
        return function

    return register


def get_slice(name: str, of: SubjectKind = "ticker") -> Slice:
    """The slice registered as ``name``.

    Raises:
        StrategyError: No slice of that kind of subject has that name.
    """
    try:
        return _SLICES[of, name]
    except KeyError:
        raise StrategyError(
            f"there is no evidence slice {name!r} of a {of}.",
            remedy=f"Known slices: {', '.join(slice_names(of))}.",
        ) from None


def slice_names(of: SubjectKind = "ticker") -> tuple[str, ...]:
    """Every registered name for one kind of subject, sorted."""
    return tuple(sorted(name for kind, name in _SLICES if kind == of))
