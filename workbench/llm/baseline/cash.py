"""Is the profit money? Rules of the operators on cash, debt, capital needs and dividends."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule

SMALL_DEBT = 0.10
"""Interest-bearing debt below this share of equity does not need judging."""


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
    before = [value for _, value in cash[:-2]]
    recent = [value for _, value in cash[-2:]]
    old, new = sum(before) / len(before), sum(recent) / 2
    trend = (
        "恶化"
        if new < min(0.85 * old, old - 0.15 * abs(old))
        else "改善"
        if new > old + 0.15 * abs(old)
        else "平稳"
    )
    negative = [year for year, value in cash if value < 0]
    score = {"改善": 80.0, "平稳": 66.0, "恶化": 40.0}[trend]
    if new < 0:
        score = 18.0
    elif negative:
        score = min(score, 50.0)
    tail = book.say(
        f"其中{book.words.count(len(negative))}年为负，" if negative else "",
        f"{book.words.count(len(negative))} of them negative, " if negative else "",
    )
    english = {"改善": "improving", "平稳": "steady", "恶化": "worsening"}[trend]
    return Finding(
        score=score,
        gist=book.say(
            f"经营现金流{trend}，{book.money('cfo')}", f"operating cash flow {english}, {book.money('cfo')}"
        )
        if book.item("cfo") is not None
        else book.say(f"经营现金流{trend}", f"operating cash flow {english}"),
        note=book.say(
            f"{book.run('cfo', 5)}，{tail}趋势{trend}。", f"{book.run('cfo', 5)}; {tail}{english}."
        ),
        outputs={"cash_trend": trend, "negative_cash_years": len(negative)},
        evidence=[book.run("cfo", 5)],
    )


@rule("earnings_quality")
def earnings_quality(book: Book) -> Finding:
    """Operating cash flow of five years against the profit of the same years."""
    cash, profit = dict(book.series("cfo")), dict(book.series("net_profit"))
    years = [year for year in cash if year in profit]
    earned = sum(profit[year] for year in years)
    if len(years) < 3 or earned <= 0:
        return no_view(
            book,
            "利润累计不为正或年数不足，净现比没有意义。",
            "Profits do not add up to more than nothing, or too few years: cash conversion means nothing.",
        )
    ratio = sum(cash[year] for year in years) / earned
    quality = "优" if ratio >= 1.0 else "良" if ratio >= 0.7 else "差"
    comment = book.say(
        {
            "优": "利润收得回现金。",
            "良": "大体收得回现金。",
            "差": "账上利润没有变成现金。" if ratio >= 0 else "利润为正而现金累计流出，是纸面利润。",
        }[quality],
        {
            "优": "profit turns into money.",
            "良": "profit mostly turns into money.",
            "差": "booked profit does not turn into money."
            if ratio >= 0
            else "profit on paper, cash going out.",
        }[quality],
    )
    return Finding(
        score=ladder(ratio, (1.2, 86), (1.0, 78), (0.7, 60), (0.4, 38), (0.0, 28), below=12),
        gist=book.say(
            f"利润含金量{quality}，净现比 {book.words.times(ratio)}",
            f"cash conversion {book.words.times(ratio)}",
        ),
        note=book.say(
            f"{years[0]}—{years[-1]} 年累计净现比 {book.words.times(ratio)}（{book.run('net_profit', 2)}，"
            f"{book.run('cfo', 2)}），{comment}",
            f"Cash conversion of {years[0]}-{years[-1]} adds up to {book.words.times(ratio)} "
            f"({book.run('net_profit', 2)}; {book.run('cfo', 2)}): {comment}",
        ),
        outputs={"cash_quality": quality, "cash_to_profit": round(ratio, 2)},
        evidence=[book.run("net_profit", 5), book.run("cfo", 5)],
    )


@rule("owner_earnings")
def owner_earnings(book: Book) -> Finding:
    """Free cash flow: what is left for the owners after keeping the business going."""
    values = book.series("fcf")
    mean = book.mean("fcf", 3)
    if mean is None:
        return no_view(book, "自由现金流不足三年。", "Fewer than three years of free cash flow.")
    positive = sum(1 for _, value in values if value > 0)
    margin = book.item("fcf_margin")
    score = ladder(
        margin if margin is not None else 0.0, (0.25, 84), (0.15, 76), (0.08, 66), (0.0, 52), below=30
    )
    if mean <= 0:
        score = 18.0
    elif positive < len(values):
        score = min(score, 58.0)
    return Finding(
        score=score,
        gist=book.say(
            f"三年平均自由现金流 {book.words.money(mean)}",
            f"free cash flow averages {book.words.money(mean)}",
        ),
        note=book.say(
            f"{book.run('fcf', 3)}，三年平均 {book.words.money(mean)}，"
            + ("所有者拿得到钱。" if mean > 0 else "要靠外部输血维持。"),
            f"{book.run('fcf', 3)}, {book.words.money(mean)} on average: "
            + ("there is something left for the owners." if mean > 0 else "it lives on outside money."),
        ),
        outputs={"owner_earnings": round(mean, 2), "owner_earnings_sign": "正" if mean > 0 else "负"},
        evidence=[book.run("fcf", 3)],
    )


@rule("debt_structure")
def debt_structure(book: Book) -> Finding:
    """Four signs of bad debt; customers' prepayments are not counted as debt."""
    debt, equity, cash = book.item("interest_bearing_debt"), book.item("equity_parent"), book.item("cash")
    net_cash = book.item("net_cash")
    if debt is None or equity is None or cash is None or net_cash is None:
        return no_view(book, "有息负债科目不全，债务不作判断。", "Debt items are missing: no view on debt.")
    signs = _signs_of_bad_debt(book, debt, equity, cash, net_cash)
    small = equity > 0 and debt <= SMALL_DEBT * equity
    if equity <= 0:
        verdict, score = "危险", 15.0
    elif small or (net_cash >= 0 and len(signs) < 2):
        verdict, score = "健康", 86.0 if net_cash >= 0 else 78.0
    else:
        verdict = "危险" if len(signs) >= 3 else "可控"
        score = {0: 70.0, 1: 60.0, 2: 44.0, 3: 20.0}.get(len(signs), 12.0)
    trend = _debt_trend(book, net_cash, abs(equity))
    note = [
        book.say(
            f"{book.money('interest_bearing_debt')}，{book.money('cash')}，{book.money('net_cash')}。",
            f"{book.money('interest_bearing_debt')}, {book.money('cash')}, {book.money('net_cash')}.",
        )
    ]
    if equity <= 0:
        note.append(
            book.say(
                f"{book.money('equity_parent')}，已资不抵债。",
                f"{book.money('equity_parent')}: insolvent on paper.",
            )
        )
    if signs and not small:
        note.append(book.say(f"问题在于{'；'.join(signs)}。", f"Against it: {'; '.join(signs)}."))
    english = {"健康": "sound", "可控": "bearable", "危险": "dangerous"}[verdict]
    trend_en = {"改善": "improving", "持平": "flat", "恶化": "worsening"}.get(trend or "", "")
    note.append(
        book.say(
            f"债务结构{verdict}" + (f"，方向{trend}。" if trend else "。"),
            f"The debt is {english}" + (f" and {trend_en}." if trend else "."),
        )
    )
    return Finding(
        score=score,
        gist=book.say(
            f"债务结构{verdict}，{book.money('interest_bearing_debt')}",
            f"debt {english}, {book.money('interest_bearing_debt')}",
        ),
        note=book.words.sentences(note),
        outputs={"debt_assessment": verdict, "debt_trend": trend, "net_cash": net_cash},
        evidence=[book.money("interest_bearing_debt"), book.money("cash"), book.money("net_cash"), *signs],
    )


