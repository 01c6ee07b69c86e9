"""The built-in baseline analyst: declared, readable rules over the same evidence a model is shown.

It is a yardstick and a way to work without a key. It is never called a language model: its answers
are deterministic, cost nothing, and every figure in them comes from the evidence facts.
"""

from __future__ import annotations

import json
import time

from workbench.errors import ModelError
from workbench.llm.base import Reply, Request
from workbench.llm.baseline import (  # noqa: F401 - each registers its rules
    chapters,
    match,
    news,
    news_second_look,
    synthesis,
)
from workbench.llm.baseline.registry import ANSWERS
from workbench.records import BASELINE


class Baseline:
    """The baseline as a ``Model``: reads facts and task, and answers with the JSON a model would write."""

    async def complete(self, request: Request) -> Reply:
        """Answer one request by the rule registered for its kind of task and stage.

        Raises:
            ModelError: No rule answers that kind of task at that stage.
        """
        kind = str(request.task.get("kind", ""))
        rule = ANSWERS.get((kind, request.stage))
        if rule is None:
            raise ModelError(
                f"the baseline has no rule for the task {kind!r} at stage {request.stage!r}.",
                where=request.agent,
                remedy="Choose a hosted model for this strategy.",
            )
        started = time.perf_counter()
        text = json.dumps(rule(request), ensure_ascii=False, allow_nan=False)
        return Reply(
            text=text,
            resolved_model=BASELINE,
            input_tokens=0,
            output_tokens=0,
            cost=0.0,
            cost_source="rules",
            latency_s=time.perf_counter() - started,
        )
