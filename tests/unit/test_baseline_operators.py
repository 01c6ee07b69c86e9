"""The baseline's operators against small companies whose figures are worked out by hand."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.chapters import draft  # noqa: F401 - registers every rule
from workbench.llm.baseline.finding import RULES, Finding
from workbench.llm.baseline.valuation import fair_pb, worth
from workbench.llm.baseline.wording import Language
from workbench.strategy.operators import OperatorLibrary

OPERATORS = OperatorLibrary(Path(__file__).parents[2] / "strategy" / "operators").all()
MN = 1e6


def book(
    *,
    kind: str = "consumer",
    last: int = 2018,
    latest: Mapping[str, Any] | None = None,
    language: Language = "zh",
    as_of: str = "2019-06-30",
    published: str = "2019-04-30",
    **series: Sequence[float | None],
) -> Book:
    """A company with these items and ratios, the newest year last."""
    years = [str(last - back) for back in reversed(range(max(map(len, series.values()), default=0)))]
    table = {name: dict(zip(years[-len(values) :], values, strict=True)) for name, values in series.items()}
    facts = {
        "profile": {"industry_kind": kind, "currency": "CNY", "statement_currency": "CNY"},
        "statements": {
            "years": years,
            "currency": "CNY",
            "items": table,
            "published": {years[-1]: published} if years else {},
        },
        "ratios": {},
        "latest": {"price_date": "2019-06-28", **(latest or {})},
    }
    return Book(facts, language, dt.date.fromisoformat(as_of))


def find(operator: str, company: Book) -> Finding:
    return RULES[operator](company)


def test_every_operator_of_the_library_has_a_rule_and_every_rule_an_operator() -> None:
    assert {operator.id for operator in OPERATORS} == set(RULES)
    assert len(OPERATORS) == 37


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.id)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_operator_without_figures_has_no_view_and_says_why(operator: Any, language: Language) -> None:
    found = find(operator.id, book(revenue=[None], language=language))
    if operator.id == "data_integrity":
        assert found.outputs["data_credibility"] == "存疑"
        return
    assert found.score is None
    assert not any(value is not None for value in found.outputs.values())
    assert found.note


# --- debt --------------------------------------------------------------------------------------------


def debt(net: float, *, equity: float = 1000.0, **series: Sequence[float | None]) -> Finding:
    defaults: dict[str, Sequence[float | None]] = {
        "cash": [100.0],
        "interest_bearing_debt": [100.0 - net],
        "equity_parent": [equity],
        "net_cash": [net],
    }
    return find("debt_structure", book(**(defaults | series)))


def test_net_cash_is_sound_debt() -> None:
    assert debt(50.0).outputs["debt_assessment"] == "健康"


def test_three_signs_together_are_dangerous_and_two_are_not() -> None:
    signs: dict[str, Sequence[float | None]] = {"cfo": [-300.0, -200.0], "short_term_debt": [400.0]}
    two = debt(-800.0, **signs)
    three = debt(-1200.0, **signs)
    assert two.outputs["debt_assessment"] == "可控"
    assert three.outputs["debt_assessment"] == "危险"
    assert three.fatal
    assert "净负债超过归母权益 1000 元（2018）" in three.note


def test_negative_equity_is_dangerous_whatever_else() -> None:
    found = debt(50.0, equity=-10.0)
    assert found.outputs["debt_assessment"] == "危险"
    assert "归母权益 -10 元（2018）" in found.note


def test_prepayments_of_customers_are_not_debt() -> None:
    """A developer lives on presales: 900 of prepayments do not make 40 of loans dangerous."""
    assert debt(60.0, contract_liabilities=[900.0]).outputs["debt_assessment"] == "健康"


@pytest.mark.parametrize(
    ("before", "after", "trend"),
    [(-500.0, -350.0, "改善"), (-500.0, -450.0, "持平"), (-500.0, -650.0, "恶化")],
)
def test_the_direction_of_debt_is_a_tenth_of_equity_in_a_year(
    before: float, after: float, trend: str
) -> None:
    assert debt(after, net_cash=[before, after]).outputs["debt_trend"] == trend


# --- cash --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cfo", "trend", "negative"),
    [
        ([100, 100, 100, 120, 120], "改善", 0),
        ([100, 100, 100, 110, 110], "平稳", 0),
        ([100, 100, 100, 80, 80], "恶化", 0),
        ([-50, 74, 78, -162, -74], "恶化", 3),
    ],
)
def test_cash_trend_compares_two_years_with_those_before(
    cfo: Sequence[float], trend: str, negative: int
) -> None:
    found = find("cash_trend_5y", book(cfo=cfo))
    assert found.outputs == {"cash_trend": trend, "negative_cash_years": negative}


@pytest.mark.parametrize(
    ("cfo", "ratio", "quality"),
    [
        ([100, 110, 120], 1.1, "优"),
        ([70, 80, 90], 0.8, "良"),
        ([20, 30, 10], 0.2, "差"),
        ([-60, 0, 0], -0.2, "差"),
    ],
)
def test_earnings_quality_is_cash_over_profit_in_total(
    cfo: Sequence[float], ratio: float, quality: str
) -> None:
    found = find("earnings_quality", book(cfo=cfo, net_profit=[100, 100, 100]))
    assert found.outputs == {"cash_quality": quality, "cash_to_profit": ratio}


def test_earnings_quality_means_nothing_without_profit() -> None:
    assert find("earnings_quality", book(cfo=[1, 1, 1], net_profit=[-3, 1, 1])).blank


def test_owner_earnings_are_the_three_year_mean_in_millions() -> None:
    found = find("owner_earnings", book(fcf=[9 * MN, 1 * MN, 2 * MN, 6 * MN], fcf_margin=[0.1]))
    assert found.outputs == {"owner_earnings": 3.0, "owner_earnings_sign": "正"}


def test_capex_is_measured_against_five_years_of_cash() -> None:
    found = find("capex_intensity", book(cfo=[100, 100, 200], capex=[40, 60, 60]))
    assert found.outputs == {"capex_intensity": "中", "capex_to_cfo": 40.0}


@pytest.mark.parametrize(
    ("paid", "verdict"), [(50, "可持续"), (100, "需观察"), (200, "不可持续"), (0, "不分红")]
)
def test_a_dividend_is_paid_from_free_cash_flow(paid: float, verdict: str) -> None:
    found = find("dividend_sustainability", book(fcf=[90, 100, 110], dividends_paid=[paid]))
    assert found.outputs["dividend_sustainability"] == verdict


def test_a_bank_pays_its_dividend_from_profit() -> None:
    """A bank's cash flow is deposits: it must not decide whether the dividend can go on."""
    found = find(
        "dividend_sustainability",
        book(kind="bank", fcf=[-900, -900, -900], net_profit=[100, 100, 100], payout=[0.3, 0.3, 0.3]),
    )
    assert found.outputs["dividend_sustainability"] == "可持续"
    assert "自由现金流" not in found.note


