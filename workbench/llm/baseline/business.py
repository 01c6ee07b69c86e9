"""What kind of company is this? Rules of the operators on business, moat, cycle and capital."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule, worst


@rule("business_model")
def business_model(book: Book) -> Finding:
    """Return on capital decides, and the margin says where it comes from."""
    roe = book.mean("roe", 3)
    if roe is None:
        return no_view(
            book,
            "净资产收益率不足三年，商业模式不作判断。",
            "Fewer than three years of return on equity: no view on the business model.",
        )
    roic = None if book.financial else book.mean("roic", 3)
    steps = ((0.20, 86.0), (0.15, 74.0), (0.10, 58.0), (0.05, 42.0))
    score = worst(
        ladder(roe, *steps, below=25.0), None if roic is None else ladder(roic, *steps, below=35.0) + 5
    )
    assert score is not None
    quality = "优秀" if score >= 80 else "良好" if score >= 65 else "一般" if score >= 45 else "差"
    parts = [book.say(f"{book.run('roe', percent=True)}，", f"{book.run('roe', percent=True)}; ")]
    if roic is not None and book.item("roic") is not None:
        parts.append(
            book.say(f"{book.run('roic', 1, percent=True)}，", f"{book.run('roic', 1, percent=True)}; ")
        )
    if book.item("gross_margin") is not None:
        parts.append(
            book.say(
                f"{book.run('gross_margin', 1, percent=True)}，",
                f"{book.run('gross_margin', 1, percent=True)}; ",
            )
        )
    parts.append(
        book.say(
            {
                "优秀": "不靠杠杆也能赚到高回报。" if not book.financial else "回报率在同行中属高位。",
                "良好": "回报率稳在资本成本之上。",
                "一般": "回报率只略高于资本成本。",
                "差": "回报率盖不住资本成本。",
            }[quality],
            {
                "优秀": "high returns on its capital.",
                "良好": "returns comfortably above the cost of capital.",
                "一般": "returns barely above the cost of capital.",
                "差": "returns below the cost of capital.",
            }[quality],
        )
    )
    return Finding(
        score=score,
        gist=book.say(
            f"商业模式{quality}，{book.run('roe', 1, percent=True)}", book.run("roe", 1, percent=True)
        ),
        note="".join(parts),
        outputs={"business_quality": quality},
        evidence=[book.run("roe", percent=True)],
    )


@rule("stream_classification")
def stream_classification(book: Book) -> Finding:
    """Which kind of opportunity this is. It gives no score: it decides what the later chapters weigh."""
    payout, growth, roe = book.item("payout"), book.growth("net_profit", _span(book)), book.item("roe")
    pb, dividend = book.latest("pb"), book.latest("dividend_yield")
    if roe is None:
        return no_view(book, "缺少回报率，流派无法判定。", "No return on equity: the stream cannot be told.")
    if roe >= 0.15 and growth is not None and growth >= 0.08:
        stream, why = "质量成长(GARP)", (book.run("roe", 1, percent=True), book.run("net_profit", 3))
    elif dividend is not None and dividend >= 0.04 and payout is not None and payout >= 0.25:
        text = f"{book.words.label('dividend_yield')} {book.words.percent(dividend)}"
        stream, why = "纯硬收息", (text, book.run("payout", 1, percent=True))
    elif pb is not None and pb < 0.7 and roe < 0.06:
        stream, why = (
            "烟蒂股",
            (f"{book.words.label('pb')} {book.words.times(pb)}", book.run("roe", 1, percent=True)),
        )
    else:
        stream, why = (
            "价值发现",
            (book.run("roe", 1, percent=True), book.run("revenue_growth", 2, percent=True)),
        )
    english = {
        "质量成长(GARP)": "quality growth (GARP)",
        "纯硬收息": "income",
        "烟蒂股": "cigar butt",
        "价值发现": "value recovery",
    }[stream]
    caution = (
        book.say("这一类全靠催化剂，判断从严。", "This kind lives on its catalyst; judge it strictly.")
        if stream == "价值发现"
        else ""
    )
    return Finding(
        score=None,
        gist=book.say(f"流派：{stream}", f"kind: {english}"),
        note=book.say(
            f"归入{stream}：{'，'.join(why)}。{caution}",
            f"Filed under {english}: {', '.join(why)}. {caution}",
        ).strip(),
        outputs={"stream": stream},
        evidence=list(why),
    )


@rule("moat")
def moat(book: Book) -> Finding:
    """A moat is a high margin or return that has not moved: level and steadiness over five years."""
    name = "roe" if book.financial else "gross_margin"
    values = book.series(name)
    if len(values) < 5:
        return no_view(
            book,
            "不足五年的利润率，护城河看不出。",
            "Fewer than five years of margins: the moat cannot be seen.",
        )
    levels = [value for _, value in values]
    mean, swing = sum(levels) / len(levels), max(levels) - min(levels)
    returns = book.mean("roe", 5)
    steady = mean > 0 and swing <= 0.2 * mean
    high = mean >= (0.12 if book.financial else 0.40)
    rich = returns is not None and returns >= 0.15
    width = "宽" if steady and high and rich else "窄" if high or rich else "无"
    return Finding(
        score={"宽": 86.0, "窄": 62.0, "无": 42.0}[width],
        gist=book.say(f"护城河{width}", {"宽": "wide moat", "窄": "narrow moat", "无": "no moat"}[width]),
        note=book.say(
            f"{book.run(name, 5, percent=True)}，{'水平高' if high else '水平不高'}"
            f"{'且' if steady == high else '但'}{'稳定' if steady else '起伏大'}，护城河判为{width}。",
            f"{book.run(name, 5, percent=True)}: {'high' if high else 'not high'} and "
            f"{'steady' if steady else 'uneven'}, {dict(宽='a wide moat', 窄='a narrow moat', 无='no moat')[width]}.",
        ),
        outputs={"moat_width": width},
        evidence=[book.run(name, 5, percent=True)],
    )


@rule("cycle_analysis")
def cycle_analysis(book: Book) -> Finding:
    """Where the net margin stands against its own history, and which way revenue moves."""
    margins = [value for _, value in book.series("net_margin", 8)]
    growth = book.item("revenue_growth")
    if len(margins) < 5 or growth is None:
        return no_view(book, "年数不足以看出周期。", "The record is too short to show a cycle.")
    low, high, now = min(margins), max(margins), margins[-1]
    mean = sum(margins) / len(margins)
    if mean > 0 and high - low <= 0.25 * mean:
        place, score = "非周期", 68.0
    else:
        upper = now >= low + 0.75 * (high - low)
        lower = now <= low + 0.25 * (high - low)
        place = "顶部" if upper and growth < 0.05 else "下行" if growth < 0 else "底部" if lower else "上行"
        score = {"顶部": 40.0, "下行": 36.0, "底部": 55.0, "上行": 64.0}[place]
    english = {
        "非周期": "not cyclical",
        "顶部": "near the top",
        "下行": "going down",
        "底部": "near the bottom",
        "上行": "going up",
    }[place]
    return Finding(
        score=score,
        gist=book.say(f"周期位置：{place}", f"cycle: {english}"),
        note=book.say(
            f"{book.run('net_margin', 3, percent=True)}，{book.run('revenue_growth', 1, percent=True)}，"
            f"对照自身历史，位置属{place}。",
            f"{book.run('net_margin', 3, percent=True)}, {book.run('revenue_growth', 1, percent=True)}: "
            f"{english} by its own history.",
        ),
        outputs={"cycle_position": place},
        evidence=[book.run("net_margin", 3, percent=True)],
    )


@rule("capital_allocation")
def capital_allocation(book: Book) -> Finding:
    """Did retained profit earn its keep, was it shared, and were holders diluted?"""
    profit, equity = book.series("net_profit", 5), book.series("equity_parent", 5)
    payout = book.item("payout")
    if len(profit) < 5 or len(equity) < 5:
        return no_view(
            book, "不足五年，资本配置看不出。", "Fewer than five years: capital allocation cannot be judged."
        )
    added_equity, added_profit = equity[-1][1] - equity[0][1], profit[-1][1] - profit[0][1]
    earns = added_equity <= 0 or added_profit / added_equity >= 0.08
    shares = payout is not None and payout >= 0.25
    kept = payout is None
    quality = "优秀" if earns and shares else "合格" if earns or shares else "差"
    parts = [
        book.say(
            f"{equity[0][0]}—{equity[-1][0]} 年归母权益由 {book.words.money(equity[0][1])}变为 "
            f"{book.words.money(equity[-1][1])}，归母净利润由 {book.words.money(profit[0][1])}变为 "
            f"{book.words.money(profit[-1][1])}，{'留存的钱有回报' if earns else '留存的钱没有换来相称的利润'}",
            f"From {equity[0][0]} to {equity[-1][0]} equity went from {book.words.money(equity[0][1])} to "
            f"{book.words.money(equity[-1][1])} and profit from {book.words.money(profit[0][1])} to "
            f"{book.words.money(profit[-1][1])}: retained money {'paid' if earns else 'did not pay'}",
        )
    ]
    parts.append(
        book.say("；派息率未知。", "; payout unknown.")
        if kept
        else book.say(
            f"；{book.run('payout', 1, percent=True)}。", f"; {book.run('payout', 1, percent=True)}."
        )
    )
    return Finding(
        score={"优秀": 80.0, "合格": 60.0, "差": 36.0}[quality],
        gist=book.say(
            f"资本配置{quality}",
            {"优秀": "good use of capital", "合格": "fair use of capital", "差": "poor use of capital"}[
                quality
            ],
        ),
        note="".join(parts),
        outputs={"allocation_quality": quality},
        evidence=[book.money("equity_parent"), book.money("net_profit")]
        if book.item("equity_parent") is not None and book.item("net_profit") is not None
        else [],
    )


@rule("policy_risk")
def policy_risk(book: Book) -> Finding:
    """Rules and licences are not in the figures."""
    return no_view(
        book,
        "证据里没有政策材料，政策风险未知。",
        "The evidence holds nothing on policy: the risk is unknown.",
    )


@rule("catalyst")
def catalyst(book: Book) -> Finding:
    """An event with a date is not in the figures, and a low price is no catalyst."""
    return no_view(
        book,
        "证据里没有事件材料，催化剂未知；价格低本身不是催化剂。",
        "The evidence holds no events: the catalyst is unknown, and a low price is none.",
    )


def _span(book: Book) -> int:
    """Years a growth rate is taken over: five, or as many as there are."""
    return max(1, min(5, len(book.years) - 1))
