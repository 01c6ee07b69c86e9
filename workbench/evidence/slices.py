"""The registry of slices: named functions from a point-in-time view and a subject to evidence."""

from __future__ import annotations

from collections.abc import Callable

from workbench.errors import StrategyError
from workbench.records import Evidence

Slice = Callable[..., Evidence]
"""``(view, subject) -> Evidence``; any further parameter is an option and has a default.

A slice that knows nothing returns ``Evidence()``, sufficiency none.
"""

_SLICES: dict[str, Slice] = {}


def slice_(name: str) -> Callable[[Slice], Slice]:
    """Register a function as the slice ``name``; a second function under one name is a programming error."""

    def register(function: Slice) -> Slice:
        if _SLICES.get(name, function) is not function:
            raise ValueError(f"two slices are called {name!r}")
        _SLICES[name] = function
        return function

    return register


def get_slice(name: str) -> Slice:
    """The slice registered as ``name``.

    Raises:
        StrategyError: No slice has that name.
    """
    try:
        return _SLICES[name]
    except KeyError:
        known = ", ".join(sorted(_SLICES))
        raise StrategyError(
            f"there is no evidence slice {name!r}.", remedy=f"Known slices: {known}."
        ) from None


def slice_names() -> tuple[str, ...]:
    """Every registered name, sorted."""
    return tuple(sorted(_SLICES))
