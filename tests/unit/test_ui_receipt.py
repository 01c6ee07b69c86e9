"""The bill of a run: what was paid, what came from the cache, what nobody knows."""

from __future__ import annotations

import datetime as dt

import pytest

from workbench.records import Call
from workbench.ui.panels.receipt import paid

CALL = Call(
    agent="a",
    stage="draft",
    attempt=1,
    requested_model="openai/m",
    resolved_model="openai/m",
    prompt="?",
    started=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
)


def costing(*costs: float | None) -> list[Call]:
    return [CALL.model_copy(update={"cost": cost}) for cost in costs]


CACHED = CALL.model_copy(update={"cost": 0.5, "cache_hit": True})
FAILED = CALL.model_copy(update={"resolved_model": "", "error": "(500)"})


@pytest.mark.parametrize(
    ("calls", "shown"),
    [
        (costing(0.01, 0.02), "$0.0300"),
        ([*costing(0.01), CACHED], "$0.0100"),
        ([CACHED], "no cost"),
        (costing(None), "–"),
        (costing(0.01, None), "at least $0.0100"),
        ([*costing(0.01), FAILED], "$0.0100"),
        ([FAILED], "no cost"),
        ([], "no cost"),
        (costing(0.0), "no cost"),
    ],
)
def test_what_was_paid_is_never_guessed(calls: list[Call], shown: str) -> None:
    """The bill once added up the cost of cached answers, which were paid for by another run."""
    assert paid(calls) == shown
