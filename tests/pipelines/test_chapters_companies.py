"""Whole runs over the sample companies with the baseline: every figure it prints, and how the runs end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.printed_figures import claims, figures, texts, unexplained
from workbench import pipelines
from workbench.engine.runner import Result, run
from workbench.evidence.database import EvidenceDB
from workbench.evidence.view import parse_day
from workbench.llm.baseline import Baseline
from workbench.records import Models, TickerSubject
from workbench.strategy.files import load_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary

pytestmark = pytest.mark.xdist_group("chapters")  # the tests share the runs of one process

ROOT = Path(__file__).parents[2]
RUNS = (
    *(("600340.SH", day) for day in ("2012-06-30", "2016-06-30", "2019-06-30", "2020-01-08", "2021-06-30")),
    *(("601288.SH", day) for day in ("2011-06-30", "2019-06-30", "2024-06-30")),
    *(("600519.SH", day) for day in ("2010-06-30", "2013-12-31", "2016-12-31", "2021-06-30", "2025-06-30")),
    *(("002304.SZ", day) for day in ("2014-06-30", "2019-06-30", "2021-06-30")),
    *(("AAPL", day) for day in ("2013-06-30", "2016-06-30", "2018-01-31", "2022-06-30")),
    *(("MSFT", day) for day in ("2010-01-31", "2016-06-30", "2025-12-01")),
    *(("00700.HK", day) for day in ("2011-06-30", "2019-06-30")),
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("companies") / "evidence.db", ROOT / "data" / "facts")


@cache
def carry_out(db: EvidenceDB, code: str, day: str, strategy: str = "value") -> Result:
    plan = pipelines.build(
        load_strategy(ROOT / "strategy" / f"{strategy}.yaml"),
        TickerSubject(code=code, name=db.instruments.by_code(code).name),
        view=db.view(parse_day(day)),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OperatorLibrary(ROOT / "strategy" / "operators"),
    )
    return asyncio.run(run(plan, Models(), Baseline()))


def fields(result: Result, agent: str) -> Mapping[str, Any]:
    final = result.reports[agent].final
    assert final is not None
    return final.fields


# --- figures -----------------------------------------------------------------------------------------

FIGURES = (
    *((code, day, "value") for code, day in RUNS),
    *(
        (code, day, strategy)
        for strategy in ("value_full", "quick_scan", "income", "bank")
        for code, day in (
            *(("600340.SH", "2019-06-30"), ("601288.SH", "2024-06-30"), ("600519.SH", "2021-06-30")),
            *(("002304.SZ", "2019-06-30"), ("AAPL", "2016-06-30"), ("MSFT", "2016-06-30")),
            ("00700.HK", "2019-06-30"),
        )
    ),
)


@pytest.mark.parametrize(("code", "day", "strategy"), FIGURES)
def test_every_figure_printed_was_shown_or_answered(
    db: EvidenceDB, code: str, day: str, strategy: str
) -> None:
    reports = carry_out(db, code, day, strategy).reports
    for report in reports.values():
        for opinion in (report.draft, report.revised):
            for text in texts(opinion) if opinion is not None else ():
                assert unexplained(report.evidence, opinion, text) == [], (report.agent, text)  # type: ignore[arg-type]
    synthesis = reports["synthesis"].final
    assert synthesis is not None
    assert len(list(figures(synthesis.analysis))) >= 4


@pytest.mark.parametrize(("code", "day"), RUNS)
def test_a_figure_printed_under_a_name_and_year_is_that_fact(db: EvidenceDB, code: str, day: str) -> None:
    reports = carry_out(db, code, day).reports
    statements, ratios = (reports["ch03_cashflow"].evidence.facts[name] for name in ("statements", "ratios"))
    table = statements["items"] | ratios
    checked = 0
    for report in reports.values():
        for text in texts(report.final) if report.final is not None else ():
            for name, year, figure in claims(text):
                if name in table:
                    known = pytest.approx(table[name][year], abs=figure.half * 1.02)
                    assert figure.value == known, (report.agent, name, year)
                    checked += 1
    assert checked >= 20


def test_the_figure_checks_notice_a_wrong_figure(db: EvidenceDB) -> None:
    def wrong(agent: str, text: str) -> list[str]:
        report = carry_out(db, "600340.SH", "2019-06-30").reports[agent]
        assert report.final is not None
        return unexplained(report.evidence, report.final, text)

    assert wrong("ch03_cashflow", "有息负债 1354.1 亿元（2018）") == []
    assert wrong("ch03_cashflow", "有息负债 1353.1 亿元（2018），净现比 -0.37 倍") == ["1353.1 亿", "-0.37 "]
    assert wrong("synthesis", "现金流 25.6，落在 0-29 一档，净现金 -881.3 亿元") == []
    assert wrong("synthesis", "现金流 25.7，市盈率 8.4 倍") == ["25.7", "8.4 "]
    (claim,) = claims("有息负债 1354.1 亿元（2018）")
    assert (claim.name, claim.year) == ("interest_bearing_debt", "2018")
    assert claim.figure.value == pytest.approx(1354.1e8)


# --- outcomes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "day"), RUNS)
def test_every_run_ends_with_a_verdict_and_six_chapter_reports(db: EvidenceDB, code: str, day: str) -> None:
    result = carry_out(db, code, day)
    assert result.status == "done"
    assert result.verdict is not None
    assert result.verdict.label in ("buy", "watch", "avoid")
    assert len([report for report in result.reports.values() if report.role == "chapter"]) == 6
    for report in result.reports.values():
        assert report.status in ("ok", "no_data")
        assert (report.revised is None) == (report.status == "no_data")
        assert report.revised is None or report.revised.why_changed


@pytest.mark.parametrize("day", ["2019-06-30", "2020-01-08"])
def test_the_developer_is_avoided_for_its_debt_and_its_cash(db: EvidenceDB, day: str) -> None:
    """The figures of 2018 decide, in billions of yuan.

    Net debt of 88.1 exceeds equity of 43.8; operating cash flow was -16.2 in 2017 and -7.4 in 2018; debt
    went from 47.8 to 135.4 in three years: three signs, so the debt is dangerous, and net cash fell by more
    than a tenth of equity in the year, so it is not improving. Cash of five years over profit is -0.38.
    """
    result = carry_out(db, "600340.SH", day)
    assert result.verdict is not None
    assert (result.verdict.score, result.verdict.label) == (25, "avoid")
    assert [adjustment.rule for adjustment in result.verdict.adjustments] == ["否决：债务危险"]
    cash = fields(result, "ch03_cashflow")
    assert (cash["debt_assessment"], cash["debt_trend"]) == ("危险", "恶化")
    assert (cash["cash_trend"], cash["cash_quality"], cash["cash_to_profit"]) == ("恶化", "差", -0.38)
    assert cash["net_cash_now"] == pytest.approx(-88_127.89)
    note = result.reports["ch03_cashflow"].final
    assert note is not None
    for figure in (
        "净现金 -881.3 亿元（2018）",
        "归母权益 437.8 亿元（2018）",
        "2017 年 -162.3 亿元",
        "2018 年 -74.3 亿元",
    ):
        assert figure in note.analysis
    assert fields(result, "ch04_valuation")["pe_trap"] == "陷阱"
    assert fields(result, "ch06_decision")["action"] == "回避"


def test_moutai_at_the_end_of_2016_is_no_pe_trap(db: EvidenceDB) -> None:
    """A P/E of 27.1 (334.15 yuan, profit of 2015) is not low, so there is no trap of seeming cheap."""
    result = carry_out(db, "600519.SH", "2016-12-31")
    assert fields(result, "ch04_valuation")["pe_trap"] == "非陷阱"
    assert result.reports["ch04_valuation"].evidence.facts["latest"]["pe"] == pytest.approx(27.1, abs=0.05)
    assert result.verdict is not None
    assert result.verdict.label == "watch"


def test_the_bank_is_judged_by_bank_measures_only(db: EvidenceDB) -> None:
    result = carry_out(db, "601288.SH", "2024-06-30")
    texts = "".join(r.final.analysis for r in result.reports.values() if r.final is not None)
    for word in ("息差", "资产质量", "市净率", "信用减值"):
        assert word in texts
    for word in ("资产负债率", "有息负债", "净现比", "经营现金流", "自由现金流", "EV/FCF", "存货"):
        assert word not in texts
    assert fields(result, "ch04_valuation")["pb_view"] == "低估"


@pytest.mark.parametrize("day", ["2011-06-30", "2019-06-30"])
def test_without_a_price_the_valuation_is_insufficient_and_no_price_is_made_up(
    db: EvidenceDB, day: str
) -> None:
    result = carry_out(db, "00700.HK", day)
    valuation = result.reports["ch04_valuation"]
    assert (valuation.status, valuation.evidence.sufficiency, valuation.calls) == ("no_data", "none", ())
    verdict, synthesis = result.verdict, result.reports["synthesis"].final
    assert verdict is not None
    assert synthesis is not None
    assert verdict.label != "buy"
    assert synthesis.confidence is not None
    assert verdict.confidence is not None
    assert verdict.confidence < synthesis.confidence * 5 / 6
    assert any(
        "估值" in adjustment.why for adjustment in verdict.adjustments if adjustment.field == "confidence"
    )
    assert verdict.fields["苹果买卖模型"] is None
    assert "港元" not in synthesis.analysis


def test_a_price_that_is_years_old_is_no_price(db: EvidenceDB) -> None:
    """The valuation once stood at a neutral 50 and was counted, although it had judged nothing."""
    result = carry_out(db, "002304.SZ", "2021-06-30")
    valuation = result.reports["ch04_valuation"]
    assert valuation.evidence.sufficiency == "low"
    assert valuation.draft is not None
    assert valuation.revised is not None
    assert (valuation.draft.score, valuation.revised.score) == (None, None)
    assert fields(result, "ch06_decision")["buy_price"] is None
    synthesis = result.reports["synthesis"]
    assert synthesis.evidence.sufficiency == "medium"
    assert synthesis.evidence.missing["估值"] == "its evidence allows no judgement"
    assert result.verdict is not None
    assert (result.verdict.counted, result.verdict.total) == (4, 6)
    assert "6 章中计入 4 章，未计入：估值、投资决策。" in result.verdict.warnings
    assert result.verdict.label != "buy"
    assert result.verdict.confidence is not None
    assert result.verdict.confidence < 0.2


@pytest.mark.parametrize(
    ("strategy", "chapters", "developer"),
    [("value_full", 8, "avoid"), ("quick_scan", 3, "avoid"), ("income", 5, "avoid"), ("bank", 6, "avoid")],
)
def test_every_strategy_of_the_house_ends_with_a_verdict(
    db: EvidenceDB, strategy: str, chapters: int, developer: str
) -> None:
    for code, day in (("601288.SH", "2024-06-30"), ("AAPL", "2016-06-30"), ("00700.HK", "2019-06-30")):
        result = carry_out(db, code, day, strategy)
        assert result.verdict is not None
        assert result.verdict.total == chapters
        assert code != "00700.HK" or result.verdict.label != "buy"
    verdict = carry_out(db, "600340.SH", "2019-06-30", strategy).verdict
    assert verdict is not None
    assert verdict.label == developer


def test_a_second_look_moves_scores_and_never_up(db: EvidenceDB) -> None:
    moved = [
        (report.draft.score or 0.0, report.revised.score or 0.0)
        for code, day in RUNS
        for report in carry_out(db, code, day).reports.values()
        if report.draft is not None and report.revised is not None
    ]
    assert all(after <= before for before, after in moved)
    assert sum(after < before for before, after in moved) > len(moved) / 3


def test_the_same_run_gives_the_same_reports(db: EvidenceDB) -> None:
    def opinions() -> dict[str, Any]:
        result = carry_out.__wrapped__(db, "600519.SH", "2021-06-30")
        return {agent: report.revised for agent, report in result.reports.items()}

    assert opinions() == opinions()
