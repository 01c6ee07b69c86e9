"""Plain data: what a YAML file means, apart from how it is written."""

from __future__ import annotations

import datetime as dt
from typing import Any

from workbench.strategy.findings import KeyPath

Plain = Any
"""Text, numbers, flags, dates, None, and lists and dicts of plain data."""


def copied(value: Plain) -> Plain:
    """A deep copy in which nothing is shared and tuples are lists.

    Raises:
        TypeError: Something in it is not plain data.
    """
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [copied(item) for item in value]
    if value is None or isinstance(value, str | int | float | bytes | dt.date):
        return value
    raise TypeError(f"{type(value).__name__} is not plain data")


def same(left: Plain, right: Plain) -> bool:
    """Equality that tells 1 from 1.0 and True, heeds the order of keys, and takes NaN as equal to itself."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        pairs = zip(left.items(), right.items(), strict=False)
        return len(left) == len(right) and all(same(a, b) and same(x, y) for (a, x), (b, y) in pairs)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right) or (left != left and right != right)


def replaced(whole: Plain, path: KeyPath, value: Plain) -> Plain:
    """A copy of ``whole`` in which the value at ``path`` is ``value``; what stands above it must exist."""
    if not path:
        return value
    part: Any = path[0]
    changed = whole.copy()
    changed[part] = replaced(whole[part] if len(path) > 1 else None, path[1:], value)
    return changed


def with_entry(old: Plain, index: int, key: Any, value: Plain) -> Plain:
    """A copy of a list with one more item, or of a dict with the entry ``key``, before position ``index``."""
    if isinstance(old, list):
        return [*old[:index], value, *old[index:]]
    entries = list(old.items())
    return dict([*entries[:index], (key, value), *entries[index:]])
