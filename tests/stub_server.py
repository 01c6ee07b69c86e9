"""An OpenAI-compatible server on loopback that answers as it is told, for tests and benchmarks.

``python -m tests.stub_server --delay 0.3`` serves one fixed answer after a pause and prints its address.
"""

from __future__ import annotations

import argparse
import json
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["_Handler"], None]
"""Writes one response."""


def answer(
    text: str | None,
    *,
    model: str = "stub-1",
    finish_reason: str = "stop",
    usage: Mapping[str, Any] | None = None,
    delay_s: float = 0.0,
) -> Behaviour:
    """A normal completion. Without ``usage`` the server reports 10 prompt and 5 completion tokens."""
    body = _completion({"content": text}, finish_reason) | {"model": model}
    if usage:
        body["usage"] = usage

    def behave(handler: _Handler) -> None:
        time.sleep(delay_s)
        handler.respond(200, json.dumps(body).encode())

    return behave


def message(**fields: Any) -> Behaviour:
    """A completion whose message has these fields, e.g. ``reasoning_content``, and no content of its own."""
    body = _completion({"content": None} | fields, "stop")
    return lambda handler: handler.respond(200, json.dumps(body).encode())


def streamed(*parts: str) -> Behaviour:
    """The answer in pieces, as server-sent events."""
    chunks = [
        {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "stub-1",
            "choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}],
        }
        for part in parts
    ]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return raw(body.encode(), content_type="text/event-stream")


def _completion(message: Mapping[str, Any], finish_reason: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub-1",
        "choices": [
            {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


def no_choices() -> Behaviour:
    """Success without an answer."""
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "stub-1", "choices": []}
    return lambda handler: handler.respond(200, json.dumps(body).encode())


def failure(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Behaviour:
    """An error as the OpenAI API writes it. Underscores in header names become dashes."""
    body = json.dumps({"error": {"message": message, "type": "stub", "code": code}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: handler.respond(status, body, headers=named)


def raw(body: bytes, *, content_type: str = "application/json", status: int = 200) -> Behaviour:
    """Exactly these bytes."""
    return lambda handler: handler.respond(status, body, content_type=content_type)


def cut_off(body: bytes = b'{"id": "chatcmpl-1", "choi') -> Behaviour:
    """Announce more than is sent, then reset the connection."""

    def behave(handler: _Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body) + 1000))
        handler.end_headers()
        handler.wfile.write(body)
        handler.wfile.flush()
        # Closing with a zero linger time sends RST instead of FIN.
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True

    return behave


def silence() -> Behaviour:
    """No answer for as long as the server lives."""
    return lambda handler: handler.stub.closing.wait() and None


@dataclass(frozen=True)
class Received:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass
class StubServer:
    """The server, as a context manager.

    Attributes:
        default: What it does when no behaviour is queued.
        received: The requests so far.
    """

    default: Behaviour = field(default_factory=lambda: answer("{}"))
    received: list[Received] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._queue: deque[Behaviour] = deque()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._http.daemon_threads = True
        self._http.stub = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def then(self, *behaviours: Behaviour) -> None:
        """Queue what to do with the next requests."""
        self._queue.extend(behaviours)

    def next(self) -> Behaviour:
        return self._queue.popleft() if self._queue else self.default

    def __enter__(self) -> StubServer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body leave in one packet: two would wait for each other (Nagle and delayed ACK, 40 ms).
    wbufsize = -1

    @property
    def stub(self) -> StubServer:
        return self.server.stub  # type: ignore[attr-defined, no-any-return]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.stub.received.append(Received(self.path, dict(self.headers), json.loads(body)))
        self.stub.next()(self)

    def respond(
        self,
        status: int,
        body: bytes,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    arguments.add_argument("--answer", default="{}", help="text of each answer")
    options = arguments.parse_args()
    with StubServer(default=answer(options.answer, delay_s=options.delay)) as server:
        print(server.address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
