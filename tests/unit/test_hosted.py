"""Language models over real HTTP: what is sent, what is made of every kind of answer, what is retried."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import logging
import os
from collections.abc import Coroutine
from email.utils import format_datetime
from typing import Any

import pytest

from tests.hosted_samples import GOOD, KEY, Answer, Sleeps, question
from tests.stub_server import (
    Behaviour,
    StubServer,
    answer,
    cut_off,
    failure,
    message,
    no_choices,
    raw,
    silence,
    streamed,
)
from workbench.errors import ModelError
from workbench.llm import hosted
from workbench.llm.base import Reply
from workbench.llm.hosted import Hosted
from workbench.llm.limits import Gate, backoff, retry_after
from workbench.llm.redaction import redacted
from workbench.llm.replies import parse_reply
from workbench.settings import Settings

# litellm takes seconds to import: one worker does it for all of these tests.
pytestmark = pytest.mark.xdist_group("litellm")

TOOL_CALL = {"id": "t", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}


def model_of(server: StubServer, sleeps: Sleeps, **limits: Any) -> Hosted:
    return Hosted(Settings(api_base=server.address, **limits), sleep=sleeps)


def refused(loop: asyncio.Runner, asking: Coroutine[Any, Any, Reply]) -> ModelError:
    with pytest.raises(ModelError) as caught:
        loop.run(asking)
    return caught.value


def test_the_question_arrives_and_the_answer_comes_back(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    usage = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27}
    usage |= {"prompt_tokens_details": {"cached_tokens": 12}}
    server.then(answer(GOOD, model="stub-1-2026", usage=usage))

    reply = loop.run(
        model_of(server, sleeps).complete(question(params={"temperature": 0.2, "seed": 7, "max_tokens": 50}))
    )

    assert (reply.text, reply.resolved_model) == (GOOD, "openai/stub-1-2026")
    assert (reply.input_tokens, reply.cached_tokens, reply.output_tokens) == (20, 12, 7)
    assert (reply.cost, reply.cost_source) == (None, "")
    assert reply.latency_s > 0
    [received] = server.received
    assert received.path == "/v1/chat/completions"
    assert received.headers["authorization"] == f"Bearer {KEY}"
    assert received.body["model"] == "stub-1"
    assert received.body["messages"] == [
        {"role": "system", "content": "You judge."},
        {"role": "user", "content": "Judge 茅台."},
    ]
    assert [received.body[name] for name in ("temperature", "seed", "max_tokens")] == [0.2, 7, 50]


def test_a_local_server_needs_no_key(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")

    assert loop.run(model_of(server, sleeps).complete(question())).text == GOOD


def test_the_schema_is_sent_under_the_names_of_the_answer(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    loop.run(model_of(server, sleeps).complete(question()))

    sent = server.received[0].body["response_format"]
    assert sent["type"] == "json_schema"
    assert set(sent["json_schema"]["schema"]["properties"]) == {"score", "最终建议"}


def test_a_refused_answer_format_is_lowered_once_and_remembered(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(
        failure(400, "'json_schema' is not supported with this model"),
        failure(422, "response_format.schema: extra inputs are not permitted"),
        failure(400, "unknown field response_format"),
    )
    model = model_of(server, sleeps)

    loop.run(model.complete(question()))
    loop.run(model.complete(question()))

    asked = [received.body.get("response_format", {}) for received in server.received]
    assert [form.get("type") for form in asked] == ["json_schema", "json_object", "json_object", None, None]
    assert set(asked[1]["schema"]["properties"]) == {"score", "最终建议"}
    assert "schema" not in asked[2]
    assert sleeps.asked == []


def test_a_refusal_that_a_server_reports_as_its_own_failure_is_understood(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    """llama-cpp-python answers 500 to a form it cannot validate, which was retried in vain."""
    server.then(failure(500, "('body', 'response_format', 'type'): should be 'text' or 'json_object'"))

    assert loop.run(model_of(server, sleeps).complete(question())).text == GOOD
    assert (len(server.received), sleeps.asked) == (2, [])


def test_a_server_that_reports_no_usage_leaves_the_tokens_unknown(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": GOOD}}],
    }
    server.then(raw(json.dumps(body).encode(), content_type="text/plain"))

    reply = loop.run(model_of(server, sleeps).complete(question()))

    assert reply.text == GOOD
    assert (reply.input_tokens, reply.output_tokens, reply.cost) == (None, None, None)


def test_a_very_long_answer_arrives_whole(loop: asyncio.Runner, server: StubServer, sleeps: Sleeps) -> None:
    server.then(answer("x" * 5_000_000))

    assert len(loop.run(model_of(server, sleeps).complete(question())).text) == 5_000_000


@pytest.mark.parametrize(
    ("behaviour", "said", "remedy"),
    [
        (
            failure(401, f"Incorrect API key provided: {KEY}"),
            "(401): Incorrect API key",
            "Set the provider's",
        ),
        (failure(402, "Insufficient balance"), "(402): Insufficient balance", "Check the balance"),
        (failure(404, "The model `stub-1` does not exist"), "(404): The model", "Check the model name"),
        (failure(400, "temperature must be below 2"), "(400): temperature", "Check the model name and its"),
        (failure(400, "maximum context length is 8 tokens"), "(400): ", "Check the model name and its"),
        (failure(429, "You exceeded your quota, check your billing details"), "(429): ", "Lower WORKBENCH_"),
        (failure(429, "later", Retry_After="3600"), "(429): later", "or wait"),
        (answer(None, finish_reason="content_filter"), "content filter", "another model"),
        (answer("", finish_reason="length"), "raise max_tokens", "another model"),
        (answer(""), "the answer is empty", "another model"),
        (message(refusal="I cannot judge that."), "the model refuses: I cannot judge", "another model"),
        (message(tool_calls=[TOOL_CALL]), "called a tool it was not given: search", "another model"),
        (streamed(GOOD), "the server streams its answer, unasked", "Switch streaming off"),
    ],
)
def test_what_asking_again_cannot_help_is_said_at_once(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, behaviour: Behaviour, said: str, remedy: str
) -> None:
    server.then(behaviour)

    error = refused(loop, model_of(server, sleeps).complete(question()))

    assert error.where == "openai/stub-1"
    assert error.what.startswith("no answer")
    assert said in error.what
    assert remedy in error.remedy
    assert KEY not in str(error)
    assert (len(server.received), sleeps.asked) == (1, [])


def test_what_the_model_thought_stands_before_its_answer(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    """litellm takes thinking out of the answer, and it was lost; the record of a call keeps every word."""
    server.then(answer(f"<think>Hm.</think>{GOOD}"), message(content=GOOD, reasoning_content="Hm."))
    model = model_of(server, sleeps)

    replies = [loop.run(model.complete(question())) for _ in range(2)]

    assert [reply.text for reply in replies] == [f"<think>\nHm.\n</think>\n{GOOD}"] * 2
    assert parse_reply(replies[0].text, Answer).value == {"score": 70}


def test_an_answer_cut_off_by_the_limit_of_tokens_says_so(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(answer('{"score": 7', finish_reason="length"), answer(GOOD))
    model = model_of(server, sleeps)

    cut, whole = (loop.run(model.complete(question())) for _ in range(2))

    assert (cut.text, cut.cut_off, whole.cut_off) == ('{"score": 7', True, False)


TROUBLE = {
    "429": failure(429, "slow down"),
    "500": failure(500, "oops"),
    "502 with a page": raw(b"<html>bad gateway</html>", content_type="text/html", status=502),
    "503": failure(503, "overloaded"),
    "no choices": no_choices(),
    "a page": raw(b"<html>hello</html>", content_type="text/html"),
    "truncated JSON": raw(b'{"id": "x", "choices": [{"ind'),
    "null": raw(b"null"),
    "a list": raw(b"[]"),
    "reset in mid-answer": cut_off(),
}


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE.keys())
def test_passing_trouble_is_waited_out(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, trouble: Behaviour
) -> None:
    server.then(trouble, trouble)

    assert loop.run(model_of(server, sleeps).complete(question())).text == GOOD
    assert len(server.received) == 3
    assert len(sleeps.asked) == 2


@pytest.mark.parametrize("trouble", TROUBLE.values(), ids=TROUBLE.keys())
def test_lasting_trouble_is_given_up_after_a_few_attempts(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, trouble: Behaviour
) -> None:
    server.then(*[trouble] * (hosted.ATTEMPTS + 1))

    error = refused(loop, model_of(server, sleeps).complete(question()))

    assert error.what.startswith(f"no answer after {hosted.ATTEMPTS} attempts")
    assert len(error.what) < 500
    assert len(server.received) == hosted.ATTEMPTS


def test_a_silent_server_is_a_timeout(loop: asyncio.Runner, server: StubServer, sleeps: Sleeps) -> None:
    server.then(*[silence()] * hosted.ATTEMPTS)

    error = refused(loop, model_of(server, sleeps, call_timeout_s=0.05).complete(question()))

    assert "(408)" in error.what
    assert "WORKBENCH_CALL_TIMEOUT_S" in error.remedy


def test_a_server_that_is_not_there_is_named(loop: asyncio.Runner, sleeps: Sleeps) -> None:
    with StubServer() as gone:
        settings = Settings(api_base=gone.address)

    error = refused(loop, Hosted(settings, sleep=sleeps).complete(question()))

    assert "Connection error" in error.what
    assert "LLM_API_BASE" in error.remedy


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        (cut_off(), "no answer after 4 attempts: Connection error."),
        (raw(b'{"id": "x", "choices": [{"mess'), "attempts: the answer cannot be read: Unterminated string"),
        (raw(b"<html>x</html>", content_type="text/html"), "attempts: the answer cannot be read: Empty or"),
        (raw(b"<html>x</html>", content_type="text/html", status=502), "attempts (502): "),
        (failure(500, "out of memory"), "no answer after 4 attempts (500): out of memory."),
    ],
)
def test_only_a_status_that_a_server_sent_is_told(
    behaviour: Behaviour, words: str, loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    """A reset connection and half a body were told as status 500, without a full stop before the remedy."""
    server.default = behaviour

    error = refused(loop, model_of(server, sleeps).complete(question()))

    assert words in error.what
    assert error.what.endswith(".")


def test_retry_after_is_honoured_and_holds_back_the_other_calls(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(failure(429, "slow down", Retry_After="7"))
    model = model_of(server, sleeps)

    loop.run(model.complete(question()))
    loop.run(model.complete(question()))

    assert sleeps.asked[0] == 7
    # The clock stands still here, so the next calls find the pause still running.
    assert all(6 < seconds <= 7 for seconds in sleeps.asked[1:])
    assert len(sleeps.asked) == 3


def test_a_cancelled_call_is_cancelled_and_not_retried(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(silence())

    async def scenario() -> None:
        task = asyncio.create_task(model_of(server, sleeps).complete(question()))
        while not server.received:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    loop.run(scenario())
    assert len(server.received) == 1


def test_no_more_calls_are_in_flight_than_allowed(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    async def scenario() -> None:
        model = model_of(server, sleeps, concurrency=2)
        server.then(*[silence()] * 5)
        tasks = [asyncio.create_task(model.complete(question())) for _ in range(5)]
        while len(server.received) < 2:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)
        assert len(server.received) == 2
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    loop.run(scenario())


@pytest.mark.parametrize("model", ["gpt-that-never-was", "nobody/model", "", "/"])
def test_a_model_of_no_known_provider_is_refused_before_any_call(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, model: str
) -> None:
    error = refused(loop, model_of(server, sleeps).complete(question(model)))

    assert "no provider is known" in error.what
    assert "provider/model" in error.remedy
    assert server.received == []


@pytest.mark.parametrize("model", ["openai/gpt-4.1-mini", "gemini/gemini-2.5-flash", "moonshot/kimi-k2"])
def test_a_missing_key_is_said_at_once_with_its_name(
    loop: asyncio.Runner, sleeps: Sleeps, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """litellm reports it as a server error, which was retried three times before anybody heard of it."""
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)

    error = refused(loop, Hosted(Settings(), sleep=sleeps).complete(question(model)))

    assert "(401)" in error.what
    assert f"{model.split('/')[0].upper()}_API_KEY" in error.what
    assert "Traceback" not in error.what
    assert sleeps.asked == []


@pytest.mark.parametrize("provider", ["hosted_vllm", "lm_studio", "llamafile"])
def test_servers_of_ones_own_are_reached_at_the_address_given(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, provider: str
) -> None:
    reply = loop.run(model_of(server, sleeps).complete(question(f"{provider}/stub-1")))

    assert (reply.text, reply.resolved_model) == (GOOD, f"{provider}/stub-1")
    assert KEY not in server.received[0].headers.get("authorization", "")


def test_ollama_is_asked_in_its_own_protocol_for_the_schema(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    body = {
        "model": "qwen3",
        "message": {"role": "assistant", "content": GOOD, "thinking": "Hm."},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 5,
    }
    server.then(raw(json.dumps(body).encode()))
    model = Hosted(Settings(api_base=server.address.removesuffix("/v1")), sleep=sleeps)

    reply = loop.run(model.complete(question("ollama_chat/qwen3", params={"seed": 7, "max_tokens": 50})))

    [received] = server.received
    assert received.path == "/api/chat"
    assert set(received.body["format"]["properties"]) == {"score", "最终建议"}
    assert received.body["options"] == {"num_predict": 50, "seed": 7}
    assert reply.text == f"<think>\nHm.\n</think>\n{GOOD}"
    assert (reply.input_tokens, reply.output_tokens, reply.cost) == (10, 5, None)


def test_the_address_of_a_local_server_is_not_given_to_other_providers(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    error = refused(loop, model_of(server, sleeps).complete(question("anthropic/claude-sonnet-4-5")))

    assert "(401)" in error.what
    assert server.received == []


def test_a_key_is_in_no_error_and_no_log(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    server.then(failure(401, f"bad key {KEY}"), failure(500, f"Authorization: Bearer {KEY}"))

    errors = [refused(loop, model_of(server, sleeps).complete(question())) for _ in range(1)]
    loop.run(model_of(server, sleeps).complete(question()))

    printed = capfd.readouterr()
    for place in (str(errors), caplog.text, printed.out, printed.err):
        assert KEY not in place


def test_a_key_that_comes_back_in_an_answer_is_hidden(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    """A refusal, the name of a tool and an answer that held the key were stored and exported with it."""
    call = {"id": "1", "type": "function", "function": {"name": f"leak_{KEY}", "arguments": "{}"}}
    server.then(
        message(content=None, refusal=f"I will not say {KEY}"),
        message(content=None, tool_calls=[call]),
        answer(f'{{"analysis": "{KEY}"}}'),
    )

    errors = [refused(loop, model_of(server, sleeps).complete(question())) for _ in range(2)]
    reply = loop.run(model_of(server, sleeps).complete(question()))

    for said in (*map(str, errors), str(reply)):
        assert KEY not in said
        assert "[hidden]" in said


def test_a_check_tells_latency_format_and_price(
    loop: asyncio.Runner, server: StubServer, sleeps: Sleeps
) -> None:
    server.then(failure(400, "no json_schema here"), answer('{"ready": true}'), answer("Yes, ready!"))
    model = model_of(server, sleeps)

    good = loop.run(model.check("openai/stub-1"))
    chatty = loop.run(model.check("openai/stub-1"))

    assert (good.answer_format, good.readable, good.price) == ("json_object_schema", True, None)
    assert good.reply.latency_s > 0
    assert not chatty.readable


def test_prices_are_those_of_the_list_and_unknown_where_nobody_can_know() -> None:
    hosted = Hosted(Settings(api_base=None))
    price = hosted.price("openai/gpt-4.1-mini")

    assert price is not None
    assert price.of(1_000_000, 0) == pytest.approx(0.4)
    assert price.of(0, 1_000_000) == pytest.approx(1.6)
    assert price.source.startswith("price list of litellm 1.")
    assert hosted.price("openai/stub-1") is None
    assert Hosted(Settings(api_base="http://127.0.0.1:1/v1")).price("openai/gpt-4.1-mini") is None


def test_tokens_of_a_text_are_counted() -> None:
    hosted = Hosted(Settings())

    assert hosted.tokens("openai/gpt-4.1-mini", "hello world") == 2
    assert hosted.tokens("openai/stub-1", "毛利率" * 100) > 100


def test_secrets_are_hidden_by_value_and_by_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "SOME_VENDOR_API_KEY", "correct-horse-battery")

    said = redacted("key correct-horse-battery, sk-abcdefghijkl and Bearer abc.def; 40 tokens")

    assert said == "key [hidden], [hidden] and Bearer [hidden]; 40 tokens"


def test_backoff_doubles_up_to_a_limit_and_is_jittered() -> None:
    for attempt, most in ((1, 2), (2, 4), (3, 8), (10, 30)):
        waits = [backoff(attempt) for _ in range(200)]
        assert 0 <= min(waits) <= max(waits) <= most
        assert max(waits) - min(waits) > most / 4


def test_retry_after_may_be_a_number_or_a_date() -> None:
    soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=60)
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after": "-1"}) == 0
    assert retry_after({"retry-after": format_datetime(soon)}) == pytest.approx(60, abs=2)
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_calls_begin_evenly_spaced_within_the_limit_per_minute(sleeps: Sleeps) -> None:
    async def scenario() -> None:
        gate = Gate(8, per_minute=120, sleep=sleeps)
        for _ in range(4):
            async with gate.turn():
                pass

    asyncio.run(scenario())
    assert sleeps.asked == pytest.approx([0.5, 1.0, 1.5], abs=0.05)
