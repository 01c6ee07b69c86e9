"""What is it worth, and at which price? Rules of the operators on valuation, price and decision.

One estimate of value serves them all, so that they cannot contradict each other: normal earning power times
a multiple that growth and return allow, or for a financial the book value its return on equity earns.
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
"""Sell at half above the normal price, where the growth of the next years is already paid for."""


@dataclass(frozen=True)
class Worth:
    """An estimate of value.

    Attributes:
        per_share: Normal price of one share, in the trading currency.
        margin: How far the price stands below it, as a fraction of it; negative when above.
        multiple: The multiple it rests on: of earning power, or of book value for a financial.
        basis: The figures it rests on, one clause each.
    """

    per_share: float
    margin: float
    multiple: float
    basis: list[str]


def worth(book: Book) -> Worth | None:
    """Value per share; None where price, shares or positive earning power are missing.

    It is price x value / market capitalisation, so that the share count is used only on the basis the price
    is quoted on.
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


def fair_pb(roe: float) -> float:
    """The P/B a return on equity earns, kept between 0.4 and 2."""
    return min(2.0, max(0.4, roe / REQUIRED_RETURN))


@rule("pe_trap_detection")
def pe_trap_detection(book: Book) -> Finding:
    """Is a low P/E cheap, or is the profit about to go? Four signs that it is."""
    pe = book.latest("pe")
    if pe is None:
        return _no_pe(book)
    quoted = book.quote("pe")
    if pe > LOW_PE:
        return Finding(
            score=56.0,
            gist=book.say(f"{quoted}，不算便宜", f"{quoted}, not cheap"),
            note=book.say(
                f"{quoted}，不属低市盈率，谈不上“看着便宜”的陷阱。",
                f"A {quoted} is not low, so there is no trap of seeming cheap.",
            ),
            outputs={"pe_trap": "非陷阱"},
            evidence=[quoted],
        )
    signs = _signs_of_a_trap(book)
    verdict = "陷阱" if len(signs) >= 2 else "疑似" if signs else "非陷阱"
    ending = {
        "陷阱": book.say("低市盈率多半是陷阱", "the low P/E is most likely a trap"),
        "疑似": book.say("低市盈率要打折扣看", "the low P/E is to be discounted"),
        "非陷阱": book.say(
            "利润有现金支撑、没有下滑迹象，便宜是真便宜",
            "really cheap: the profit is backed by cash and holds",
        ),
    }[verdict]
    gist = {
        "陷阱": book.say(f"{quoted}是陷阱", f"{quoted} is a trap"),
        "疑似": book.say(f"{quoted}疑似陷阱", f"{quoted} may be a trap"),
        "非陷阱": book.say(f"{quoted}不是陷阱", f"{quoted} is no trap"),
    }[verdict]
    return Finding(
        score={"陷阱": 20.0, "疑似": 48.0, "非陷阱": 78.0}[verdict],
        gist=gist,
        note=book.words.sentence([quoted, *signs, ending]),
        outputs={"pe_trap": verdict},
        evidence=[quoted, *signs],
    )


@rule("ev_fcf_multiple")
def ev_fcf_multiple(book: Book) -> Finding:
    """Years of free cash flow that the whole enterprise costs."""
    multiple, fcf = book.latest("ev_fcf"), book.item("fcf")
    if multiple is None:
        if fcf is not None and fcf <= 0 and book.latest("market_cap") is not None:
            return Finding(
                score=24.0,
                gist=book.say("自由现金流为负，EV/FCF 无意义", "free cash flow is negative, no EV/FCF"),
                note=book.words.sentence(
                    [
                        book.cite("fcf"),
                        book.say(
                            "EV/FCF 没有意义，这个价格买不到现金",
                            "EV/FCF means nothing, the price buys no cash",
                        ),
                    ]
                ),
                outputs={"ev_fcf_view": "高估"},
                evidence=[book.cite("fcf")],
            )
        return _no_multiple(
            book, "EV/FCF 缺少所需的数字，算不出来。", "Figures that EV/FCF needs are missing."
        )
    view = "低估" if multiple < 12 else "合理" if multiple <= 22 else "高估"
    word, quoted = book.words.choice(view), book.quote("ev_fcf")
    return Finding(
        score=ladder(-multiple, (-8, 88), (-12, 78), (-16, 66), (-22, 54), (-30, 40), below=26),
        gist=book.say(f"{quoted}，{word}", f"{quoted}, {word}"),
        note=book.words.sentence(
            [quoted, book.cite("fcf"), book.say(f"按现金看{word}", f"{word} by its cash")]
        ),
        outputs={"ev_fcf": round(multiple, 2), "ev_fcf_view": view},
        evidence=[quoted, book.cite("fcf")],
    )


