"""Ratios: hand-computed values, and no value where one would mislead."""

from __future__ import annotations

import datetime as dt
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.evidence import ratios, scores
from workbench.evidence.formula import ANNUAL, VALUATION, Formula, NotMeaningful, Ratio, compute
from workbench.evidence.labels import CHINESE, UNITS
from workbench.evidence.shares import ShareRegister
from workbench.evidence.view import Dividend, Event, Figure, Price

# --- formulas ----------------------------------------------------------------------------------------


def test_returns_are_on_the_mean_of_opening_and_closing_capital() -> None:
    assert ratios.roe(20, 110, 90) == 0.2
    assert ratios.roa(20, 1_100, 900) == 0.02
    # EBIT 30 on (100 + 50) at the end and (80 + 20) at the start: 30 / 125.
    assert ratios.roic(30, 100, 80, 50, 20) == 0.24


def test_cash_figures() -> None:
    assert ratios.fcf(100, 130) == -30
    assert ratios.cash_conversion(-63, 100) == -0.63
    assert ratios.accruals(100, 40, 550, 650) == 0.1
    assert ratios.net_cash(40, 100) == -60
    assert ratios.net_gearing(-60, 120) == 0.5


def test_prepayments_are_taken_off_both_sides_of_the_balance_sheet() -> None:
    assert ratios.debt_to_assets_ex_advances(80, 100, 20) == 0.75


def test_days_are_of_the_flow_they_belong_to() -> None:
    assert ratios.receivable_days(100, 3_650) == 10
    assert ratios.inventory_days(730, 365) == 730