@rule("working_capital")
def working_capital(book: Book) -> Finding:
    """Who finances whom: suppliers and customers the company, or the other way round?"""
    names = ("accounts_receivable", "inventory", "contract_liabilities", "accounts_payable")
    values = {name: book.item(name) for name in names}
    revenue = book.item("revenue")
    owed, owing = values["contract_liabilities"], values["accounts_payable"]
    if owed is None or owing is None or not revenue or values["accounts_receivable"] is None:
        return no_view(book, "营运资本科目不全。", "Working-capital items are missing.")
    net = owed + owing - values["accounts_receivable"]
    place = "占用上下游" if net > 0.05 * revenue else "被占用" if net < -0.05 * revenue else "均衡"
    slow = book.item("inventory_days")
    before = book.item("inventory_days", 2)
    slower = slow is not None and before is not None and before > 0 and slow > 1.3 * before
    score = {"占用上下游": 74.0, "均衡": 62.0, "被占用": 44.0}[place] - (14.0 if slower else 0.0)
    english = {
        "占用上下游": "suppliers and customers finance it",
        "均衡": "balanced",
        "被占用": "it finances its customers",
    }[place]
    parts = [
        book.say(
            f"{book.money('contract_liabilities')}、{book.money('accounts_payable')}，对{book.money('accounts_receivable')}，"
            f"{dict(占用上下游='占用上下游资金', 均衡='收付大体均衡', 被占用='资金被下游占用')[place]}。",
            f"{book.money('contract_liabilities')} and {book.money('accounts_payable')} against "
            f"{book.money('accounts_receivable')}: {english}.",
        )
    ]
    if slower and slow is not None and before is not None:
        parts.append(
            book.say(
                f"存货周转从 {book.words.days(before)}拖长到 {book.words.days(slow)}。",
                f"Inventory turns slower: {book.words.days(before)} became {book.words.days(slow)}.",
            )
        )
    return Finding(
        score=score,
        gist=book.say(
            f"营运资本{place}" + ("、存货变慢" if slower else ""),
            english + (", inventory slowing" if slower else ""),
        ),
        note=book.words.sentences(parts),
        outputs={"working_capital_position": place},
        evidence=[book.money("accounts_receivable"), book.money("contract_liabilities")],
    )


