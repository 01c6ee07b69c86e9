"""Which companies a text names: whole names, marked tickers, codes in any spelling, and nothing else."""

from __future__ import annotations

import time

import pytest

from workbench.evidence.instruments import Instrument, Instruments
from workbench.evidence.linking import link

COMPANIES = Instruments(
    [
        Instrument(
            code="601288.SH",
            name="农业银行",
            name_en="Agricultural Bank of China",
            aliases=("农行", "中国农业银行", "ABC", "AgBank"),
        ),
        Instrument(code="600519.SH", name="贵州茅台", name_en="Kweichow Moutai", aliases=("茅台", "Moutai")),
        Instrument(code="00700.HK", name="腾讯控股", name_en="Tencent Holdings", aliases=("腾讯", "Tencent")),
        Instrument(code="01698.HK", name="腾讯音乐", name_en="Tencent Music"),
        Instrument(code="AAPL", name="苹果", name_en="Apple", aliases=("Apple Inc.",)),
        Instrument(code="MSFT", name="微软", name_en="Microsoft"),
        Instrument(code="MA", name="万事达", name_en="Mastercard"),
        Instrument(code="COST", name="开市客", name_en="Costco"),
    ]
)


def codes(title: str, body: str = "") -> list[str]:
    return [found.code for found in link(title, body, COMPANIES)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Apple's chips", ["AAPL"]),
        ("APPLE UP", ["AAPL"]),
        ("pineapple and applesauce", []),
        ("an apple a day", []),
        ("Applebee's opens", []),
        ("MARKET MAKERS", []),
        ("Boston, MA", []),
        ("Ma said", []),
        ("Mastercard rose", ["MA"]),
        ("Payments (MA) rose", ["MA"]),
        ("NYSE: MA", ["MA"]),
        ("$MA", ["MA"]),
        ("MA shares rose", ["MA"]),
        ("ABC News reports", []),
        ("AgBank reports", ["601288.SH"]),
        ("Agricultural Bank of China (ABC)", ["601288.SH"]),
        ("Agricultural Bank of Chinatown", []),
        ("$AAPL", ["AAPL"]),
        ("AAPL大跌", ["AAPL"]),
        ("AAPL Q1", ["AAPL"]),
        ("RISING COST OF LIVING HITS HOUSEHOLDS", []),
        ("COSTCO UP", ["COST"]),
        ("write to tim@Apple.com or www.Apple.com/shop", []),
        ("Ａｐｐｌｅ 公司", ["AAPL"]),
        ("A\u200bpp\u00adle", ["AAPL"]),
    ],
)
def test_latin_names_count_as_whole_words_and_short_tickers_where_they_are_marked(
    text: str, expected: list[str]
) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("农行业绩超预期", ["601288.SH"]),
        ("农行为小微企业贷款", ["601288.SH"]),
        ("农行行长", ["601288.SH"]),
        ("涉农行业景气", []),
        ("助农行动启动", []),
        ("中国农业银行公告", ["601288.SH"]),
        ("中国农业发展银行", []),
        ("茅台提价", ["600519.SH"]),
        ("茅台镇酱酒", []),
        ("茅台机场", []),
        ("小微软件公司", []),
        ("微软发布", ["MSFT"]),
        ("苹果园申请破产，果农受损", []),
        ("苹果园丰收", []),
        ("苹果树病害，苹果汁与苹果醋涨价", []),
        ("苹果派、苹果酱与苹果干", []),
        ("苹果期货大涨，苹果主产区丰收", []),
        ("苹果手机销量下滑", ["AAPL"]),
        ("苹果园区扩建", ["AAPL"]),
        ("苹果树立新标杆", ["AAPL"]),
        ("苹果派发股息", ["AAPL"]),
        ("腾讯音乐上市", ["01698.HK"]),
        ("腾讯与苹果", ["00700.HK", "AAPL"]),
    ],
)
def test_chinese_names_count_where_they_are_no_part_of_another_word(text: str, expected: list[str]) -> None:
    """An apple orchard that went bankrupt was linked to Apple."""
    assert sorted(codes(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("（601288/01288）", ["601288.SH"]),
        ("600519.SS", ["600519.SH"]),
        ("SH600519", ["600519.SH"]),
        ("hk00700", ["00700.HK"]),
        ("0700.HK", ["00700.HK"]),
        ("00700", ["00700.HK"]),
        ("代码600519涨停", ["600519.SH"]),
        ("600519股价创新高", ["600519.SH"]),
        ("回购600519股", []),
        ("产量 600519 吨", []),
        ("产量 1,600519 吨", []),
        ("涨幅 600519%", []),
        ("价格 3.600519 元", []),
        ("$600519", []),
        ("共 700 家", []),
        ("成交600519手", []),
        ("成交量 600519 笔", []),
        ("电话600519", []),
        ("客服热线：600519", []),
        ("订单号 600519", []),
        ("call 600519 now", []),
        ("600519 shares were sold", []),
        ("约600519人", []),
        ("600519个股公告", ["600519.SH"]),
        ("600519 点评", ["600519.SH"]),
        ("股票600519，手续费不变", ["600519.SH"]),
        ("600518", []),
    ],
)
def test_codes_count_in_any_spelling_and_plain_numbers_do_not(text: str, expected: list[str]) -> None:
    """A turnover of 600519 lots and a telephone number were taken for the code of a company."""
    assert codes(text) == expected


def test_the_title_comes_first_then_the_more_often_named() -> None:
    found = link("微软受益", "苹果。茅台、茅台、腾讯。苹果、苹果。", COMPANIES)
    assert [(f.code, f.in_title, f.mentions) for f in found] == [
        ("MSFT", True, 1),
        ("AAPL", False, 3),
        ("600519.SH", False, 2),
        ("00700.HK", False, 1),
    ]
    assert found[0].matched == "微软"


def test_thousands_of_companies_do_not_slow_a_long_text_down() -> None:
    many = Instruments(
        [Instrument(code=f"X{n:04}", name=f"公司{n:04}", name_en=f"Company {n:04}") for n in range(5000)]
    )
    text = "Company 0001 and 公司0002 met. " * 800
    link("", "warm up", many)
    started = time.perf_counter()
    found = link("", text, many)
    assert {f.code for f in found} == {"X0001", "X0002"}
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize("filler", ["x", "@", "http", "农行业", "A ", "(", "1"])
def test_no_text_takes_long_to_read(filler: str) -> None:
    """A long run without spaces was tried as an e-mail address from each of its letters."""
    started = time.perf_counter()
    codes("", filler * (20_000 // len(filler)))
    assert time.perf_counter() - started < 0.5
