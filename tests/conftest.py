"""Fixtures every test may use: a workspace of one's own, and a model that says what it is told to say."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict, deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ModelError
from workbench.llm.base import Reply, Request
from workbench.settings import load_settings
from workbench.workspace import Workspace, init_workspace

ROOT = Path(__file__).parents[1]


class FakeModel:
    """Answers from queues of canned replies, one queue per agent, and keeps every request it got.

    A reply is a text, a mapping (sent as JSON) or an exception to raise. An agent without a queue of its
    own takes from the common one.
    """

    def __init__(self) -> None:
        self.history: list[Request] = []
        self._queues: dict[str, deque[Any]] = defaultdict(deque)

    def enqueue(self, *replies: str | Mapping[str, Any] | Exception, agent: str = "") -> None:
        self._queues[agent].extend(replies)

    def asked(self, agent: str) -> list[Request]:
        """The requests of one agent, in order."""
        return [request for request in self.history if request.agent == agent]

    async def complete(self, request: Request) -> Reply:
        self.history.append(request)
        queue = self._queues[request.agent] or self._queues[""]
        if not queue:
            raise ModelError(f"no canned reply left for {request.agent} ({request.stage})")
        reply = queue.popleft()
        if isinstance(reply, Exception):
            raise reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return Reply(text, resolved_model="fake", input_tokens=10, output_tokens=5)


@pytest.fixture
def fake_model() -> FakeModel:
    return FakeModel()


@pytest.fixture(scope="session")
def pristine_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new workspace with its evidence already built; to be copied, not changed."""
    folder = init_workspace(tmp_path_factory.mktemp("pristine") / "workspace")
    Workspace(folder, load_settings()).evidence.instruments  # noqa: B018 - builds the database
    return folder


@pytest.fixture
def workspace(pristine_workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace of this test alone, which commands and pages find through ``WORKBENCH_HOME``."""
    folder = tmp_path / "workspace"
    shutil.copytree(pristine_workspace, folder, ignore=shutil.ignore_patterns("*.db-*", "locks"))
    for variable in ("LLM_MODEL", "LLM_SPECIALIST_MODEL", "LLM_AGGREGATOR_MODEL", "LLM_API_BASE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("WORKBENCH_HOME", str(folder))
    return Workspace.open()
