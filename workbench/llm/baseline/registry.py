"""Which rule of the baseline answers which kind of task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.llm.base import Request
from workbench.records import StageName

Answer = Callable[[Request], Mapping[str, Any]]
"""``request -> answer``: the fields of the request's schema, JSON-ready."""

ANSWERS: dict[tuple[str, StageName], Answer] = {}
"""``(task kind, stage)`` -> the function that answers it; the kind is ``request.task["kind"]``."""


def answers(kind: str, stage: StageName = "draft") -> Callable[[Answer], Answer]:
    """Register a function for one kind of task at one stage.

    Raises:
        ValueError: Another function already answers that kind at that stage.
    """

    def register(function: Answer) -> Answer:
        if ANSWERS.get((kind, stage), function) is not function:
            raise ValueError(f"two functions answer {kind!r} at stage {stage!r}")
        ANSWERS[kind, stage] = function
        return function

    return register
