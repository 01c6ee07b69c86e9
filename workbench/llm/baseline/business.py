"""What kind of company is this? Rules of the operators on business, moat, cycle, capital and outlook."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule, unread


@rule("business_model")
def business_model(book: Book) -> Finding:
    """Return decides; where return on equity is high and on capital is not, leverage earns it."""
    roe, roic = book.mean("roe", 3), None if book.financial else book.mean("roic", 3)
    if roe is None:
        return _no_return(
            book,
            "净资产收益率不足三年，商业模式不作判断。",
            "Fewer than three years of return on equity: no view on the business model.",
        )
    score = ladder(roe, (0.20, 86), (0.15, 74), (0.10, 58), (0.05, 42), below=25)
    geared = roic is not None and roe >= 0.15 and roic < 0.12
    if roic is not None:
        score = min(score, ladder(roic, (0.20, 90), (0.15, 78), (0.10, 60), (0.05, 45), below=35))
    quality = "优秀" if score >= 80 else "良好" if score >= 65 else "一般" if score >= 45 else "差"
    comment = {
        "优秀": book.say("回报率远高于资本成本", "far above the cost of capital"),
        "良好": book.say("回报率稳在资本成本之上", "comfortably above the cost of capital"),
        "一般": book.say("回报率只略高于资本成本", "barely above the cost of capital"),
        "差": book.say("回报率盖不住资本成本", "below the cost of capital"),
    }[quality]
    if geared:
        comment = book.say(
            "高净资产收益率靠的是杠杆，资本本身回报平平",
            "leverage earns the return on equity; the capital itself does not",
        )
    shown = [book.run("roe"), *(book.cite(name) for name in ("roic", "gross_margin") if book.has(name))]
    return Finding(
        score=score,
        gist=book.say(f"商业模式{quality}（{book.cite('roe')}）", f"{book.words.choice(quality)} business")
        if book.has("roe")
        else book.say(f"商业模式{quality}", f"{book.words.choice(quality)} business"),
        note=book.words.sentence([*shown, comment]),
        outputs={"business_quality": quality},
        evidence=shown,
    )


@rule("stream_classification")
def stream_classification(book: Book) -> Finding:
    """Which kind of opportunity this is. It has no score: it decides what the later chapters weigh."""
    growth, roe, payout = book.growth("net_profit", book.span), book.item("roe"), book.item("payout")
    pb, dividend = book.latest("pb"), book.latest("dividend_yield")
    if roe is None or len(book.years) < 4:
        return _no_return(
            book,
            "年报不足四年，成长看不出，流派不作判断。",
            "Fewer than four annual statements do not show growth: the kind cannot be told.",
        )
    if roe >= 0.15 and growth is not None and growth >= 0.08 and _backed_by_cash(book):
        stream, why = "质量成长(GARP)", [book.cite("roe"), book.run("net_profit")]
    elif dividend is not None and dividend >= 0.04 and payout is not None and payout >= 0.25:
        stream, why = "纯硬收息", [book.quote("dividend_yield"), book.cite("payout")]
    elif pb is not None and pb < 0.7 and roe < 0.06:
        stream, why = "烟蒂股", [book.quote("pb"), book.cite("roe")]
    else:
        stream, why = "价值发现", [book.cite("roe"), book.run("revenue_growth", 2)]
    caution = book.say(
        "这一类全靠催化剂，判断从严。", "This kind lives on its catalyst and is judged strictly."
    )
    name = book.words.choice(stream)
    return Finding(
        score=None,
        gist=book.say(f"流派：{name}", f"kind: {name}"),
        note=book.words.sentences(
            [
                book.words.sentence(why, book.say(f"归入{name}：", f"Filed under {name}: ")),
                caution if stream == "价值发现" else "",
            ]
        ),
        outputs={"stream": stream},
        evidence=why,
    )


@rule("moat")
def moat(book: Book) -> Finding:
    """A moat is a high return that does not move: the margin's level and steadiness over five years."""
    name = "roe" if book.financial else "gross_margin"
    levels = [value for _, value in book.series(name)]
    if len(levels) < 5:
        return no_view(
            book,
            "不足五年的利润率，护城河看不出。",
            "Fewer than five years of margins: a moat cannot be seen.",
        )
    mean, swing = sum(levels) / 5, max(levels) - min(levels)
    returns = book.mean("roe" if book.financial else "roic", 5)
    steady = mean > 0 and swing <= 0.2 * mean
    high = mean >= (0.12 if book.financial else 0.40)
    rich = returns is not None and returns >= 0.15
    width = "宽" if steady and high and rich else "窄" if rich or (high and steady) else "无"
    gist = book.say(
        "没有护城河" if width == "无" else f"护城河{width}",
        "no moat" if width == "无" else f"{book.words.choice(width)} moat",
    )
    reading = book.say(
        f"水平{'高' if high else '不高'}，{'五年平稳' if steady else '起伏大'}，{gist}",
        f"{'high' if high else 'not high'}, {'steady' if steady else 'uneven'}: {gist}",
    )
    return Finding(
        score={"宽": 86.0, "窄": 62.0, "无": 42.0}[width],
        gist=gist,
        note=book.words.sentence([book.run(name, 5), reading]),
        outputs={"moat_width": width},
        evidence=[book.run(name, 5)],
    )


