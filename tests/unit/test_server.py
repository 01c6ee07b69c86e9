"""The web server as ``workbench app`` starts it: who may reach it, and how it ends."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import workbench
from workbench.workspace import Workspace

SECRETS = """
[auth]
redirect_uri = "https://desk.example/oauth2callback"
cookie_secret = "not-so-secret-0123456789"
client_id = "id"
client_secret = "hush-0123456789"
server_metadata_url = "http://127.0.0.1:1/none"
"""


@contextmanager
def served(*arguments: str) -> Iterator[int]:
    """Start ``workbench app`` on a free port, and see that Ctrl-C ends it without a word of complaint."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "app", "--port", str(free), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\d.]+:(\d+)", line := process.stdout.readline())
        assert found, line
        port = int(found[1])
        wait_until_healthy(port)
        yield port
    finally:
        process.send_signal(signal.SIGINT)
        words, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Traceback" not in words
    assert "Abort" not in words


def wait_until_healthy(port: int) -> None:
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("nothing answers")


def ask(port: int, method: str, path: str, body: bytes = b"", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body=body, headers=given)
    return connection.getresponse()


def handshake(port: int, **headers: str) -> int:
    """The status with which a page's request for a session is answered."""
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    return ask(port, "GET", "/_stcore/stream", **{**upgrade, **headers}).status


def test_pages_of_other_sites_get_no_session_and_cannot_upload(workspace: Workspace) -> None:
    with served() as port:
        assert handshake(port, Host=f"localhost:{port}") == 101
        assert handshake(port, Host="evil.example") == 400, "a name that was made to point here"
        assert handshake(port, Host=f"127.0.0.1:{port}", Origin="http://evil.example") == 403
        for path in ("/", "/run", "/_stcore/health", "/_stcore/host-config"):
            assert ask(port, "GET", path, Host=f"localhost:{port}").status == 200
            assert ask(port, "GET", path, Host="evil.example").status == 400, (
                "no page under another name either"
            )

        answer = ask(port, "GET", "/_stcore/health", Origin="http://evil.example")
        assert answer.headers["Access-Control-Allow-Origin"] in (None, f"http://127.0.0.1:{port}")
        upload = "/_stcore/upload_file/session/file"
        assert ask(port, "PUT", upload, b"x").status == 403, "without the token of a page of ours"
        assert ask(port, "DELETE", upload).status == 403
        for path in ("/app/static/../../server.py", "/..%2f..%2fetc/passwd", "/media/../../etc/passwd"):
            assert b"root:" not in ask(port, "GET", path).read()


def test_an_address_that_others_reach_is_refused_without_a_login(workspace: Workspace) -> None:
    for address in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        done = subprocess.run(
            [sys.executable, "-m", "workbench", "app", "--address", address],
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"Error: {address} can be reached from elsewhere")


def test_with_a_login_the_server_answers_to_the_name_of_its_address(workspace: Workspace) -> None:
    (workspace.root / ".streamlit").mkdir()
    (workspace.root / ".streamlit" / "secrets.toml").write_text(SECRETS)

    with served("--address", "0.0.0.0") as port:
        assert handshake(port, Host="desk.example") == 101
        assert handshake(port, Host="evil.example") == 400


@pytest.mark.parametrize(
    "text", ["[auth", "[auth]\nredirect_uri = 1", 'auth = "x"', SECRETS.replace("https://desk.example", "")]
)
def test_a_login_that_is_not_complete_is_refused_without_quoting_it(workspace: Workspace, text: str) -> None:
    (workspace.root / ".streamlit").mkdir()
    (workspace.root / ".streamlit" / "secrets.toml").write_text(text)

    done = subprocess.run(
        [sys.executable, "-m", "workbench", "app"], capture_output=True, text=True, timeout=30
    )

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "hush" not in done.stderr


def test_the_settings_of_the_server_are_the_strict_ones() -> None:
    path = Path(workbench.__file__).parent / ".streamlit" / "config.toml"
    config = tomllib.loads(path.read_text(encoding="utf-8"))

    wanted = {
        "address": "127.0.0.1",
        "allowedHosts": ["127.0.0.1", "localhost"],
        "enableXsrfProtection": True,
        "enableCORS": True,
        "maxUploadSize": 20,
    }
    assert {name: config["server"][name] for name in wanted} == wanted
    assert config["browser"]["gatherUsageStats"] is False
    assert config["client"]["showErrorDetails"] == "type"
    assert config["client"]["disableDataExport"] is True, "our own CSV has no formulas"
    assert json.dumps(config).count("http") == 0, "nothing is loaded from elsewhere"
