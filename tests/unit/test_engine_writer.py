"""The one thread that writes: what has piled up shares a transaction, and one failure is one failure."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workbench.engine.writer import MOST_TOGETHER, Writer

WAIT_S = 20


class Ledger:
    """A store in memory: what is written in a transaction that fails is gone."""

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.sizes: list[int] = []
        self.closed = threading.Event()

    @contextmanager
    def together(self) -> Iterator[None]:
        before = len(self.kept)
        try:
            yield
        except Exception:
            del self.kept[before:]
            raise
        self.sizes.append(len(self.kept) - before)

    def write(self, text: str) -> str:
        self.kept.append(text)
        return text.upper()

    def fail(self) -> None:
        self.kept.append("half of it")
        raise OSError("the disk is full")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def writer(ledger: Ledger) -> Iterator[Writer]:
    writer = Writer(ledger.together)
    yield writer
    writer.close()


def hold(writer: Writer) -> threading.Event:
    """Keep the writer busy until the event is set."""
    begun, release = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert release.wait(WAIT_S)

    writer.submit(wait)
    assert begun.wait(WAIT_S)
    return release


def test_writes_are_carried_out_in_order_and_give_their_results(ledger: Ledger, writer: Writer) -> None:
    futures = [writer.submit(lambda text=text: ledger.write(text)) for text in "abc"]

    assert [future.result(WAIT_S) for future in futures] == ["A", "B", "C"]
    assert ledger.kept == ["a", "b", "c"]


def test_what_has_piled_up_shares_a_transaction(ledger: Ledger, writer: Writer) -> None:
    release = hold(writer)
    futures = [writer.submit(lambda: ledger.write("x")) for _ in range(MOST_TOGETHER + 5)]
    release.set()
    futures[-1].result(WAIT_S)

    assert [size for size in ledger.sizes if size] == [MOST_TOGETHER, 5]


def test_a_result_is_there_only_once_it_is_committed(ledger: Ledger, writer: Writer) -> None:
    release = hold(writer)
    second_begun, second_may_end = threading.Event(), threading.Event()
    first = writer.submit(lambda: ledger.write("a"))
    second = writer.submit(lambda: (second_begun.set(), second_may_end.wait(WAIT_S)))
    release.set()
    assert second_begun.wait(WAIT_S)

    assert not first.done(), "the transaction they share is still open"
    second_may_end.set()
    second.result(WAIT_S)
    assert first.result(WAIT_S) == "A"


def test_one_write_that_fails_takes_no_other_with_it(ledger: Ledger, writer: Writer) -> None:
    release = hold(writer)
    before = writer.submit(lambda: ledger.write("a"))
    failing = writer.submit(ledger.fail)
    after = writer.submit(lambda: ledger.write("b"))
    release.set()

    assert (before.result(WAIT_S), after.result(WAIT_S)) == ("A", "B")
    with pytest.raises(OSError, match="the disk is full"):
        failing.result(WAIT_S)
    assert ledger.kept == ["a", "b"]


def test_closing_carries_out_what_was_handed_in(ledger: Ledger) -> None:
    writer = Writer(ledger.together)
    release = hold(writer)
    last = writer.submit(lambda: ledger.write("a"))
    closing = threading.Thread(target=writer.close)
    closing.start()
    release.set()
    closing.join(WAIT_S)

    assert last.result(0) == "A"
    assert not closing.is_alive()