@rule("capex_intensity")
def capex_intensity(book: Book) -> Finding:
    """How much of the operating cash flow of five years the assets swallow."""
    cash, capex = dict(book.series("cfo")), dict(book.series("capex"))
    years = [year for year in cash if year in capex]
    inflow = sum(cash[year] for year in years)
    if len(years) < 3 or inflow <= 0:
        return no_view(
            book,
            "经营现金流累计不为正，资本开支占比没有意义。",
            "Operating cash flow does not add up to more than nothing: no share to speak of.",
        )
    share = sum(capex[year] for year in years) / inflow
    intensity = "轻" if share < 0.25 else "中" if share < 0.6 else "重"
    english = {"轻": "light", "中": "middling", "重": "heavy"}[intensity]
    return Finding(
        score={"轻": 78.0, "中": 60.0, "重": 42.0}[intensity],
        gist=book.say(f"资本开支{intensity}", f"{english} capital needs"),
        note=book.say(
            f"{book.run('capex')}，占{years[0]}—{years[-1]} 年经营现金流的 {book.words.percent(share)}，属{intensity}资产负担。",
            f"{book.run('capex')}, {book.words.percent(share)} of the operating cash flow of {years[0]}-{years[-1]}: {english}.",
        ),
        outputs={"capex_intensity": intensity, "capex_to_cfo": round(share * 100, 1)},
        evidence=[book.run("capex")],
    )


@rule("dividend_sustainability")
def dividend_sustainability(book: Book) -> Finding:
    """Can what is paid out be paid again? For a financial from profit, for the others from free cash flow."""
    paid, profit = book.item("dividends_and_interest_paid"), book.item("net_profit")
    payout, dividend = book.item("payout"), book.latest("dividend_yield")
    if paid is None or profit is None:
        return no_view(book, "分红支出未知。", "What is paid out is unknown.")
    source = profit if book.financial else book.mean("fcf", 3)
    if source is None:
        return no_view(
            book,
            "自由现金流年数不足，分红能否持续看不出。",
            "Too little free cash flow history to judge the dividend.",
        )
    if paid <= 0.0:
        verdict, score = "不分红", 48.0
    else:
        cover = source / paid
        verdict = "可持续" if cover >= 1.2 else "需观察" if cover >= 0.8 else "不可持续"
        score = {"可持续": 78.0, "需观察": 54.0, "不可持续": 26.0}[verdict]
    against = book.money("net_profit") if book.financial else book.run("fcf")
    parts = [
        book.say(
            f"{book.money('dividends_and_interest_paid')}，对照{against}",
            f"{book.money('dividends_and_interest_paid')} against {against}",
        )
    ]
    if payout is not None:
        parts.append(book.run("payout", 1, percent=True))
    if dividend is not None:
        parts.append(f"{book.words.label('dividend_yield')} {book.words.percent(dividend)}")
    english = {
        "可持续": "sustainable",
        "需观察": "to be watched",
        "不可持续": "not sustainable",
        "不分红": "nothing is paid",
    }[verdict]
    return Finding(
        score=score,
        gist=book.say(f"股息{verdict}" if verdict != "不分红" else "不分红", f"dividend {english}"),
        note=book.say(f"{'，'.join(parts)}，判为{verdict}。", f"{', '.join(parts)}: {english}."),
        outputs={"dividend_sustainability": verdict},
        evidence=parts,
    )


def _signs_of_bad_debt(book: Book, debt: float, equity: float, cash: float, net_cash: float) -> list[str]:
    signs = []
    if -net_cash > equity:
        signs.append(
            book.say(
                f"净负债超过{book.money('equity_parent')}", f"net debt exceeds {book.money('equity_parent')}"
            )
        )
    flow = [value for _, value in book.series("cfo", 2)]
    if len(flow) == 2 and sum(flow) < 0:
        signs.append(
            book.say(f"{book.run('cfo', 2)}，还债没有来源", f"{book.run('cfo', 2)}: nothing to repay it from")
        )
    short = book.item("short_term_debt")
    if short is not None and short > cash:
        signs.append(
            book.say(
                f"{book.money('short_term_debt')}超过账上现金",
                f"{book.money('short_term_debt')} exceeds cash",
            )
        )
    cover = book.item("interest_cover")
    if cover is not None and cover < 2.0 and debt > SMALL_DEBT * equity:
        signs.append(
            book.say(
                f"利息保障倍数只有 {book.words.times(cover)}",
                f"interest cover is only {book.words.times(cover)}",
            )
        )
    growth = book.growth("interest_bearing_debt", 3)
    if growth is not None and growth > 0.25:
        old, new = book.words.money(book.item("interest_bearing_debt", 3) or 0.0), book.words.money(debt)
        signs.append(
            book.say(f"有息负债三年间由 {old}增至 {new}", f"debt went from {old} to {new} in three years")
        )
    return signs


def _debt_trend(book: Book, net_cash: float, equity: float) -> str | None:
    before = book.item("net_cash", 1)
    if before is None or equity == 0:
        return None
    change = (net_cash - before) / equity
    return "改善" if change > 0.1 else "恶化" if change < -0.1 else "持平"
