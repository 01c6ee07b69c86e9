"""Feeds against servers on this machine that answer in the form of each service; nothing leaves it."""

from __future__ import annotations

import datetime as dt
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from click.testing import CliRunner

pytest.importorskip("httpx")
pytest.importorskip("feedparser")

from tests.local_server import Answer, Asked, LocalServer, local_server
from workbench.cli import cli
from workbench.errors import InputError
from workbench.evidence.feeds import CONTACT, FEEDS, fetch, last_pulled, pull
from workbench.evidence.feeds.fetch import FeedError, Fetcher
from workbench.evidence.feeds.markup import text_of
from workbench.evidence.feeds.rows import Kept
from workbench.workspace import Workspace

SINCE = dt.date(2024, 2, 1)
KEYS = {"FRED_API_KEY": "fred-key-1", "YOUTUBE_API_KEY": "tube-key-1", "BRAVE_API_KEY": "brave-key-1"}

RSS = """<?xml version="1.0"?><rss version="2.0"><channel><title>Wire</title>
<item><title>Apple cuts guidance</title><link>https://wire.example/1</link>
<description>&lt;p&gt;Apple &lt;b&gt;lowered&lt;/b&gt; its forecast.&lt;/p&gt;
&lt;script&gt;x()&lt;/script&gt;</description>
<pubDate>Fri, 08 Mar 2024 10:20:00 +0800</pubDate></item>
<item><title>No date here</title></item>
</channel></rss>"""

ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Filings</title>
<entry><title>8-K - Current report</title><id>urn:tag:sec.gov,2008:accession-number=0000320193-24-000005</id>
<link href="https://www.sec.gov/Archives/edgar/1"/><updated>2024-02-01T16:30:32-05:00</updated>
<summary type="html">&lt;b&gt;Filed:&lt;/b&gt; 2024-02-01</summary></entry></feed>"""


def asked_of(body: Any, **more: Any) -> Callable[[Asked], Answer]:
    given = Answer(body if isinstance(body, str | bytes) else json.dumps(body), **more)
    return lambda asked: given


@contextmanager
def service(
    name: str, answer: Callable[[Asked], Answer], path: str = ""
) -> Iterator[tuple[LocalServer, dict[str, str]]]:
    """A server in the place of a service, and the environment that says so."""
    with local_server(answer) as server:
        yield server, {FEEDS[name].variable: server.url + path, CONTACT: "me@desk.example", **KEYS}


def pulled(workspace: Workspace, name: str, environment: dict[str, str], **asked: Any) -> Kept:
    quick = partial(Fetcher, sleep=lambda seconds: None)
    return pull(workspace.evidence, FEEDS[name], since=SINCE, environment=environment, connect=quick, **asked)


def documents(workspace: Workspace, name: str) -> list[tuple[Any, ...]]:
    return workspace.evidence.rows(
        "SELECT kind, title, body, source, code, published, published_at FROM documents WHERE origin = ?"
        " ORDER BY id",
        (f"feed:{name}",),
    )


def indicators(workspace: Workspace, name: str) -> list[tuple[Any, ...]]:
    return workspace.evidence.rows(
        "SELECT name, period, value, unit, published FROM indicators WHERE origin = ? ORDER BY id",
        (f"feed:{name}",),
    )


# -- each service in its own form ----------------------------------------------------------------------


def test_rss_brings_news_as_text_with_the_time_it_came_out(workspace: Workspace) -> None:
    with service("rss", asked_of(RSS, type="application/rss+xml")) as (_, environment):
        assert pulled(workspace, "rss", environment) == Kept(new=1, known=0, left_out=1)
        assert pulled(workspace, "rss", environment) == Kept(new=0, known=1, left_out=1)
    assert documents(workspace, "rss") == [
        (
            "news", "Apple cuts guidance", "Apple lowered its forecast.", "RSS", None,
            "2024-03-08", "2024-03-08T02:20:00Z",
        )
    ]  # fmt: skip
    fetched = last_pulled(workspace.evidence)["rss"]
    assert abs(dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(fetched)) < dt.timedelta(minutes=1)


def test_gdelt_brings_events_dated_by_when_they_were_seen(workspace: Workspace) -> None:
    article = {
        "url": "https://x.example/a",
        "title": "Sanctions on chip makers",
        "seendate": "20240308T101500Z",
        "domain": "x.example",
    }
    with service("gdelt", asked_of({"articles": [article]}), "/api/v2/doc/doc") as (server, environment):
        assert pulled(workspace, "gdelt", environment, words="sanctions").new == 1
    assert server.asked[0].query["query"] == "sanctions"
    assert server.asked[0].query["startdatetime"] == "20240201000000"
    ((kind, title, *_, published, at),) = documents(workspace, "gdelt")
    assert (kind, title, published, at) == (
        "event", "Sanctions on chip makers", "2024-03-08", "2024-03-08T10:15:00Z",
    )  # fmt: skip


def test_fred_dates_a_value_by_its_first_release(workspace: Workspace) -> None:
    def answer(asked: Asked) -> Answer:
        rows = {
            "CPIAUCSL": [("2024-01-01", "2024-02-13", "3.1"), ("2024-02-01", "2024-03-12", ".")],
            "DFEDTARU": [("2024-02-01", "2024-02-01", "5.5"), ("2024-02-02", "2024-02-02", "5.5")],
        }.get(asked.query["series_id"], [])
        listed = [{"date": day, "realtime_start": known, "value": value} for day, known, value in rows]
        return Answer(json.dumps({"observations": listed}))

    with service("fred", answer) as (server, environment):
        assert pulled(workspace, "fred", environment) == Kept(2, 0, 0)
        assert pulled(workspace, "fred", environment) == Kept(0, 2, 0)
    assert {asked.query["api_key"] for asked in server.asked} == {"fred-key-1"}
    assert indicators(workspace, "fred") == [
        ("policy_rate_us", "2024-02-01", 5.5, "%", "2024-02-01"),
        ("cpi_us", "2024-01", 3.1, "% yoy", "2024-02-13"),
    ]
    cpi = [
        row
        for row in workspace.evidence.view(dt.date(2024, 2, 13)).indicators("cpi_us")
        if row.period == "2024-01"
    ]
    assert cpi == []  # not known on the day it came out, as everything else


def test_sec_brings_the_filings_of_a_company_and_says_who_asks(workspace: Workspace) -> None:
    with service("sec", asked_of(ATOM, type="application/atom+xml")) as (server, environment):
        assert pulled(workspace, "sec", environment, tickers=["Apple"]).new == 1
    assert server.asked[0].path == "/cgi-bin/browse-edgar"
    assert server.asked[0].query["CIK"] == "AAPL"
    assert server.asked[0].headers["User-Agent"] == "analyst-workbench me@desk.example"
    ((kind, title, body, source, code, published, _),) = documents(workspace, "sec")
    assert (kind, body, source, code, published) == (
        "filing",
        "Filed: 2024-02-01",
        "SEC",
        "AAPL",
        "2024-02-01",
    )
    assert title.endswith("8-K - Current report (0000320193-24-000005)")


@pytest.mark.parametrize(
    ("name", "kind"), [("asic", "enforcement"), ("sec_enforcement", "enforcement"), ("speeches", "speech")]
)
def test_regulators_and_central_banks_publish_rss(workspace: Workspace, name: str, kind: str) -> None:
    with service(name, asked_of(RSS, type="text/xml")) as (_, environment):
        assert pulled(workspace, name, environment).new == 1
    assert documents(workspace, name)[0][0] == kind


def test_reddit_brings_posts_about_a_company(workspace: Workspace) -> None:
    post = {
        "title": "AAPL <3 puts",
        "selftext": "I sold.",
        "subreddit": "stocks",
        "permalink": "/r/stocks/1",
        "created_utc": 1709893200.0,
    }
    body = {"kind": "Listing", "data": {"children": [{"kind": "t3", "data": post}]}}
    with service("reddit", asked_of(body)) as (server, environment):
        assert pulled(workspace, "reddit", environment, tickers=["AAPL"]).new == 1
    assert "AAPL" in server.asked[0].query["q"]
    assert documents(workspace, "reddit") == [
        ("post", "AAPL <3 puts", "I sold.", "Reddit r/stocks", "AAPL", "2024-03-08", "2024-03-08T10:20:00Z")
    ]


def test_stocktwits_brings_the_bullish_share_of_tagged_messages(workspace: Workspace) -> None:
    tags = ["Bullish", "Bullish", "Bearish", None]
    messages = [
        {
            "body": "x",
            "created_at": f"2024-03-0{day}T10:20:00Z",
            "entities": {"sentiment": {"basic": tag} if tag else None},
        }
        for day, tag in enumerate(tags, start=5)
    ]
    with service("stocktwits", asked_of({"messages": messages})) as (server, environment):
        assert pulled(workspace, "stocktwits", environment, tickers=["AAPL"]).new == 1
    assert server.asked[0].path == "/api/2/streams/symbol/AAPL.json"
    # Two of three tagged messages; the newest tagged one is of the 7th.
    assert indicators(workspace, "stocktwits") == [
        ("stocktwits_bullish:AAPL", "2024-03-07", 0.6667, "bullish share", "2024-03-07")
    ]


def test_youtube_brings_videos_and_sends_its_key_in_a_header(workspace: Workspace) -> None:
    video = {
        "id": {"videoId": "abc"},
        "snippet": {
            "title": "Apple &amp; China",
            "publishedAt": "2024-03-08T10:20:00Z",
            "channelTitle": "Desk",
            "description": "What now?",
        },
    }
    with service("youtube", asked_of({"items": [video]})) as (server, environment):
        assert pulled(workspace, "youtube", environment, tickers=["AAPL"]).new == 1
    assert server.asked[0].headers["X-Goog-Api-Key"] == "tube-key-1"
    assert "tube-key-1" not in json.dumps(dict(server.asked[0].query))
    assert documents(workspace, "youtube")[0][:4] == ("video", "Apple & China", "What now?", "YouTube Desk")


def test_a_page_without_a_date_is_known_from_the_day_it_was_found(workspace: Workspace) -> None:
    page = {"title": "<strong>Apple</strong> recall", "url": "https://x.example/a", "description": "d"}
    dated = {**page, "title": "Apple suit", "page_age": "2024-03-08T10:20:00"}
    with service("web_search", asked_of({"web": {"results": [page, dated]}})) as (server, environment):
        assert pulled(workspace, "web_search", environment, words="Apple").new == 2
    assert server.asked[0].headers["X-Subscription-Token"] == "brave-key-1"
    first, second = documents(workspace, "web_search")
    assert (first[1], first[5]) == ("Apple recall", dt.datetime.now(dt.UTC).date().isoformat())
    assert (second[1], second[5]) == ("Apple suit", "2024-03-08")


# -- what goes wrong -----------------------------------------------------------------------------------


def failure(answer: Callable[[Asked], Answer], pauses: list[float] | None = None) -> str:
    """What a fetcher of JSON says about a server."""
    sleep = pauses.append if pauses is not None else lambda seconds: None
    with local_server(answer) as server, pytest.raises(FeedError) as caught:
        Fetcher("test", server.url, trusted=True, sleep=sleep).json("/a", {"api_key": "secret-key-9"})
    assert "secret-key-9" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_is_asked_again_after_the_pause_it_names(status: int) -> None:
    answers = iter([Answer("", status=status, headers={"Retry-After": "7"}), Answer('{"a": 1}')])
    pauses: list[float] = []
    with local_server(lambda asked: next(answers)) as server:
        assert Fetcher("test", server.url, trusted=True, sleep=pauses.append).json("/a") == {"a": 1}
    assert pauses == [7]


def test_without_a_named_pause_the_pauses_grow_and_an_end_is_made() -> None:
    pauses: list[float] = []
    said = failure(asked_of("", status=500), pauses)
    assert "answered 500" in said
    assert len(pauses) == fetch.ATTEMPTS - 1
    assert 1 <= pauses[0] <= 1.25
    assert 2 <= pauses[1] <= 2.5


def test_a_pause_that_is_too_long_is_not_waited_for() -> None:
    pauses: list[float] = []
    said = failure(asked_of("", status=429, headers={"Retry-After": "3600"}), pauses)
    assert "too many requests" in said
    assert "3600 s" in said
    assert pauses == []


def test_a_pause_may_be_named_as_a_date() -> None:
    later = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=30)
    pauses: list[float] = []
    failure(asked_of("", status=503, headers={"Retry-After": f"{later:%a, %d %b %Y %H:%M:%S} GMT"}), pauses)
    assert all(20 < pause <= 30 for pause in pauses)


def test_a_refusal_is_not_asked_again_and_its_reason_is_told() -> None:
    pauses: list[float] = []
    said = failure(asked_of({"error_message": "api_key is not registered"}, status=400), pauses)
    assert "answered 400: api_key is not registered." in said
    assert pauses == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer("<!doctype html><title>Log in</title>", type="text/html"), "web page instead of JSON"),
        (Answer("Your query was too short.", type="text/html"), "no JSON: 'Your query was too short.'"),
        (Answer(""), "answered with nothing"),
        (Answer("[1, 2"), "no JSON"),
    ],
)
def test_an_answer_in_another_form_is_named(answer: Answer, words: str) -> None:
    assert words in failure(lambda asked: answer)


@pytest.mark.parametrize("body", ["<html><body>Sorry</body></html>", '{"a": 1}', "plain"])
def test_what_is_no_feed_is_named(body: str) -> None:
    with local_server(asked_of(body, type="text/html")) as server, pytest.raises(FeedError, match="no RSS"):
        Fetcher("test", server.url, trusted=True).entries()


def test_a_slow_service_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "TIMEOUT_S", 0.1)
    assert "did not answer within 0.1 s" in failure(lambda asked: Answer("{}", pause_s=0.5))


def test_an_answer_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "DEADLINE_S", 0.2)
    assert "took longer" in failure(lambda asked: Answer(" " * 1000, chunk_pause_s=0.02))


def test_an_answer_that_is_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetch, "MAX_BYTES", 2**20)
    assert "larger than 1 MB" in failure(asked_of(b"x" * (2**20 + 1)))


def test_a_service_that_is_not_there_is_named() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(FeedError, match="cannot be reached"):
        Fetcher("test", f"http://127.0.0.1:{port}", trusted=True, sleep=lambda seconds: None).get("/a")


# -- what one failure leaves of the rest ---------------------------------------------------------------

POST = {"title": "AAPL up", "subreddit": "stocks", "permalink": "/r/1", "created_utc": 1709893200.0}
NESTED = '{"error": ' * 50_000


@pytest.mark.parametrize(
    "body",
    [
        [], "text", 7, None, {"data": [1]}, {"data": {"children": {"a": 1}}}, {"data": {"children": [1]}},
        {"data": {"children": [{"data": [1]}]}}, {"data": {"children": [{"data": None}]}},
        {"data": {"children": "abc"}}, {"data": 7},
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["reddit", "gdelt", "youtube", "web_search", "stocktwits", "fred"])
def test_an_answer_of_any_shape_ends_in_a_line_that_names_the_feed(
    workspace: Workspace, name: str, body: Any
) -> None:
    """A list where an object belongs ended the whole pull with a traceback."""
    with service(name, asked_of(body)) as (_, environment):
        kept = pulled(workspace, name, environment, tickers=["AAPL"])
    assert kept[:3] == (0, 0, 0)
    assert all(line.startswith(f"{name}: ") and "\n" not in line for line in kept.failed)
    if name == "reddit" and body is not None:
        assert len(kept.failed) == 1


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("fred", {"observations": [{"date": [], "realtime_start": {}, "value": [1]}, {"value": {}}]}),
        ("stocktwits", {"messages": [{"entities": [1], "created_at": {}}, {"entities": {"sentiment": 3}}]}),
        ("youtube", {"items": [{"id": [1], "snippet": [2]}, {"snippet": {"title": {"a": 1}}}]}),
        ("web_search", {"web": {"results": [{"title": [1], "profile": 3, "page_age": {}}]}}),
        ("gdelt", {"articles": [{"title": 3, "seendate": [1]}, {"title": "T", "seendate": "TTT"}]}),
        ("reddit", {"data": {"children": [{"data": {"title": "T", "created_utc": 1e308}}]}}),
    ],
)  # fmt: skip
def test_values_of_any_shape_are_left_out(workspace: Workspace, name: str, body: Any) -> None:
    with service(name, asked_of(body)) as (_, environment):
        assert pulled(workspace, name, environment, tickers=["AAPL"]).new == 0


@pytest.mark.parametrize("body", [NESTED, '{"error_message": [1]}', '{"error": {"message": {}}}', "[]", "{"])
def test_a_refusal_of_any_shape_is_told(body: str) -> None:
    """A refusal nested too deep ended the whole pull with a traceback."""
    assert failure(asked_of(body, status=400)) == "test: it answered 400."


def test_a_good_entry_beside_a_bad_one_is_kept(workspace: Workspace) -> None:
    body = {"data": {"children": [{"data": POST}, {"data": [1]}]}}
    with service("reddit", asked_of(body)) as (_, environment):
        kept = pulled(workspace, "reddit", environment, tickers=["AAPL"])
    assert (kept.new, kept.failed) == (
        1, ("reddit: AAPL: 1 of its 2 entries are in a form that cannot be read.",),
    )  # fmt: skip


def test_what_one_company_gave_is_kept_when_another_fails(workspace: Workspace) -> None:
    """An error for the second company lost what the first had brought."""

    def answer(asked: Asked) -> Answer:
        if "MSFT" in asked.query["q"]:
            return Answer("", status=500)
        return Answer(json.dumps({"data": {"children": [{"data": POST | {"title": asked.query["q"]}}]}}))

    with service("reddit", answer) as (_, environment):
        kept = pulled(workspace, "reddit", environment, tickers=["MSFT", "AAPL", "NOBODY", "茅台"])
    assert kept[:3] == (2, 0, 0)
    assert [line.split(":")[:2] for line in kept.failed] == [["reddit", " NOBODY"], ["reddit", " MSFT"]]
    assert kept.failed[1] == "reddit: MSFT: it answered 500."


def test_what_one_series_gave_is_kept_when_others_fail(workspace: Workspace) -> None:
    def answer(asked: Asked) -> Answer:
        if asked.query["series_id"] != "CPIAUCSL":
            return Answer(json.dumps({"error_message": "no series for fred-key-1"}), status=400)
        row = {"date": "2024-02-01", "realtime_start": "2024-03-12", "value": "3.2"}
        return Answer(json.dumps({"observations": [row]}))

    with service("fred", answer) as (_, environment):
        kept = pulled(workspace, "fred", environment)
    assert kept.new == 1
    assert kept.failed == (
        "fred: DFEDTARU, ECBDFR, DEXCHUS, DCOILWTICO, DCOILBRENTEU: it answered 400: no series for ….",
    )


def test_what_one_address_gave_is_kept_when_another_fails(workspace: Workspace) -> None:
    def answer(asked: Asked) -> Answer:
        return Answer(RSS, type="text/xml") if asked.path == "/good" else Answer("<html></html>")

    with local_server(answer) as server:
        addresses = (
            f"{server.url}/bad {server.url.replace('//', '//me:pw-7@')}/bad {server.url}/good gopher://x"
        )
        kept = pulled(workspace, "rss", {"WORKBENCH_FEED_RSS_URL": addresses})
    assert (kept.new, len(kept.failed)) == (1, 2)
    assert kept.failed[0].startswith(f"rss: {server.url}/bad: it answered with something that is no RSS")
    assert "gopher://x: it leads to something that is no web address" in kept.failed[1]
    assert "pw-7" not in str(kept.failed)


def test_a_service_that_does_not_answer_is_not_asked_about_the_other_companies(workspace: Workspace) -> None:
    with service("reddit", asked_of("", status=429, headers={"Retry-After": "3600"})) as (
        server,
        environment,
    ):
        kept = pulled(workspace, "reddit", environment, tickers=["AAPL", "MSFT"])
    assert len(server.asked) == 1
    assert kept.failed[0].endswith("It asks to be left alone for 3600 s.")


def test_a_pull_tells_what_arrived_and_beside_it_what_failed(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "ATTEMPTS", 1)

    def answer(asked: Asked) -> Answer:
        if asked.path != "/search.json":
            return Answer("[[1]]")
        if "MSFT" in asked.query["q"]:
            return Answer("", status=500)
        return Answer(json.dumps({"data": {"children": [{"data": POST}]}}))

    with local_server(answer) as server:
        for name in ("gdelt", "reddit"):
            monkeypatch.setenv(FEEDS[name].variable, server.url)
        asked = ["feeds", "pull", "gdelt", "reddit", "sec", "--since", "2024-01-01"]
        done = CliRunner().invoke(cli, [*asked, "--ticker", "AAPL", "--ticker", "MSFT"])
    assert done.exit_code == 1
    assert done.stdout == "reddit: 1 new, 0 known, 0 left out\n"
    gdelt, reddit, sec = done.stderr.splitlines()
    assert gdelt == "gdelt: AAPL, MSFT: its answer is in a form that cannot be read."
    assert reddit == "reddit: MSFT: it answered 500."
    assert sec.startswith("sec: ")


# -- which days are wanted -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rss", "asic", "sec_enforcement", "speeches", "sec"])
def test_what_is_older_than_wanted_is_passed_over(workspace: Workspace, name: str) -> None:
    """Feeds whose service takes no first day brought everything they had."""
    body = ATOM if name == "sec" else RSS
    with service(name, asked_of(body, type="text/xml")) as (_, environment):
        kept = pull(
            workspace.evidence,
            FEEDS[name],
            tickers=["AAPL"],
            since=dt.date(2024, 3, 9),
            environment=environment,
        )
        assert (kept.new, kept.known) == (0, 0)
        assert pulled(workspace, name, environment, tickers=["AAPL"]).new == 1


def test_what_is_dated_in_the_future_is_left_out(workspace: Workspace) -> None:
    """An entry dated years ahead was stored, and stood on top of every list."""
    ahead = RSS.replace("08 Mar 2024", "08 Mar 2099")
    with service("rss", asked_of(ahead, type="text/xml")) as (_, environment):
        assert pulled(workspace, "rss", environment) == Kept(new=0, known=0, left_out=2)


# -- where a feed may not go ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:9/a", "http://localhost:9/a", "http://[::1]:9/", "http://10.0.0.1/", "http://169.254.169.254/",
     "http://0.0.0.0/", "http://[::ffff:127.0.0.1]/", "http://2130706433/", "http://[64:ff9b::7f00:1]/",
     "http://[64:ff9b::a00:1]/", "http://[64:ff9b:1::808:808]/", "http://[2002:7f00:1::]/", "http://[2002:a00:1::1]/",
     "http://[::ffff:10.0.0.1]/", "http://[::127.0.0.1]/", "http://[2001:0:7f00:1::]/", "http://[fec0::1]/",
     "http://[fd00::1]/", "http://[ff02::1]/"],
)  # fmt: skip
def test_a_private_address_is_refused(address: str) -> None:
    """Addresses of version 6 that lead to one of version 4 (NAT64, 6to4) passed for public ones."""
    with pytest.raises(FeedError, match="private address"):
        Fetcher("test", address).get()


def test_a_redirect_to_a_private_address_is_refused_even_from_a_private_one() -> None:
    with local_server(asked_of('{"secret": 1}')) as inside:
        hop = Answer("", status=302, headers={"Location": f"{inside.url}/metadata"})
        said = failure(lambda asked: hop)
        assert "private address" in said
        assert inside.asked == []


def test_a_redirect_within_the_service_is_followed_without_the_query() -> None:
    """A query that was sent along may hold a key."""

    def answer(asked: Asked) -> Answer:
        moved = Answer("", status=301, headers={"Location": "/b"})
        return moved if asked.path == "/a" else Answer('{"a": 1}')

    with local_server(answer) as server:
        assert Fetcher("test", server.url, trusted=True).json("/a", {"api_key": "k"}) == {"a": 1}
    assert [(asked.path, dict(asked.query)) for asked in server.asked] == [
        ("/a", {"api_key": "k"}),
        ("/b", {}),
    ]


def test_a_circle_of_redirects_ends() -> None:
    assert "redirected more than" in failure(lambda asked: Answer("", status=302, headers={"Location": "/a"}))


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://x.example/"])
def test_a_redirect_to_something_else_than_the_web_is_refused(target: str) -> None:
    said = failure(lambda asked: Answer("", status=302, headers={"Location": target}))
    assert "no web address" in said


def test_the_address_that_answers_is_looked_at_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may be resolved to a public address when it is checked and to a private one when it is asked."""
    public = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 80))]
    with local_server(asked_of('{"secret": 1}')) as server:
        monkeypatch.setattr(fetch.socket, "getaddrinfo", _first_then(public, socket.getaddrinfo))
        with pytest.raises(FeedError, match="private address"):
            Fetcher("test", server.url.replace("127.0.0.1", "localhost")).json("/a")


