"""Signals pushed to where their reader is: FLASH and ALERT to Telegram and whatever else apprise reaches.

A courier looks now and then for signals that no target has got yet, whichever process has concluded them, so
nothing a run does waits for a service. Targets come from the environment, because their addresses hold
tokens; what is stored and shown of one is its kind and a part of a hash.

News that came out long ago is not pushed: a backtest over last year's news would otherwise wake its reader.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workbench.errors import InputError, WorkbenchError
from workbench.llm.redaction import HIDDEN, redacted
from workbench.records import NewsSubject, Run
from workbench.rules.signal_words import event_name
from workbench.settings import Settings
from workbench.store.deliveries import Delivery, DeliveryState
from workbench.store.runs import RunStore

log = logging.getLogger(__name__)

LOOK_EVERY_S = 2.0
MAX_ERROR = 300


class DeliveryError(WorkbenchError):
    """A target did not take a message, or nothing can be sent at all."""


class Message(NamedTuple):
    """What is sent, as plain text."""

    title: str
    body: str


Send = Callable[[str, Message], None]
"""Sends a message to an address; raises ``DeliveryError`` where it was not taken."""


@dataclass(frozen=True)
class Target:
    """Where signals are pushed to. ``address`` may hold a token and is never shown."""

    name: str
    address: str

    @classmethod
    def of(cls, address: str) -> Target:
        kind = address.partition("://")[0] or "target"
        return cls(f"{kind}-{hashlib.sha256(address.encode()).hexdigest()[:8]}", address)


def targets(settings: Settings) -> tuple[Target, ...]:
    """The targets of the settings, each once."""
    given = settings.notify.get_secret_value().split() if settings.notify else []
    return tuple(Target.of(address) for address in dict.fromkeys(given))


def send_by_apprise(address: str, message: Message) -> None:
    """Send a message through apprise.

    Raises:
        DeliveryError: apprise is not installed, does not know the address, or was refused.
    """
    try:
        import apprise
    except ImportError:
        raise DeliveryError(
            "apprise is not installed.", remedy='Install it: pip install "analyst-workbench[notify]"'
        ) from None
    post = apprise.Apprise()
    if not post.add(address):
        raise DeliveryError("apprise does not know this kind of address.", remedy="Mend WORKBENCH_NOTIFY.")
    with apprise.LogCapture(level=apprise.logging.WARNING, fmt="%(message)s") as said:  # type: ignore[no-untyped-call]
        taken = post.notify(title=message.title, body=message.body, body_format=apprise.NotifyFormat.TEXT)
        if not taken:
            lines = said.getvalue().strip().splitlines() or ["the service did not take it."]
            raise DeliveryError(_without_tokens(lines[-1], address)[:MAX_ERROR])


def message_of(run: Run) -> Message:
    """The message about a signal: how loud and how big, the headline, for whom, and why."""
    verdict, subject = run.verdict, run.subject
    if verdict is None or not isinstance(subject, NewsSubject):
        raise InputError("only a finished signal can be sent.", where=run.run_id)
    fields = verdict.fields
    tickers = [
        f"{ticker['ticker']} {ticker['impact_score']:.2f} ({ticker['link_type']})"
        for ticker in fields.get("tickers", [])
    ]
    event = event_name(fields.get("event_type") or "", run.language)
    title = " ".join(filter(None, (verdict.label, f"{verdict.score or 0:.2f}", event)))
    lines = [
        subject.title,
        " · ".join(filter(None, (subject.source, subject.published.isoformat()))),
        ", ".join(tickers),
        *fields.get("explanation", [])[:3],
    ]
    # A headline must not be able to call everybody in a channel.
    return Message(title, "\n".join(filter(None, lines)).replace("@", "＠"))


class Courier:
    """Pushes the signals of one workspace.

    Args:
        store: Where signals and deliveries are.
        settings: Targets, and how old news may be.
        send: How a message is sent.
    """

    def __init__(
        self, store: Callable[[], RunStore], settings: Settings, send: Send = send_by_apprise
    ) -> None:
        self._store = store
        self._days = settings.notify_days
        self._send = send
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.targets: Sequence[Target] = targets(settings)

    def start(self) -> None:
        """Look for signals in the background until ``stop``; does nothing without targets."""
        if self.targets and self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._work, name="workbench-courier", daemon=True)
            self._thread.start()

    def stop(self, timeout: float = 10.0) -> None:
        """End the background work after the delivery in hand."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout)
            self._thread = None

    def deliver(self) -> Counter[DeliveryState]:
        """Attempt every delivery that is due, once, and count what became of them."""
        ended: Counter[DeliveryState] = Counter()
        for target in self.targets:
            while not self._stop.is_set() and (claimed := self._claim(target)):
                ended[self._attempt(target, claimed)] += 1
        return ended

    def test(self) -> dict[str, str]:
        """Send a message to every target and return what was wrong with each, empty for nothing."""
        message = Message("Analyst Workbench", "Signals will be pushed here: FLASH and ALERT.")
        return {target.name: self._problem(target, message) for target in self.targets}

    def too_old(self, published: dt.date) -> bool:
        """Whether news of a day is too old to be pushed."""
        return published < self._since()

    def _since(self) -> dt.date:
        return dt.datetime.now(dt.UTC).date() - dt.timedelta(days=self._days)

    def _claim(self, target: Target) -> Delivery | None:
        return self._store().deliveries.claim(target.name, since=self._since())

    def _attempt(self, target: Target, claimed: Delivery) -> DeliveryState:
        deliveries = self._store().deliveries
        if problem := self._problem(target, message_of(self._store().load(claimed.run_id))):
            log.warning("%s did not take %s: %s", target.name, claimed.item, problem)
            return deliveries.failed(claimed, problem)
        deliveries.sent(claimed)
        return "sent"

    def _problem(self, target: Target, message: Message) -> str:
        try:
            self._send(target.address, message)
        except WorkbenchError as error:
            return _without_tokens(str(error), target.address)
        except Exception as error:  # noqa: BLE001 - a service's client may raise anything; it is retried
            return _without_tokens(f"{type(error).__name__}: {error}", target.address)[:MAX_ERROR]
        return ""

    def _work(self) -> None:
        while not self._stop.wait(LOOK_EVERY_S):
            try:
                self.deliver()
            except WorkbenchError as error:  # say, the disk is full: the next look may fare better
                log.warning("signals could not be pushed: %s", error)


def _without_tokens(text: str, address: str) -> str:
    """Text without any longer part of an address, which may be a token."""
    for part in sorted(address.replace("?", "/").replace("@", "/").replace(":", "/").split("/"), key=len):
        if len(part) >= 6 and not part.replace(".", "").isdigit():
            text = text.replace(part, HIDDEN)
    return redacted(text)
