"""A sixth expert in the three steps CONTRIBUTING gives, with the engine untouched."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
from collections.abc import Iterator

import pytest

from workbench.engine.runner import run
from workbench.evidence import slices
from workbench.evidence.fixtures import resolve_match
from workbench.evidence.football import DEFAULT_WINDOW, Window
from workbench.evidence.view import View
from workbench.llm.base import Reply, Request
from workbench.records import Evidence, MatchSubject, Models
from workbench.workspace import Workspace

DAY = dt.date(2019, 4, 14)
PROMPT = """\
---
system: 你是足球天气影响分析师。
stage: draft
---
{{ subject.home }} 对 {{ subject.away }}

{{ evidence | fenced("evidence") }}

{{ answer }}
"""


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "_SLICES", dict(slices._SLICES))


@pytest.fixture
def with_weather(workspace: Workspace, registry: None) -> Iterator[Workspace]:
    # 1. a slice
    @slices.slice_("weather", of="match")
    def weather(view: View, subject: MatchSubject, window: Window = DEFAULT_WINDOW) -> Evidence:
        return Evidence(text="比赛日小雨，15°C", sources=("weather",), sufficiency="low")

    # 2. a line in the strategy
    folder = workspace.strategy_folder
    before = folder.document("match")
    entry = {"name": "weather", "title": "天气", "slice": "weather"}
    after = before.insert(("specialists",), len(before.value(("specialists",))), entry)
    # 3. a prompt
    (workspace.prompts_dir / "agents" / "weather_v1.md").write_text(PROMPT, encoding="utf-8")
    folder.save("match", after.data, before.data)
    return workspace


class Thinker:
    """Answers everybody alike and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: dict[tuple[str, str], Request] = {}

    async def complete(self, request: Request) -> Reply:
        self.asked[request.agent, request.stage] = request
        expert = {"agent": request.agent, "status": "ok", "data_sufficiency": "low", "analysis": "x"}
        expert |= {"home_edge": 0.1, "subjective_confidence": 0.3, "key_evidence": [], "why_changed": ""}
        final = {"pred_home_goals": 2, "pred_away_goals": 1, "1x2": "1", "subjective_confidence": 0.6}
        final |= {"reasoning": "x", "agent_weights": {"weather": 0.2}}
        return Reply(json.dumps(final if request.agent == "aggregator" else expert), resolved_model="thinker")


def test_the_new_expert_is_asked_and_its_report_reaches_the_aggregator(with_weather: Workspace) -> None:
    subject = resolve_match(with_weather.evidence, "Liverpool", "Chelsea", DAY)
    plan = with_weather.plan(with_weather.strategy("match"), subject, DAY)
    thinker = Thinker()
    result = asyncio.run(run(plan, Models(), thinker))
    assert result.status == "done"
    assert result.reports["weather"].status == "ok"
    assert "比赛日小雨" in thinker.asked["weather", "draft"].prompt
    assert "天气" in thinker.asked["aggregator", "draft"].prompt
    assert result.verdict is not None
    assert result.verdict.fields["agent_weights"]["weather"] == 0.2


def test_the_checks_have_nothing_against_it(with_weather: Workspace) -> None:
    assert [finding for finding in with_weather.lint("match") if finding.severity == "error"] == []
