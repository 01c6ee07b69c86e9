"""What is it worth, and at which price? Rules of the operators on valuation, stress and the decision.

One estimate of value serves three operators, so that they cannot contradict each other: normal earning
power times a multiple that growth and return on equity allow, or for a financial the book value its
return on equity earns.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule

LOW_PE = 15.0
"""A P/E above this is not cheap, so it cannot be a trap of cheapness."""

REQUIRED_RETURN = 0.10
"""Return on equity at which a financial is worth its book value."""

BUY_SHARE = 0.7
"""Buy at 30 % below the normal price, so that the estimate may be wrong by that much."""

SELL_SHARE = 1.5
"""Sell at half above the normal price, where even the next years' growth is paid for."""


@dataclass(frozen=True)
class Worth:
    """An estimate of value.

    Attributes:
        per_share: Normal price of one share, in the trading currency.
        margin: How far the price stands below it, as a fraction of it; negative when above.
        multiple: The multiple it rests on: of earning power, or of book value for a financial.
        basis: The reasoning with its figures, in one clause.
    """

    per_share: float
    margin: float
    multiple: float
    basis: str


def worth(book: Book) -> Worth | None:
    """Value per share from normal earning power; None where price, shares or earning power are missing.

    Value per share is price x value / market capitalisation, so that the share count is only used on the
    basis the price is quoted on.
    """
    price, cap = book.latest("price"), book.latest("market_cap")
    if price is None or not cap:
        return None
    estimate = _financial_value(book) if book.financial else _business_value(book)
    if estimate is None:
        return None
    value, multiple, basis = estimate
    per_share = price * value / cap
    return Worth(per_share, 1.0 - price / per_share, multiple, basis)


@rule("pe_trap_detection")
def pe_trap_detection(book: Book) -> Finding:
    """Is a low P/E cheap, or is the profit about to go? Four signs that it is."""
    pe = book.latest("pe")
    if pe is None:
        return no_view(
            book, "没有市盈率，无从谈陷阱。", "There is no P/E, so there is nothing to be trapped by."
        )
    quoted = book.say(f"市盈率 {book.words.times(pe)}", f"P/E of {book.words.times(pe)}")
    if pe > LOW_PE:
        return Finding(
            score=56.0,
            gist=book.say(f"{quoted}，不算便宜", f"{quoted}, not cheap"),
            note=book.say(
                f"{quoted}，不属低市盈率，不存在“看着便宜”的陷阱。",
                f"A {quoted} is not low, so there is no trap of seeming cheap.",
            ),
            outputs={"pe_trap": "非陷阱"},
            evidence=[quoted],
        )
    signs = _signs_of_a_trap(book)
    verdict = "陷阱" if len(signs) >= 2 else "疑似" if signs else "非陷阱"
    english = {"陷阱": "a trap", "疑似": "maybe a trap", "非陷阱": "no trap"}[verdict]
    return Finding(
        score={"陷阱": 20.0, "疑似": 48.0, "非陷阱": 78.0}[verdict],
        gist=book.say(
            f"{quoted}，{'不是陷阱' if verdict == '非陷阱' else '疑似陷阱' if signs and len(signs) < 2 else '是陷阱'}",
            f"{quoted}, {english}",
        ),
        note=book.say(
            f"{quoted}，"
            + (
                f"但{'；'.join(signs)}，低市盈率{'多半是陷阱' if len(signs) > 1 else '需要打折扣'}。"
                if signs
                else "利润有现金支撑、没有下滑迹象，便宜是真便宜。"
            ),
            f"{quoted}"
            + (
                f", but {'; '.join(signs)}: {english}."
                if signs
                else ", with profit backed by cash and not sliding: cheap is cheap."
            ),
        ),
        outputs={"pe_trap": verdict},
        evidence=[quoted, *signs],
    )


