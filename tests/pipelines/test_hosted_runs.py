"""Whole runs with a language model behind a real server: what is stored, what fails, where no key is."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator

import pytest

from tests.stub_server import StubServer, answer, failure
from workbench.engine.runner import Result
from workbench.export import FORMATS, export
from workbench.records import MatchSubject, Run
from workbench.workspace import Workspace

# litellm takes seconds to import: one worker does it for all tests that need it.
pytestmark = pytest.mark.xdist_group("litellm")

KEY = "sk-test-0123456789abcdef"
WAIT_S = 60
MATCH = MatchSubject(
    competition="English Premier League",
    season="2018-19",
    date=dt.date(2019, 4, 14),
    home="Liverpool",
    away="Chelsea",
)
# What an agent does not ask for is set aside, so one answer serves all agents at both stages.
ANSWER = {
    "status": "ok",
    "data_sufficiency": "high",
    "analysis": "Stronger at home.",
    "home_edge": "20%",
    "subjective_confidence": 0.5,
    "key_evidence": ["four home wins"],
    "why_changed": "One source only.",
    "pred_home_goals": 1.5,
    "pred_away_goals": 1,
    "1x2": "主胜",
    "reasoning": "Home.",
    "agent_weights": {"form": 0.5, "stats": 0.3, "home_away": 0.1, "injuries": 0, "h2h": 0.1},
}


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(default=answer(f"<think>Hm.</think>```json\n{json.dumps(ANSWER)}\n```")) as server:
        yield server


@pytest.fixture
def connected(
    workspace: Workspace, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("LLM_API_BASE", server.address)
    monkeypatch.setenv("LLM_MODEL", "openai/stub-1")
    connected = Workspace.open()
    yield connected
    connected.jobs.close()


def judge(workspace: Workspace) -> tuple[Result, Run]:
    strategy = workspace.strategy("match")
    plan = workspace.plan(strategy, MATCH, MATCH.date)
    run_id = workspace.jobs.start(plan, workspace.models(strategy))
    result = workspace.jobs.wait(run_id, WAIT_S)
    return result, workspace.store.load(run_id)


def assert_key_nowhere(workspace: Workspace, run: Run) -> None:
    files = [path for path in workspace.root.rglob("*") if path.is_file()]
    assert any(path.name == "runs.db" for path in files)
    for path in files:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in run.model_dump_json()
    for form in FORMATS:
        assert KEY.encode() not in export(run, form)


def test_a_language_model_plays_every_agent_at_both_stages(connected: Workspace, server: StubServer) -> None:
    result, run = judge(connected)

    assert (result.status, run.status, run.models.title) == ("done", "done", "openai/stub-1")
    assert run.verdict is not None
    assert (run.verdict.score, run.verdict.label) == (0.5, "1")
    asked = {report.agent: len(report.calls) for report in run.reports}
    assert asked == {"form": 2, "stats": 2, "home_away": 2, "injuries": 0, "h2h": 2, "aggregator": 1}
    form = run.report("form")
    assert form is not None
    assert form.draft is not None
    assert form.revised is not None
    assert (form.draft.score, form.revised.why_changed) == (0.2, "One source only.")
    call = form.calls[0]
    assert (call.resolved_model, call.input_tokens, call.output_tokens) == ("openai/stub-1", 10, 5)
    assert (call.cost, call.cost_source) == (None, "")
    assert "Liverpool" in call.prompt
    assert call.reply.startswith("<think>\nHm.\n</think>\n```json")
    assert len(server.received) == sum(asked.values())
    assert_key_nowhere(connected, run)


def test_the_same_run_again_is_answered_from_the_cache(connected: Workspace, server: StubServer) -> None:
    judge(connected)
    paid = len(server.received)

    _, again = judge(connected)

    assert len(server.received) == paid
    calls = [call for report in again.reports for call in report.calls]
    assert calls
    assert all(call.cache_hit for call in calls)


def test_a_refused_key_fails_the_run_with_one_clear_line(connected: Workspace, server: StubServer) -> None:
    server.default = failure(401, f"Incorrect API key provided: {KEY}")

    result, run = judge(connected)

    assert (result.status, run.status, run.verdict) == ("failed", "failed", None)
    assert "(401)" in run.error
    assert "API key in the environment" in run.error
    assert "\n" not in run.error
    assert {report.status for report in run.reports} == {"error", "no_data"}
    assert_key_nowhere(connected, run)


def test_an_agent_that_gets_no_usable_answer_is_not_counted(connected: Workspace, server: StubServer) -> None:
    server.then(*[answer("I would rather not say.")] * 8)

    _, run = judge(connected)

    assert run.status == "done"
    assert run.verdict is not None
    assert [r.agent for r in run.reports if r.status == "parse_error"] == [
        "form",
        "stats",
        "home_away",
        "h2h",
    ]
    assert (run.verdict.counted, run.verdict.total) == (0, 5)
