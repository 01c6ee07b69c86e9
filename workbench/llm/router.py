"""Send each request to whoever plays the model it names."""

from __future__ import annotations

from workbench.llm.base import Model, Reply, Request
from workbench.llm.baseline import Baseline
from workbench.records import BASELINE


class Router:
    """The built-in baseline for ``baseline``, another model for every other name.

    Args:
        hosted: Answers requests for language models.
    """

    def __init__(self, hosted: Model) -> None:
        self._hosted = hosted
        self._baseline = Baseline()

    async def complete(self, request: Request) -> Reply:
        """Answer one request.

        Raises:
            ModelError: The model did not answer.
        """
        model = self._baseline if request.model == BASELINE else self._hosted
        return await model.complete(request)
