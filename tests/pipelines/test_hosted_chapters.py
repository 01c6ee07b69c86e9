"""The chapters pipeline with a language model behind a real server: what is asked again, and what is read."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator

import pytest

from tests.stub_server import Behaviour, StubServer, answer
from workbench.engine.runner import Result
from workbench.records import Run, TickerSubject
from workbench.strategy.blinding import for_backtest
from workbench.strategy.files import LoadedStrategy
from workbench.workspace import Workspace

# litellm takes seconds to import: one worker does it for all tests that need it.
pytestmark = pytest.mark.xdist_group("litellm")

WAIT_S = 60
MOUTAI = TickerSubject(code="600519.SH", name="贵州茅台")
DAY = dt.date(2021, 6, 30)
FIELD = re.compile(r'^  "([^"]+)": ', re.MULTILINE)
CHAPTER = {
    "score": "62 / 100",
    "confidence": 0.6,
    "conclusion": "尚可。",
    "analysis": ["先结论。", "后理由。"],
    "key_evidence": "净资产收益率 31.4%（2020）",
    "why_changed": "未改。",
}
SYNTHESIS = {
    "overall_score": "78 / 100",
    "最终建议": "买入",
    "信心水平": "中",
    "一句话买入逻辑": "低于正常价才买。",
    "关键风险": ["渠道库存", "提价失败"],
    "why_changed": "未改。",
    "核心矛盾": "没有人问过",
}


def by_prompt(synthesis: object = SYNTHESIS) -> Behaviour:
    """Answers every chapter with all the fields it asks for, and the synthesis with ``synthesis``."""

    def behave(handler) -> None:  # type: ignore[no-untyped-def]
        prompt = handler.stub.received[-1].body["messages"][-1]["content"]
        asked = FIELD.findall(prompt[prompt.rindex("## 作答") :])
        reply = synthesis if "step_findings" in asked else {name: CHAPTER.get(name) for name in asked}
        answer(json.dumps(reply, ensure_ascii=False))(handler)

    return behave


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(default=by_prompt()) as server:
        yield server


@pytest.fixture
def connected(
    workspace: Workspace, server: StubServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workspace]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("LLM_API_BASE", server.address)
    monkeypatch.setenv("LLM_MODEL", "openai/stub-1")
    monkeypatch.setenv("WORKBENCH_CONCURRENCY", "1")  # the stub looks at the newest request only
    connected = Workspace.open()
    yield connected
    connected.jobs.close()


def judge(workspace: Workspace, strategy: LoadedStrategy) -> tuple[Result, Run]:
    plan = workspace.plan(strategy, MOUTAI, DAY)
    run_id = workspace.jobs.start(plan, workspace.models(strategy))
    result = workspace.jobs.wait(run_id, WAIT_S)
    return result, workspace.store.load(run_id)


def test_answers_in_the_form_models_give_are_read(connected: Workspace, server: StubServer) -> None:
    result, run = judge(connected, connected.strategy("value"))
    assert result.status == "done", result.error
    assert run.verdict is not None
    assert (run.verdict.score, run.verdict.label) == (78, "buy")
    assert run.verdict.fields["一句话买入逻辑（强制）"] == "低于正常价才买。"
    assert run.verdict.fields["关键风险"] == ["渠道库存", "提价失败"]
    assert any(warning.startswith("综合研判没有回答：") for warning in run.verdict.warnings)
    first = run.reports[0].final
    assert first is not None
    assert (first.score, first.analysis) == (62, "先结论。\n后理由。")
    assert first.key_evidence == ("净资产收益率 31.4%（2020）",)
    assert len(server.received) == 14


def test_editing_only_the_synthesis_asks_only_the_synthesis_again(
    connected: Workspace, server: StubServer
) -> None:
    judge(connected, connected.strategy("value"))
    asked = len(server.received)
    path = connected.strategy_dir / "value.yaml"
    text = path.read_text(encoding="utf-8")
    edited = text.replace("buy: 75 #", "buy: 80 #").replace("watch: [30, 74]", "watch: [30, 79]")
    assert edited != text
    path.write_text(edited.replace("先找致命伤。", "先看有没有致命伤。"), encoding="utf-8")

    _, run = judge(connected, connected.strategy("value"))

    assert len(server.received) - asked == 2  # draft and second look of the synthesis
    calls = {report.agent: [call.cache_hit for call in report.calls] for report in run.reports}
    assert calls.pop("synthesis") == [False, False]
    assert all(all(hits) and len(hits) == 2 for hits in calls.values())
    assert run.verdict is not None
    assert (run.verdict.score, run.verdict.label) == (78, "watch")


def test_a_chapters_answer_in_place_of_the_synthesis_fails_the_run(
    connected: Workspace, server: StubServer
) -> None:
    server.default = by_prompt(CHAPTER | {"action": "买入", "buy_price": 1.0})
    result, run = judge(connected, connected.strategy("value"))
    assert (result.status, run.status, run.verdict) == ("failed", "failed", None)
    synthesis = run.report("synthesis")
    assert synthesis is not None
    assert (synthesis.status, len(synthesis.calls)) == ("parse_error", 2)  # asked twice, then given up


def test_a_blind_backtest_tells_the_server_neither_who_nor_when(
    connected: Workspace, server: StubServer
) -> None:
    _, run = judge(connected, for_backtest(connected.strategy("value")))
    sent = json.dumps([received.body for received in server.received], ensure_ascii=False)
    assert "茅台" not in sent
    assert "600519" not in sent
    assert re.search(r"(?<![\d,.])20[12]\d(?!\d)", sent) is None
    assert run.blind == "identity"
    assert connected.store.find()[0].blind == "identity"
    assert run.verdict is not None
    assert "盲测" in run.verdict.warnings[0]
