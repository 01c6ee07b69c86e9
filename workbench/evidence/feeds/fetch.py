"""Fetching from services on the web, for feeds only: bounded in time, size and reach.

What comes back is data from outside. A response is read up to ``MAX_BYTES`` and within ``DEADLINE_S``; 429
and 5xx are tried again after the pause the service asks for, or a growing one. Nothing private is ever
reached: a service, or whoever answers in its name, must not be able to point this program at the machine it
runs on or at its neighbours. The one exception is the origin of an address that the user has set.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import io
import ipaddress
import json
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urljoin, urlsplit

from workbench.errors import EvidenceError

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 15.0
"""Longest wait for a connection and between two pieces of an answer."""

DEADLINE_S = 60.0
"""Longest time for one answer, however steadily it drips."""

MAX_BYTES = 8 * 2**20
MAX_REDIRECTS = 5
ATTEMPTS = 3
LONGEST_PAUSE_S = 60.0

AGENT = "analyst-workbench"
INSTALL = 'Install it: pip install "analyst-workbench[feeds]"'


_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.ip_network("64:ff9b::/96")
LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")
IPV4_COMPATIBLE = ipaddress.ip_network("::/96")


class FeedError(EvidenceError):
    """A service did not give what a feed needs."""


class SilentError(FeedError):
    """A service does not answer, or wants to be left alone: nothing more should be asked of it now."""


@dataclass(frozen=True)
class Origin:
    """Scheme, host and port: what a service is trusted by."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: str) -> Origin:
        """The origin of an address.

        Raises:
            ValueError: It is no web address.
        """
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        if not host or parts.scheme not in ("http", "https"):
            raise ValueError("no web address")
        return cls(parts.scheme, host, port or (443 if parts.scheme == "https" else 80))


