"""News items: cleaned, known once, read from what sources hand out, and found again."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import unicodedata
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import AmbiguousError, InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.news import (
    add_items,
    count_items,
    get_item,
    items,
    make_item,
    resolve_item,
)
from workbench.evidence.news_text import (
    MAX_BODY,
    MAX_TITLE,
    Moment,
    clean_body,
    clean_title,
    item_id,
    language_of,
    read_moment,
    visible,
)
from workbench.evidence.readers.news import read_news, read_pasted

FACTS = Path(__file__).parents[2] / "data" / "facts"
REAL = Path(__file__).parents[3] / "shared" / "realdata" / "news"
real_files = pytest.mark.skipif(not REAL.is_dir(), reason="the real news files are not beside this checkout")


@pytest.fixture
def db(tmp_path: Path) -> EvidenceDB:
    return EvidenceDB(tmp_path / "evidence.db", FACTS)


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def test_spelling_of_a_title_does_not_make_another_item_but_another_day_does() -> None:
    same = [
        "Apple cuts guidance!",
        "  apple CUTS  guidance ",
        "Ａｐｐｌｅ cuts “guidance”",
        "Apple\u200b cuts guidance",
    ]
    assert len({item_id(day("2019-01-02"), title) for title in same}) == 1
    assert item_id(day("2019-01-03"), same[0]) != item_id(day("2019-01-02"), same[0])
    assert item_id(day("2019-01-02"), "Apple raises guidance") != item_id(day("2019-01-02"), same[0])
    assert item_id(day("2019-01-02"), "？！") != item_id(day("2019-01-02"), "……")
    assert item_id(day("2019-01-02"), same[0]).startswith("2019-01-02-")


def test_invisible_and_control_characters_go_and_everything_else_stays() -> None:
    hostile = "a\u200bb\u202ec\x1b[31md\x00e\r\nf\tg<script>alert(1)</script>\ud800"
    assert visible(hostile) == "abc[31mde\nf\tg<script>alert(1)</script>\ufffd"


def test_no_character_without_a_width_is_overlooked() -> None:
    every = "".join(map(chr, range(0x110000)))
    left = {char for char in visible(every) if unicodedata.category(char) in ("Cc", "Cf", "Cs")}
    assert left == {"\t", "\n"}
    gone = set(every) - set(visible(every))
    assert {unicodedata.category(char) for char in gone} <= {"Cc", "Cf", "Cs", "Cn"}  # Cn: in a newer Unicode


def test_a_body_of_two_megabytes_is_cut_with_a_note_in_its_language() -> None:
    english, chinese = clean_body("word " * 400_000), clean_body("字" * 700_000)
    assert english.endswith(f"[truncated: 2,000,000 characters, the first {MAX_BODY:,} kept]")
    assert chinese.endswith(f"［已截断：原文约 700,000 字，保留前 {MAX_BODY:,} 字］")
    assert len(english) < MAX_BODY + 100
    assert clean_body("short ") == "short"
    assert len(clean_title("x" * 5000)) == MAX_TITLE


def test_a_body_that_hides_its_length_in_invisible_characters_is_cut_too() -> None:
    assert len(clean_body("\u200b" * 10**6 + "tail")) < 200


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("苹果发布 iPhone 15 Pro Max", "zh"),
        ("Apple cuts guidance", "en"),
        ("Tencent (腾讯) reports results for the second quarter", "en"),
        ("", "en"),
    ],
)
def test_language(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-03-08", Moment(day("2024-03-08"), None)),
        ("2024-03-08T22:45:22Z", Moment(day("2024-03-08"), "2024-03-08T22:45:22Z")),
        ("2024-03-08T22:45:22-05:00", Moment(day("2024-03-09"), "2024-03-09T03:45:22Z")),
        ("2026-03-13 17:58:18", Moment(day("2026-03-13"), "2026-03-13T17:58:18")),
        ("2024/3/8 10:20", Moment(day("2024-03-08"), "2024-03-08T10:20:00")),
        ("20240308", Moment(day("2024-03-08"), None)),
        ("2024年3月8日", Moment(day("2024-03-08"), None)),
        ("Fri, 08 Mar 2024 22:45:22 GMT", Moment(day("2024-03-08"), "2024-03-08T22:45:22Z")),
        ("1709938000", Moment(day("2024-03-08"), "2024-03-08T22:46:40Z")),
        ("1709938000000", Moment(day("2024-03-08"), "2024-03-08T22:46:40Z")),
    ],
)
def test_dates_in_the_forms_sources_use(text: str, moment: Moment) -> None:
    assert read_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "", "yesterday", "2024-02-30", "99999999999999999999", "2024-3", "NaN",
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-05:00",
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused(text: str) -> None:
    """A time whose UTC day lies outside the calendar ended in a traceback, and took its whole file along."""
    with pytest.raises(InputError):
        read_moment(text)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=30))
def test_any_text_is_a_date_or_an_error_the_user_can_read(text: str) -> None:
    with suppress(InputError):
        assert read_moment(text).day.year > 0


def test_an_item_is_stored_once_however_often_it_comes(db: EvidenceDB) -> None:
    first = make_item("Big news", "2024-01-02", body="one", source="A")
    again = make_item("BIG NEWS.", "2024-01-02T10:00:00Z", body="two", source="B")
    assert add_items(db, [first, again], origin="a.csv") == ((first.id,), ())
    assert add_items(db, [again], origin="b.csv") == ((), (first.id,))
    assert get_item(db, first.id) == first
    assert db.rows("SELECT count(*) FROM documents WHERE item = ?", (first.id,)) == [(1,)]


def test_an_item_comes_back_as_it_was_stored(db: EvidenceDB) -> None:
    item = make_item(
        "标题", "2024-01-02 08:00", body="正文\n第二行", source="新华社", url="https://x/y", code="AAPL"
    )
    add_items(db, [item], origin="mine")
    assert items(db, text="标题") == [item]
    assert item.subject.title == "标题"
    assert (item.subject.key, item.subject.published) == (item.id, day("2024-01-02"))


def test_items_are_listed_newest_first_under_filters(db: EvidenceDB) -> None:
    total = count_items(db)
    assert total == 32
    every = items(db, limit=100)
    assert [item.published for item in every] == sorted((i.published for i in every), reverse=True)
    assert {item.language for item in items(db, language="zh")} == {"zh"}
    assert count_items(db, language="zh") + count_items(db, language="en") == total
    window = items(db, since=day("2020-02-17"), until=day("2020-03-15"))
    assert [item.published.isoformat() for item in window] == ["2020-03-15", "2020-02-17"]
    assert items(db, limit=2, offset=1) == every[1:3]
    assert count_items(db, text="FEDERAL reserve") == 1


def test_an_item_is_found_by_id_its_beginning_or_a_part_of_its_title(db: EvidenceDB) -> None:
    wanted = resolve_item(db, "monopolising smartphone")
    assert resolve_item(db, wanted.id) == resolve_item(db, wanted.id[:14]) == wanted
    with pytest.raises(AmbiguousError) as several:
        resolve_item(db, "2021")
    assert len(several.value.candidates) == 2
    for unknown in ("", "no such thing", "%", "2021-02-30"):
        with pytest.raises(InputError, match="no news item"):
            resolve_item(db, unknown)


def test_the_sample_has_twelve_items_in_each_language_with_documented_expectations() -> None:
    with (FACTS / "news.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert min(sum(row["language"] == language for row in rows) for language in ("zh", "en")) >= 12
    assert all(language_of(row["title"] + row["body"]) == row["language"] for row in rows)
    assert {row["expected_direction"] for row in rows} == {"positive", "negative", "mixed"}
    assert all(row["expected_why"] and row["body"] for row in rows)
    assert len({item_id(day(row["published"]), row["title"]) for row in rows}) == len(rows)


def test_no_item_of_the_sample_tells_what_came_later() -> None:
    """One told how a share moved on the next trading day; a run as of its day read it."""
    with (FACTS / "news.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    later = re.compile(
        r"次日|翌日|次周|节后|交易日|随后|此后|后来|next (?:trading )?day|later|subsequently|afterwards"
    )
    assert [row["title"] for row in rows if later.search(row["title"] + row["body"])] == []


def test_expectations_are_not_in_the_database(db: EvidenceDB) -> None:
    columns = {name for _, name, *_ in db.rows("PRAGMA table_info(documents)")}
    assert not any(column.startswith("expected") for column in columns)
    with (FACTS / "news.csv").open(encoding="utf-8", newline="") as stream:
        reasons = [row["expected_why"] for row in csv.DictReader(stream)]
    stored = str(db.rows("SELECT * FROM documents"))
    assert not [reason for reason in reasons if reason in stored]


@real_files
def test_the_real_chinese_table_is_read_whole(db: EvidenceDB) -> None:
    file = read_news((REAL / "em_601288_news_zh.csv").read_bytes(), "em.csv")
    assert (len(file.items), file.refused) == (10, ())
    assert {item.code for item in file.items} == {"601288.SH"}
    assert {item.language for item in file.items} == {"zh"}
    first = file.items[0]
    assert (first.published.isoformat(), first.source) == ("2026-03-13", "财中社")
    assert first.published_at == "2026-03-13T17:58:18"
    named = [[link.code for link in item.links(db.instruments)] for item in file.items]
    assert named == [["601288.SH"]] * 10
    assert [item.links(db.instruments)[0].in_title for item in file.items].count(True) == 2


@real_files
def test_the_real_english_answer_is_read_and_its_one_duplicate_is_known(db: EvidenceDB) -> None:
    file = read_news((REAL / "financialdatasets_AAPL_news.json").read_bytes(), "fd.json")
    assert (len(file.items), file.refused) == (100, ())
    added = add_items(db, file.items, origin="fd.json")
    assert len(added.new) == 99
    named = {link.code for item in file.items for link in item.links(db.instruments)}
    assert named == {"AAPL", "MSFT"}
    stray = next(item for item in file.items if "Tax" in item.title or "Goodbye" in item.title)
    assert (stray.code, stray.links(db.instruments)) == ("AAPL", ())  # filed under it, but not named


def test_csv_with_chinese_names_in_gb18030_and_a_line_without_a_date() -> None:
    table = '标题,正文,发布时间,来源,代码\n甲,"第一行\n第二行, 有逗号",2024-01-02,社,600519\n乙,x,,社,\n'
    file = read_news(table.encode("gb18030"), "x.csv")
    (item,) = file.items
    assert (item.title, item.body, item.code) == ("甲", "第一行\n第二行, 有逗号", "600519.SH")
    assert [(r.number, r.why) for r in file.refused] == [(2, "it has no date.")]


def test_json_as_a_list_an_object_around_it_a_single_item_or_lines() -> None:
    entry = {"title": "T", "date": "2024-01-02", "source": {"name": "S"}, "tickers": ["A", "B"]}
    other = entry | {"title": "U"}
    for text in (
        json.dumps([entry, other]),
        json.dumps({"status": "ok", "articles": [entry, other]}),
        "\n".join(map(json.dumps, (entry, other))),
    ):
        file = read_news(text.encode(), "x.json")
        assert [(item.title, item.source) for item in file.items] == [("T", "S"), ("U", "S")]
    assert [item.title for item in read_news(json.dumps(entry).encode(), "x").items] == ["T"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"a,b\n1,2\n",
        b"[]",
        b"{}",
        b"[1, 2]",
        b'{"title": ',
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b"<html></html>",
    ],
)
def test_a_file_without_items_is_refused_by_name(content: bytes) -> None:
    with pytest.raises(InputError) as error:
        read_news(content, "odd.bin")
    assert error.value.where == "odd.bin"


def test_a_cell_larger_than_the_csv_modules_limit_is_read_and_cut() -> None:
    out = io.StringIO()
    csv.writer(out).writerows([["title", "date", "body"], ["T", "2024-01-02", "x" * 2_000_000]])
    (item,) = read_news(out.getvalue().encode(), "big.csv").items
    assert "truncated: 2,000,000" in item.body


def test_one_entry_with_an_impossible_or_future_day_is_left_out_and_the_rest_is_read() -> None:
    """One such date made the whole file fail, and days to come were taken."""
    ahead = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=5)
    days = ["2024-01-02", "0001-01-01T00:00:00+14:00", ahead.isoformat(), "2024-01-03"]
    entries = [{"title": f"T{n}", "date": day} for n, day in enumerate(days)]
    file = read_news(json.dumps(entries).encode(), "x.json")
    assert [item.title for item in file.items] == ["T0", "T3"]
    assert [(refused.number, refused.why) for refused in file.refused] == [
        (2, "'0001-01-01T00:00:00+14:00' is not a date."),
        (3, f"{ahead} has not come yet."),
    ]
    with pytest.raises(InputError, match="has not come yet"):
        read_pasted("T", ahead.isoformat())
    tomorrow = ahead - dt.timedelta(days=4)
    assert read_pasted("T", tomorrow.isoformat()).published == tomorrow  # it is that day somewhere


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_table_is_read_in_any_encoding_and_with_any_mark_between_cells(encoding: str, mark: str) -> None:
    """Tables as a spreadsheet saves them, in UTF-16 or parted by semicolons or tabs, had "no titles"."""
    rows = [
        ["标题", "发布时间", "正文"],
        ["贵州茅台公告", "2024-01-02", "a, b; c"],
        ["乙", "2024-01-03", "丙"],
    ]
    out = io.StringIO()
    csv.writer(out, delimiter=mark).writerows(rows)
    bom = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    file = read_news((bom + out.getvalue()).encode(encoding), "x.csv")
    assert [(item.title, item.body) for item in file.items] == [("贵州茅台公告", "a, b; c"), ("乙", "丙")]
    assert file.refused == ()


def test_a_pasted_text_is_title_and_body(db: EvidenceDB) -> None:
    item = read_pasted("\n  Title line \nbody\nmore", "2024-01-02", source="me")
    assert (item.title, item.body, item.source) == ("Title line", "body\nmore", "me")
    with pytest.raises(InputError, match="title"):
        read_pasted("  \n ", "2024-01-02")
    with pytest.raises(InputError, match="not a date"):
        read_pasted("T", "someday")
    assert add_items(db, [item], origin="pasted").new == (item.id,)
