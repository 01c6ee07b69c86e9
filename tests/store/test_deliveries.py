"""Each delivery once, whoever sends it; failed ones again after a pause."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.signal_samples import finished_signal
from workbench.records import Urgency
from workbench.store import deliveries
from workbench.store.runs import RunStore

DAY = dt.date(2024, 5, 6)


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs.db")


def test_a_signal_is_claimed_once_for_each_target(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "FLASH", 0.9)
    first = store.deliveries.claim("tgram", since=DAY)
    assert first is not None
    assert (first.item, first.urgency, first.state, first.attempts) == ("a", "FLASH", "sending", 1)
    assert store.deliveries.claim("tgram", since=DAY) is None
    assert store.deliveries.claim("mail", since=DAY) is not None


def test_two_processes_do_not_claim_the_same_delivery(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "ALERT", 0.7)
    other = RunStore(store.path)
    claims = [each.deliveries.claim("tgram", since=DAY) for each in (store, other, store, other)]
    assert sum(claim is not None for claim in claims) == 1


@pytest.mark.parametrize(("urgency", "impact"), [("NOTE", 0.5), ("FYI", 0.1)])
def test_quiet_signals_are_never_pushed(store: RunStore, urgency: Urgency, impact: float) -> None:
    finished_signal(store, "a", DAY, urgency, impact)
    assert store.deliveries.claim("tgram", since=dt.date.min) is None


def test_old_news_is_not_pushed(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "FLASH", 0.9)
    assert store.deliveries.claim("tgram", since=DAY + dt.timedelta(days=1)) is None


def test_a_sent_signal_is_not_sent_again_when_its_news_is_judged_again(store: RunStore) -> None:
    finished_signal(store, "a", DAY, "ALERT", 0.7)
    claimed = store.deliveries.claim("tgram", since=DAY)
    assert claimed
    store.deliveries.sent(claimed)
    finished_signal(store, "a", DAY, "ALERT", 0.7)
    assert store.deliveries.claim("tgram", since=DAY) is None
    finished_signal(store, "a", DAY, "FLASH", 0.9)  # louder than before
    louder = store.deliveries.claim("tgram", since=DAY)
    assert louder is not None
    assert louder.urgency == "FLASH"


def test_a_failed_delivery_waits_longer_each_time_and_is_given_up(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    finished_signal(store, "a", DAY, "FLASH", 0.9)
    claimed = store.deliveries.claim("tgram", since=DAY)
    assert claimed
    assert store.deliveries.failed(claimed, "error=500") == "waiting"
    assert store.deliveries.claim("tgram", since=DAY) is None  # not before its pause is over
    (kept,) = store.deliveries.find()
    assert kept.error == "error=500"
    assert 0 < (kept.due - dt.datetime.now(dt.UTC)).total_seconds() <= 5

    monkeypatch.setattr(deliveries, "PAUSES", (dt.timedelta(0),) * 2)
    store.deliveries.failed(claimed, "error=500")
    for attempt, state in ((2, "waiting"), (3, "given_up")):
        claimed = store.deliveries.claim("tgram", since=DAY)
        assert claimed
        assert claimed.attempts == attempt
        assert store.deliveries.failed(claimed, "error=500") == state
    assert store.deliveries.claim("tgram", since=DAY) is None


def test_what_a_dead_sender_held_is_sent_by_another(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "LEASE", dt.timedelta(0))
    finished_signal(store, "a", DAY, "FLASH", 0.9)
    assert store.deliveries.claim("tgram", since=DAY)
    again = store.deliveries.claim("tgram", since=DAY)
    assert again is not None
    assert again.attempts == 2
