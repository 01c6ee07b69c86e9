"""What the tests of hosted models share: a small answer, a question, and sleep that takes no time."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from pydantic import BaseModel, Field

from workbench.llm.base import Request

KEY = "sk-test-0123456789abcdef"
GOOD = '{"score": 70}'


class Answer(BaseModel):
    score: float = Field(ge=0, le=100)
    label: Literal["买入", "回避"] | None = Field(default=None, alias="最终建议")


class Sleeps:
    """Waits for nothing and remembers how long it was asked to."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await asyncio.sleep(0)


def question(model: str = "openai/stub-1", **changes: Any) -> Request:
    return Request(
        agent="a",
        stage="draft",
        model=model,
        system="You judge.",
        prompt="Judge 茅台.",
        schema=Answer,
        **changes,
    )
