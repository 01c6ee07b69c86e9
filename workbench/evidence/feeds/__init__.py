"""Feeds fill the evidence database from services on the web: ``workbench feeds pull NAME`` (extra ``feeds``).

A feed is an address, a function of ``services`` that reads its answers, and perhaps a key. Address and key
come from the environment: ``WORKBENCH_FEED_NAME_URL`` replaces an address, keys have the names their services
give them. A run never waits for a feed: it reads what is on record as of its day.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.errors import InputError, without_logins
from workbench.evidence.database import EvidenceDB
from workbench.evidence.feeds import services
from workbench.evidence.feeds.failures import Failures
from workbench.evidence.feeds.fetch import FeedError, Fetcher
from workbench.evidence.feeds.rows import Found, Kept, Reading, keep
from workbench.evidence.feeds.services import Ask, Read
from workbench.evidence.instruments import Instrument

Needs = Literal["nothing", "subject"]
"""Whether a feed must be told which companies or words it is to look for."""

CONTACT = "WORKBENCH_FEED_CONTACT"
"""Who is asking, e.g. a mail address; EDGAR answers nobody who does not say."""


@dataclass(frozen=True)
class Feed:
    """One feed.

    Attributes:
        name: As it is pulled by.
        title: What it brings.
        address: Where, unless the environment says otherwise; several parted by spaces; empty where the
            service has no address that lasts.
        read: The questions it is asked, each read when it is reached.
        needs: What it must be told.
        key: Environment variable of its key; empty where it needs none.
        key_header: Header the key is sent in; empty where it goes into the query.
        contact: Whether it wants to know who is asking.
    """

    name: str
    title: str
    address: str
    read: Read
    needs: Needs = "nothing"
    key: str = ""
    key_header: str = ""
    contact: bool = False

    @property
    def variable(self) -> str:
        """Environment variable that replaces the address."""
        return f"WORKBENCH_FEED_{self.name.upper()}_URL"

    def shown_address(self, environment: Mapping[str, str]) -> str:
        """The address it is pulled from, as it may be shown."""
        return without_logins(environment.get(self.variable, "").strip() or self.address)

    @property
    def origin(self) -> str:
        """Under which its rows are kept."""
        return f"feed:{self.name}"


FEEDS: Mapping[str, Feed] = {
    feed.name: feed
    for feed in (
        Feed(
            "rss",
            "news from a list of RSS and Atom feeds",
            "https://www.federalreserve.gov/feeds/press_all.xml https://feeds.bbci.co.uk/news/business/rss.xml",
            services.listed("news", ""),
        ),
        Feed(
            "gdelt",
            "events in the world's news",
            "https://api.gdeltproject.org/api/v2/doc/doc",
            services.gdelt,
            needs="subject",
        ),
        Feed(
            "fred",
            "policy rates, consumer prices, exchange rates, oil",
            "https://api.stlouisfed.org/fred/series/observations",
            services.fred,
            key="FRED_API_KEY",
        ),
        Feed(
            "sec",
            "filings of American companies",
            "https://www.sec.gov",
            services.sec,
            needs="subject",
            contact=True,
        ),
        Feed(
            "sec_enforcement",
            "litigation of the SEC",
            "https://www.sec.gov/enforcement-litigation/litigation-releases/rss",
            services.listed("enforcement", "SEC"),
            contact=True,
        ),
        Feed("asic", "media releases of ASIC, as RSS", "", services.listed("enforcement", "ASIC")),
        Feed(
            "speeches",
            "speeches of central bankers",
            "https://www.bis.org/doclist/cbspeeches.rss",
            services.listed("speech", "BIS"),
        ),
        Feed("reddit", "posts about companies", "https://www.reddit.com", services.reddit, needs="subject"),
        Feed(
            "stocktwits",
            "bullish share of tagged messages",
            "https://api.stocktwits.com",
            services.stocktwits,
            needs="subject",
        ),
        Feed(
            "youtube",
            "videos about companies",
            "https://www.googleapis.com",
            services.youtube,
            needs="subject",
            key="YOUTUBE_API_KEY",
            key_header="X-Goog-Api-Key",
        ),
        Feed(
            "web_search",
            "pages found by Brave Search",
            "https://api.search.brave.com",
            services.web_search,
            needs="subject",
            key="BRAVE_API_KEY",
            key_header="X-Subscription-Token",
        ),
    )
}


def feed_named(name: str) -> Feed:
    """The feed of a name.

    Raises:
        InputError: There is none.
    """
    if name not in FEEDS:
        raise InputError(f"there is no feed {name[:40]!r}.", remedy=f"Feeds: {', '.join(FEEDS)}.")
    return FEEDS[name]


def pull(
    db: EvidenceDB,
    feed: Feed,
    *,
    tickers: Sequence[str] = (),
    words: str = "",
    since: dt.date,
    limit: int = 50,
    environment: Mapping[str, str] = os.environ,
    connect: Callable[..., Fetcher] = Fetcher,
) -> Kept:
    """Ask a service and keep what it has that is new.

    Args:
        db: The evidence database.
        feed: Which feed.
        tickers: Companies to ask about, as a user names them.
        words: Words to search for.
        since: First day wanted.
        limit: Rows wanted of each question.
        environment: Addresses, keys and contact.
        connect: Makes the fetcher.

    Returns:
        What was kept, and beside it what failed: a question without an answer does not stop the others.

    Raises:
        InputError: The feed must be told what to look for.
        FeedError: The feed cannot be asked at all: it lacks an address, a key or a contact.
    """
    if feed.needs == "subject" and not (tickers or words):
        raise InputError(
            "say what to look for.", where=feed.name, remedy="Add --ticker CODE or --query WORDS."
        )
    own = environment.get(feed.variable, "").strip()
    addresses = (own or feed.address).split()
    if not addresses:
        raise FeedError(
            "the service has no address that lasts.", where=feed.name, remedy=f"Set {feed.variable}."
        )
    key = _required(feed, feed.key, environment) if feed.key else ""
    contact = _required(feed, CONTACT, environment) if feed.contact else environment.get(CONTACT, "")
    failures = Failures(feed.name, key)
    companies: list[Instrument] = []
    for ticker in tickers:
        with failures.noted(ticker):
            companies.append(db.instruments.resolve(ticker))
    ask = Ask(companies, words, since, limit, key)
    rows: list[Found | Reading] = []
    for address in addresses if companies or words or feed.needs == "nothing" else ():
        headers = {feed.key_header: key} if feed.key_header else {}
        place = without_logins(address) if len(addresses) > 1 else ""
        with failures.noted(place):
            service = connect(feed.name, address, trusted=bool(own), headers=headers, contact=contact)
            for question in feed.read(service, ask):
                with failures.noted(question.about or place):
                    for row in question.rows:
                        rows.append(row)
                if failures.silent:
                    break
    return keep(db, rows, origin=feed.origin, since=since)._replace(failed=failures.lines)


def last_pulled(db: EvidenceDB) -> dict[str, str]:
    """When each feed last brought something new, UTC as ISO text, by its name."""
    found = db.rows(
        "SELECT origin, max(fetched_at) FROM (SELECT origin, fetched_at FROM documents UNION ALL"
        " SELECT origin, fetched_at FROM indicators) WHERE origin LIKE 'feed:%' GROUP BY origin"
    )
    return {origin.removeprefix("feed:"): moment for origin, moment in found if moment}


def _required(feed: Feed, variable: str, environment: Mapping[str, str]) -> str:
    value = environment.get(variable, "").strip()
    if not value:
        raise FeedError(
            f"it needs {variable}.", where=feed.name, remedy=f"Set {variable} in the environment."
        )
    return value
