"""What a blind run hides from a model, and that nothing is lost on the way back."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench import pipelines
from workbench.engine.plan import Plan
from workbench.engine.runner import Result, run
from workbench.evidence.blind import Blindfold, hidden_factor, scaled_back
from workbench.evidence.database import EvidenceDB
from workbench.evidence.instruments import Instrument
from workbench.evidence.view import parse_day
from workbench.llm.base import Reply, Request
from workbench.llm.baseline import Baseline
from workbench.llm.schemas import json_schema
from workbench.records import Blind, Models, TickerSubject
from workbench.strategy.blinding import blinded, for_backtest
from workbench.strategy.files import LoadedStrategy, load_strategy, read_strategy
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary

pytestmark = pytest.mark.xdist_group("blind")  # the tests share one evidence database

ROOT = Path(__file__).parents[2]
DAY = parse_day("2019-06-30")
YEAR = re.compile(r"(?<![\d,.])(19|20)\d{2}(?!\d)")

MOUTAI = Instrument(
    code="600519.SH",
    name="贵州茅台",
    name_en="Kweichow Moutai",
    aliases=("茅台", "贵州茅台酒股份有限公司", "Kweichow Moutai Co., Ltd."),
)
BLINDFOLD = Blindfold(MOUTAI, DAY)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("贵州茅台（600519.SH）", "公司A（CODE-A）"),
        ("贵州茅台酒股份有限公司，位于贵州", "公司A，位于某地"),
        ("茅台在 2018 年", "公司A在 T-1 年"),
        ("Kweichow Moutai Co., Ltd. grew", "Company A grew"),
        ("MOUTAI's 600519", "Company A's CODE-A"),
        ("moutain", "moutain"),
        ("2019-06-28", "T-0-06-28"),
        ("2014—2018 年", "T-5—T-1 年"),
        ("in 2018. Then", "in T-1. Then"),
        ("2020", "T+1"),
        ("2018.5 亿元", "2,018.5 亿元"),
        ("存货周转 1969 天", "存货周转 1,969 天"),
        ("| 2,018 | 2018 |", "| 2,018 | T-1 |"),
        ("120180", "120180"),
        ("另有 000858.SZ", "另有 CODE-A"),
    ],
)
def test_hiding(text: str, hidden: str) -> None:
    assert BLINDFOLD.hide(text) == hidden


@pytest.mark.parametrize(
    ("answer", "revealed"),
    [
        ("公司A在 T-1 年不如 T-0 年", "贵州茅台在 2018 年不如 2019 年"),
        ("Company A, T+1, CODE-A", "Kweichow Moutai, 2020, 600519.SH"),
        ("T-shirt, AT-1, T-123", "T-shirt, AT-1, T-123"),
    ],
)
def test_revealing(answer: str, revealed: str) -> None:
    assert BLINDFOLD.reveal(answer) == revealed


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(["贵州茅台", "600519.SH", "2017 年", "，", "利润", " 12.5 亿元"]), max_size=12)
)
def test_what_is_hidden_comes_back(parts: list[str]) -> None:
    text = "，".join(parts)
    assert BLINDFOLD.reveal(BLINDFOLD.hide(text)) == text


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=20), st.dates())
def test_the_factor_is_the_same_for_the_same_company_and_day_and_within_bounds(
    code: str, day: dt.date
) -> None:
    assert hidden_factor(code, day) == hidden_factor(code, day)
    assert 0.2 <= hidden_factor(code, day) <= 5.0


@pytest.mark.parametrize(
    ("name", "value", "real"),
    [
        (
            "一句话",
            "不高于 20.00 元才买，跌破 80.2 亿元就是错了",
            "不高于 10.00 元才买，跌破 40.1 亿元就是错了",
        ),
        ("thesis", "Buy at USD 20.00; wrong below CNY 8.2 bn", "Buy at USD 10.00; wrong below CNY 4.10 bn"),
        ("说明", "EV/FCF 12.3 倍，占 45.6%，第 3 年", "EV/FCF 12.3 倍，占 45.6%，第 3 年"),
        ("说明", "市值 1,234.5 亿港元", "市值 617.2 亿港元"),
        ("说明", "每股 0.04 元", "每股 0.0200 元"),
        ("苹果买卖模型", {"买入价": 20.0, "卖出价": 44}, {"买入价": 10.0, "卖出价": 22.0}),
        ("核心估值指标", {"EV/FCF": 20.0, "安全边际%": 30.0}, {"EV/FCF": 20.0, "安全边际%": 30.0}),
        ("核心估值指标", {"现价": 20.0, "价格分位": 0.4}, {"现价": 10.0, "价格分位": 0.4}),
        ("关键风险", ["短债 20.0 亿元", None, True], ["短债 10.0 亿元", None, True]),
        ("综合评分", 66.0, 66.0),
    ],
)
def test_a_conclusion_in_hidden_amounts_is_scaled_back(name: str, value: object, real: object) -> None:
    assert scaled_back(value, 2.0, name) == real


# --- whole runs --------------------------------------------------------------------------------------


class Recording:
    """The baseline, which keeps everything it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def complete(self, request: Request) -> Reply:
        self.told += [request.system, request.prompt]
        return await Baseline().complete(request)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("blind") / "evidence.db", ROOT / "data" / "facts")


