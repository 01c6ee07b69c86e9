"""Answers are paid for once, and only for exactly the same question."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.engine_samples import Answer
from workbench.errors import ModelError
from workbench.llm.base import Reply, Request
from workbench.llm.cache import Cached, question_key

GOOD = '{"score": 70, "confidence": 0.5, "analysis": "x", "key_evidence": []}'
QUESTION = Request(agent="a", stage="draft", model="fake/m", system="s", prompt="p 茅台", schema=Answer)


class Counting:
    """Says what it is told and counts how often it was asked."""

    def __init__(self, *texts: str | Exception) -> None:
        self.texts = list(texts)
        self.asked = 0

    async def complete(self, request: Request) -> Reply:
        text = self.texts[min(self.asked, len(self.texts) - 1)]
        self.asked += 1
        if isinstance(text, Exception):
            raise text
        return Reply(text, "fake", input_tokens=10, output_tokens=5, cost=0.25, latency_s=1.5)


def ask(model: Cached, request: Request = QUESTION) -> Reply:
    return asyncio.run(model.complete(request))


def test_the_same_question_is_paid_for_once_also_by_a_later_process(tmp_path: Path) -> None:
    inner = Counting(GOOD)

    first = ask(Cached(inner, tmp_path / "cache.db"))
    second = ask(Cached(inner, tmp_path / "cache.db"))

    assert inner.asked == 1
    assert not first.cache_hit
    assert second == replace(first, cache_hit=True)
    assert (second.cost, second.latency_s) == (0.25, 1.5)


def test_a_question_asked_again_while_it_is_being_answered_is_paid_for_once(tmp_path: Path) -> None:
    """Two runs started together paid for every question that both asked."""

    class Slow(Counting):
        async def complete(self, request: Request) -> Reply:
            await asyncio.sleep(0.01)
            return await super().complete(request)

    async def asked(*texts: str | Exception) -> tuple[int, list[bool]]:
        inner = Slow(*texts)
        cached = Cached(inner, tmp_path / f"{len(texts)}.db")
        questions = (cached.complete(QUESTION) for _ in range(3))
        replies = await asyncio.gather(*questions, return_exceptions=True)
        return inner.asked, [reply.cache_hit for reply in replies if isinstance(reply, Reply)]

    assert asyncio.run(asked(GOOD)) == (1, [False, True, True])
    assert asyncio.run(asked(ModelError("no"), GOOD)) == (2, [False, True]), "who fails hands on no failure"


class Other(BaseModel):
    score: float = Field(ge=0, le=10)


@pytest.mark.parametrize(
    "change",
    [
        {"model": "fake/n"},
        {"params": {"temperature": 1}},
        {"system": "t"},
        {"prompt": "p 茅台."},
        {"template_hash": "h"},
        {"schema": Other},
        {"repeat": 1},
    ],
)
def test_any_difference_makes_another_question(change: dict[str, Any]) -> None:
    assert question_key(replace(QUESTION, **change)) != question_key(QUESTION)


def test_another_server_makes_another_question_and_facts_do_not() -> None:
    assert question_key(QUESTION, "http://localhost:1/v1") != question_key(QUESTION)
    assert question_key(replace(QUESTION, facts={"x": 1}, agent="b")) == question_key(QUESTION)


def test_off_neither_reads_nor_writes(tmp_path: Path) -> None:
    inner = Counting(GOOD)
    model = Cached(inner, tmp_path / "cache.db")

    ask(model, replace(QUESTION, cache="off"))
    ask(model, replace(QUESTION, cache="off"))

    assert inner.asked == 2
    assert not (tmp_path / "cache.db").exists()


def test_refresh_asks_again_and_replaces_the_answer(tmp_path: Path) -> None:
    better = GOOD.replace("70", "60")
    inner = Counting(GOOD, better)
    model = Cached(inner, tmp_path / "cache.db")

    ask(model)
    assert ask(model, replace(QUESTION, cache="refresh")).text == better
    assert ask(model).text == better
    assert inner.asked == 2


@pytest.mark.parametrize("bad", ["I cannot say.", '{"score": 700}', GOOD[:-1]])
def test_an_answer_that_cannot_be_used_is_not_kept(tmp_path: Path, bad: str) -> None:
    inner = Counting(bad, GOOD)
    model = Cached(inner, tmp_path / "cache.db")

    assert ask(model).text == bad
    assert ask(model).text == GOOD
    assert ask(model).cache_hit


def test_an_error_is_not_kept(tmp_path: Path) -> None:
    model = Cached(Counting(ModelError("gone."), GOOD), tmp_path / "cache.db")

    with pytest.raises(ModelError):
        ask(model)
    assert ask(model).text == GOOD


def test_a_damaged_cache_costs_money_but_no_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(b"this is no database" * 100)
    inner = Counting(GOOD)
    model = Cached(inner, path)

    assert ask(model).text == GOOD
    assert ask(model).text == GOOD
    assert inner.asked == 2
    assert "cache cannot be read" in caplog.text


def test_many_agents_may_ask_at_once(tmp_path: Path) -> None:
    model = Cached(Counting(GOOD), tmp_path / "cache.db")

    async def scenario() -> None:
        await asyncio.gather(*(model.complete(replace(QUESTION, prompt=str(n))) for n in range(30)))

    asyncio.run(scenario())
    with sqlite3.connect(tmp_path / "cache.db") as db:
        assert db.execute("select count(*) from answers").fetchone() == (30,)
