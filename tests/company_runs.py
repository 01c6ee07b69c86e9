"""Finished company runs as a list of runs has them, for tests of what became of their scores."""

from __future__ import annotations

import datetime as dt

from workbench.records import BASELINE, Models
from workbench.store.rows import RunRow


def company_run(
    code: str = "X",
    as_of: str = "2018-06-30",
    score: float | None = 60,
    label: str | None = "watch",
    *,
    model: str = BASELINE,
    minute: int = 0,
    **changes: object,
) -> RunRow:
    """A run over a company, started ``minute`` minutes after the others."""
    row = {
        "run_id": f"{code}-{as_of}-{model}-{minute}",
        "pipeline": "chapters",
        "status": "done",
        "subject_key": code,
        "subject_title": code,
        "as_of": dt.date.fromisoformat(as_of),
        "strategy": "value",
        "strategy_hash": "",
        "prompt_version": "v1",
        "blind": "identity",
        "models": Models(specialist=model, aggregator=model),
        "score": score,
        "label": label,
        "confidence": None,
        "counted": 6,
        "total": 6,
        "failed": 0,
        "warnings": 0,
        "cost": None,
        "started": dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(minutes=minute),
        "finished": None,
        "retry_of": None,
        "batch_id": None,
        "error": "",
        "starred": False,
        "tags": (),
        "note": "",
    }
    return RunRow(**(row | changes))