# --- valuation ---------------------------------------------------------------------------------------


def valued(price: float = 50.0, **changes: Any) -> Book:
    """100 shares; 10 a year of profit and cash that grow by nothing: earning power 10 at 15 times is 150."""
    defaults: dict[str, Any] = {
        "fcf": [10.0] * 6,
        "net_profit": [10.0] * 6,
        "roe": [0.12] * 6,
        "latest": {"price": price, "market_cap": price * 100 / 50, "pe": price / 5},
    }
    return book(**(defaults | changes))


def test_worth_is_the_lower_of_cash_and_profit_times_the_multiple() -> None:
    found = worth(valued())
    assert found is not None
    assert (found.multiple, found.per_share, found.margin) == (15.0, 75.0, pytest.approx(1 / 3))
    poorer = worth(valued(fcf=[4.0] * 6))
    assert poorer is not None
    assert poorer.per_share == pytest.approx(30.0)


@pytest.mark.parametrize(
    ("profit", "roe", "multiple"),
    [
        ([100, 100, 100, 100, 100, 99], 0.20, 10.0),
        ([100, 100, 100, 100, 100, 100], 0.20, 15.0),
        ([100, 110, 120, 130, 140, 150], 0.12, 20.0),
        ([100, 120, 140, 160, 180, 210], 0.15, 25.0),
        ([100, 120, 140, 160, 180, 210], 0.14, 20.0),
    ],
)
def test_growth_and_return_allow_the_multiple(profit: Sequence[float], roe: float, multiple: float) -> None:
    found = worth(valued(net_profit=profit, roe=[roe] * 6))
    assert found is not None
    assert found.multiple == multiple