@rule("ev_fcf_multiple")
def ev_fcf_multiple(book: Book) -> Finding:
    """Years of free cash flow the whole enterprise costs."""
    multiple = book.latest("ev_fcf")
    if multiple is None:
        fcf = book.item("fcf")
        if fcf is not None and fcf <= 0:
            return Finding(
                score=24.0,
                gist=book.say(f"{book.money('fcf')}，倍数无意义", f"{book.money('fcf')}, no multiple"),
                note=book.say(
                    f"{book.money('fcf')}，EV/FCF 没有意义，这个价格买不到现金。",
                    f"{book.money('fcf')}: EV/FCF means nothing, the price buys no cash.",
                ),
                outputs={"ev_fcf_view": "高估"},
                evidence=[book.money("fcf")],
            )
        return no_view(book, "EV/FCF 算不出来。", "EV/FCF cannot be computed.")
    quoted = f"EV/FCF {book.words.times(multiple)}"
    view = "低估" if multiple < 12 else "合理" if multiple <= 22 else "高估"
    english = {"低估": "cheap", "合理": "fair", "高估": "dear"}[view]
    return Finding(
        score=ladder(-multiple, (-8, 88), (-12, 78), (-16, 66), (-22, 54), (-30, 40), below=26),
        gist=book.say(f"{quoted}，{view}", f"{quoted}, {english}"),
        note=book.say(
            f"{quoted}（{book.money('fcf')}），按现金看{view}。"
            if book.item("fcf") is not None
            else f"{quoted}，按现金看{view}。",
            f"{quoted}: {english} by cash.",
        ),
        outputs={"ev_fcf": round(multiple, 2), "ev_fcf_view": view},
        evidence=[quoted],
    )


@rule("safety_margin")
def safety_margin(book: Book) -> Finding:
    """Price against value."""
    price = book.latest("price")
    if price is None:
        return no_view(book, "没有价格，安全边际无从谈起。", "Without a price there is no margin of safety.")
    value = worth(book)
    quoted = book.say(
        f"收盘价 {book.words.price(price, book.price_currency)}（{book.price_date}）",
        f"close {book.words.price(price, book.price_currency)} ({book.price_date})",
    )
    if value is None:
        if _earning_power_negative(book):
            return Finding(
                score=20.0,
                gist=book.say("正常盈利为负，没有安全边际", "no normal earnings, no margin of safety"),
                note=book.say(
                    f"{quoted}。三年平均现金盈利不为正，给不出内在价值，谈不上安全边际。",
                    f"{quoted}. Three years of cash earnings do not add up to a value: no margin of safety.",
                ),
                outputs={"margin_level": "为负"},
                evidence=[quoted, book.run("fcf", 3)],
            )
        return no_view(
            book, "内在价值所需的数字不全。", "The figures an estimate of value needs are missing."
        )
    margin = value.margin
    level = "充足" if margin >= 0.3 else "一般" if margin >= 0.1 else "不足" if margin >= 0 else "为负"
    english = {"充足": "ample", "一般": "fair", "不足": "thin", "为负": "negative"}[level]
    worth_text = book.words.price(value.per_share, book.price_currency)
    return Finding(
        score=ladder(margin, (0.45, 90), (0.3, 80), (0.1, 64), (0.0, 54), (-0.3, 42), (-0.8, 32), below=24),
        gist=book.say(
            f"安全边际{level}（{book.words.percent(margin)}）",
            f"{english} margin of safety ({book.words.percent(margin)})",
        ),
        note=book.say(
            f"{value.basis}，内在价值约 {worth_text}；{quoted}，安全边际 {book.words.percent(margin)}，{level}。",
            f"{value.basis}: worth about {worth_text}; {quoted}, a margin of {book.words.percent(margin)}, {english}.",
        ),
        outputs={
            "intrinsic_value": round(value.per_share, 2),
            "safety_margin": round(margin * 100, 1),
            "fair_multiple": round(value.multiple, 2),
            "margin_level": level,
        },
        evidence=[quoted],
    )


@rule("historical_valuation")
def historical_valuation(book: Book) -> Finding:
    """Where the price stands in its own five years."""
    position = book.latest("price_position_5y")
    if position is None:
        return no_view(book, "价格历史不足，分位看不出。", "Too little price history for a position.")
    place = "低位" if position < 0.3 else "中位" if position <= 0.7 else "高位"
    english = {"低位": "low", "中位": "middle", "高位": "high"}[place]
    text = book.words.percent(position)
    return Finding(
        score=ladder(-position, (-0.15, 72), (-0.3, 66), (-0.7, 56), below=44),
        gist=book.say(f"价格处于五年{place}", f"price {english} in its five-year range"),
        note=book.say(
            f"价格处在五年区间的 {text}，属{place}；这只说明市场情绪，不说明价值。",
            f"The price stands at {text} of its five-year range, {english}: that is mood, not value.",
        ),
        outputs={"history_position": place, "price_position": round(position * 100, 1)},
        evidence=[book.say(f"五年价格分位 {text}", f"five-year price position {text}")],
    )


