"""One function a service: what it is asked, and what its answer means in rows of ours.

Forms of the answers: the public documentation of GDELT DOC 2.0, FRED ``series/observations``, EDGAR's company
Atom feed, Reddit's listings, Stocktwits streams, YouTube Data v3 and Brave Search; RSS and Atom elsewhere.
"""

from __future__ import annotations

import datetime as dt
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, NamedTuple

from workbench.errors import InputError
from workbench.evidence.feeds.fetch import Fetcher
from workbench.evidence.feeds.markup import text_of
from workbench.evidence.feeds.rows import Found, Reading
from workbench.evidence.instruments import Instrument
from workbench.evidence.news_text import read_moment
from workbench.evidence.news_tools import BULLISH, DocumentKind

Rows = Iterator[Found | Reading]
"""An answer; the service is asked when the first of it is wanted."""


@dataclass(frozen=True)
class Ask:
    """What a feed is asked for.

    Attributes:
        companies: Companies it is asked about; a service that lists everything ignores them.
        words: Words to search for, instead of or beside companies.
        since: First day wanted.
        limit: Rows wanted of each question.
        key: The key of the service; empty where it needs none.
    """

    companies: Sequence[Instrument]
    words: str
    since: dt.date
    limit: int
    key: str = ""

    def questions(self) -> Iterator[tuple[str, str]]:
        """What to search for, and the code of the company it is about; empty for words alone."""
        if self.words:
            yield self.words, ""
        for company in self.companies:
            name = company.name_en or company.name
            yield (f"{name} {company.code}" if company.code.isalpha() else name), company.code


class Question(NamedTuple):
    """One question to a service: whom it is about, empty for nobody, and the answer."""

    about: str
    rows: Rows


UNKNOWN_FORM = "its answer is in a form that cannot be read."

Read = Callable[[Fetcher, Ask], Iterator[Question]]
"""How a feed is read: one question after another."""


def per_subject(read: Callable[[Fetcher, Ask, str, str], Rows]) -> Read:
    """A question about the words and about each company: what to search for, and the company's code."""
    return lambda service, ask: (
        Question(code or words, read(service, ask, words, code)) for words, code in ask.questions()
    )


def per_company(read: Callable[[Fetcher, Ask, Instrument], Rows]) -> Read:
    """A question about each American company."""

    def questions(service: Fetcher, ask: Ask) -> Iterator[Question]:
        companies = [company for company in ask.companies if company.code.replace(".", "").isalpha()]
        if not companies:
            service.fail("it knows American tickers only.", "Name some, e.g. --ticker AAPL")
        return (Question(company.code, read(service, ask, company)) for company in companies)

    return questions


def listed(kind: DocumentKind, source: str) -> Read:
    """An RSS or Atom feed whose entries are documents of one kind."""

    def rows(service: Fetcher, ask: Ask) -> Rows:
        found = (_entry(entry, kind, source) for entry in service.entries())
        wanted = (row for row in found if not row.published or row.published >= ask.since.isoformat())
        yield from islice(wanted, ask.limit)

    return lambda service, ask: iter([Question("", rows(service, ask))])


@per_subject
def gdelt(service: Fetcher, ask: Ask, words: str, code: str) -> Rows:
    """News of the world about a subject; GDELT dates an article by when it saw it."""
    params = {
        "query": words,
        "mode": "artlist",
        "format": "json",
        "sort": "datedesc",
        "maxrecords": str(min(ask.limit, 250)),
        "startdatetime": f"{ask.since:%Y%m%d}000000",
    }
    for article in _objects(service, service.json("", params), "articles"):
        day, _, hour = _text(article, "seendate").partition("T")
        yield Found(
            "event",
            _text(article, "title"),
            f"{day[:4]}-{day[4:6]}-{day[6:]} {hour[:2]}:{hour[2:4]}Z" if hour else day,
            source=_text(article, "domain"),
            url=_text(article, "url"),
            code=code,
        )


