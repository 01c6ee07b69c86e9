"""Instruments: every common spelling leads to one code, and no name is ever replaced by another."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import AmbiguousError, EvidenceError, InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.instruments import Instrument, Instruments, canonical

FACTS = Path(__file__).parents[2] / "data" / "facts"


@pytest.fixture(scope="module")
def instruments(tmp_path_factory: pytest.TempPathFactory) -> Instruments:
    return EvidenceDB(tmp_path_factory.mktemp("instruments") / "evidence.db", FACTS).instruments


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[
            (text, "600519.SH")
            for text in (
                "600519",
                "600519.SH",
                "600519.SS",
                "600519.ss",
                "SH600519",
                "sh600519",
                "sh.600519",
                "SHSE.600519",
                "600519.XSHG",
                "600519 CH",
                "６００５１９",
                "６００５１９．ＳＨ",
                " 600519 ",
                "\ufeff600519\u200b",
            )
        ],
        *[
            (text, "00700.HK")
            for text in ("00700", "700.HK", "0700.HK", "00700.hk", "hk00700", "HK700", "HKG:0700")
        ],
        *[(text, "000001.SZ") for text in ("000001", "sz000001", "000001.SZ", "SZSE:000001")],
        *[(text, "430047.BJ") for text in ("430047", "430047.BJ", "bj430047")],
        *[(text, "BRK.B") for text in ("BRK.B", "BRK-B", "brk-b", "BRK/B", "$BRK.B", "NYSE:BRK.B")],
        *[
            (text, "TSLA")
            for text in ("TSLA", "$TSLA", "tsla", "＄ＴＳＬＡ", "US.TSLA", "TSLA.US", "NASDAQ:TSLA")
        ],
        ("688981", "688981.SH"),
        ("900901", "900901.SH"),
        ("300750", "300750.SZ"),
        ("200596.SZ", "200596.SZ"),
        ("830799", "830799.BJ"),
        ("920002", "920002.BJ"),
        ("000700", "000700.SZ"),
        ("01810", "01810.HK"),
        ("600519.SZ", "600519.SZ"),
        ("SH", "SH"),
        ("F", "F"),
    ],
)
def test_every_common_spelling_has_one_canonical_form(text: str, code: str) -> None:
    assert canonical(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0700",
        "1",
        "202406",
        "200812",
        "20240630",
        "510300",
        "123456.HK",
        "AAPL.HK",
        "US600519",
        "600519.",
        "TOOLONG",
        "BRK.BB",
        "茅台",
        "SH60051",
        "٦٠٠٥١٩",
        "600519.SH; DROP TABLE instruments",
        "../600519",
    ],
)
def test_what_is_not_spelled_like_a_code_has_no_canonical_form(text: str) -> None:
    assert canonical(text) is None


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(st.text(max_size=12), st.from_regex(r"[A-Za-z$]{0,4}[.:-]?[0-9０-９]{0,7}[.:-]?[A-Za-z]{0,4}"))
)
def test_a_canonical_code_is_its_own_canonical_form(text: str) -> None:
    code = canonical(text)
    assert code is None or (canonical(code) == code and code.isascii())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("茅台", "600519.SH"),
        ("贵州茅台", "600519.SH"),
        ("kweichow  MOUTAI", "600519.SH"),
        ("农行", "601288.SH"),
        ("abc", "601288.SH"),
        ("华夏幸福", "600340.SH"),
        ("洋河", "002304.SZ"),
        ("贵州茅台 600519.SH", "600519.SH"),
        ("2304", "002304.SZ"),
        ("tencent", "00700.HK"),
        ("TCEHY", "00700.HK"),
        ("700", "00700.HK"),
        ("0700", "00700.HK"),
        ("苹果", "AAPL"),
        ("aapl", "AAPL"),
        ("Ｍｉｃｒｏｓｏｆｔ", "MSFT"),
    ],
)
def test_a_company_is_found_by_name_alias_or_shortened_code(
    instruments: Instruments, text: str, code: str
) -> None:
    assert instruments.resolve(text).code == code


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("华夏", "600340.SH"),
        ("MSTF", "MSFT"),
        ("600518", "600519.SH"),
        ("600519.SZ", "600519.SH"),
        ("applе", "AAPL"),
    ],
)
def test_an_unknown_company_is_refused_with_near_matches(
    instruments: Instruments, text: str, near: str
) -> None:
    """The last one is spelled with a Cyrillic letter."""
    with pytest.raises(InputError, match="no company with facts") as error:
        instruments.resolve(text)
    assert near in error.value.remedy
    assert "\n" not in str(error.value)


def test_a_very_long_or_empty_text_is_refused_in_a_short_line(instruments: Instruments) -> None:
    for text in ("x" * 100_000, "", "\n\n"):
        with pytest.raises(InputError) as error:
            instruments.resolve(text)
        assert len(str(error.value)) < 200


def test_a_name_two_companies_share_gives_both_as_candidates() -> None:
    pair = Instruments(
        [
            Instrument(code="601288.SH", name="农业银行", aliases=("ABC",)),
            Instrument(code="01288.HK", name="农业银行", aliases=("农行H",)),
            Instrument(code="ABC", name="Cencora"),
        ]
    )
    with pytest.raises(AmbiguousError) as error:
        pair.resolve("农业银行")
    assert error.value.candidates == ("农业银行 601288.SH", "农业银行 01288.HK")
    with pytest.raises(AmbiguousError) as error:
        pair.resolve("abc")
    assert set(error.value.candidates) == {"农业银行 601288.SH", "Cencora ABC"}


def test_a_number_short_of_its_zeros_is_ambiguous_when_two_codes_end_in_it() -> None:
    both = Instruments(
        [Instrument(code="00700.HK", name="腾讯控股"), Instrument(code="000700.SZ", name="模塑科技")]
    )
    assert both.resolve("0700.HK").code == "00700.HK"
    with pytest.raises(AmbiguousError):
        both.resolve("700")


def test_search_finds_part_of_a_name_in_either_language_best_match_first(instruments: Instruments) -> None:
    assert [row.code for row in instruments.search("微")] == ["MSFT"]
    assert [row.code for row in instruments.search("sh600519")] == ["600519.SH"]
    assert instruments.search("MO")[0].code == "600519.SH"
    assert [row.code for row in instruments.search("600")] == ["600519.SH", "600340.SH"]
    assert len(instruments.search("")) == 7
    assert len(instruments.search("", limit=2)) == 2
    assert instruments.search("no such company") == []


def test_an_imported_instrument_is_known_at_once_and_replaces_the_sample_of_its_code(tmp_path: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    assert len(db.instruments) == 7
    db.add("instruments", [{"code": "TSLA", "name": "特斯拉", "aliases": "Tesla|TSLA Inc."}], origin="mine")
    db.add("instruments", [{"code": "AAPL", "name": "苹果", "name_en": "Apple Computer"}], origin="mine")
    assert db.instruments.resolve("tesla").code == "TSLA"
    assert db.instruments.by_code("AAPL").name_en == "Apple Computer"
    assert len(db.instruments) == 8


def test_an_industry_kind_outside_the_closed_list_is_named(tmp_path: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    db.add("instruments", [{"code": "X", "name": "X", "industry_kind": "casino"}], origin="mine")
    with pytest.raises(EvidenceError, match=r"X: 'casino' is no industry kind\. Use one of: bank"):
        db.instruments  # noqa: B018