@rule("price_model")
def price_model(book: Book) -> Finding:
    """Buy, normal and sell price, and what the present price says to do."""
    value, price = worth(book), book.latest("price")
    if value is None or price is None:
        if price is not None and _earning_power_negative(book):
            return Finding(
                score=22.0,
                gist=book.say("给不出买入价", "no buy price can be given"),
                note=book.say(
                    "正常盈利不为正，任何买入价都是猜测，不给。",
                    "Without normal earnings any buy price would be a guess, so none is given.",
                ),
                outputs={"action": "回避"},
                evidence=[book.run("fcf", 3)],
            )
        return no_view(
            book, "没有可用的价格或估值，不给买卖价。", "No usable price or value, so no prices to act on."
        )
    buy, normal, sell = (round(value.per_share * share, 2) for share in (BUY_SHARE, 1.0, SELL_SHARE))
    action = "买入" if price <= buy else "观望" if price < sell else "回避"
    english = {"买入": "buy", "观望": "wait", "回避": "stay away"}[action]
    name = book.price_currency
    texts = [book.words.price(amount, name) for amount in (buy, normal, sell, price)]
    return Finding(
        score=ladder(value.margin, (0.45, 86), (0.3, 78), (0.1, 64), (0.0, 56), (-0.5, 42), below=26),
        gist=book.say(
            f"买入价 {texts[0]}，现价 {texts[3]}，{action}", f"buy at {texts[0]}, price {texts[3]}: {english}"
        ),
        note=book.say(
            f"买入价 {texts[0]}、正常价 {texts[1]}、卖出价 {texts[2]}；现价 {texts[3]}，应{action}。",
            f"Buy at {texts[0]}, normal {texts[1]}, sell at {texts[2]}; the price is {texts[3]}: {english}.",
        ),
        outputs={"buy_price": buy, "normal_price": normal, "sell_price": sell, "action": action},
        evidence=[
            book.say(f"收盘价 {texts[3]}（{book.price_date}）", f"close {texts[3]} ({book.price_date})")
        ],
    )


@rule("stress_test")
def stress_test(book: Book) -> Finding:
    """Three scenarios; each is a question the figures answer with yes or no."""
    scenarios = _bank_scenarios(book) if book.financial else _business_scenarios(book)
    known = [(name, passed) for name, passed in scenarios if passed is not None]
    if not known:
        return no_view(book, "压力情景所需的科目不全。", "The items the scenarios need are missing.")
    passed = [name for name, ok in known if ok]
    failed = [name for name, ok in known if not ok]
    unknown = len(scenarios) - len(known)
    parts = []
    if passed:
        parts.append(book.say(f"扛得住：{'；'.join(passed)}。", f"It withstands: {'; '.join(passed)}."))
    if failed:
        parts.append(
            book.say(f"扛不住：{'；'.join(failed)}。", f"It does not withstand: {'; '.join(failed)}.")
        )
    if unknown:
        parts.append(book.say("其余情景缺数。", "The rest lacks figures."))
    return Finding(
        score={3: 82.0, 2: 60.0, 1: 36.0, 0: 16.0}[len(passed)]
        if not unknown
        else 70.0
        if not failed
        else 40.0,
        gist=book.say(f"扛不住{failed[0]}", f"does not withstand {failed[0]}")
        if failed
        else book.say("压力情景都扛得住", "withstands the scenarios"),
        note=book.words.sentences(parts),
        outputs={
            "stress_passed": len(passed) if not unknown else None,
            "weakest_scenario": failed[0] if failed else None,
        },
        evidence=_stress_evidence(book),
    )


def _business_value(book: Book) -> tuple[float, float, str] | None:
    """The lower of three-year free cash flow and three-year profit, times a multiple."""
    power = _earning_power(book)
    growth, roe = book.growth("net_profit", max(1, min(5, len(book.years) - 1))), book.mean("roe", 3)
    if power is None or power <= 0:
        return None
    multiple = 10.0
    if growth is not None and roe is not None and growth >= 0:
        multiple = (
            25.0 if growth >= 0.15 and roe >= 0.15 else 20.0 if growth >= 0.08 and roe >= 0.12 else 15.0
        )
    return (
        power * multiple,
        multiple,
        book.say(
            f"{book.run('fcf', 3)}，{book.run('net_profit', 3)}，取平均较低者为正常盈利，按 {book.words.times(multiple)}计",
            f"{book.run('fcf', 3)}; {book.run('net_profit', 3)}; the lower average taken {book.words.times(multiple)}",
        ),
    )


def _financial_value(book: Book) -> tuple[float, float, str] | None:
    """Book value times what its return on equity earns of the required return."""
    roe, equity = book.mean("roe", 3), book.item("equity_parent")
    if roe is None or equity is None or equity <= 0 or roe <= 0:
        return None
    multiple = fair_pb(roe)
    return (
        equity * multiple,
        multiple,
        book.say(
            f"{book.run('roe', 3, percent=True)}，支撑 {book.words.times(multiple)}市净率",
            f"{book.run('roe', 3, percent=True)} supports a P/B of {book.words.times(multiple)}",
        ),
    )