class Series(NamedTuple):
    """A series of FRED and what it is here; ``units`` are those FRED is to transform it into."""

    id: str
    name: str
    unit: str
    units: str = "lin"
    changes_only: bool = False


FRED_SERIES = (
    Series("DFEDTARU", "policy_rate_us", "%", changes_only=True),
    Series("ECBDFR", "policy_rate_eu", "%", changes_only=True),
    Series("CPIAUCSL", "cpi_us", "% yoy", units="pc1"),
    Series("DEXCHUS", "fx_usdcny", "CNY per USD"),
    Series("DCOILWTICO", "oil_wti", "USD per barrel"),
    Series("DCOILBRENTEU", "oil_brent", "USD per barrel"),
)
"""FRED no longer carries a price of gold."""


def fred(service: Fetcher, ask: Ask) -> Iterator[Question]:
    """Macro series, each value as it was first released and dated by that release."""
    return (Question(series.id, _fred_series(service, ask, series)) for series in FRED_SERIES)


def _fred_series(service: Fetcher, ask: Ask, series: Series) -> Rows:
    params = {
        "series_id": series.id,
        "api_key": ask.key,
        "file_type": "json",
        "units": series.units,
        "output_type": "4",
        "realtime_start": ask.since.isoformat(),
        "realtime_end": "9999-12-31",
        "observation_start": ask.since.isoformat(),
    }
    readings = [
        reading
        for row in _objects(service, service.json("", params), "observations")
        if (reading := _observation(row, series)) is not None
    ]
    if series.changes_only:
        readings = readings[:1] + [b for a, b in pairwise(readings) if a.value != b.value]
    yield from readings


def _observation(row: Mapping[str, Any], series: Series) -> Reading | None:
    try:
        value = float(row["value"])
        released = dt.date.fromisoformat(str(row["realtime_start"]))
        day = dt.date.fromisoformat(str(row["date"]))
    except (KeyError, TypeError, ValueError):
        return None  # a day without a value is written as a dot
    if not math.isfinite(value):
        return None
    period = f"{day:%Y-%m}" if series.units == "pc1" else day.isoformat()
    return Reading(series.name, period, value, series.unit, f"FRED {series.id}", max(released, day))


@per_company
def sec(service: Fetcher, ask: Ask, company: Instrument) -> Rows:
    """The filings of American companies."""
    params = {
        "action": "getcompany",
        "CIK": company.code,
        "owner": "exclude",
        "count": str(ask.limit),
        "output": "atom",
    }
    for entry in service.entries("/cgi-bin/browse-edgar", params):
        found = _entry(entry, "filing", "SEC")
        number = str(entry.get("accession-number") or entry.get("id", "").rpartition("=")[2])
        name = company.name_en or company.name
        yield found._replace(title=f"{name}: {found.title} ({number})", code=company.code)


@per_subject
def reddit(service: Fetcher, ask: Ask, words: str, code: str) -> Rows:
    """Posts about companies, the newest first."""
    params = {
        "q": words,
        "sort": "new",
        "limit": str(min(ask.limit, 100)),
        "type": "link",
        "raw_json": "1",
    }
    for post in _objects(service, service.json("/search.json", params), "data", "children", within="data"):
        yield Found(
            "post",
            _text(post, "title"),
            _text(post, "created_utc"),
            body=_text(post, "selftext"),
            source=f"Reddit r/{_text(post, 'subreddit')}",
            url=f"https://www.reddit.com{_text(post, 'permalink')}",
            code=code,
        )


@per_company
def stocktwits(service: Fetcher, ask: Ask, company: Instrument) -> Rows:
    """The share of bullish among the tagged messages about each company, as of the newest of them."""
    messages = _objects(service, service.json(f"/api/2/streams/symbol/{company.code}.json"), "messages")
    votes = [vote for message in messages if (vote := _vote(message))]
    if not votes:
        return
    day = max(when for when, _ in votes)
    bullish = sum(tag == "Bullish" for _, tag in votes) / len(votes)
    source = f"Stocktwits, {len(votes)} tagged messages"
    yield Reading(
        f"{BULLISH}:{company.code}", day.isoformat(), round(bullish, 4), "bullish share", source, day
    )


