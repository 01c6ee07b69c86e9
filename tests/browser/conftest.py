"""A running workbench and a real headless Chromium. Skipped where either cannot be had."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workbench.workspace import init_workspace

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Visit = Callable[..., "sync_api.Page"]


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a workbench over a fresh workspace."""
    with serving(init_workspace(tmp_path_factory.mktemp("browser") / "workspace")) as base:
        yield base


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """Run a workbench over a workspace; gives its address, and sees that it ran without a traceback."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LLM_", "WORKBENCH_"))
    }
    app = str(ROOT / "workbench" / "server.py")
    log = (home.parent / "server.log").open("w")
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", app, "--server.port", str(port)],
        env={**environment, "WORKBENCH_HOME": str(home)},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    base = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{base}/_stcore/health")
        yield base
    finally:
        server.terminate()
        server.wait(10)
        log.close()
    assert "Traceback" not in (home.parent / "server.log").read_text()


def _wait_for(url: str) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:  # refused, or too slow on a busy machine
            time.sleep(0.2)
    pytest.fail("the workbench did not start within a minute")


@pytest.fixture
def visit(address: str, tmp_path: Path) -> Iterator[Visit]:
    """Open the workbench in a fresh profile: ``visit(locale, width=390, theme="dark")``."""
    with visiting(address, tmp_path) as open_:
        yield open_


@contextmanager
def visiting(address: str, profiles: Path) -> Iterator[Visit]:
    """A browser for the workbench at an address, closed afterwards."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        contexts = []

        def open_(locale: str, *, path: str = "", width: int = 1280, theme: str = "light") -> sync_api.Page:
            context = playwright.chromium.launch_persistent_context(
                str(profiles / f"profile{len(contexts)}"),
                executable_path=CHROMIUM,
                args=FLAGS,
                viewport={"width": width, "height": 900},
                locale=locale,
                color_scheme=theme,
            )
            contexts.append(context)
            page = context.pages[0]
            page.set_default_timeout(20_000)
            page.goto(f"{address}/{path}")
            settled(page)
            return page

        yield open_
        for context in contexts:
            context.close()


def settled(page: sync_api.Page) -> None:
    """Wait until Streamlit has finished drawing."""
    page.wait_for_selector("h1")
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    page.wait_for_function("!document.querySelector('[data-stale=true]')")
