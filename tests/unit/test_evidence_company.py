"""The slices of a company: right figures (expected ones worked by hand), named gaps, graded evidence."""

from __future__ import annotations

import datetime as dt
import json
import re
from pathlib import Path

import pytest

from workbench.errors import InputError
from workbench.evidence.company import dividends, prices, profile, ratios, require_history, statements
from workbench.evidence.database import EvidenceDB
from workbench.evidence.labels import CHINESE, UNITS
from workbench.records import Evidence, TickerSubject

FACTS = Path(__file__).parents[2] / "data" / "facts"
CODES = ("600519.SH", "601288.SH", "600340.SH", "002304.SZ", "00700.HK", "AAPL", "MSFT")
SLICES = (profile, statements, ratios, prices, dividends)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("company") / "evidence.db", FACTS)


@pytest.fixture
def own_db(tmp_path: Path) -> EvidenceDB:
    return EvidenceDB(tmp_path / "evidence.db", FACTS)


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def show(db: EvidenceDB, slice_, code: str, as_of: str) -> Evidence:  # type: ignore[no-untyped-def]
    return slice_(db.view(day(as_of)), TickerSubject(code=code, name=code))


# --- figures -----------------------------------------------------------------------------------------


def test_moutai_in_mid_2021(db: EvidenceDB) -> None:
    evidence = show(db, ratios, "600519.SH", "2021-06-30")
    by_year, latest = evidence.facts["ratios"], evidence.facts["latest"]
    assert by_year["fcf"]["2020"] == 51_669_000_000 - 2_090_000_000
    assert by_year["roe"]["2020"] == pytest.approx(46_697 / ((136_010 + 161_323) / 2), rel=1e-9)
    assert by_year["gross_margin"]["2020"] == pytest.approx(86_761 / 94_915, rel=1e-9)
    # 19.293 a share of 2020 on 1.256 bn shares, of a profit of 46.697 bn: the 51.9 % the company announced.
    assert by_year["payout"]["2020"] == pytest.approx(0.519, abs=0.0005)
    assert (latest["price"], latest["price_date"]) == (2218.0, "2021-05-31")
    assert latest["market_cap"] == pytest.approx(2218 * 1.256e9)
    assert latest["pe"] == pytest.approx(2218 * 1.256 / 46.697)
    assert latest["price_position_5y"] == 1
    assert evidence.missing["interest_cover"] == "interest_expense not stated"
    assert evidence.newest == day("2021-05-31")


def test_cfld_in_mid_2019_owes_more_than_its_cash_flow_carries(db: EvidenceDB) -> None:
    by_year = show(db, ratios, "600340.SH", "2019-06-30").facts["ratios"]
    # Short-term loans 4.18191, due within a year 20.11906, long-term loans 53.03318, bonds 58.07552 (bn).
    assert by_year["interest_bearing_debt"]["2018"] == pytest.approx(135_409_670_000)
    # Operating cash flow -7.42781, capital expenditure 2.98782.
    assert by_year["fcf"]["2018"] == pytest.approx(-10_415_630_000)
    assert by_year["net_cash"]["2018"] == pytest.approx(47_281_780_000 - 135_409_670_000)
    # (354.9959 - 137.51183) / (409.71183 - 137.51183): above the first of the three red lines.
    assert by_year["debt_to_assets_ex_advances"]["2018"] == pytest.approx(0.799, abs=0.0005)


def test_the_bank_is_not_measured_by_debt_and_its_yield_counts_one_year(db: EvidenceDB) -> None:
    """Two finals (2023-07-18, 2024-06-07) lie in the twelve months before; adding them doubled the yield."""
    evidence = show(db, ratios, "601288.SH", "2024-06-30")
    latest = evidence.facts["latest"]
    assert latest["dividend_yield"] == pytest.approx(0.2309 / 4.36)
    assert {
        round(evidence.facts["ratios"]["payout"][year], 3) for year in ("2020", "2021", "2022", "2023")
    } == {0.3}
    for name in ("debt_to_assets", "cash_conversion", "ev_fcf", "altman_z", "interest_bearing_debt"):
        assert evidence.missing[name] == "not meaningful for a bank"
    assert latest["pb"] == pytest.approx(4.36 * 349_983 / 2_889_248, rel=1e-6)


def test_interim_and_final_of_one_year_make_its_dividend(db: EvidenceDB) -> None:
    latest = show(db, ratios, "601288.SH", "2025-12-31").facts["latest"]
    assert latest["dividend_per_share"] == pytest.approx(0.1164 + 0.1255)
    assert (
        show(db, dividends, "601288.SH", "2025-12-31").facts["dividends"]["full_year"] == "fiscal year 2024"
    )
    # Before the final of 2024 goes ex, 2023 is the last full year.
    assert show(db, ratios, "601288.SH", "2025-06-30").facts["latest"]["dividend_per_share"] == 0.2309