def test_enterprise_value_adds_debt_and_minorities_and_takes_off_cash() -> None:
    # 1,000 + 300 + (130 - 100) - 230
    assert ratios.ev(1_000, 300, 130, 100, 230) == 1_100
    assert ratios.ev_fcf(1_100, 55) == 20


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: ratios.roe(-10, -50, -30), "equity is negative"),
        (lambda: ratios.roe(10, 50, -30), "opening equity is negative"),
        (lambda: ratios.profit_growth(10, -5), "net profit of the year before is negative"),
        (lambda: ratios.cash_conversion(10, -5), "net profit is negative"),
        (lambda: ratios.payout(10, 0), "net profit is zero"),
        (lambda: ratios.pe(1_000, -5), "net profit is negative"),
        (lambda: ratios.pb(1_000, -5), "equity is negative"),
        (lambda: ratios.ev_fcf(1_000, -5), "free cash flow is negative"),
        (lambda: ratios.ev_fcf(-1_000, -5), "enterprise value is negative"),
        (lambda: ratios.debt_to_equity(10, -5), "equity is negative"),
        (lambda: ratios.cash_to_short_debt(10, 0), "short-term debt is zero"),
        (lambda: ratios.interest_cover(10, 0), "interest expense is zero"),
        (lambda: ratios.gross_margin(0, 0), "revenue is zero"),
    ],
)
def test_a_ratio_whose_sign_would_lie_has_no_value(call, why: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(NotMeaningful, match=f"^{why}$"):
        call()


def test_price_position_counts_the_closes_below_the_last() -> None:
    assert ratios.price_position([*range(1, 25), 13]) == 12 / 24
    assert ratios.price_position([2.0] * 24 + [1.0]) == 0
    assert ratios.price_position([1.0] * 24 + [2.0]) == 1
    with pytest.raises(NotMeaningful, match="only 23 closes"):
        ratios.price_position([1.0] * 23)


def test_drawdown_is_from_the_highest_close() -> None:
    assert ratios.drawdown([5, 10, 8]) == pytest.approx(0.2)
    assert ratios.drawdown([5, 10]) == 0
    with pytest.raises(NotMeaningful):
        ratios.drawdown([])


def test_altman_z_of_a_worked_example() -> None:
    # X1 0.1, X2 0.2, X3 0.15, X4 2, X5 1.1: 0.12 + 0.28 + 0.495 + 1.2 + 1.1
    z = scores.altman_z(
        current_assets=300,
        current_liabilities=200,
        retained_earnings=200,
        ebit=150,
        market_cap=800,
        revenue=1_100,
        total_assets=1_000,
        total_liabilities=400,
    )
    assert z == pytest.approx(3.195)
    # X1 0.1, X2 0.2, X3 0.15, X4 1.5: 0.656 + 0.652 + 1.008 + 1.575
    assert scores.altman_z2(300, 200, 200, 150, 600, 1_000, 400) == pytest.approx(3.891)


STEADY = {
    "accounts_receivable": 10.0,
    "revenue": 100.0,
    "gross_profit": 40.0,
    "current_assets": 50.0,
    "property_plant_equipment": 30.0,
    "total_assets": 100.0,
    "depreciation_amortization": 5.0,
    "sga_expense": 10.0,
    "long_term_debt": 10.0,
    "current_liabilities": 20.0,
    "comparable_shares": 1_000.0,
    "net_profit": 20.0,
    "cfo": 20.0,
}


def beneish(now: dict[str, float], before: dict[str, float]) -> float | None:
    return compute([ANNUAL["beneish_m"]], [now, before], "industrial", {})["beneish_m"].value


def test_beneish_m_of_a_company_where_nothing_changes() -> None:
    # Every index is 1 and accruals are nil: -4.84 + .92 + .528 + .404 + .892 + .115 - .172 - .327
    assert beneish(STEADY, STEADY) == pytest.approx(-2.48)


def test_beneish_m_rises_with_receivables_and_accruals() -> None:
    # Receivables double against revenue (+0.92); profit exceeds cash by 10 % of assets (+0.4679).
    swollen = STEADY | {"accounts_receivable": 20.0, "cfo": 10.0}
    assert beneish(swollen, STEADY) == pytest.approx(-2.48 + 0.92 + 0.4679)


def test_piotroski_f_counts_the_signs_of_strength() -> None:
    def score(*years: dict[str, float]) -> float | None:
        return compute([ANNUAL["piotroski_f"]], list(years), "industrial", {})["piotroski_f"].value

    # Unchanged: profit and cash flow are positive, there are no new shares, and nothing rises.
    assert score(STEADY, STEADY, STEADY) == 3
    better = STEADY | {
        "net_profit": 25.0,
        "cfo": 30.0,
        "long_term_debt": 5.0,
        "current_liabilities": 15.0,
        "gross_profit": 50.0,
        "revenue": 110.0,
    }
    assert score(better, STEADY, STEADY) == 9
    assert score(better | {"comparable_shares": 1_100.0}, STEADY, STEADY) == 8
    assert score(better, STEADY) is None


# --- working them out --------------------------------------------------------------------------------


def one(
    name: str, *years: dict[str, float], kind: str = "industrial", unknown: dict[str, str] | None = None
) -> Ratio:
    return compute(ANNUAL.values(), list(years), kind, unknown or {})[name]  # type: ignore[arg-type]


def test_missing_inputs_are_named_and_those_there_are_kept() -> None:
    ratio = one("fcf", {"cfo": 5.0})
    assert ratio == Ratio(None, "capex not stated", {"cfo": 5.0})
    assert one("current_ratio", {}).reason == "current_assets, current_liabilities not stated"


def test_a_ratio_built_on_a_missing_one_gives_the_reason_behind_it() -> None:
    assert one("fcf_margin", {"cfo": 5.0, "revenue": 10.0}).reason == "capex not stated"
    assert (
        one("payout", {"net_profit": 1.0}, unknown={"cash_dividends": "no dividend"}).reason == "no dividend"
    )


def test_a_first_year_has_no_growth() -> None:
    assert one("revenue_growth", {"revenue": 5.0}).reason == "revenue of the year before is not known"
    assert one("revenue_growth", {"revenue": 5.0}, {}).reason == "revenue of the year before is not known"
    assert one("revenue_growth", {"revenue": 6.0}, {"revenue": 5.0}).value == pytest.approx(0.2)


@pytest.mark.parametrize("kind", ["bank", "insurer", "broker"])
def test_financial_companies_are_not_measured_by_debt_or_cash_flow(kind: str) -> None:
    items = {
        "cfo": 5.0,
        "net_profit": 5.0,
        "total_liabilities": 90.0,
        "total_assets": 100.0,
        "total_equity": 10.0,
    }
    for name in ("cash_conversion", "debt_to_assets", "fcf", "altman_z2"):
        assert one(name, items, kind=kind) == Ratio(None, f"not meaningful for a {kind}")
    assert one("equity_to_assets", items, kind=kind).value == 0.1


def test_bank_ratios_are_not_asked_of_other_companies() -> None:
    assert "fee_share" in compute(ANNUAL.values(), [{}], "bank", {})
    assert "fee_share" not in compute(ANNUAL.values(), [{}], "tech", {})


amounts = st.floats(min_value=-1e13, max_value=1e13, allow_nan=False)
items_of_all = sorted(
    {name.partition("_before")[0] for f in [*ANNUAL.values(), *VALUATION.values()] for name in f.inputs}
)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.dictionaries(st.sampled_from(items_of_all), amounts), min_size=1, max_size=3),
    st.sampled_from(["bank", "tech"]),
)
def test_any_figures_give_finite_ratios_or_a_reason(years: list[dict[str, float]], kind: str) -> None:
    for formulas in (ANNUAL, VALUATION):
        for ratio in compute(formulas.values(), years, kind, {}).values():  # type: ignore[arg-type]
            assert (ratio.value is None) == bool(ratio.reason)
            assert ratio.value is None or math.isfinite(ratio.value)