def plan_of(db: EvidenceDB, code: str, day: str, blind: Blind, strategy: str = "value") -> Plan:
    return build(db, blinded(load_strategy(ROOT / "strategy" / f"{strategy}.yaml"), blind), code, day)


def build(db: EvidenceDB, loaded: LoadedStrategy, code: str, day: str) -> Plan:
    return pipelines.build(
        loaded,
        TickerSubject(code=code, name=db.instruments.by_code(code).name),
        view=db.view(parse_day(day)),
        prompts=PromptLibrary(ROOT / "prompts"),
        operators=OperatorLibrary(ROOT / "strategy" / "operators"),
    )


def carry_out(plan: Plan) -> tuple[Result, list[str]]:
    model = Recording()
    return asyncio.run(run(plan, Models(), model)), model.told


def identities(instrument: Instrument) -> Iterator[re.Pattern[str]]:
    for name in (instrument.code, instrument.code.split(".")[0], *instrument.names):
        edge = r"(?<![A-Za-z])", r"(?![A-Za-z])"
        yield re.compile(f"{edge[0]}{re.escape(name)}{edge[1]}" if name.isascii() else name, re.IGNORECASE)


# --- strategies made blind ---------------------------------------------------------------------------


def test_a_backtest_is_blind_unless_the_strategy_says_how_blind_it_is() -> None:
    value = load_strategy(ROOT / "strategy" / "value.yaml")
    blind = for_backtest(value)
    assert (value.strategy.blind, blind.strategy.blind) == ("none", "identity")  # type: ignore[union-attr]
    assert blind.hash != value.hash
    assert blind.text.startswith(value.text.rstrip("\n"))
    assert read_strategy(blind.text, "value.yaml").strategy == blind.strategy
    for said in ("none", "full"):
        own = read_strategy(f"{value.text}\nblind: {said}\n", "value.yaml")
        assert for_backtest(own) is own


def test_a_match_has_nobody_to_hide() -> None:
    match = load_strategy(ROOT / "strategy" / "match.yaml")
    assert blinded(match, "identity") is match


# --- prompts -----------------------------------------------------------------------------------------

COMPANIES = (
    *(("600519.SH", "2021-06-30"), ("600340.SH", "2019-06-30"), ("601288.SH", "2024-06-30")),
    *(("AAPL", "2016-06-30"), ("MSFT", "2018-01-31"), ("002304.SZ", "2019-06-30")),
    ("00700.HK", "2019-06-30"),
)

BLIND_RUNS = (
    *((code, day, blind, "value") for code, day in COMPANIES for blind in ("identity", "full")),
    *(("600519.SH", "2021-06-30", "identity", name) for name in ("value_full", "income", "quick_scan")),
    *(("601288.SH", "2024-06-30", "identity", name) for name in ("value_full", "bank")),
    ("AAPL", "2022-06-30", "identity", "value_full"),
    ("MSFT", "2016-06-30", "full", "value_en"),
)


@pytest.mark.parametrize(("code", "day", "blind", "strategy"), BLIND_RUNS)
def test_no_prompt_of_a_blind_run_tells_who_or_when(
    db: EvidenceDB, code: str, day: str, blind: Blind, strategy: str
) -> None:
    result, told = carry_out(plan_of(db, code, day, blind, strategy))
    assert result.status == "done"
    assert len(told) >= 8
    for text in told:
        assert YEAR.search(text) is None, YEAR.search(text)
        for identity in identities(db.instruments.by_code(code)):
            assert identity.search(text) is None, identity.pattern


def test_a_blind_run_judges_the_same_and_says_that_it_was_blind(db: EvidenceDB) -> None:
    plain, _ = carry_out(plan_of(db, "600519.SH", "2021-06-30", "none"))
    blind, _ = carry_out(plan_of(db, "600519.SH", "2021-06-30", "identity"))
    assert plain.verdict is not None
    assert blind.verdict is not None
    assert blind.verdict.score == plain.verdict.score
    assert blind.verdict.fields == plain.verdict.fields
    assert blind.verdict.warnings == ("盲测：名称与年份已隐去。", *plain.verdict.warnings)
    assert (plan_of(db, "600519.SH", "2021-06-30", "identity").blind, plain.status) == ("identity", "done")