@rule("safety_margin")
def safety_margin(book: Book) -> Finding:
    """Price against value."""
    price = book.latest("price")
    if price is None:
        return no_view(
            book,
            "没有可用的价格，安全边际无从谈起。",
            "Without a current price there is no margin of safety.",
        )
    close = _close(book, price)
    value = worth(book)
    if value is None:
        if not _earns_nothing(book):
            return no_view(
                book, "内在价值所需的数字不全。", "Figures an estimate of value needs are missing."
            )
        return Finding(
            score=20.0,
            gist=book.say("正常盈利为负，没有安全边际", "normal earnings not positive, no margin of safety"),
            note=book.words.sentence(
                [
                    close,
                    book.run("net_profit" if book.financial else "fcf"),
                    book.say(
                        "三年平均不为正，给不出内在价值", "the average is not positive and gives no value"
                    ),
                ]
            ),
            outputs={"margin_level": "为负"},
            evidence=[close, book.run("net_profit" if book.financial else "fcf")],
        )
    margin = value.margin
    level = "充足" if margin >= 0.3 else "一般" if margin >= 0.1 else "不足" if margin >= 0 else "为负"
    word, percent = book.words.choice(level), book.words.percent(margin)
    normal = book.words.price(value.per_share, book.price_currency)
    return Finding(
        score=ladder(margin, (0.45, 90), (0.3, 80), (0.1, 64), (0.0, 54), (-0.3, 42), (-0.8, 32), below=24),
        gist=book.say(f"安全边际{word}（{percent}）", f"{word} margin of safety ({percent})"),
        note=book.words.sentences(
            [
                book.words.sentence(
                    [*value.basis, book.say(f"每股约值 {normal}", f"about {normal} a share")]
                ),
                book.words.sentence(
                    [close, book.say(f"安全边际 {percent}，{word}", f"margin {percent}, {word}")]
                ),
            ]
        ),
        outputs={
            "intrinsic_value": round(value.per_share, 2),
            "safety_margin": round(margin * 100, 2),
            "fair_multiple": round(value.multiple, 2),
            "margin_level": level,
        },
        evidence=[close, *value.basis],
    )


@rule("historical_valuation")
def historical_valuation(book: Book) -> Finding:
    """Where the price stands in its own five years."""
    position = book.latest("price_position_5y")
    if position is None:
        return _no_multiple(
            book, "价格历史不足两年，分位看不出。", "Less than two years of prices: no position."
        )
    place = "低位" if position < 0.3 else "中位" if position <= 0.7 else "高位"
    word, quoted = book.words.choice(place), book.quote("price_position_5y")
    return Finding(
        score=ladder(-position, (-0.15, 72), (-0.3, 66), (-0.7, 56), below=44),
        gist=book.say(f"价格处于五年{word}", f"price in the {word} part of its five years"),
        note=book.words.sentence(
            [
                quoted,
                book.say(f"属{word}，说明的是情绪而不是价值", f"{word}: that is mood and not value"),
            ]
        ),
        outputs={"history_position": place, "price_position": round(position * 100, 2)},
        evidence=[quoted],
    )


@rule("price_model")
def price_model(book: Book) -> Finding:
    """Buy, normal and sell price, and what the present price says to do."""
    value, price = worth(book), book.latest("price")
    if value is None or price is None:
        if price is None or not _earns_nothing(book):
            return no_view(
                book,
                "没有可用的价格或估值，不给买卖价。",
                "No usable price or value, so no prices to act on.",
            )
        return Finding(
            score=22.0,
            gist=book.say("正常盈利为负，给不出买入价", "normal earnings not positive, no buy price"),
            note=book.say(
                "正常盈利不为正，任何买入价都是猜测，不给。",
                "Normal earnings are not positive: any buy price would be a guess, so none is given.",
            ),
            outputs={"action": "回避"},
        )
    buy, normal, sell = (round(value.per_share * share, 2) for share in (BUY_SHARE, 1.0, SELL_SHARE))
    action = "买入" if price <= buy else "观望" if price < sell else "回避"
    word = book.words.choice(action)
    at = [book.words.price(amount, book.price_currency) for amount in (buy, normal, sell, price)]
    return Finding(
        score=ladder(value.margin, (0.45, 86), (0.3, 78), (0.1, 64), (0.0, 56), (-0.5, 42), below=26),
        gist=book.say(f"买入价 {at[0]}，现价 {at[3]}，{word}", f"buy at {at[0]}, price {at[3]}: {word}"),
        note=book.say(
            f"买入价 {at[0]}，正常价 {at[1]}，卖出价 {at[2]}；现价 {at[3]}，应{word}。",
            f"Buy at {at[0]}, normal {at[1]}, sell at {at[2]}; at {at[3]}, {word}.",
        ),
        outputs={"buy_price": buy, "normal_price": normal, "sell_price": sell, "action": action},
        evidence=[_close(book, price)],
    )


