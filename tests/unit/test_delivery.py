"""Loud signals reach their targets, once, and no run waits for it."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.local_server import Answer, Asked, local_server
from tests.signal_samples import finished_signal
from workbench import delivery
from workbench.cli import cli
from workbench.delivery import Courier, DeliveryError, Message, message_of, targets
from workbench.settings import Settings, load_settings
from workbench.store import deliveries
from workbench.store.runs import RunStore
from workbench.workspace import Workspace

TODAY = dt.datetime.now(dt.UTC).date()


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs.db")


def settings(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> Settings:
    monkeypatch.setenv("WORKBENCH_NOTIFY", " ".join(addresses))
    return load_settings()


class Post:
    """Takes messages, or refuses the first few."""

    def __init__(self, refusals: int = 0) -> None:
        self.taken: list[tuple[str, Message]] = []
        self.refusals = refusals

    def __call__(self, address: str, message: Message) -> None:
        if self.refusals:
            self.refusals -= 1
            raise DeliveryError("error=500")
        self.taken.append((address, message))


def test_flash_and_alert_are_sent_once_to_every_target_and_nothing_else_is(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished_signal(store, "f", TODAY, "FLASH", 0.9)
    finished_signal(store, "a", TODAY, "ALERT", 0.7)
    finished_signal(store, "n", TODAY, "NOTE", 0.5)
    finished_signal(store, "y", TODAY, "FYI", 0.1)
    post = Post()
    courier = Courier(lambda: store, settings(monkeypatch, "tgram://1/2", "mailto://x"), post)
    assert courier.deliver() == {"sent": 4}
    assert courier.deliver() == {}
    assert [(address[:5], message.title[:5]) for address, message in post.taken] == [
        ("tgram", "FLASH"), ("tgram", "ALERT"), ("mailt", "FLASH"), ("mailt", "ALERT"),
    ]  # fmt: skip


def test_a_message_says_how_loud_what_for_whom_and_why(store: RunStore) -> None:
    run_id = finished_signal(
        store, "f", TODAY, "FLASH", 0.9, title="Bank @everyone closed", event="bankruptcy"
    )
    message = message_of(store.load(run_id))
    assert message.title == "FLASH 0.90 bankruptcy"
    lines = message.body.splitlines()
    assert lines[0] == "Bank ＠everyone closed"  # calls nobody in a channel
    assert lines[1] == f"Wire · {TODAY}"
    # Confidences are equal, so the ticker has the plain mean of 0.9 and four times 0.3.
    assert lines[2] == "AAPL 0.42 (direct)"
    assert lines[3] == "Impact 0.90 = max, from SignalScope; 5 of 5 counted."


def test_a_refused_message_is_sent_later(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "PAUSES", (dt.timedelta(0),) * 3)
    finished_signal(store, "f", TODAY, "FLASH", 0.9)
    post = Post(refusals=2)
    courier = Courier(lambda: store, settings(monkeypatch, "tgram://1/2"), post)
    assert courier.deliver() == {"waiting": 2, "sent": 1}
    assert len(post.taken) == 1
    (kept,) = store.deliveries.find()
    assert (kept.state, kept.attempts, kept.error) == ("sent", 3, "")


def test_old_news_wakes_nobody(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    finished_signal(store, "f", TODAY - dt.timedelta(days=4), "FLASH", 0.9)
    courier = Courier(lambda: store, settings(monkeypatch, "tgram://1/2"), Post())
    assert courier.deliver() == {}


def test_the_background_courier_sends_what_others_conclude_and_stops(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "LOOK_EVERY_S", 0.01)
    sent = threading.Event()
    courier = Courier(
        lambda: store, settings(monkeypatch, "tgram://1/2"), lambda address, message: sent.set()
    )
    courier.start()
    finished_signal(RunStore(store.path), "f", TODAY, "FLASH", 0.9)
    assert sent.wait(10)
    courier.stop()
    assert not any(thread.name == "workbench-courier" for thread in threading.enumerate())


def test_without_targets_nothing_runs(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_NOTIFY", raising=False)
    courier = Courier(lambda: store, load_settings(), Post())
    courier.start()
    finished_signal(store, "f", TODAY, "FLASH", 0.9)
    assert courier.deliver() == {}
    assert not any(thread.name == "workbench-courier" for thread in threading.enumerate())


def test_tokens_are_neither_shown_nor_stored(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings(monkeypatch, "tgram://123456789:AAHtokentokentoken/99887766")
    assert "AAHtokentokentoken" not in repr(found)
    (target,) = targets(found)
    assert target.name.startswith("tgram-")
    assert "token" not in target.name

    def broken(address: str, message: Message) -> None:
        raise RuntimeError(f"cannot reach {address}")

    finished_signal(store, "f", TODAY, "FLASH", 0.9)
    Courier(lambda: store, found, broken).deliver()
    (kept,) = store.deliveries.find()
    assert "AAHtokentokentoken" not in kept.error
    assert "cannot reach" in kept.error


# -- through apprise, to a server on this machine ------------------------------------------------------


@pytest.fixture
def recent(workspace: Workspace) -> Workspace:
    """A workspace with one FLASH about news of today."""
    pytest.importorskip("apprise")
    finished_signal(workspace.store, "f", TODAY, "FLASH", 0.9, title="<b>Bank</b> closed")
    return workspace


def test_a_signal_arrives_at_a_server_as_plain_text(
    recent: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with local_server(lambda asked: Answer("{}")) as server:
        monkeypatch.setenv("WORKBENCH_NOTIFY", server.url.replace("http", "json"))
        done = CliRunner().invoke(cli, ["notify", "send"])
        again = CliRunner().invoke(cli, ["notify", "send"])
    assert (done.exit_code, done.output.strip()) == (0, "1 sent")
    assert again.output.strip() == "Nothing is due."
    (asked,) = server.asked
    sent = json.loads(asked.body)
    assert sent["title"] == "FLASH 0.90 bankruptcy"
    assert sent["message"].startswith("<b>Bank</b> closed\n")


def test_a_server_that_fails_is_recorded_and_tried_again_later(
    recent: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with local_server(lambda asked: Answer("", status=500)) as server:
        monkeypatch.setenv("WORKBENCH_NOTIFY", server.url.replace("http", "json"))
        done = CliRunner().invoke(cli, ["notify", "send"])
    assert (done.exit_code, done.output.strip()) == (1, "1 waiting")
    (kept,) = recent.store.deliveries.find()
    assert "500" in kept.error
    listed = CliRunner().invoke(cli, ["notify", "list", "--json"])
    assert json.loads(listed.output)["deliveries"][0]["state"] == "waiting"


def test_a_slow_server_holds_up_no_run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The courier waits for the service in its own thread while runs are stored and finished."""
    pytest.importorskip("apprise")
    monkeypatch.setattr(delivery, "LOOK_EVERY_S", 0.01)
    entered = threading.Event()

    def slow(asked: Asked) -> Answer:
        entered.set()
        return Answer("{}", pause_s=1.5)

    with local_server(slow) as server:
        monkeypatch.setenv("WORKBENCH_NOTIFY", server.url.replace("http", "json"))
        desk = Workspace.open()
        finished_signal(desk.store, "f", TODAY, "FLASH", 0.9)
        desk.courier.start()
        assert entered.wait(10)
        started = time.perf_counter()
        finished_signal(desk.store, "g", TODAY, "NOTE", 0.5)
        assert time.perf_counter() - started < 1.0
        desk.courier.stop()
    assert [each.state for each in desk.store.deliveries.find()] == ["sent"]


def test_an_address_apprise_does_not_know_is_named_by_kind_only(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("apprise")
    monkeypatch.setenv("WORKBENCH_NOTIFY", "nosuch://secret-token-1234")
    done = CliRunner().invoke(cli, ["notify", "test"])
    assert done.exit_code == 1
    assert "does not know" in done.output
    assert "secret-token" not in done.output


def test_targets_are_asked_for_where_there_are_none(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_NOTIFY", raising=False)
    done = CliRunner().invoke(cli, ["notify", "send"])
    assert done.exit_code == 2
    assert "WORKBENCH_NOTIFY" in done.output
