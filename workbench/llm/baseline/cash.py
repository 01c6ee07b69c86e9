"""Is the profit money? Rules of the operators on cash, debt, capital needs and dividends."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule

MILLION = 1e6
"""Amounts are answered in millions, as the evidence shows them."""

SMALL_DEBT = 0.10
"""Interest-bearing debt below this share of equity needs no judging."""


@rule("cash_trend_5y")
def cash_trend_5y(book: Book) -> Finding:
    """The last two years of operating cash flow against the years before them."""
    cash = book.series("cfo")
    if len(cash) < 4:
        return no_view(
            book,
            "经营现金流不足四年，趋势看不出。",
            "Fewer than four years of operating cash flow: no trend.",
        )
    before = sum(value for _, value in cash[:-2]) / (len(cash) - 2)
    recent = (cash[-2][1] + cash[-1][1]) / 2
    change, slack = recent - before, 0.15 * abs(before)
    trend = "改善" if change > slack else "恶化" if change < -slack else "平稳"
    negative = sum(value < 0 for _, value in cash)
    score = {"改善": 80.0, "平稳": 66.0, "恶化": 42.0}[trend]
    if recent < 0:
        score = 18.0
    elif negative:
        score = min(score, 50.0)
    word, count = book.words.choice(trend), book.words.count(negative)
    parts = [book.run("cfo", 5), book.say(f"趋势{word}", word)]
    if negative:
        parts.insert(1, book.say(f"其中{count}年为负", f"{count} of them negative"))
    return Finding(
        score=score,
        gist=book.say(f"经营现金流{word}", f"operating cash flow {word}"),
        note=book.words.sentence(parts),
        outputs={"cash_trend": trend, "negative_cash_years": negative},
        evidence=[book.run("cfo", 5)],
    )


@rule("earnings_quality")
def earnings_quality(book: Book) -> Finding:
    """Operating cash flow of up to five years against the profit of the same years."""
    cash, profit = dict(book.series("cfo")), dict(book.series("net_profit"))
    years = [year for year in cash if year in profit]
    earned = sum(profit[year] for year in years)
    if len(years) < 3 or earned <= 0:
        return no_view(
            book,
            "利润累计不为正或年数不足，净现比没有意义。",
            "Too few years, or no profit in total: cash conversion means nothing.",
        )
    ratio = sum(cash[year] for year in years) / earned
    quality = "优" if ratio >= 1.0 else "良" if ratio >= 0.7 else "差"
    comment = {
        "优": book.say("利润收得回现金", "profit turns into money"),
        "良": book.say("利润大体收得回现金", "profit mostly turns into money"),
        "差": book.say("账上的利润没有变成现金", "booked profit does not turn into money"),
    }[quality]
    newest = book.item("net_profit")
    if newest is not None and newest <= 0:
        comment = book.say(
            "最近一年亏损，累计数说的是过去", "the last year was a loss, so the total speaks of the past"
        )
    if ratio < 0:
        comment = book.say("利润为正而现金净流出，是纸面富贵", "profit on paper while cash flows out")
    times = book.words.times(ratio)
    return Finding(
        score=ladder(ratio, (1.2, 86), (1.0, 78), (0.7, 60), (0.4, 38), (0.0, 26), below=12),
        gist=book.say(f"累计净现比 {times}", f"cash conversion {times}"),
        note=book.words.sentence(
            [
                book.say(
                    f"{years[0]}—{years[-1]} 年累计净现比 {times}",
                    f"Cash conversion of {years[0]}-{years[-1]} is {times} in total",
                ),
                book.run("net_profit", 2),
                book.run("cfo", 2),
                comment,
            ]
        ),
        outputs={"cash_quality": quality, "cash_to_profit": round(ratio, 2)},
        evidence=[book.run("net_profit", 5), book.run("cfo", 5)],
    )


@rule("owner_earnings")
def owner_earnings(book: Book) -> Finding:
    """Free cash flow: what is left for the owners after keeping the business going."""
    values, mean, margin = book.series("fcf"), book.mean("fcf", 3), book.item("fcf_margin")
    if mean is None or margin is None:
        return no_view(book, "自由现金流不足三年。", "Fewer than three years of free cash flow.")
    score = ladder(margin, (0.25, 84), (0.15, 76), (0.08, 66), (0.0, 52), below=30)
    if mean <= 0:
        score = 18.0
    elif any(value < 0 for _, value in values):
        score = min(score, 58.0)
    amount = book.words.money(mean)
    gist = book.say(f"三年平均自由现金流 {amount}", f"free cash flow of {amount} on average")
    if margin < 0 < mean:
        gist = book.say("最近一年自由现金流为负", "free cash flow negative in the last year")
    return Finding(
        score=score,
        gist=gist,
        note=book.words.sentence(
            [
                book.run("fcf"),
                book.say(f"三年平均 {amount}", f"{amount} on average"),
                book.say("股东拿得到钱", "something is left for the owners")
                if mean > 0
                else book.say("要靠外部输血维持", "it lives on outside money"),
            ]
        ),
        outputs={
            "owner_earnings": round(mean / MILLION, 3),
            "owner_earnings_sign": "正" if mean > 0 else "负",
        },
        evidence=[book.run("fcf")],
    )


@rule("debt_structure")
def debt_structure(book: Book) -> Finding:
    """Five signs of bad debt; customers' prepayments are not debt."""
    debt, equity = book.item("interest_bearing_debt"), book.item("equity_parent")
    cash, net_cash = book.item("cash"), book.item("net_cash")
    if debt is None or equity is None or cash is None or net_cash is None:
        return no_view(book, "有息负债科目不全，债务不作判断。", "Debt items are missing: no view on debt.")
    signs = _signs_of_bad_debt(book, debt, equity, cash, net_cash)
    if equity <= 0 or len(signs) >= 3:
        verdict, score = "危险", 20.0 if equity > 0 and len(signs) == 3 else 12.0
    elif debt <= SMALL_DEBT * equity or (net_cash >= 0 and len(signs) < 2):
        verdict, score = "健康", 86.0 if net_cash >= 0 else 78.0
    else:
        verdict, score = "可控", (70.0, 60.0, 44.0)[len(signs)]
    trend = _debt_trend(book, net_cash, abs(equity))
    word = book.words.choice(verdict)
    ending = [book.say(f"债务结构{word}", f"the debt is {word}")]
    if trend is not None and verdict != "健康":
        ending.append(book.say(f"方向{trend}", f"its direction {book.words.choice(trend)}"))
    facts = [book.cite("interest_bearing_debt"), book.cite("cash"), book.cite("net_cash")]
    if equity <= 0:
        facts.append(book.cite("equity_parent"))
    return Finding(
        score=score,
        gist=_debt_gist(book, word, signs if verdict == "可控" else []),
        note=book.words.sentences(
            [
                book.words.sentence(facts),
                book.words.sentence(signs if verdict != "健康" else [], book.say("问题在于", "Against it: ")),
                book.words.sentence(ending),
            ]
        ),
        outputs={
            "debt_assessment": verdict,
            "debt_trend": trend,
            "net_cash_now": round(net_cash / MILLION, 2),
        },
        evidence=[*facts, *(signs if verdict != "健康" else [])],
    )