def _first_then(first: Any, rest: Callable[..., Any]) -> Callable[..., Any]:
    answers = iter([first])

    def resolve(*args: Any, **kwargs: Any) -> Any:
        return next(answers, None) or rest(*args, **kwargs)

    return resolve


# -- what a user meets ---------------------------------------------------------------------------------


def test_a_missing_key_is_named_with_its_variable(workspace: Workspace) -> None:
    with pytest.raises(FeedError, match="FRED_API_KEY"):
        pull(workspace.evidence, FEEDS["fred"], since=SINCE, environment={})


def test_a_service_without_a_lasting_address_asks_for_one(workspace: Workspace) -> None:
    with pytest.raises(FeedError, match="WORKBENCH_FEED_ASIC_URL"):
        pull(workspace.evidence, FEEDS["asic"], since=SINCE, environment={})


def test_a_feed_about_companies_wants_to_know_which(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="what to look for"):
        pull(workspace.evidence, FEEDS["reddit"], since=SINCE, environment={})


def test_one_feed_that_fails_does_not_stop_the_others(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FRED_API_KEY", raising=False)
    with local_server(asked_of(RSS, type="text/xml")) as server:
        monkeypatch.setenv("WORKBENCH_FEED_RSS_URL", f"{server.url}/a {server.url}/b")
        done = CliRunner().invoke(cli, ["feeds", "pull", "fred", "rss", "--since", "2024-01-01", "--json"])
    assert done.exit_code == 1
    fred, rss = json.loads(done.output)["feeds"]
    assert "FRED_API_KEY" in fred["error"]
    assert (rss["new"], rss["known"], rss["left_out"]) == (1, 1, 2)


def test_the_watchlist_is_asked_about_where_nothing_is_named(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.store.signals.watch(["MSFT"])
    with local_server(asked_of({"data": {"children": []}})) as server:
        monkeypatch.setenv("WORKBENCH_FEED_REDDIT_URL", server.url)
        assert CliRunner().invoke(cli, ["feeds", "pull", "reddit"]).exit_code == 0
    assert "MSFT" in server.asked[0].query["q"]


def test_a_feed_nobody_knows_is_refused_with_the_names_there_are() -> None:
    done = CliRunner().invoke(cli, ["feeds", "pull", "bloomberg"])
    assert done.exit_code == 2
    assert "gdelt" in done.output


def test_the_list_says_what_is_missing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRED_API_KEY", "fred-key-1")
    done = CliRunner().invoke(cli, ["feeds", "list", "--json"])
    listed = {row["feed"]: row for row in json.loads(done.output)["feeds"]}
    assert listed["fred"]["key_set"] is True
    assert listed["youtube"]["key_set"] is False
    assert listed["asic"]["address"] is None
    assert "fred-key-1" not in done.output


def test_no_login_and_no_key_of_an_address_is_shown(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of feeds and some errors showed the password of an address."""
    quick = partial(Fetcher, sleep=lambda seconds: None)
    monkeypatch.setattr("workbench.commands.feeds.pull", partial(pull, connect=quick))
    monkeypatch.setenv("WORKBENCH_FEED_RSS_URL", "http://user:secretpw@x.invalid/a?api_key=hidden1&b=2")
    monkeypatch.setenv("WORKBENCH_FEED_ASIC_URL", "htp://user:secret@pw@x.invalid/a")
    for arguments in (
        ["list"],
        ["list", "--json"],
        ["pull", "rss", "asic"],
        ["pull", "rss", "asic", "--json"],
    ):
        said = CliRunner().invoke(cli, ["feeds", *arguments]).output
        assert "rss" in said
        assert not any(secret in said for secret in ("secret", "pw@", "hidden1", "user:"))
    listed = json.loads(CliRunner().invoke(cli, ["feeds", "list", "--json"]).output)["feeds"]
    assert listed[0]["address"] == "http://x.invalid/a?api_key=…&b=2"


def test_a_pulled_item_can_be_judged_and_a_pulled_post_cannot(workspace: Workspace) -> None:
    from workbench.evidence.news import count_items

    before = count_items(workspace.evidence)
    with service("rss", asked_of(RSS, type="text/xml")) as (_, environment):
        pulled(workspace, "rss", environment)
    with service("speeches", asked_of(RSS.replace("Apple", "Governor"), type="text/xml")) as (_, environment):
        pulled(workspace, "speeches", environment)
    assert count_items(workspace.evidence) == before + 1


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain < text", "plain < text"),
        ("<p>one</p><p>two</p>", "one\n\ntwo".replace("\n\n", "\n")),
        ("<script>alert(1)</script>left", "left"),
        ("a &amp;lt;b&amp;gt;", "a &lt;b&gt;"),
        ("<b>bold", "bold"),
        ("</script>x", "x"),
    ],
)
def test_markup_becomes_its_readable_text(markup: str, text: str) -> None:
    assert text_of(markup) == text