def test_a_bonus_issue_between_statement_and_price_raises_the_market_value(db: EvidenceDB) -> None:
    """Yanghe gave 4 new shares for 10 in June 2015; the statement of 2014 counts 1,076.42 m old ones."""
    latest = show(db, ratios, "002304.SZ", "2015-12-31").facts["latest"]
    assert latest["market_cap"] == pytest.approx(63.0 * 1_076.42e6 * 1.4)


def test_earlier_closes_are_brought_to_the_new_shares(db: EvidenceDB) -> None:
    closes = dict(show(db, prices, "002304.SZ", "2015-12-31").facts["prices"]["closes"])
    assert closes["2015-05-29"] == pytest.approx(93.61 / 1.4)
    # 2 for 1 in May 2011, 12 for 10 in June 2012, 14 for 10 in June 2015.
    assert closes["2011-04-29"] == pytest.approx(234.99 / (2 * 1.2 * 1.4))


def test_apple_is_valued_on_one_split_basis_or_not_at_all(own_db: EvidenceDB) -> None:
    latest = show(own_db, ratios, "AAPL", "2018-02-28").facts["latest"]
    shares = show(own_db, statements, "AAPL", "2018-02-28").facts["statements"]["items"][
        "shares_outstanding"
    ]["2017"]
    assert latest["market_cap"] == pytest.approx(latest["price"] * shares)
    close = {"code": "AAPL", "date": "2018-11-30", "close": 178.58, "share_basis": "2014-06-09"}
    own_db.add("prices", [close], origin="mine")
    evidence = show(own_db, ratios, "AAPL", "2018-12-31")
    assert evidence.facts["latest"]["price"] == 178.58
    assert evidence.facts["latest"]["market_cap"] is None
    assert evidence.missing["pe"] == "share count and price are on different split bases"
    # Once the split of 2020 is past, the count of 2018 can be brought back: 19,821 million / 4.
    close = {"code": "AAPL", "date": "2020-12-31", "close": 132.69}
    own_db.add("prices", [close], origin="mine")
    latest = show(own_db, ratios, "AAPL", "2021-01-31").facts["latest"]
    shares = show(own_db, statements, "AAPL", "2021-01-31").facts["statements"]["items"][
        "shares_outstanding"
    ]["2020"]
    assert latest["market_cap"] == pytest.approx(132.69 * shares)


def test_a_company_without_a_price_has_statements_and_no_multiples(db: EvidenceDB) -> None:
    evidence = show(db, ratios, "00700.HK", "2020-06-30")
    assert evidence.facts["latest"]["price"] is None
    assert evidence.facts["latest"]["ev_fcf"] is None
    assert evidence.missing["pe"] == "no price of 00700.HK before 2020-06-30 is on record"
    assert evidence.facts["ratios"]["fcf_margin"]["2019"] == pytest.approx(0.243, abs=0.0005)
    assert show(db, prices, "00700.HK", "2020-06-30").empty


def test_a_price_in_another_currency_is_not_set_against_the_statements(own_db: EvidenceDB) -> None:
    own_db.add("prices", [{"code": "00700.HK", "date": "2020-06-29", "close": 491.0}], origin="mine")
    evidence = show(own_db, ratios, "00700.HK", "2020-06-30")
    assert evidence.facts["latest"]["price"] == 491.0
    for name in ("market_cap", "pe", "pb", "ev_fcf"):
        assert evidence.facts["latest"][name] is None
    assert evidence.missing["pe"].startswith("the price is in HKD, the statements are in CNY")


def test_an_old_close_is_not_the_price(db: EvidenceDB) -> None:
    """CFLD last traded in the facts on 2020-01-08."""
    assert show(db, ratios, "600340.SH", "2020-01-09").facts["latest"]["price"] == 27.61
    evidence = show(db, ratios, "600340.SH", "2020-06-30")
    assert evidence.facts["latest"]["price"] is None
    assert "2020-01-08" in evidence.missing["ev_ebit"]
    assert show(db, prices, "600340.SH", "2020-06-30").sufficiency == "low"


def test_statements_of_another_business_are_left_out_from_the_takeover_on(db: EvidenceDB) -> None:
    before = show(db, statements, "600340.SH", "2011-09-19").facts["statements"]
    assert before["years"] == ["2008", "2009", "2010"]
    assert show(db, statements, "600340.SH", "2011-09-20").empty
    after = show(db, statements, "600340.SH", "2013-06-30").facts["statements"]
    assert after["years"] == ["2011", "2012"]
    assert after["warnings"][0].startswith("Fiscal years before 2011 are left out")
    assert show(db, ratios, "600340.SH", "2013-06-30").facts["ratios"]["revenue_growth"]["2011"] is None


