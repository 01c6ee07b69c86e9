"""A web server on 127.0.0.1 that answers what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request: path, query (last value of each name), headers and body."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What is answered, after a pause; ``chunk_pause_s`` drips the body byte by byte."""

    body: bytes | str = b""
    type: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    chunk_pause_s: float = 0.0


@dataclass
class LocalServer:
    """A running server. ``url`` has no slash at its end."""

    url: str
    asked: list[Asked]


@contextmanager
def local_server(answer: Callable[[Asked], Answer]) -> Iterator[LocalServer]:
    """Serve until the block ends. Requests are recorded before they are answered."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            request = Asked(parts.path, query, dict(self.headers), self.rfile.read(length))
            asked.append(request)
            given = answer(request)
            body = given.body.encode() if isinstance(given.body, str) else given.body
            time.sleep(given.pause_s)
            self.send_response(given.status)
            self.send_header("Content-Type", given.type)
            self.send_header("Content-Length", str(len(body)))
            for name, value in given.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if not given.chunk_pause_s:
                    self.wfile.write(body)
                    return
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    time.sleep(given.chunk_pause_s)
            except OSError:
                pass  # the client has had enough

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield LocalServer(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        server.server_close()