def test_every_ratio_has_a_formula_in_its_docstring_a_name_and_a_unit() -> None:
    formulas: list[Formula] = [*ANNUAL.values(), *VALUATION.values()]
    for formula in formulas:
        assert formula.function.__doc__, formula.name
        assert formula.name in CHINESE, formula.name
        assert formula.name in UNITS, formula.name


# --- shares on one basis -----------------------------------------------------------------------------


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def count(period_end: str, value: float, basis: str | None = None) -> Figure:
    end = day(period_end)
    return Figure(
        "X", end.year, end, end, 0, "CNY", day(basis) if basis else None, "shares_outstanding", value
    )


SPLIT = Event("X", day("2015-06-18"), "split", 1.4, None)
ISSUE = Event("X", day("2016-01-25"), "share_count", 2_000.0, None)


def test_a_split_after_the_period_end_raises_the_share_count_from_its_day_on() -> None:
    register = ShareRegister([SPLIT], [count("2014-12-31", 1_000)], day("2020-01-01"))
    before, after = day("2015-06-17"), day("2015-06-18")
    assert register.outstanding(before, before) == 1_000
    assert register.outstanding(after, after) == pytest.approx(1_400)


def test_an_issue_of_shares_replaces_the_count_and_later_splits_apply_to_it() -> None:
    later = Event("X", day("2016-05-01"), "split", 2.0, None)
    register = ShareRegister([SPLIT, ISSUE, later], [count("2014-12-31", 1_000)], day("2020-01-01"))
    assert register.outstanding(day("2016-02-01"), day("2016-02-01")) == 2_000
    assert register.outstanding(day("2016-06-01"), day("2016-06-01")) == 4_000


def test_a_count_and_a_price_on_different_bases_cannot_be_multiplied_before_the_split_is_known() -> None:
    counts = [count("2018-09-29", 4_000, basis="2020-08-31")]
    split = Event("X", day("2020-08-31"), "split", 4.0, None)
    price_basis = day("2014-06-09")
    with pytest.raises(NotMeaningful, match="different split bases"):
        ShareRegister([], counts, day("2018-11-30")).outstanding(day("2018-11-29"), price_basis)
    assert (
        ShareRegister([split], counts, day("2021-01-01")).outstanding(day("2018-11-29"), price_basis) == 1_000
    )


def test_dividends_and_closes_are_brought_to_the_basis_of_the_price() -> None:
    register = ShareRegister([SPLIT], [count("2014-12-31", 1_000)], day("2020-01-01"))
    # 1.4 paid on each old share, on the very day of the split, is 1.0 on each new one.
    dividend = Dividend("X", day("2015-06-18"), 1.4, 2014, "final")
    assert register.per_share([dividend], day("2015-12-31")) == pytest.approx(1.0)
    assert register.paid([dividend]) == pytest.approx(1_400)
    closes = register.closes(
        [Price("X", day("2015-05-29"), 14.0, None), Price("X", day("2015-06-30"), 11.0, None)]
    )
    assert [close for _, close in closes] == pytest.approx([10.0, 11.0])
