"""Whether the first page takes longer when a language model is configured: it must not wait for its library.

Measured from ``workbench app`` to the page drawn in a real browser, with the built-in rules and with a hosted
model in turns, each time with a fresh server and a fresh browser profile. The fastest of several rounds
counts, because whatever else the machine does can only add to it. Exits 2 where there is no Chromium.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bench import conclude, new_workspace
from benchmarks.first_page import CHROMIUM, DRAWN, FLAGS

ROUNDS = 5
BOUND = 1.05
START_S = 60
MODELS = {"built-in rules": "baseline", "hosted model": "openai/gpt-4.1-mini"}


@contextlib.contextmanager
def serving(home: Path, model: str) -> Iterator[str]:
    """``workbench app`` over a workspace, as soon as it answers: its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "workbench", "--workspace", str(home), "app", "--port", str(port)]
    server = subprocess.Popen(
        command,
        env={**os.environ, "LLM_MODEL": model},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + START_S
    try:
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            time.sleep(0.02)
        yield address
    finally:
        server.terminate()
        server.wait(10)


def start_s(home: Path, model: str) -> float:
    """Seconds from the command to the first page drawn."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=FLAGS, locale="en-US"
        )
        page = context.pages[0]
        started = time.perf_counter()
        with serving(home, model) as address:
            page.goto(address, wait_until="commit")
            page.wait_for_function(DRAWN, polling=20, timeout=START_S * 1000)
            elapsed = time.perf_counter() - started
            context.close()
    return elapsed


def main() -> None:
    try:
        import playwright  # noqa: F401
    except ImportError:
        sys.exit("playwright is not installed")
    if CHROMIUM is None:
        print("there is no Chromium to measure with", file=sys.stderr)
        sys.exit(2)
    seconds: dict[str, list[float]] = {name: [] for name in MODELS}
    with new_workspace() as workspace:
        for _ in range(ROUNDS):
            for name, model in MODELS.items():
                seconds[name].append(start_s(workspace.root, model))
    for name, taken in seconds.items():
        print(f"{name}, s: " + " ".join(f"{each:.2f}" for each in taken))
    rules, hosted = (min(taken) for taken in seconds.values())
    conclude(("first page with a hosted model / with the built-in rules", hosted / rules, BOUND))


if __name__ == "__main__":
    main()