@rule("cycle_analysis")
def cycle_analysis(book: Book) -> Finding:
    """Where the net margin stands against its own history, and which way revenue moves."""
    margins = [value for _, value in book.series("net_margin", 8)]
    growth = book.item("revenue_growth")
    if len(margins) < 5 or growth is None:
        return no_view(book, "年数不足以看出周期。", "The record is too short to show a cycle.")
    low, high, mean = min(margins), max(margins), sum(margins) / len(margins)
    place = (margins[-1] - low) / (high - low) if high > low else 0.5
    if mean > 0 and high - low <= 0.25 * mean:
        position = "非周期"
    elif place >= 0.75 and growth < 0.05:
        position = "顶部"
    elif growth < 0:
        position = "下行"
    else:
        position = "底部" if place <= 0.25 else "上行"
    word = book.words.choice(position)
    shown = [book.run("net_margin"), book.cite("revenue_growth")]
    return Finding(
        score={"非周期": 68.0, "顶部": 40.0, "下行": 36.0, "底部": 55.0, "上行": 64.0}[position],
        gist=book.say(f"周期位置：{word}", f"cycle: {word}"),
        note=book.words.sentence(
            [*shown, book.say(f"对照自身历史，位置属{word}", f"by its own history: {word}")]
        ),
        outputs={"cycle_position": position},
        evidence=shown,
    )


@rule("capital_allocation")
def capital_allocation(book: Book) -> Finding:
    """Did the profit kept in the company earn more profit, and was some of it shared?"""
    profit, equity, payout = book.series("net_profit"), book.series("equity_parent"), book.item("payout")
    if len(profit) < 5 or len(equity) < 5 or min(equity[0][1], equity[-1][1]) <= 0:
        return _no_return(
            book, "不足五年，资本配置看不出。", "Fewer than five years: capital allocation cannot be judged."
        )
    (first, opening), (last, closing) = equity[0], equity[-1]
    earned = profit[-1][1] - profit[0][1]
    pays = earned >= 0.08 * (closing - opening) if closing > opening else earned >= 0
    shares = payout is not None and payout >= 0.25
    quality = "优秀" if pays and shares else "合格" if pays or shares else "差"
    money = book.words.money
    parts = [
        book.say(
            f"{first}—{last} 年归母权益由 {money(opening)}到 {money(closing)}",
            f"From {first} to {last} shareholders' equity went from {money(opening)} to {money(closing)}",
        ),
        book.say(
            f"归母净利润由 {money(profit[0][1])}到 {money(profit[-1][1])}",
            f"profit from {money(profit[0][1])} to {money(profit[-1][1])}",
        ),
        book.say("留存的钱有回报", "the profit kept paid off")
        if pays
        else book.say("留存的钱没有换来相称的利润", "the profit kept did not pay off"),
        book.say("派息率未知", "payout unknown") if payout is None else book.cite("payout"),
    ]
    word = book.words.choice(quality)
    return Finding(
        score={"优秀": 80.0, "合格": 60.0, "差": 36.0}[quality],
        gist=book.say(f"资本配置{word}", f"{word} use of capital"),
        note=book.words.sentence(parts),
        outputs={"allocation_quality": quality},
        evidence=[book.cite(name) for name in ("equity_parent", "net_profit", "payout") if book.has(name)],
    )


@rule("policy_risk")
def policy_risk(book: Book) -> Finding:
    """Rules and licences are not in the figures."""
    return unread(book, "政策风险", "policy risk")


@rule("catalyst")
def catalyst(book: Book) -> Finding:
    """An event with a date is not in the figures, and a low price is no catalyst."""
    return unread(book, "催化剂", "the catalyst")


def _no_return(book: Book, zh: str, en: str) -> Finding:
    """No view on what was earned with the equity: because there is none, or else for the reason given."""
    equity = book.item("equity_parent")
    if equity is not None and equity <= 0:
        return no_view(
            book,
            f"{book.cite('equity_parent')}，净资产为负，回报率没有意义，不作判断。",
            f"{book.cite('equity_parent')}: a return on negative equity means nothing, no view.",
        )
    return no_view(book, zh, en)


def _backed_by_cash(book: Book) -> bool:
    """Whether three years of profit came with at least half as much operating cash; a financial always is."""
    if book.financial:
        return True
    cash, profit = book.total("cfo", 3), book.total("net_profit", 3)
    return cash is not None and profit is not None and cash >= 0.5 * profit
