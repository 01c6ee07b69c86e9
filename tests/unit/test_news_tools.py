"""The tools of the news specialists: what each finds, and that none sees the item's day or later."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.evidence.database import EvidenceDB
from workbench.evidence.news import NewsItem, add_items, make_item, resolve_item
from workbench.evidence.news_tools import BULLISH, TOOLS_ZH, industries_named
from workbench.evidence.slices import get_slice, slice_names
from workbench.evidence.view import View
from workbench.records import Evidence

FACTS = Path(__file__).parents[2] / "data" / "facts"


@pytest.fixture
def db(tmp_path: Path) -> EvidenceDB:
    return EvidenceDB(tmp_path / "evidence.db", FACTS)


def use(db: EvidenceDB, tool: str, item: NewsItem, view: View | None = None) -> Evidence:
    view = view or db.view(item.published)
    return get_slice(tool, "news")(view, item, item.links(db.instruments))


def rows(db: EvidenceDB, tool: str, item: NewsItem) -> list[dict[str, Any]]:
    return use(db, tool, item).facts.get("rows", [])


def document(title: str, published: str, kind: str = "event", **more: str) -> dict[str, str]:
    return {"kind": kind, "source": "s", "title": title, "published": published} | more


def test_every_tool_has_a_name_in_chinese() -> None:
    assert set(slice_names("news")) == set(TOOLS_ZH)


def test_documents_come_by_company_then_by_words_then_as_recent_background(db: EvidenceDB) -> None:
    item = make_item("Apple faces widget tariffs", "2030-05-01")
    db.add(
        "documents",
        [
            document("Something about nothing", "2030-04-20"),
            document("Widget tariffs announced", "2030-01-01"),
            document("A filing", "2030-01-02", code="AAPL"),
            document("Old and unrelated", "2030-01-03"),
            document("Widget tariffs long ago", "2029-04-01"),
        ],
        origin="mine",
    )
    assert [(row["title"], row["because"]) for row in rows(db, "world_events", item)] == [
        ("A filing", "company"),
        ("Widget tariffs announced", "words"),
        ("Something about nothing", "recent"),
    ]


def test_no_more_rows_than_a_reader_can_use_and_the_rest_is_counted(db: EvidenceDB) -> None:
    item = make_item("Apple", "2030-05-01")
    db.add("documents", [document(f"N{n}", "2030-04-01", code="AAPL") for n in range(9)], origin="mine")
    found = use(db, "world_events", item)
    assert (len(found.facts["rows"]), found.facts["left_out"]) == (6, 3)
    assert found.text.endswith("(and 3 more)")


def test_earlier_news_is_shown_but_not_the_item_itself_nor_its_day(db: EvidenceDB) -> None:
    item = make_item("Apple cuts guidance again", "2030-05-02T12:00:00Z")
    earlier = make_item("Apple guidance doubtful", "2030-05-01", code="AAPL")
    same_day = make_item("Apple guidance cut, analysts react", "2030-05-02T11:00:00Z", code="AAPL")
    add_items(db, [item, earlier, same_day], origin="mine")
    assert [row["title"] for row in rows(db, "news_wire", item)] == ["Apple guidance doubtful"]


def test_a_series_shows_its_latest_reading_and_the_one_before(db: EvidenceDB) -> None:
    """The CPI of August 2022 came out on the day of the item and is not in its evidence."""
    found = {
        row["name"]: row for row in rows(db, "consumer_prices", resolve_item(db, "hotter than expected"))
    }
    assert (found["cpi_us"]["period"], found["cpi_us"]["value"]) == ("2022-07", 8.5)
    assert (found["cpi_us"]["before_period"], found["cpi_us"]["before"]) == ("2022-06", 9.1)
    rates = {row["name"]: row["value"] for row in rows(db, "policy_rates", resolve_item(db, "near zero"))}
    assert rates["policy_rate_us"] == 1.25


def test_a_series_that_ended_long_ago_is_not_shown_as_current(db: EvidenceDB) -> None:
    assert use(db, "consumer_prices", make_item("x", "2035-01-01")).empty


def test_the_bull_share_is_that_of_the_items_companies_of_the_last_week(db: EvidenceDB) -> None:
    for code, day, value in (("AAPL", "2030-04-28", 0.8), ("MSFT", "2030-04-30", 0.2)):
        reading = {"name": f"{BULLISH}:{code}", "period": day, "value": value, "published": day}
        db.add("indicators", [reading], origin="stocktwits")
    assert [row["value"] for row in rows(db, "stocktwits", make_item("Apple", "2030-05-01"))] == [0.8]
    assert use(db, "stocktwits", make_item("Apple", "2030-05-20")).empty
    assert use(db, "stocktwits", make_item("Nobody", "2030-05-01")).empty


def test_posts_are_reddits_and_of_the_last_two_weeks(db: EvidenceDB) -> None:
    posts = [
        document("Apple to the moon", "2030-04-25", "post", code="AAPL") | {"source": "Reddit r/stocks"},
        document("Apple elsewhere", "2030-04-25", "post", code="AAPL") | {"source": "forum"},
        document("Apple long ago", "2030-04-01", "post", code="AAPL") | {"source": "reddit"},
    ]
    db.add("documents", posts, origin="mine")
    assert [r["title"] for r in rows(db, "reddit", make_item("Apple", "2030-05-01"))] == ["Apple to the moon"]


def test_the_sector_is_that_of_the_companies_named_or_of_the_industry_spoken_of(db: EvidenceDB) -> None:
    by_company = rows(db, "same_sector", make_item("贵州茅台提价", "2024-01-02"))
    assert [(row["code"], row["because"]) for row in by_company] == [("002304.SZ", "贵州茅台")]
    by_word = rows(db, "same_sector", make_item("银行板块大跌", "2024-01-02"))
    assert [(row["code"], row["because"]) for row in by_word] == [("601288.SH", "银行板块")]
    by_peer = rows(db, "same_sector", make_item("酒鬼酒停牌", "2024-01-02"))
    assert {(row["code"], row["because"]) for row in by_peer} == {
        ("600519.SH", "酒鬼酒"),
        ("002304.SZ", "酒鬼酒"),
    }
    assert not industries_named(make_item("公司偿还银行贷款", "2024-01-02"), db.instruments)


def test_a_relation_is_found_from_both_sides_and_not_before_it_was_known(db: EvidenceDB) -> None:
    named = rows(db, "supply_chain", make_item("TSMC halts production", "2024-01-02"))
    assert [(row["code"], row["other"], row["named"]) for row in named] == [("AAPL", "TSM", True)]
    of_apple = rows(db, "supply_chain", make_item("Apple", "2013-01-01"))
    assert {row["other"] for row in of_apple} == {"2317.TW", "QCOM", "AVGO"}


def test_what_was_imported_under_the_same_kinds_is_found_by_the_policy_tools(db: EvidenceDB) -> None:
    db.add(
        "documents",
        [
            document("10-K", "2030-01-01", "filing", code="AAPL"),
            document("Rule on widgets", "2030-01-01", "regulation", code="AAPL"),
            document("Apple fined", "2030-01-01", "enforcement", code="AAPL"),
        ],
        origin="mine",
    )
    item = make_item("Apple", "2030-05-01")
    assert {row["kind"] for row in rows(db, "regulations", item)} == {"filing", "regulation"}
    assert [row["title"] for row in rows(db, "enforcement", item)] == ["Apple fined"]


late = st.sampled_from(["2022-10-07", "2022-10-08", "2031-01-01", None])
texts = st.sampled_from(["Tencent chips export", "US controls on advanced chips", "人民银行 银行板块 利率"])
future_rows = st.one_of(
    st.tuples(
        st.just("documents"),
        st.builds(
            lambda kind, title, published, code: {
                "kind": kind, "source": "Reddit", "title": title, "published": published, "code": code,
            },
            st.sampled_from(
                ["news", "event", "regulation", "filing", "speech", "enforcement", "post", "video", "web"]
            ),
            texts,
            late,
            st.sampled_from(["00700.HK", None]),
        ),
    ),
    st.tuples(
        st.just("indicators"),
        st.builds(
            lambda name, published: {"name": name, "period": "p", "value": 1.0, "published": published},
            st.sampled_from(["policy_rate_us", "cpi_us", "fx_usdcny", "oil_wti", f"{BULLISH}:00700.HK"]),
            late,
        ),
    ),
    st.tuples(
        st.just("relations"),
        st.builds(
            lambda kind, published: {
                "code": "00700.HK", "other": "ZZZ", "other_name": "BIS", "kind": kind, "published": published,
            },
            st.sampled_from(["supplier", "peer"]),
            late,
        ),
    ),
)  # fmt: skip


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(added=st.lists(future_rows, min_size=1, max_size=4))
def test_a_row_of_the_items_day_or_later_or_undated_changes_no_tool(
    db: EvidenceDB, added: list[tuple[str, dict[str, Any]]]
) -> None:
    item = resolve_item(db, "export controls on advanced chips")
    before = {tool: use(db, tool, item) for tool in slice_names("news")}
    for table, row in added:
        db.add(table, [row], origin="future")
    assert {tool: use(db, tool, item) for tool in slice_names("news")} == before


def test_an_earlier_row_does_change_the_tools(db: EvidenceDB) -> None:
    """What keeps the property above from holding only because nothing ever changes anything."""
    item = resolve_item(db, "export controls on advanced chips")
    before = use(db, "world_events", item)
    db.add("documents", [document("Tencent named", "2022-10-06", code="00700.HK")], origin="past")
    assert use(db, "world_events", item) != before


def test_the_receipt_counts_what_was_withheld_and_the_item_is_no_evidence(db: EvidenceDB) -> None:
    item = resolve_item(db, "export controls on advanced chips")
    view = db.view(item.published)
    assert view.item(item.id) is not None
    assert view.receipt().newest_evidence is None
    for tool in slice_names("news"):
        use(db, tool, item, view)
    receipt = view.receipt()
    assert receipt.newest_evidence is not None
    assert receipt.newest_evidence < item.published
    assert receipt.withheld > 0


def test_an_item_of_a_later_day_is_not_to_be_had(db: EvidenceDB) -> None:
    item = resolve_item(db, "export controls on advanced chips")
    assert db.view(item.published - dt.timedelta(days=1)).item(item.id) is None
    assert db.view(item.published).item("2022-10-07-00000000") is None
