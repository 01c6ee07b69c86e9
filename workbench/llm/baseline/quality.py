"""Can the figures be believed? Rules of the operators that come first."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, no_view, rule

IDENTITY_TOLERANCE = 0.01
"""Largest gap between assets and liabilities plus equity, as a share of assets, that rounding explains."""

MANIPULATION_LINE = -1.78
"""Beneish (1999): an M-score above this resembles companies that manipulated earnings."""

LENT_OUT_LINE = 0.08
"""Other receivables above this share of assets are large enough to hide lending to related parties."""


@rule("data_integrity")
def data_integrity(book: Book) -> Finding:
    """Do the statements add up, are there enough of them, and are they recent?"""
    if not book.years:
        return no_view(book, "没有可用的年报。", "There is no annual statement to work with.")
    gap = _identity_gap(book)
    years = len(book.years)
    broken = gap is not None and gap > IDENTITY_TOLERANCE
    verdict = "不可信" if broken else "存疑" if book.stale or years < 3 else "可信"
    parts = [
        book.say(
            f"可用年报自 {book.years[0]} 年至 {book.year} 年。",
            f"Annual statements run from {book.years[0]} to {book.year}.",
        )
    ]
    if gap is not None:
        parts.append(
            book.say(
                "资产与负债加权益对不上，数据不可用。",
                "Assets do not equal liabilities plus equity: unusable.",
            )
            if broken
            else book.say("资产负债表逐年勾稽一致。", "The balance sheet balances in every year.")
        )
    if book.stale:
        parts.append(
            book.say(
                f"最新一份仍是 {book.year} 年报，此后应有的年报没有看到，结论只反映当时情况。",
                f"The newest is still {book.year}; the report that should have followed is not here.",
            )
        )
    if years < 3:
        parts.append(book.say("年数太少，看不出趋势。", "That is too short a record to show a trend."))
    if book.estimated:
        parts.append(book.say("部分年报的发布日期为估计值。", "Some publication dates are estimates."))
    score = {"可信": 80.0, "存疑": 45.0, "不可信": 10.0}[verdict]
    return Finding(
        score=score,
        gist=book.say(
            {"可信": "报表勾稽一致", "存疑": "报表偏旧或年数不足", "不可信": "报表对不上"}[verdict],
            {
                "可信": "statements add up",
                "存疑": "statements old or few",
                "不可信": "statements do not add up",
            }[verdict],
        ),
        note=book.words.sentences(parts),
        outputs={"data_credibility": verdict, "statement_years": years},
        evidence=[book.money("total_assets"), book.money("total_liabilities")]
        if book.item("total_assets") is not None and book.item("total_liabilities") is not None
        else [],
    )


@rule("audit_opinion")
def audit_opinion(book: Book) -> Finding:
    """The statements say nothing about the auditor, so there is no view."""
    return no_view(
        book,
        "证据里没有审计报告，审计意见未知，既不算通过也不构成否决。",
        "There is no audit report in the evidence; the opinion is unknown, neither a pass nor a veto.",
    )


@rule("accounting_red_flags")
def accounting_red_flags(book: Book) -> Finding:
    """Four signs that usually come before a restatement; a bank has none of these items."""
    if book.financial:
        return no_view(
            book,
            "这些造假信号基于应收、存货与经营现金流，对金融企业不适用。",
            "These signs rest on receivables, inventory and operating cash flow and do not apply to a financial.",
        )
    checks = [_receivables_outrun(book), _profit_without_cash(book), _inventory_outruns(book), _beneish(book)]
    known = [check for check in checks if check is not None]
    if not known:
        return no_view(book, "缺少判断造假信号所需的科目。", "The items these signs need are missing.")
    flags = [text for raised, text in known if raised]
    count = len(flags)
    risk = "高" if count >= 3 else "中" if count == 2 else "低"
    note = (
        book.say("；".join(flags) + "。", "; ".join(flags) + ".")
        if flags
        else book.say(
            "应收、存货、现金与利润的走势彼此吻合，没有常见的造假信号。",
            "Receivables, inventory, cash and profit move together; none of the usual signs is present.",
        )
    )
    return Finding(
        score={0: 78.0, 1: 62.0, 2: 40.0}.get(count, 20.0),
        gist=book.say(
            f"{book.words.count(count)}项会计异常信号" if count else "无会计异常信号",
            f"{book.words.count(count)} accounting sign{'s' if count != 1 else ''} of trouble",
        ),
        note=note,
        outputs={"fraud_risk": risk, "red_flag_count": count},
        evidence=flags,
    )


@rule("related_party")
def related_party(book: Book) -> Finding:
    """Other receivables as the one trace related-party lending leaves in the statements."""
    other, assets = book.item("other_receivables"), book.item("total_assets")
    if book.financial or other is None or not assets:
        return no_view(
            book,
            "没有关联交易披露，其他应收款也无从判断，未知。",
            "No related-party disclosure and no usable other receivables: unknown.",
        )
    share = other / assets
    large = share > LENT_OUT_LINE
    return Finding(
        score=35.0 if large else 65.0,
        gist=book.say(
            "其他应收款偏大" if large else "其他应收款占比不大",
            "large other receivables" if large else "small other receivables",
        ),
        note=book.say(
            f"{book.money('other_receivables')}，占总资产 {book.words.percent(share)}，"
            + ("大到足以藏下资金占用，需查附注。" if large else "资金占用的空间有限；披露文本不在证据内。"),
            f"{book.money('other_receivables')} is {book.words.percent(share)} of assets, "
            + (
                "enough to hide money lent to insiders."
                if large
                else "little room to hide lending to insiders."
            ),
        ),
        outputs={
            "related_party_risk": "高" if large else "低",
            "other_receivables_share": round(share * 100, 1),
        },
        evidence=[book.money("other_receivables")],
    )


@rule("management_integrity")
def management_integrity(book: Book) -> Finding:
    """Figures do not show character: no view without filings or news."""
    return no_view(
        book,
        "证据只有报表与行情，没有处罚、承诺兑现或舆情记录，管理人诚信不作判断。",
        "The evidence holds statements and prices only: no filings on penalties or promises, so no view on integrity.",
    )


@rule("quick_screen")
def quick_screen(book: Book) -> Finding:
    """Five minutes with the figures: profit, cash, return, leverage and the latest direction."""
    checks = [_always_profitable(book), _earns_its_keep(book), _profit_holds(book)]
    if not book.financial:
        checks += [_cash_adds_up(book), _debt_bearable(book)]
    known = [check for check in checks if check is not None]
    if not known:
        return no_view(book, "初筛所需的数字不全。", "The figures for a quick screen are missing.")
    failed = [text for passed, text in known if not passed]
    passed = [text for ok, text in known if ok]
    result = "通过" if not failed else "观察" if len(failed) == 1 else "不通过"
    verdict = book.say(
        f"初筛{result}", {"通过": "screen passed", "观察": "screen: watch", "不通过": "screen failed"}[result]
    )
    return Finding(
        score={0: 78.0, 1: 55.0, 2: 38.0}.get(len(failed), 25.0),
        gist=verdict if not failed else book.say(f"{verdict}（{failed[0]}）", f"{verdict} ({failed[0]})"),
        note=book.say(
            f"{verdict}："
            + (f"未过的是{'；'.join(failed)}。" if failed else "")
            + (f"站得住的是{'；'.join(passed)}。" if passed else ""),
            f"{verdict[0].upper()}{verdict[1:]}. "
            + (f"Against: {'; '.join(failed)}. " if failed else "")
            + (f"For: {'; '.join(passed)}." if passed else ""),
        ),
        outputs={"screen_result": result, "screen_failures": len(failed)},
        evidence=[*failed, *passed],
    )


Check = tuple[bool, str] | None
"""``(raised or passed, what the figures say)``; None where they do not exist."""


def _identity_gap(book: Book) -> float | None:
    gaps = []
    for year, assets in book.series("total_assets", len(book.years)):
        parts = [
            dict(book.series(name, len(book.years))).get(year)
            for name in ("total_liabilities", "total_equity")
        ]
        if assets and parts[0] is not None and parts[1] is not None:
            gaps.append(abs(assets - parts[0] - parts[1]) / assets)
    return max(gaps) if gaps else None


def _receivables_outrun(book: Book) -> Check:
    return _outruns(book, "accounts_receivable", floor=0.02)


def _inventory_outruns(book: Book) -> Check:
    return _outruns(book, "inventory", floor=0.05)


def _outruns(book: Book, name: str, floor: float) -> Check:
    """Has a balance grown much faster than revenue over three years, and is it large enough to matter?"""
    balance, sales = book.growth(name, 3), book.growth("revenue", 3)
    newest, assets = book.item(name), book.item("total_assets")
    if balance is None or sales is None or newest is None or not assets:
        return None
    raised = newest / assets > floor and balance > max(sales, 0.0) + 0.15
    return raised, book.say(
        f"{book.run(name, 4)}，增长明显快于收入",
        f"{book.run(name, 4)}, growing much faster than revenue",
    )


def _profit_without_cash(book: Book) -> Check:
    profit, cash = book.series("net_profit", 3), book.series("cfo", 3)
    if len(profit) < 3 or len(cash) < 3:
        return None
    total_profit, total_cash = sum(v for _, v in profit), sum(v for _, v in cash)
    return total_profit > 0 and total_cash < 0.5 * total_profit, book.say(
        f"三年利润没有收到相应的现金：{book.run('net_profit')}，而{book.run('cfo')}",
        f"three years of profit came without the cash: {book.run('net_profit')}, but {book.run('cfo')}",
    )


def _beneish(book: Book) -> Check:
    score = book.latest("beneish_m")
    if score is None:
        return None
    return score > MANIPULATION_LINE, book.say(
        f"Beneish M 为 {book.words.plain(score)}，落在疑似操纵一侧",
        f"Beneish M is {book.words.plain(score)}, on the side of likely manipulation",
    )


def _always_profitable(book: Book) -> Check:
    profits = book.series("net_profit", 5)
    if not profits:
        return None
    losses = [(year, value) for year, value in profits if value <= 0]
    if losses:
        year, value = losses[-1]
        return False, book.say(
            f"{year} 年亏损 {book.words.money(-value)}", f"a loss of {book.words.money(-value)} in {year}"
        )
    return True, book.say(
        f"{profits[0][0]} 年以来年年盈利，{book.money('net_profit')}"
        if book.item("net_profit") is not None
        else "年年盈利",
        f"profitable every year since {profits[0][0]}",
    )


def _earns_its_keep(book: Book) -> Check:
    roe = book.item("roe")
    if roe is None:
        return None
    return roe >= 0.08, book.say(
        f"{book.year} 年 ROE {book.words.percent(roe)}", f"ROE of {book.words.percent(roe)} in {book.year}"
    )


def _profit_holds(book: Book) -> Check:
    growth = book.item("profit_growth")
    if growth is None:
        return None
    return growth > -0.3, book.say(
        f"{book.year} 年利润增速 {book.words.percent(growth)}",
        f"profit growth of {book.words.percent(growth)} in {book.year}",
    )


def _cash_adds_up(book: Book) -> Check:
    cash = book.series("cfo", 5)
    if len(cash) < 3:
        return None
    good = sum(value for _, value in cash) > 0
    return good, book.say(
        f"{cash[0][0]}—{cash[-1][0]} 年经营现金流累计为{'正' if good else '负'}",
        f"operating cash flow of {cash[0][0]}-{cash[-1][0]} adds up to {'more' if good else 'less'} than nothing",
    )


def _debt_bearable(book: Book) -> Check:
    net_cash, equity = book.item("net_cash"), book.item("equity_parent")
    if net_cash is None or equity is None:
        return None
    if equity <= 0:
        return False, book.say(
            f"归母权益为负：{book.money('equity_parent')}", f"negative equity: {book.money('equity_parent')}"
        )
    bearable = -net_cash <= equity
    if net_cash >= 0:
        return True, book.say(f"{book.money('net_cash')}", f"{book.money('net_cash')}")
    return bearable, book.say(
        f"净负债 {book.words.money(-net_cash)}，对应归母权益 {book.words.money(equity)}",
        f"net debt of {book.words.money(-net_cash)} on equity of {book.words.money(equity)}",
    )