class Fetcher:
    """Fetches from one service.

    Args:
        name: What errors call the service.
        base: Address that paths are relative to.
        trusted: Whether the user has set that address, so that it may lie on a private network.
        headers: Sent to the origin of ``base`` only, never where a redirect leads; may hold a key.
        contact: Who is asking, for services that want to know.
        sleep: Waits so many seconds.
    """

    def __init__(
        self,
        name: str,
        base: str,
        *,
        trusted: bool = False,
        headers: Mapping[str, str] | None = None,
        contact: str = "",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.base = base
        self._origin = self._origin_of(base)
        self._trusted = trusted
        self._headers = dict(headers or {})
        self._agent = f"{AGENT} {contact}".strip()
        self._sleep = sleep

    def json(self, path: str = "", params: Mapping[str, str] | None = None) -> Any:
        """The JSON value a path answers with.

        Raises:
            FeedError: It cannot be had, or is something else.
        """
        body = self.get(path, params)
        if body.lstrip()[:1] == b"<":
            self.fail("it answered with a web page instead of JSON.", "Check the address and the key.")
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            said = " ".join(body[:200].decode("utf-8", "replace").split())
            self.fail(f"it answered with something that is no JSON: {said!r}.")

    def entries(self, path: str = "", params: Mapping[str, str] | None = None) -> list[Any]:
        """The entries of an RSS or Atom feed.

        Raises:
            FeedError: It cannot be had, or is no feed.
        """
        try:
            import feedparser
        except ImportError:
            self.fail("feedparser is not installed.", INSTALL)
        # From memory: given a text, feedparser would take it for an address or a file name.
        found = feedparser.parse(io.BytesIO(self.get(path, params)))
        if not found.get("version"):
            self.fail("it answered with something that is no RSS or Atom feed.", "Check the address.")
        return list(found.entries)

    def get(self, path: str = "", params: Mapping[str, str] | None = None) -> bytes:
        """The body a path answers with.

        Raises:
            FeedError: It cannot be had: no answer, a refusal, too large, too slow, empty.
            SilentError: Asking for anything else would be in vain.
        """
        try:
            import httpx
        except ImportError:
            self.fail("httpx is not installed.", INSTALL)
        url = self.base.rstrip("/") + path if path else self.base
        limits = httpx.Timeout(TIMEOUT_S)
        # No proxy of the environment: the peer whose address is checked must be the service itself.
        with httpx.Client(timeout=limits, follow_redirects=False, trust_env=False) as client:
            for attempt in range(1, ATTEMPTS + 1):
                silent = True
                try:
                    answer = self._ask(client, url, params)
                except httpx.TimeoutException:
                    problem, pause = f"it did not answer within {TIMEOUT_S:g} s.", None
                except httpx.HTTPError as error:
                    problem, pause = f"it cannot be reached ({type(error).__name__}).", None
                else:
                    if answer.status < 400:
                        if not answer.body.strip():
                            self.fail("it answered with nothing.")
                        return answer.body
                    problem, pause, silent = _refusal(answer), answer.pause_s, False
                    if answer.status != 429 and answer.status < 500:
                        break
                if pause is not None and pause > LONGEST_PAUSE_S:
                    remedy = f"It asks to be left alone for {pause:.0f} s."
                    raise SilentError(problem, where=self.name, remedy=remedy)
                if attempt < ATTEMPTS:
                    self._sleep(2.0 ** (attempt - 1) * random.uniform(1, 1.25) if pause is None else pause)
        if silent:
            raise SilentError(problem, where=self.name)
        self.fail(problem)

    def _ask(self, client: httpx.Client, url: str, params: Mapping[str, str] | None) -> _Answer:
        """One answer, after its redirects."""
        for _ in range(MAX_REDIRECTS + 1):
            origin = self._origin_of(url)
            ours = origin == self._origin
            self._refuse_private(origin)
            # Unpacked, a small answer could be of any size.
            headers = {"User-Agent": self._agent, "Accept-Encoding": "identity"}
            headers |= self._headers if ours else {}
            with client.stream("GET", url, params=dict(params) if params else None, headers=headers) as reply:
                self._refuse_private_peer(reply, origin)
                if reply.has_redirect_location:
                    # What it leads to carries its own query; ours may hold a key.
                    url, params = urljoin(str(reply.url), reply.headers["location"]), None
                    continue
                return _Answer(reply.status_code, self._read(reply), _retry_after(reply))
        self.fail(f"it redirected more than {MAX_REDIRECTS} times.")

    def _read(self, reply: httpx.Response) -> bytes:
        body, end = bytearray(), time.monotonic() + DEADLINE_S
        for piece in reply.iter_bytes():
            body += piece
            if len(body) > MAX_BYTES:
                self.fail(f"its answer is larger than {MAX_BYTES // 2**20} MB.")
            if time.monotonic() > end:
                self.fail(f"its answer took longer than {DEADLINE_S:g} s.")
        return bytes(body)

    def _is_trusted(self, origin: Origin) -> bool:
        return self._trusted and origin == self._origin

    def _refuse_private(self, origin: Origin) -> None:
        if self._is_trusted(origin):
            return
        try:
            found = socket.getaddrinfo(origin.host, origin.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            self.fail(f"the host {origin.host} is not known.", "Check the address and the network.")
        for *_, address in found:
            self._refuse_address(str(address[0]))

    def _refuse_private_peer(self, reply: httpx.Response, origin: Origin) -> None:
        """The name may have been resolved to something else a second time: look at who answers."""
        stream = reply.extensions.get("network_stream")
        peer = stream.get_extra_info("server_addr") if stream is not None else None
        if peer and not self._is_trusted(origin):
            self._refuse_address(str(peer[0]))

    def _refuse_address(self, address: str) -> None:
        ip = ipaddress.ip_address(address.partition("%")[0])
        if not all(map(_is_public, _reached(ip))):
            self.fail(
                "it leads to a private address.",
                "Only an address that you have set yourself may lie on a private network.",
            )

    def _origin_of(self, url: str) -> Origin:
        try:
            return Origin.of(url)
        except ValueError:
            self.fail("it leads to something that is no web address.", "Write https://HOST/PATH.")

    def fail(self, what: str, remedy: str = "") -> NoReturn:
        """End with an error that names the service."""
        raise FeedError(what, where=self.name, remedy=remedy)


@dataclass(frozen=True)
class _Answer:
    """Status, body, and how many seconds the service asks to wait; None where it does not say."""

    status: int
    body: bytes
    pause_s: float | None


def _reached(ip: _Address) -> Iterator[_Address]:
    """The addresses that an address leads to: some of version 6 carry one of version 4."""
    if isinstance(ip, ipaddress.IPv4Address):
        yield ip
    elif ip.ipv4_mapped:
        yield ip.ipv4_mapped
    elif ip in NAT64 or ip in IPV4_COMPATIBLE:
        yield ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    elif ip.sixtofour:
        yield ip.sixtofour
    elif ip in LOCAL_NAT64:
        yield ipaddress.IPv4Address(0)  # of whichever network is there
    else:
        yield from (ip, *(ip.teredo or ()))


def _is_public(ip: _Address) -> bool:
    site_local = isinstance(ip, ipaddress.IPv6Address) and ip.is_site_local
    return ip.is_global and not ip.is_multicast and not site_local


def _refusal(answer: _Answer) -> str:
    message: object = None
    if answer.body.lstrip()[:1] == b"{":
        try:
            told = json.loads(answer.body)
        except (ValueError, RecursionError):
            told = {}
        message = told.get("error_message") or told.get("message") or told.get("error")
        if isinstance(message, Mapping):
            message = message.get("message")
    said = f": {' '.join(message.split())[:200]}" if isinstance(message, str) and message else ""
    hint = {
        401: " (no valid key)",
        403: " (not allowed)",
        404: " (no such page)",
        429: " (too many requests)",
    }
    return f"it answered {answer.status}{hint.get(answer.status, '')}{said}."


def _retry_after(reply: httpx.Response) -> float | None:
    """Seconds of the header ``Retry-After``, which holds a number or a date."""
    given = reply.headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given)
    try:
        moment = email.utils.parsedate_to_datetime(given)
    except (ValueError, OverflowError):
        return None
    if moment.tzinfo is None:
        return None
    return max(0.0, (moment - dt.datetime.now(dt.UTC)).total_seconds())