def _debt_gist(book: Book, word: str, signs: Sequence[str]) -> str:
    gist = book.say(f"债务结构{word}", f"debt {word}")
    if not signs:
        return gist
    count = book.words.count(len(signs))
    return book.say(
        f"{gist}，有{count}处隐忧",
        f"{gist}, {count} point{'' if len(signs) == 1 else 's'} against it",
    )


@rule("working_capital")
def working_capital(book: Book) -> Finding:
    """Who finances whom: suppliers and customers the company, or the other way round?"""
    received, payable = book.item("contract_liabilities"), book.item("accounts_payable")
    receivable, revenue = book.item("accounts_receivable"), book.item("revenue")
    if received is None or payable is None or receivable is None or not revenue:
        return no_view(book, "营运资本科目不全。", "Working-capital items are missing.")
    net = received + payable - receivable
    position = "占用上下游" if net > 0.05 * revenue else "被占用" if net < -0.05 * revenue else "均衡"
    days, before = book.item("inventory_days"), book.item("inventory_days", 2)
    slower = days is not None and before is not None and 0 < 1.3 * before < days
    names = ("contract_liabilities", "accounts_payable", "accounts_receivable")
    shown, word = [book.cite(name) for name in names], book.words.choice(position)
    ending = {
        "占用上下游": book.say("是上下游在给它垫钱", word),
        "均衡": book.say("收付大体相抵", word),
        "被占用": book.say("是它在给下游垫钱", word),
    }[position]
    return Finding(
        score={"占用上下游": 74.0, "均衡": 62.0, "被占用": 44.0}[position] - (14.0 if slower else 0.0),
        gist=book.say(f"营运资本{position}", word)
        + (book.say("、存货周转变慢", " with slowing inventory") if slower else ""),
        note=book.words.sentences(
            [
                book.words.sentence([*shown, ending]),
                book.words.sentence(
                    [book.run("inventory_days"), book.say("存货周转明显变慢", "inventory is slowing")]
                    if slower
                    else []
                ),
            ]
        ),
        outputs={"working_capital_position": position},
        evidence=shown,
    )


