from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store_samples import make_plan, make_report
from tests.unit.test_compare import SECOND, make_run
from workbench.export import FORMATS, export, file_name, plain_cell, runs_csv, to_csv
from workbench.records import Models, Run
from workbench.store.runs import RunStore

HOSTILE = (
    '<script>alert(1)</script><img src="http://evil.example/x.png" onerror=alert(1)>'
    "{{ 7 * 7 }}{% raw %}</pre></details>"
)


def hostile_run() -> Run:
    report = make_report("ch01")
    opinion = report.draft.model_copy(
        update={"analysis": HOSTILE, "key_evidence": (HOSTILE,), "fields": {HOSTILE: [HOSTILE]}}
    )
    report = report.model_copy(
        update={
            "title": HOSTILE,
            "error": HOSTILE,
            "draft": opinion,
            "revised": None,
            "evidence": report.evidence.model_copy(update={"text": HOSTILE, "missing": {HOSTILE: HOSTILE}}),
            "calls": (report.calls[0].model_copy(update={"prompt": HOSTILE, "reply": HOSTILE}),),
        }
    )
    verdict = SECOND.verdict.model_copy(update={"warnings": (HOSTILE,), "label": HOSTILE})
    return SECOND.model_copy(
        update={"reports": (report,), "verdict": verdict, "strategy": HOSTILE, "strategy_text": HOSTILE}
    )


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(run: Run) -> Tags:
    tags = Tags()
    tags.feed(export(run, "html").decode())
    return tags


def table(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_json_is_the_whole_record() -> None:
    assert Run.model_validate_json(export(SECOND, "json")) == SECOND


def test_csv_has_a_line_for_each_agent_with_draft_and_revised() -> None:
    header, *lines = table(export(SECOND, "csv"))
    records = [dict(zip(header, line, strict=True)) for line in lines]

    assert [record["agent"] for record in records] == ["ch01", "ch02", "ch03"]
    assert {record["blind"] for record in records} == {"none"}
    assert records[1]["draft_score"] == records[1]["revised_score"] == "55.0"
    assert {record["verdict_score"] for record in records} == {"25.0"}
    assert records[0]["subject"] == "贵州茅台 600519.SH"
    assert records[0]["why_changed"] == "一致"


@pytest.mark.parametrize(("language", "word"), [("en", "blind: names and years hidden"), ("zh", "盲测")])
def test_a_blind_run_says_so_on_its_page(language: str, word: str) -> None:
    blind = SECOND.model_copy(update={"blind": "identity", "language": language})
    assert word in export(blind, "html").decode()
    assert word not in export(SECOND.model_copy(update={"language": language}), "html").decode()


def test_csv_of_a_failed_run_leaves_the_verdict_empty() -> None:
    failed = make_run("failed", scores={"ch01": 70}, verdict=None)

    header, line = table(export(failed, "csv"))

    assert dict(zip(header, line, strict=True))["verdict_score"] == ""
    assert dict(zip(header, line, strict=True))["run_status"] == "failed"


def test_csv_begins_with_the_mark_that_lets_spreadsheets_read_chinese() -> None:
    assert export(SECOND, "csv").startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-2+3", "@SUM(A1)", "\t=1", " =1", "\r=1", "\n=1", "＝1+1", "＠x", "=cmd|' /C calc'!A0"],
)
def test_a_text_that_a_spreadsheet_would_run_is_made_plain(text: str) -> None:
    assert plain_cell(text) == "'" + text


def test_numbers_and_harmless_texts_stay_as_they_are() -> None:
    assert [plain_cell(value) for value in (-0.35, None, "净利率 52.5% - 高", "a=b", "")] == [
        -0.35,
        None,
        "净利率 52.5% - 高",
        "a=b",
        "",
    ]


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"])), min_size=1, max_size=4))
def test_no_text_is_lost_and_none_starts_a_formula(texts: list[str]) -> None:
    _, line = table(to_csv(["x"] * len(texts), [texts]))

    for text, cell in zip(texts, line, strict=True):
        assert cell.removeprefix("'") == text.removeprefix("'")
        assert not cell.lstrip().startswith(("=", "+", "-", "@"))


def test_the_page_shows_hostile_text_as_text_and_runs_nothing() -> None:
    tags = parsed(hostile_run())

    assert {tag for tag, _ in tags.seen}.isdisjoint(
        {"script", "img", "iframe", "link", "object", "form", "a"}
    )
    for _, attributes in tags.seen:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "href")]
    shown = "".join(tags.text)
    assert shown.count(HOSTILE) >= 8
    assert "49" not in shown, "a template in a text is not rendered"


def test_the_page_forbids_itself_to_load_anything() -> None:
    policies = [
        attributes["content"]
        for tag, attributes in parsed(SECOND).seen
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]

    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_the_page_says_what_the_run_says_in_the_language_of_the_run() -> None:
    chinese = "".join(parsed(SECOND).text)
    english = "".join(parsed(SECOND.model_copy(update={"language": "en"})).text)

    for expected in (
        "贵州茅台 600519.SH",
        "2021-06-30",
        "内置规则，非模型",
        "结论：25 回避",
        "充分",
        "66",
        "debt",
        "3 位中计入 2 位",
    ):
        assert expected in chinese, expected
    for expected in ("built-in rules, not a model", "25 avoid", "2 of 3 agents counted"):
        assert expected in english, expected


def test_a_failed_run_does_not_look_like_a_verdict() -> None:
    failed = make_run(
        "failed", scores={"ch01": 70}, verdict=None, error="synthesis: timed out", language="en"
    )

    shown = "".join(parsed(failed).text)

    assert "No verdict (failed)" in shown
    assert "synthesis: timed out" in shown


def test_a_label_that_no_table_knows_is_shown_as_it_is() -> None:
    match = SECOND.model_copy(update={"verdict": SECOND.verdict.model_copy(update={"label": "1"})})

    assert "25 1" in "".join(parsed(match).text)


def test_no_export_holds_a_value_that_json_does_not_know() -> None:
    json.loads(export(hostile_run(), "json"), parse_constant=pytest.fail)


@pytest.mark.parametrize("form", FORMATS)
def test_file_names_come_from_the_run_id_alone(form: str) -> None:
    assert file_name(hostile_run(), form) == f"second.{form}"


def test_a_list_of_runs_holds_no_formula(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "runs.db")
    run_id = store.start(make_plan(), Models())
    store.note(run_id, '=HYPERLINK("http://evil.example")')
    store.tag(run_id, {"@a", "b"})

    header, line = table(runs_csv(store.find()))

    record = dict(zip(header, line, strict=True))
    assert record["run_id"] == run_id
    assert not record["note"].startswith("=")
    assert record["note"].endswith('HYPERLINK("http://evil.example")')
    assert record["tags"].endswith("@a b")
    assert not record["tags"].startswith("@")