def fair_pb(roe: float) -> float:
    """P/B a return on equity earns, kept between 0.4 and 2.0."""
    return min(2.0, max(0.4, roe / REQUIRED_RETURN))


def _earning_power(book: Book) -> float | None:
    cash, profit = book.mean("fcf", 3), book.mean("net_profit", 3)
    return None if cash is None or profit is None else min(cash, profit)


def _earning_power_negative(book: Book) -> bool:
    power = book.mean("net_profit", 3) if book.financial else _earning_power(book)
    return power is not None and power <= 0


def _signs_of_a_trap(book: Book) -> list[str]:
    signs = []
    cash, profit = book.series("cfo", 3), book.series("net_profit", 3)
    if len(cash) == len(profit) == 3 and sum(v for _, v in cash) < 0.5 * sum(v for _, v in profit):
        signs.append(
            book.say(
                f"利润没有收到现金（{book.run('cfo', 3)}）",
                f"the profit came without cash ({book.run('cfo', 3)})",
            )
        )
    growth = book.item("profit_growth")
    if growth is not None and growth < -0.05:
        signs.append(
            book.say(
                f"{book.run('profit_growth', 1, percent=True)}，利润在下滑",
                f"{book.run('profit_growth', 1, percent=True)}: profit is sliding",
            )
        )
    margins = [value for _, value in book.series("net_margin", 6)]
    if len(margins) == 6 and 0 < sum(margins[:-1]) / 5 and margins[-1] > 1.3 * sum(margins[:-1]) / 5:
        signs.append(
            book.say(
                f"{book.run('net_margin', 2, percent=True)}，高出自身常态，未必守得住",
                f"{book.run('net_margin', 2, percent=True)}, above its own norm",
            )
        )
    net_cash, equity = book.item("net_cash"), book.item("equity_parent")
    if net_cash is not None and equity is not None and -net_cash > max(equity, 0.0):
        signs.append(
            book.say(
                f"{book.money('net_cash')}，负债会先于股东拿走利润",
                f"{book.money('net_cash')}: lenders come before the owners",
            )
        )
    return signs


Scenario = tuple[str, bool | None]


def _business_scenarios(book: Book) -> tuple[Scenario, ...]:
    operating, paid = book.item("operating_profit"), book.item("dividends_and_interest_paid")
    cash, short = book.item("cash"), book.item("short_term_debt")
    long, fcf, capex = book.item("long_term_debt"), book.mean("fcf", 3), book.item("capex")
    flows = [value for _, value in book.series("cfo", 5)]
    slump = None if operating is None or paid is None else 0.7 * operating >= paid
    drought = (
        None
        if cash is None or short is None or capex is None or len(flows) < 3
        else cash + 2 * (min(flows) - capex) >= short
    )
    closed = (
        None
        if cash is None or short is None or long is None or fcf is None
        else cash + 2 * fcf >= short + long / 3
    )
    return (
        (
            book.say(
                "营业利润降三成仍要付息分红",
                "operating profit down by a third with interest and dividends to pay",
            ),
            slump,
        ),
        (
            book.say("最差的经营现金流连续两年重演", "the worst operating cash flow two years running"),
            drought,
        ),
        (
            book.say("两年借不到新钱而债务照常到期", "two years without new loans while debt falls due"),
            closed,
        ),
    )


def _bank_scenarios(book: Book) -> tuple[Scenario, ...]:
    profit, paid = book.item("net_profit"), book.item("dividends_and_interest_paid")
    operating, impairment = book.item("operating_profit"), book.item("credit_impairment")
    equity, assets = book.item("total_equity"), book.item("total_assets")
    return (
        (
            book.say("净利润降三成仍要分红", "profit down by a third with the dividend to pay"),
            None if profit is None or paid is None else 0.7 * profit >= paid,
        ),
        (
            book.say("信用减值翻倍", "credit impairment doubled"),
            None if operating is None or impairment is None else operating > impairment,
        ),
        (
            book.say("百分之二的资产成为损失", "two per cent of assets lost"),
            None if equity is None or not assets else (equity - 0.02 * assets) / assets >= 0.05,
        ),
    )


def _stress_evidence(book: Book) -> list[str]:
    names = (
        ("net_profit", "credit_impairment", "total_equity")
        if book.financial
        else ("cash", "short_term_debt", "long_term_debt", "operating_profit")
    )
    return [book.money(name) for name in names if book.item(name) is not None]