def test_no_price_gives_no_worth_and_no_prices_to_act_on() -> None:
    company = valued(latest={})
    assert worth(company) is None
    assert find("safety_margin", company).blank
    assert find("price_model", company).blank


def test_negative_earning_power_gives_no_price_and_says_so() -> None:
    company = valued(fcf=[5.0, 5.0, 5.0, -20.0, -20.0, -20.0])
    assert find("safety_margin", company).outputs == {"margin_level": "为负"}
    found = find("price_model", company)
    assert found.outputs == {"action": "回避"}
    assert "任何买入价都是猜测" in found.note


@pytest.mark.parametrize(
    ("price", "action"), [(52.5, "买入"), (52.51, "观望"), (112.49, "观望"), (112.5, "回避")]
)
def test_the_three_prices_rise_and_decide(price: float, action: str) -> None:
    company = valued(latest={"price": price, "market_cap": price * 2})
    assert find("price_model", company).outputs == {
        "buy_price": 52.5,
        "normal_price": 75.0,
        "sell_price": 112.5,
        "action": action,
    }


@pytest.mark.parametrize(("roe", "pb"), [(0.02, 0.4), (0.08, 0.8), (0.10, 1.0), (0.15, 1.5), (0.3, 2.0)])
def test_a_bank_is_worth_the_book_value_its_return_earns(roe: float, pb: float) -> None:
    assert fair_pb(roe) == pytest.approx(pb)


TRAPS = {
    "profit without cash": {"cfo": [1.0, 1.0, 1.0]},
    "profit sliding": {"profit_growth": [-0.2]},
    "margin above its norm": {"net_margin": [0.1, 0.1, 0.1, 0.1, 0.1, 0.14]},
    "net debt above equity": {"net_cash": [-50.0], "equity_parent": [40.0]},
}


@pytest.mark.parametrize("sign", TRAPS)
def test_one_sign_makes_a_low_pe_suspect(sign: str) -> None:
    found = find("pe_trap_detection", valued(40.0, **TRAPS[sign]))
    assert found.outputs == {"pe_trap": "疑似"}


def test_two_signs_make_a_low_pe_a_trap() -> None:
    both = TRAPS["profit without cash"] | TRAPS["net debt above equity"]
    found = find("pe_trap_detection", valued(40.0, **both))
    assert found.outputs == {"pe_trap": "陷阱"}
    assert found.fatal


def test_a_high_pe_is_never_a_trap_of_cheapness() -> None:
    both = TRAPS["profit without cash"] | TRAPS["net debt above equity"]
    assert find("pe_trap_detection", valued(100.0, **both)).outputs == {"pe_trap": "非陷阱"}


@pytest.mark.parametrize(
    ("multiple", "view"), [(11.9, "低估"), (12.0, "合理"), (22.0, "合理"), (22.1, "高估")]
)
def test_ev_fcf_bands(multiple: float, view: str) -> None:
    found = find("ev_fcf_multiple", valued(latest={"ev_fcf": multiple}))
    assert found.outputs == {"ev_fcf": multiple, "ev_fcf_view": view}