def test_a_year_reported_in_another_currency_is_no_base_for_growth(own_db: EvidenceDB) -> None:
    keys = {"code": "TEST", "item": "revenue", "value": 100.0}
    own_db.add("instruments", [{"code": "TEST", "name": "Test", "currency": "CNY"}], origin="mine")
    for year, currency in ((2018, "USD"), (2019, "CNY"), (2020, "CNY")):
        dates = {"fiscal_year": year, "period_end": f"{year}-12-31", "published": f"{year + 1}-03-31"}
        own_db.add("statements", [keys | dates | {"currency": currency}], origin="mine")
    growth = show(own_db, ratios, "TEST", "2021-06-30").facts["ratios"]["revenue_growth"]
    assert growth == {"2018": None, "2019": None, "2020": 0.0}


# --- grading, warnings, errors -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("as_of", "grade"),
    [
        ("2009-04-30", "none"),
        ("2009-05-01", "low"),
        ("2011-04-30", "low"),
        ("2011-05-01", "medium"),
        ("2013-04-30", "medium"),
        ("2013-05-01", "high"),
        ("2026-10-02", "high"),
        ("2026-10-04", "medium"),
    ],
)
def test_statements_are_graded_by_years_and_age(db: EvidenceDB, as_of: str, grade: str) -> None:
    """Moutai: one statement each 30 April from 2009 on; the last, of 2025-04-03, is stale after 548 days."""
    assert show(db, statements, "600519.SH", as_of).sufficiency == grade
    assert show(db, ratios, "600519.SH", as_of).sufficiency == grade


def test_warnings_name_estimated_dates_restatements_gaps_and_age(own_db: EvidenceDB) -> None:
    keys = {"code": "MSFT", "fiscal_year": 2020, "period_end": "2020-06-30", "currency": "USD"}
    restated = keys | {"published": "2021-03-01", "item": "total_assets", "value": 400e9}
    own_db.add("statements", [restated], origin="mine")
    warnings = show(own_db, statements, "MSFT", "2027-06-30").facts["statements"]["warnings"]
    assert "2020: some figures are as restated on 2021-03-01." in warnings
    # Liabilities 183.007 and equity 118.304 bn against 400 bn of assets: 24.7 %.
    assert "2020: assets differ from liabilities plus equity by 24.7% of assets." in warnings
    assert any(line.startswith("Publication dates are estimates for 2008") for line in warnings)
    assert any("more than eighteen months before 2027-06-30" in line for line in warnings)


def test_balance_sheets_of_the_sample_add_up(db: EvidenceDB) -> None:
    for code in CODES:
        warnings = show(db, statements, code, "2026-01-01").facts["statements"]["warnings"]
        assert not [line for line in warnings if "assets differ" in line]


def test_an_as_of_date_before_the_first_statement_is_refused_in_one_line(db: EvidenceDB) -> None:
    with pytest.raises(InputError, match=r"no annual statement of 贵州茅台 .* before 2009-04-30") as error:
        require_history(db.view(day("2009-04-30")), "600519.SH")
    assert "\n" not in str(error.value)
    require_history(db.view(day("2009-05-01")), "600519.SH")
    with pytest.raises(InputError, match=r"'600000\.SH' is no company"):
        require_history(db.view(day("2020-01-01")), "600000.SH")


# --- shape -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    "as_of", ["2009-06-30", "2013-01-01", "2016-12-31", "2020-01-08", "2024-06-30", "2027-01-01"]
)
def test_facts_are_plain_json_and_texts_are_short_tables_without_blanks(
    db: EvidenceDB, code: str, as_of: str
) -> None:
    for slice_ in SLICES:
        evidence = show(db, slice_, code, as_of)
        assert Evidence.model_validate_json(evidence.model_dump_json()) == evidence
        json.dumps(evidence.facts, allow_nan=False)
        assert evidence.empty == (not evidence.text)
        assert len(evidence.text) < 8_000
        assert not re.search(r"\b(None|nan|inf)\b", evidence.text)
        assert evidence.newest is None or evidence.newest < day(as_of)
        if not evidence.empty and slice_ in (ratios, prices, dividends):
            for name, reason in evidence.missing.items():
                assert reason, name


def test_every_figure_without_a_value_has_a_reason(db: EvidenceDB) -> None:
    for code in CODES:
        evidence = show(db, ratios, code, "2018-02-28")
        newest = evidence.facts["latest"]["fiscal_year"]
        absent = {name for name, years in evidence.facts["ratios"].items() if years[newest] is None}
        absent |= {
            name for name, value in evidence.facts["latest"].items() if value is None and name != "price_date"
        }
        assert absent == set(evidence.missing)


def test_every_statement_item_has_a_chinese_name_and_a_unit(db: EvidenceDB) -> None:
    items = {item for (item,) in db.rows("SELECT DISTINCT item FROM statements")}
    assert items <= CHINESE.keys()
    assert items <= UNITS.keys()