def _vote(message: Mapping[str, Any]) -> tuple[dt.date, str] | None:
    """Day and tag of a message; None for one without a tag or a date."""
    entities = message.get("entities")
    tag = _text(entities.get("sentiment") if isinstance(entities, Mapping) else None, "basic")
    try:
        return (read_moment(_text(message, "created_at")).day, tag) if tag in ("Bullish", "Bearish") else None
    except InputError:
        return None


@per_subject
def youtube(service: Fetcher, ask: Ask, words: str, code: str) -> Rows:
    """Videos about companies, the newest first."""
    params = {
        "part": "snippet",
        "type": "video",
        "order": "date",
        "q": words,
        "maxResults": str(min(ask.limit, 50)),
        "publishedAfter": f"{ask.since.isoformat()}T00:00:00Z",
    }
    for video in _objects(service, service.json("/youtube/v3/search", params), "items"):
        snippet = video.get("snippet")
        yield Found(
            "video",
            text_of(_text(snippet, "title")),
            _text(snippet, "publishedAt"),
            body=_text(snippet, "description"),
            source=f"YouTube {_text(snippet, 'channelTitle')}",
            url=f"https://www.youtube.com/watch?v={_text(video.get('id'), 'videoId')}",
            code=code,
        )


@per_subject
def web_search(service: Fetcher, ask: Ask, words: str, code: str) -> Rows:
    """Pages the web has about a subject; one without a date is known from the day it was found."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    params = {"q": words, "count": str(min(ask.limit, 20))}
    for page in _objects(service, service.json("/res/v1/web/search", params), "web", "results"):
        yield Found(
            "web",
            text_of(_text(page, "title")),
            _text(page, "page_age") or today,
            body=text_of(_text(page, "description")),
            source=_text(page.get("profile"), "name") or "web",
            url=_text(page, "url"),
            code=code,
        )


def _entry(entry: Any, kind: DocumentKind, source: str) -> Found:
    """A feed entry as a document, dated by its publication or else its last change."""
    moment = entry.get("published_parsed") or entry.get("updated_parsed")
    published = f"{time.strftime('%Y-%m-%dT%H:%M:%S', moment)}Z" if moment else ""
    content = entry.get("content") or [{}]
    return Found(
        kind,
        text_of(str(entry.get("title", ""))),
        published,
        body=text_of(str(entry.get("summary") or content[0].get("value", ""))),
        source=source or str((entry.get("source") or {}).get("title", "")) or "RSS",
        url=str(entry.get("link", "")),
    )


def _objects(service: Fetcher, answer: Any, *path: str, within: str = "") -> Iterator[Mapping[str, Any]]:
    """The objects of a list inside an answer; none where the answer lacks it, as some do that found nothing.

    Args:
        service: Who answered.
        answer: A JSON value of any shape.
        path: Names that lead to the list.
        within: What of each entry is wanted; the entry itself where empty.

    Raises:
        FeedError: Something else is in a place on the way, or, behind the other entries, in that of an entry.
    """
    found = answer
    for name in path:
        if found is not None and not isinstance(found, Mapping):
            service.fail(UNKNOWN_FORM)
        found = found.get(name) if found else None
    if found is not None and not isinstance(found, list):
        service.fail(UNKNOWN_FORM)
    wanted = [row.get(within) if within and isinstance(row, Mapping) else row for row in found or ()]
    objects = [row for row in wanted if isinstance(row, Mapping)]
    yield from objects
    if odd := len(wanted) - len(objects):
        service.fail(f"{odd} of its {len(wanted)} entries are in a form that cannot be read.")


def _text(row: Any, name: str) -> str:
    value = row.get(name) if isinstance(row, Mapping) else None
    return str(value) if isinstance(value, str | int | float) else ""
