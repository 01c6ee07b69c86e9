"""The command as a process: signals, streams, encodings, and the server it starts."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workbench.workspace import Workspace

ROOT = Path(__file__).parents[2]
MATCH = ("run", "match", "Liverpool", "Chelsea", "--date", "2019-04-14")

SLOW_MODEL = """
import asyncio, sys
from workbench import workspace
from workbench.cli import main
from workbench.llm.baseline import Baseline

class Slow(Baseline):
    async def complete(self, request):
        if request.agent == "aggregator":
            print("aggregator asked", file=sys.stderr, flush=True)
            await asyncio.sleep(60)
        return await super().complete(request)

workspace.Workspace.model = lambda self: Slow()
sys.argv[0] = "workbench"
main()
"""


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, env=os.environ | environment, capture_output=True, timeout=60, check=False)


def test_python_m_workbench_is_the_same_command(workspace: Workspace) -> None:
    done = run(sys.executable, "-m", "workbench", *MATCH, "--json")

    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["status"] == "done"


def test_json_survives_a_terminal_without_chinese(workspace: Workspace) -> None:
    done = run(sys.executable, "-m", "workbench", *MATCH, "--json", PYTHONIOENCODING="ascii")
    text = run(sys.executable, "-m", "workbench", *MATCH, PYTHONIOENCODING="ascii")

    assert json.loads(done.stdout.decode("ascii"))["reports"][0]["draft"]["analysis"].startswith("Liverpool")
    assert (text.returncode, text.stderr) == (0, b"")


def test_a_reader_that_leaves_early_is_no_error(workspace: Workspace) -> None:
    done = run("bash", "-c", f"{sys.executable} -m workbench doctor | head -1; echo ${{PIPESTATUS[0]}}")

    assert b"Traceback" not in done.stderr


def test_ctrl_c_cancels_the_run_and_says_how_to_go_on(workspace: Workspace) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_MODEL, *MATCH], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr.readline() == "aggregator asked\n"

    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=20)

    assert process.returncode == 130
    assert out == ""
    (row,) = workspace.store.find()
    assert errors == f"Cancelled. Go on with: workbench resume {row.run_id}\n"
    assert row.status == "cancelled"
    assert [report.agent for report in workspace.store.load(row.run_id).reports][:2] == ["form", "stats"]

    resumed = run(sys.executable, "-m", "workbench", "resume", row.run_id, "--json")
    assert json.loads(resumed.stdout)["status"] == "done"
    assert workspace.store.count() == 1


def test_a_killed_run_is_interrupted_and_resumes_without_asking_finished_agents_again(
    workspace: Workspace,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_MODEL, *MATCH], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stderr.readline()
    (row,) = workspace.store.find()
    assert row.status == "running"
    process.kill()
    process.communicate()
    before = workspace.store.load(row.run_id)
    assert before.status == "interrupted"

    done = run(sys.executable, "-m", "workbench", "resume", row.run_id)

    assert done.returncode == 0
    after = workspace.store.load(row.run_id)
    assert after.status == "done"
    assert after.reports[: len(before.reports)] == before.reports, "with the same calls at the same times"


def test_the_baseline_needs_neither_litellm_nor_streamlit(workspace: Workspace) -> None:
    script = (
        "import sys; from workbench.cli import cli\n"
        f"try: cli({list(MATCH)})\n"
        "except SystemExit: print('loaded', {'litellm', 'streamlit'} & set(sys.modules))"
    )

    assert run(sys.executable, "-c", script).stdout.decode().splitlines()[-1] == "loaded set()"


@contextmanager
def served(*arguments: str) -> Iterator[tuple[list[str], str]]:
    """Start ``workbench app``; gives the lines it printed before the address, and the address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "workbench", "app", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        lines = []
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", line := process.stdout.readline())):
            assert line, "the command ended without an address"
            lines.append(line)
        yield lines, found[0]
    finally:
        process.send_signal(signal.SIGINT)
        last_words, _ = process.communicate(timeout=20)
    assert "Traceback" not in last_words


def wait_until_healthy(address: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                assert answer.read() == b"ok"
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"nothing answers on {address}")


def handshake(port: int, *, host: str) -> int:
    """The status with which the server answers a page that opens its session under the name ``host``."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    headers = {
        "Host": f"{host}:{port}",
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version": "13",
    }
    connection.request("GET", "/_stcore/stream", headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_app_serves_this_machine_only_and_takes_the_next_free_port(workspace: Workspace) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with served("--port", str(port)) as (lines, address):
            chosen = int(address.rpartition(":")[2])
            assert chosen > port
            assert lines == [f"Port {port} is taken, using {chosen}.\n"]
            wait_until_healthy(address)
            own_names = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
            for host in {info[4][0] for info in own_names} - {"127.0.0.1"}:
                with pytest.raises(OSError, match="refused"):
                    socket.create_connection((host, chosen), timeout=2)
            assert handshake(chosen, host="127.0.0.1") == 101
            assert handshake(chosen, host="evil.example") == 400, "a name that was made to point here"