def _no_pe(book: Book) -> Finding:
    profit = book.item("net_profit")
    if not book.no_price and profit is not None and profit <= 0:
        return no_view(
            book,
            f"{book.cite('net_profit')}，亏损时市盈率没有意义，谈不上低市盈率的陷阱。",
            f"{book.cite('net_profit')}: a loss has no P/E, so there is no low one to be trapped by.",
        )
    return _no_multiple(
        book, "缺少所需的数字，没有市盈率可看。", "Figures a P/E needs are missing, so there is none."
    )


def _no_multiple(book: Book, zh: str, en: str) -> Finding:
    """No view on a figure of today's price: because there is no price, or else for the reason given."""
    if book.no_price:
        return no_view(
            book,
            "没有可用的现价，与价格有关的判断都不作。",
            "There is no current price, so nothing that needs one is judged.",
        )
    return no_view(book, zh, en)


def _close(book: Book, price: float) -> str:
    text = book.words.price(price, book.price_currency)
    return book.say(f"收盘价 {text}（{book.price_date}）", f"close {text} ({book.price_date})")


def _business_value(book: Book) -> tuple[float, float, list[str]] | None:
    """The lower of three years' free cash flow and profit, times a multiple."""
    power, growth, roe = _earning_power(book), book.growth("net_profit", book.span), book.mean("roe", 3)
    if power is None or power <= 0:
        return None
    multiple = 10.0
    if growth is not None and roe is not None and growth >= 0:
        multiple = (
            25.0 if growth >= 0.15 and roe >= 0.15 else 20.0 if growth >= 0.08 and roe >= 0.12 else 15.0
        )
    times = book.words.times(multiple)
    return (
        power * multiple,
        multiple,
        [
            book.run("fcf"),
            book.run("net_profit"),
            book.say(f"取三年平均较低者，按 {times}计", f"the lower average taken {times}"),
        ],
    )


def _financial_value(book: Book) -> tuple[float, float, list[str]] | None:
    """Book value times what its return on equity earns of the required return."""
    roe, equity = book.mean("roe", 3), book.item("equity_parent")
    if roe is None or equity is None or equity <= 0 or roe <= 0:
        return None
    multiple = fair_pb(roe)
    times = book.words.times(multiple)
    return (
        equity * multiple,
        multiple,
        [book.run("roe"), book.say(f"配得上 {times}市净率", f"which earns a P/B of {times}")],
    )


def _earning_power(book: Book) -> float | None:
    cash, profit = book.mean("fcf", 3), book.mean("net_profit", 3)
    return None if cash is None or profit is None else min(cash, profit)


def _earns_nothing(book: Book) -> bool:
    power = book.mean("net_profit", 3) if book.financial else _earning_power(book)
    return power is not None and power <= 0


def _signs_of_a_trap(book: Book) -> list[str]:
    signs = []
    cash, profit = book.total("cfo", 3), book.total("net_profit", 3)
    if cash is not None and profit is not None and cash < 0.5 * profit:
        signs.append(
            book.say(f"{book.run('cfo')}，利润没有收到现金", f"{book.run('cfo')}, profit without the cash")
        )
    growth = book.item("profit_growth")
    if growth is not None and growth < -0.05:
        signs.append(
            book.say(f"{book.cite('profit_growth')}，利润在下滑", f"{book.cite('profit_growth')}, sliding")
        )
    margins = [value for _, value in book.series("net_margin", 6)]
    norm = sum(margins[:-1]) / 5 if len(margins) == 6 else None
    if norm is not None and 0 < 1.3 * norm < margins[-1]:
        signs.append(
            book.say(
                f"{book.run('net_margin', 2)}，高出自身常态", f"{book.run('net_margin', 2)}, above its norm"
            )
        )
    net_cash, equity = book.item("net_cash"), book.item("equity_parent")
    if net_cash is not None and equity is not None and -net_cash > max(equity, 0.0):
        signs.append(
            book.say(
                f"{book.cite('net_cash')}，债权人排在股东前面", f"{book.cite('net_cash')}, lenders come first"
            )
        )
    return signs