# --- the rest ----------------------------------------------------------------------------------------


def test_statements_that_do_not_add_up_are_not_credible() -> None:
    parts = {"total_liabilities": [60.0] * 5, "total_equity": [40.0] * 5}
    assert (
        find("data_integrity", book(total_assets=[100.0] * 5, **parts)).outputs["data_credibility"] == "可信"
    )
    broken = find("data_integrity", book(total_assets=[100.0] * 4 + [102.0], **parts))
    assert broken.outputs["data_credibility"] == "不可信"
    assert broken.fatal


def test_a_report_that_should_have_been_followed_makes_the_data_doubtful() -> None:
    fresh = book(revenue=[1.0] * 5, as_of="2020-04-30")
    stale = book(revenue=[1.0] * 5, as_of="2020-07-01")
    assert find("data_integrity", fresh).outputs["data_credibility"] == "可信"
    assert find("data_integrity", stale).outputs["data_credibility"] == "存疑"


def test_two_years_of_statements_are_too_few() -> None:
    assert find("data_integrity", book(revenue=[1.0] * 2)).outputs["data_credibility"] == "存疑"


@pytest.mark.parametrize(
    ("changes", "result", "failures"),
    [
        ({}, "通过", 0),
        ({"roe": [0.07]}, "观察", 1),
        ({"roe": [0.07], "profit_growth": [-0.3]}, "不通过", 2),
        ({"net_profit": [10, 10, -1, 10, 10]}, "观察", 1),
        ({"cfo": [-10, -10, 5]}, "观察", 1),
        ({"net_cash": [-101.0]}, "观察", 1),
    ],
)
def test_quick_screen_counts_what_fails(changes: dict[str, Any], result: str, failures: int) -> None:
    company: dict[str, Any] = {
        "net_profit": [10, 10, 10, 10, 10],
        "roe": [0.12],
        "profit_growth": [0.0],
        "cfo": [10, 10, 10],
        "net_cash": [-50.0],
        "equity_parent": [100.0],
    }
    found = find("quick_screen", book(**(company | changes)))
    assert found.outputs == {"screen_result": result, "screen_failures": failures}


def test_a_bank_is_not_screened_by_debt_or_cash() -> None:
    found = find(
        "quick_screen",
        book(
            kind="bank",
            net_profit=[10] * 5,
            roe=[0.12],
            profit_growth=[0.1],
            cfo=[-500, -500, -500],
            net_cash=[-9000.0],
            equity_parent=[100.0],
        ),
    )
    assert found.outputs == {"screen_result": "通过", "screen_failures": 0}
    assert "现金流" not in found.note
    assert "净现金" not in found.note


@pytest.mark.parametrize(
    ("ratios", "breached"),
    [
        ({"debt_to_assets_ex_advances": 0.70, "net_gearing": 1.0, "cash_to_short_debt": 1.0}, 0),
        ({"debt_to_assets_ex_advances": 0.71, "net_gearing": 1.0, "cash_to_short_debt": 1.0}, 1),
        ({"debt_to_assets_ex_advances": 0.80, "net_gearing": 1.6, "cash_to_short_debt": 1.9}, 2),
        ({"debt_to_assets_ex_advances": 0.80, "net_gearing": 1.6, "cash_to_short_debt": 0.7}, 3),
    ],
)
def test_three_red_lines(ratios: Mapping[str, float], breached: int) -> None:
    series = {name: [value] for name, value in ratios.items()}
    found = find("property_presales", book(kind="real_estate", contract_liabilities=[100.0, 94.0], **series))
    assert found.outputs == {"presale_trend": "下滑", "red_lines_breached": breached}


