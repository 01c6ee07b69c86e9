"""Companies the sample does not have: of every kind, newly listed, in loss, under water, split, restated."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from tests.company_samples import BANK, HEALTHY, add_company, add_statement
from tests.printed_figures import texts, unexplained
from workbench import pipelines
from workbench.engine.runner import Result, run
from workbench.evidence.database import EvidenceDB
from workbench.evidence.instruments import IndustryKind
from workbench.evidence.view import parse_day
from workbench.llm.baseline import Baseline
from workbench.records import Models, TickerSubject
from workbench.strategy.files import load_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary

pytestmark = pytest.mark.xdist_group("chapters")

ROOT = Path(__file__).parents[2]
OPERATORS = OperatorLibrary(ROOT / "strategy" / "operators")
CODE = "600001.SH"
DAY = "2019-06-30"
YEARS = range(2013, 2019)


@pytest.fixture
def db(tmp_path: Path) -> EvidenceDB:
    return EvidenceDB(tmp_path / "evidence.db", ROOT / "data" / "facts")


def judge(db: EvidenceDB, code: str = CODE, day: str = DAY, strategy: str = "value") -> Result:
    """A finished run in which every printed figure was shown or answered."""
    plan = pipelines.build(
        load_strategy(ROOT / "strategy" / f"{strategy}.yaml"),
        TickerSubject(code=code, name=db.instruments.by_code(code).name),
        view=db.view(parse_day(day)),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OPERATORS,
    )
    result = asyncio.run(run(plan, Models(), Baseline()))
    assert result.status == "done", result.error
    for report in result.reports.values():
        for opinion in filter(None, (report.draft, report.revised)):
            for text in texts(opinion):
                assert unexplained(report.evidence, opinion, text) == [], (report.agent, text)
    return result


def fields(result: Result, agent: str) -> dict[str, Any]:
    final = result.reports[agent].final
    assert final is not None
    return final.fields


def told(result: Result) -> str:
    return "\n".join(report.final.analysis for report in result.reports.values() if report.final)


# --- kinds of business -------------------------------------------------------------------------------

OWN: dict[str, set[str]] = {
    "bank": {"bank_margin", "bank_asset_quality", "bank_pb_roe"},
    "insurer": {"insurer_embedded_value"},
    "broker": {"broker_cycle"},
    "real_estate": {"property_presales"},
    "utility": {"utility_return"},
    "commodity": {"commodity_cost_curve"},
    "consumer": {"consumer_channel"},
    "pharma": {"drug_pipeline"},
    "tech": {"technology_spending"},
    "industrial": set(),
    "other": set(),
}
FINANCIAL = ("bank", "insurer", "broker")
GATED = set().union(*OWN.values())


def test_eleven_operators_are_for_one_industry_and_twenty_six_are_general() -> None:
    gated = {operator.id for operator in OPERATORS.all() if operator.industries}
    assert gated == GATED
    assert (len(gated), len(OPERATORS.ids())) == (11, 37)


@pytest.mark.parametrize("strategy", ["value", "value_full"])
@pytest.mark.parametrize("kind", OWN)
def test_every_kind_of_business_is_asked_its_own_questions_and_ends_with_a_verdict(
    db: EvidenceDB, kind: IndustryKind, strategy: str
) -> None:
    add_company(db, CODE, kind=kind, base=BANK if kind in FINANCIAL else HEALTHY)
    plan = pipelines.build(
        load_strategy(ROOT / "strategy" / f"{strategy}.yaml"),
        TickerSubject(code=CODE, name="样本公司"),
        view=db.view(parse_day(DAY)),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OPERATORS,
    )
    asked = {operator["id"] for step in plan.steps for operator in step.task.get("operators", ())}
    assert asked & GATED == OWN[kind]
    result = judge(db, strategy=strategy)
    assert result.verdict is not None
    assert result.verdict.label is not None
    if kind in FINANCIAL:
        for word in (
            "资产负债率",
            "有息负债",
            "净现比",
            "经营现金流",
            "自由现金流",
            "EV/FCF",
            "存货",
            "毛利",
        ):
            assert word not in told(result)


# --- thin and difficult figures ----------------------------------------------------------------------


def test_a_company_listed_last_year_is_judged_on_three_statements_and_said_to_be(db: EvidenceDB) -> None:
    """Three years show no return of three years, no moat and no growth: those questions stay open."""
    add_company(db, CODE, range(2016, 2019), listed=dt.date(2018, 3, 15))
    result = judge(db)
    business = fields(result, "ch02_business")
    assert business["score"] is None
    assert {business[name] for name in ("business_quality", "stream", "moat_width", "cycle_position")} == {
        None
    }
    data = fields(result, "ch01_data")
    assert (data["data_credibility"], data["statement_years"]) == ("可信", 3)
    assert fields(result, "ch03_cashflow")["cash_trend"] is None
    assert "年报不足五年" in told(result)
    verdict = result.verdict
    assert verdict is not None
    assert (verdict.counted, verdict.total, verdict.label) == (5, 6, "watch")
    assert verdict.confidence is not None
    assert verdict.confidence < 0.5


def test_negative_equity_is_dangerous_debt_and_no_return_is_made_of_it(db: EvidenceDB) -> None:
    """Profit on equity of -200 million would be a return of -109 %; debt is 873 million, cash 441 million."""
    under_water = {
        "equity_parent": -200.0,
        "total_equity": -190.0,
        "total_assets": 900.0,
        "total_liabilities": 1090.0,
        "long_term_debt": 800.0,
    }
    add_company(db, CODE, changes={year: under_water for year in YEARS})
    result = judge(db)
    assert fields(result, "ch03_cashflow")["debt_assessment"] == "危险"
    business = fields(result, "ch02_business")
    assert (business["business_quality"], business["stream"], business["allocation_quality"]) == (None,) * 3
    assert "净资产为负" in fields(result, "ch02_business")["analysis"]
    assert "净资产收益率 -" not in told(result)
    assert fields(result, "ch01_data")["screen_result"] != "通过"
    assert result.reports["ch04_valuation"].evidence.facts["latest"]["pb"] is None
    assert result.verdict is not None
    assert result.verdict.label != "buy"


def test_a_loss_has_no_price_earnings_ratio_and_fails_the_screen(db: EvidenceDB) -> None:
    loss = {"net_profit": -90.0, "operating_profit": -80.0, "cfo": 20.0}
    add_company(db, CODE, changes={2018: loss})
    result = judge(db)
    valuation = fields(result, "ch04_valuation")
    assert (valuation["pe_trap"], valuation["ev_fcf_view"]) == (None, "高估")
    assert "归母净利润 -9000.0 万元（2018），亏损时市盈率没有意义" in valuation["analysis"]
    assert "没有可用的现价" not in told(result)
    assert fields(result, "ch01_data")["screen_result"] == "不通过"
    assert "最近一年亏损，累计数说的是过去" in fields(result, "ch03_cashflow")["analysis"]
    # Three years: free cash flow (151.17 + 163.26 - 68.16) / 3, below profit (188.96 + 204.07 - 90) / 3.
    assert fields(result, "ch03_cashflow")["owner_earnings"] == pytest.approx(82.088, abs=0.01)
    assert result.verdict is not None
    assert result.verdict.label != "buy"


def test_a_split_after_the_year_end_changes_the_prices_and_nothing_else(db: EvidenceDB) -> None:
    """Two shares for one on 2019-05-20: half the price for a share, the same company."""
    add_company(db, CODE, price=20.0)
    add_company(db, "600002.SH", price=None)
    split = {"code": "600002.SH", "date": "2019-05-20", "kind": "split", "value": 2.0}
    db.add("events", [split], origin="test")
    whole = [(row.date.isoformat(), row.close) for row in db.view(parse_day(DAY)).prices(CODE)]
    halved = [
        {"code": "600002.SH", "date": day, "close": close if day < "2019-05-20" else close / 2}
        for day, close in whole
    ]
    db.add("prices", halved, origin="test")

    one, two = judge(db), judge(db, "600002.SH")

    for name in ("pe", "pb", "ev_fcf", "market_cap", "price_position_5y"):
        figure = one.reports["ch04_valuation"].evidence.facts["latest"][name]
        assert two.reports["ch04_valuation"].evidence.facts["latest"][name] == pytest.approx(figure), name
    assert one.verdict is not None
    assert two.verdict is not None
    assert two.verdict.score == one.verdict.score
    assert fields(two, "ch04_valuation")["safety_margin"] == fields(one, "ch04_valuation")["safety_margin"]
    prices = fields(one, "ch06_decision"), fields(two, "ch06_decision")
    assert prices[1]["buy_price"] == pytest.approx(prices[0]["buy_price"] / 2, abs=0.01)


def test_a_share_issue_between_statements_counts_from_its_day_on(db: EvidenceDB) -> None:
    """150 million shares after the issue of 2019-06-03 at 20 yuan: 3 billion; 2 billion the day before."""
    add_company(db, CODE)
    issue = {"code": CODE, "date": "2019-06-03", "kind": "share_count", "value": 150e6}
    db.add("events", [issue], origin="test")
    caps = [
        judge(db, day=day).reports["ch04_valuation"].evidence.facts["latest"]["market_cap"]
        for day in ("2019-06-03", DAY)
    ]
    assert caps == pytest.approx([2e9, 3e9])


def test_a_restated_figure_is_the_latest_one_known_on_the_day(db: EvidenceDB) -> None:
    """Profit of 2017 was 204.1 million when published and 120 million when restated a year later."""
    add_company(db, CODE)
    add_statement(db, CODE, 2017, {"net_profit": 120.0, "cfo": 60.0}, published="2019-04-30")
    before, after = (judge(db, day=day) for day in ("2019-04-30", "2019-05-01"))

    def profit(result: Result) -> float:
        facts = result.reports["ch03_cashflow"].evidence.facts
        return float(facts["statements"]["items"]["net_profit"]["2017"])

    assert profit(before) == pytest.approx(150e6 * 1.08**4)
    assert profit(after) == 120e6
    assert "归母净利润 2016 年 1.9 亿元、2017 年 2.0 亿元" in told(before)
    assert "归母净利润 2017 年 1.2 亿元、2018 年 2.2 亿元" in told(after)
    warnings = after.reports["ch03_cashflow"].evidence.facts["statements"]["warnings"]
    assert "2017: some figures are as restated on 2019-04-30." in warnings


def test_without_prices_nothing_that_needs_one_is_judged_and_it_is_said_once_why(db: EvidenceDB) -> None:
    add_company(db, CODE, until=dt.date(2018, 12, 28))
    result = judge(db)
    valuation = fields(result, "ch04_valuation")
    assert valuation["score"] is None
    assert valuation["analysis"].count("没有可用的现价") == 1
    assert result.verdict is not None
    assert result.verdict.label != "buy"