@rule("capex_intensity")
def capex_intensity(book: Book) -> Finding:
    """How much of the operating cash flow of up to five years the assets swallow."""
    cash, capex = dict(book.series("cfo")), dict(book.series("capex"))
    years = [year for year in cash if year in capex]
    inflow = sum(cash[year] for year in years)
    if len(years) < 3 or inflow <= 0:
        return no_view(
            book,
            "经营现金流累计不为正，资本开支占比没有意义。",
            "Operating cash flow is not positive in total: the share of capital spending means nothing.",
        )
    share = sum(capex[year] for year in years) / inflow
    intensity = "轻" if share < 0.25 else "中" if share < 0.6 else "重"
    word, percent = book.words.choice(intensity), book.words.percent(share)
    word = book.say({"中": "中等"}.get(word, word), word)
    return Finding(
        score={"轻": 78.0, "中": 60.0, "重": 42.0}[intensity],
        gist=book.say(f"资产负担{word}", f"{word} capital needs"),
        note=book.words.sentence(
            [
                book.run("capex"),
                book.say(
                    f"占 {years[0]}—{years[-1]} 年经营现金流的 {percent}，资产负担{word}",
                    f"{percent} of the operating cash flow of {years[0]}-{years[-1]}: {word}",
                ),
            ]
        ),
        outputs={"capex_intensity": intensity, "capex_to_cfo": round(share * 100, 2)},
        evidence=[book.run("capex")],
    )


@rule("dividend_sustainability")
def dividend_sustainability(book: Book) -> Finding:
    """Can what was paid be paid again? A financial pays from profit, the others from free cash flow."""
    payout, profit = book.item("payout"), book.item("net_profit")
    if book.financial:
        source, shown = profit, [book.run("net_profit")]
        paid = None if payout is None or profit is None else payout * profit
    else:
        source, shown = book.mean("fcf", 3), [book.run("fcf")]
        paid = book.item(book.outlay)
        shown += [book.cite(book.outlay)] if paid is not None else []
    if paid is None or source is None:
        return no_view(book, "分红支出或现金来源不全。", "What is paid, or out of what, is not known.")
    if paid <= 0:
        verdict = "不分红"
    else:
        verdict = "可持续" if source >= 1.2 * paid else "需观察" if source >= 0.8 * paid else "不可持续"
    if payout is not None:
        shown.append(book.run("payout"))
    if book.latest("dividend_yield") is not None:
        shown.append(book.quote("dividend_yield"))
    word = book.words.choice(verdict)
    told = word if verdict == "不分红" else book.say(f"股息{word}", f"the dividend is {word}")
    return Finding(
        score={"可持续": 78.0, "需观察": 54.0, "不可持续": 26.0, "不分红": 48.0}[verdict],
        gist=told,
        note=book.words.sentence([*shown, told]),
        outputs={"dividend_sustainability": verdict},
        evidence=shown,
    )


def _signs_of_bad_debt(book: Book, debt: float, equity: float, cash: float, net_cash: float) -> list[str]:
    signs = []
    if equity <= 0:
        signs.append(book.say("净资产为负，债权人先于股东", "negative equity, lenders come first"))
    elif -net_cash > equity:
        signs.append(
            book.say(
                f"净负债超过{book.cite('equity_parent')}", f"net debt above {book.cite('equity_parent')}"
            )
        )
    flow = book.total("cfo", 2)
    if flow is not None and flow < 0:
        signs.append(
            book.say(f"{book.run('cfo', 2)}，还债没有来源", f"{book.run('cfo', 2)}, nothing to repay it from")
        )
    short = book.item("short_term_debt")
    if short is not None and short > cash:
        signs.append(
            book.say(
                f"{book.cite('short_term_debt')}压过账上现金", f"{book.cite('short_term_debt')} above cash"
            )
        )
    cover = book.item("interest_cover")
    if cover is not None and cover < 2.0 and debt > SMALL_DEBT * equity:
        signs.append(book.say(f"{book.cite('interest_cover')}，偏低", f"{book.cite('interest_cover')}, low"))
    growth, before = book.growth("interest_bearing_debt", 3), book.item("interest_bearing_debt", 3)
    if growth is not None and before is not None and growth > 0.25:
        amounts = book.words.money(before), book.words.money(debt)
        signs.append(
            book.say(
                f"有息负债三年由 {amounts[0]}增至 {amounts[1]}",
                f"debt up from {amounts[0]} to {amounts[1]} in three years",
            )
        )
    return signs


def _debt_trend(book: Book, net_cash: float, equity: float) -> str | None:
    """Whether net cash moved by more than a tenth of equity within the last year."""
    before = book.item("net_cash", 1)
    if before is None or equity == 0:
        return None
    change = (net_cash - before) / equity
    return "改善" if change > 0.1 else "恶化" if change < -0.1 else "持平"