def test_stress_passes_only_what_the_figures_carry() -> None:
    strong: dict[str, Any] = {
        "operating_profit": [100.0],
        "dividends_paid": [70.0],
        "cash": [50.0],
        "short_term_debt": [40.0],
        "long_term_debt": [90.0],
        "fcf": [-5.0, 20.0, 30.0],
    }
    # 0.7 x 100 >= 70; 50 - 2 x 5 >= 40; 50 + 2 x 15 >= 40 + 30
    assert find("stress_test", book(**strong)).outputs["stress_passed"] == 3
    weak = book(**(strong | {"dividends_paid": [71.0], "fcf": [-6.0, -2.0, -1.0]}))
    assert find("stress_test", weak).outputs["stress_passed"] == 0


def test_a_scenario_without_figures_is_no_pass() -> None:
    found = find("stress_test", book(operating_profit=[100.0], dividends_paid=[10.0]))
    assert found.outputs["stress_passed"] is None
    assert "不算通过" in found.note


def test_a_bank_is_stressed_by_its_credit_losses() -> None:
    bank = book(
        kind="bank",
        payout=[0.3],
        operating_profit=[100.0],
        credit_impairment=[120.0],
        total_equity=[70.0],
        total_assets=[1000.0],
    )
    found = find("stress_test", bank)
    # 0.3 <= 0.7; 100 > 120 is false; (70 - 20) / 1000 >= 0.05
    assert found.outputs["stress_passed"] == 2
    assert found.outputs["weakest_scenario"] == "信用减值翻倍"


@pytest.mark.parametrize(
    ("growth", "roe", "cfo", "stream"),
    [(1.2, 0.2, 20.0, "质量成长(GARP)"), (1.2, 0.2, -5.0, "价值发现"), (1.0, 0.2, 10.0, "价值发现")],
)
def test_growth_on_paper_is_not_quality(growth: float, roe: float, cfo: float, stream: str) -> None:
    """A developer with a return of 29 % and cash running out was once filed under quality growth."""
    profit = [10.0 * growth**year for year in range(6)]
    found = find("stream_classification", book(net_profit=profit, roe=[roe], cfo=[cfo] * 3))
    assert found.outputs == {"stream": stream}


def test_accounting_signs_are_counted_by_their_figures() -> None:
    company = book(
        revenue=[100, 110, 120, 130],
        accounts_receivable=[10, 15, 20, 40],
        inventory=[10, 10, 10, 10],
        net_profit=[10, 10, 10],
        cfo=[1, 1, 1],
        total_assets=[200.0],
    )
    found = find("accounting_red_flags", company)
    assert found.outputs == {"fraud_risk": "中", "red_flag_count": 2}


def test_bank_asset_quality_counts_thin_equity_and_rising_losses() -> None:
    bank = {"kind": "bank", "operating_profit": [100.0], "credit_impairment": [50.0, 50.0, 60.0]}
    assert (
        find("bank_asset_quality", book(**bank, equity_to_assets=[0.07])).outputs["asset_quality"] == "关注"
    )
    assert (
        find("bank_asset_quality", book(**bank, equity_to_assets=[0.05])).outputs["asset_quality"] == "恶化"
    )


@pytest.mark.parametrize(("last", "trend"), [(0.0300, "改善"), (0.0205, "平稳"), (0.0190, "收窄")])
def test_bank_margin_moves_with_net_interest_income_on_assets(last: float, trend: str) -> None:
    bank = book(kind="bank", net_interest_to_assets=[0.02, 0.02, last], net_interest_income=[1e9, 1e9, 1e9])
    assert find("bank_margin", bank).outputs["margin_trend"] == trend


@pytest.mark.parametrize(
    ("advance", "growth", "health"),
    [([100, 90], 0.1, "健康"), ([100, 60], 0.1, "存疑"), ([100, 60], -0.1, "偏弱")],
)
def test_falling_prepayments_under_growing_revenue_mean_a_pushed_channel(
    advance: Sequence[float], growth: float, health: str
) -> None:
    company = book(contract_liabilities=advance, gross_margin=[0.7], revenue_growth=[growth])
    assert find("consumer_channel", company).outputs == {"channel_health": health}
