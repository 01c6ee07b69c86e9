"""Fixtures for tests of hosted models: one event loop, a server to ask, and waiting that takes no time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.hosted_samples import GOOD, KEY, Sleeps
from tests.stub_server import StubServer, answer


@pytest.fixture(scope="session")
def loop() -> Iterator[asyncio.Runner]:
    # litellm keeps connections per loop, so all tests share one, as a process does.
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with StubServer(default=answer(GOOD)) as server:
        yield server


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()