def test_full_blindness_scales_amounts_and_keeps_ratios(db: EvidenceDB) -> None:
    plain, _ = carry_out(plan_of(db, "600519.SH", "2021-06-30", "none"))
    full, _ = carry_out(plan_of(db, "600519.SH", "2021-06-30", "full"))
    facts, scaled = (result.reports["ch04_valuation"].evidence.facts for result in (plain, full))
    factor = (
        scaled["statements"]["items"]["revenue"]["2020"] / facts["statements"]["items"]["revenue"]["2020"]
    )
    assert factor != pytest.approx(1.0, abs=0.01)
    assert scaled["latest"]["price"] == pytest.approx(facts["latest"]["price"] * factor)
    assert (
        scaled["statements"]["items"]["shares_outstanding"]
        == facts["statements"]["items"]["shares_outstanding"]
    )
    for name in ("pe", "pb", "ev_fcf", "price_position_5y"):
        assert scaled["latest"][name] == pytest.approx(facts["latest"][name])
    assert scaled["ratios"]["roe"]["2020"] == pytest.approx(facts["ratios"]["roe"]["2020"])
    assert plain.verdict is not None
    assert full.verdict is not None
    assert full.verdict.score == pytest.approx(plain.verdict.score, abs=0.2)
    assert f"金额与价格乘了隐藏系数 {factor:.4g}" in full.verdict.warnings[0]
    assert full.receipt == plain.receipt


def test_a_fully_blind_run_concludes_in_real_prices(db: EvidenceDB) -> None:
    """The prices a reader was told to buy and sell at were once multiplied by the hidden factor."""
    plain, _ = carry_out(plan_of(db, "AAPL", "2016-06-30", "none"))
    full, _ = carry_out(plan_of(db, "AAPL", "2016-06-30", "full"))
    assert plain.verdict is not None
    assert full.verdict is not None
    for name in ("苹果买卖模型", "核心估值指标"):
        assert full.verdict.fields[name] == pytest.approx(plain.verdict.fields[name], rel=1e-3)
    thesis = "一句话买入逻辑（强制）"
    real, shown = (
        [float(figure) for figure in re.findall(r"\d+\.\d+", verdict.fields[thesis])]
        for verdict in (plain.verdict, full.verdict)
    )
    assert shown == pytest.approx(real, rel=1e-3)
    final = full.reports["ch06_decision"].final
    assert final is not None
    assert final.fields["buy_price"] != pytest.approx(
        plain.verdict.fields["苹果买卖模型"]["买入价"], rel=0.01
    )


def test_editing_a_strategy_leaves_the_questions_of_its_chapters_as_they_were(db: EvidenceDB) -> None:
    """The hidden factor once depended on the file, so every edit asked, and paid for, every chapter anew."""
    text = (ROOT / "strategy" / "value.yaml").read_text(encoding="utf-8")
    edited = read_strategy(text.replace('range: "85-100"', 'range: "84.5-100"'), "value.yaml")
    assert edited.hash != read_strategy(text, "value.yaml").hash
    prompts = []
    for loaded in (edited, read_strategy(text, "value.yaml")):
        plan = build(db, blinded(loaded, "full"), "AAPL", "2016-06-30")
        prompts.append(carry_out(plan)[1][:3])
    assert prompts[0] == prompts[1]


def test_the_schema_sent_beside_the_prompt_tells_no_more_than_the_prompt(db: EvidenceDB) -> None:
    """Servers that hold a model to a schema get it with the request; it once named the field after Apple."""
    schemas: list[str] = []

    class Watching:
        async def complete(self, request: Request) -> Reply:
            schemas.append(json.dumps(json_schema(request.schema), ensure_ascii=False))
            return await Baseline().complete(request)

    result = asyncio.run(run(plan_of(db, "AAPL", "2016-06-30", "identity"), Models(), Watching()))
    assert result.verdict is not None
    assert result.verdict.fields["苹果买卖模型"]
    assert "公司A买卖模型" in schemas[-1]
    for schema in schemas:
        for identity in identities(db.instruments.by_code("AAPL")):
            assert identity.search(schema) is None, identity.pattern


def test_a_strategy_field_named_like_the_company_is_answered_under_its_own_name(db: EvidenceDB) -> None:
    """One synthesis field is called 苹果买卖模型, which in a run on Apple gives the company away."""
    result, told = carry_out(plan_of(db, "AAPL", "2016-06-30", "identity"))
    assert "公司A买卖模型" in told[-1]
    assert result.verdict is not None
    assert result.verdict.fields["苹果买卖模型"]
