"""Can the figures be believed? Rules of the operators that come first."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, no_view, rule, unread

IDENTITY_TOLERANCE = 0.01
"""Largest gap between assets and liabilities plus equity, as a share of assets, that rounding explains."""

MANIPULATION_LINE = -1.78
"""Beneish (1999): an M-score above this resembles companies that manipulated earnings."""

LENT_OUT_LINE = 0.08
"""Other receivables above this share of assets are large enough to hide lending to related parties."""

Check = tuple[bool, str] | None
"""``(whether the check came out against the company, what the figures say)``; None without the figures."""


@rule("data_integrity")
def data_integrity(book: Book) -> Finding:
    """Do the statements add up, are there enough of them, and are they recent?"""
    gap, years, say = _identity_gap(book), len(book.years), book.say
    broken = gap is not None and gap > IDENTITY_TOLERANCE
    verdict = "不可信" if broken else "存疑" if book.stale or years < 3 else "可信"
    parts = [
        say(
            f"可用年报自 {book.years[0]} 年至 {book.year} 年。",
            f"Annual statements run from {book.years[0]} to {book.year}.",
        )
    ]
    if broken:
        parts.append(say("资产与负债加权益对不上。", "Assets do not equal liabilities plus equity."))
    elif gap is not None:
        parts.append(say("资产负债表逐年勾稽一致。", "The balance sheet balances in every year."))
    if book.stale:
        parts.append(
            say(
                f"此后应有的年报没有看到，结论只反映 {book.year} 年底的情况。",
                f"The report that should have followed {book.year} is not here.",
            )
        )
    if years < 3:
        parts.append(say("年数太少，看不出趋势。", "That is too short a record to show a trend."))
    gist = {
        "可信": say("报表勾稽一致", "the statements add up"),
        "存疑": say("报表偏旧或年数不足", "the statements are old or few"),
        "不可信": say("报表对不上", "the statements do not add up"),
    }[verdict]
    return Finding(
        score={"可信": 80.0, "存疑": 45.0, "不可信": 10.0}[verdict],
        gist=gist,
        note=book.words.sentences(parts),
        outputs={"data_credibility": verdict, "statement_years": years},
        evidence=[book.cite(name) for name in ("total_assets", "total_liabilities") if book.has(name)],
    )


@rule("audit_opinion")
def audit_opinion(book: Book) -> Finding:
    """The statements say nothing about the auditor."""
    return unread(book, "审计意见", "the audit opinion")


@rule("accounting_red_flags")
def accounting_red_flags(book: Book) -> Finding:
    """Four signs that usually come before a restatement."""
    checks = (
        _outruns_revenue(book, "accounts_receivable", floor=0.02),
        _outruns_revenue(book, "inventory", floor=0.05),
        _profit_without_cash(book),
        _beneish(book),
    )
    known = [check for check in checks if check is not None]
    if not known:
        return no_view(book, "缺少判断异常信号所需的科目。", "The items these signs need are missing.")
    flags = [text for raised, text in known if raised]
    count, words = len(flags), book.words
    return Finding(
        score={0: 78.0, 1: 60.0, 2: 38.0}.get(count, 20.0),
        gist=book.say(
            f"{words.count(count)}项会计异常信号" if flags else "无会计异常信号",
            f"{words.count(count)} accounting sign{'' if count == 1 else 's'} of trouble",
        ),
        note=words.sentence(flags)
        if flags
        else book.say(
            "应收、存货、现金与利润的走势彼此吻合，没有常见的异常信号。",
            "Receivables, inventory, cash and profit move together; none of the usual signs is present.",
        ),
        outputs={
            "fraud_risk": "高" if count >= 3 else "中" if count == 2 else "低",
            "red_flag_count": count,
        },
        evidence=flags,
    )


@rule("related_party")
def related_party(book: Book) -> Finding:
    """Other receivables, the one trace that lending to related parties leaves in the statements."""
    other, assets = book.item("other_receivables"), book.item("total_assets")
    if other is None or not assets:
        return no_view(
            book,
            "没有关联交易披露，其他应收款也缺失，资金占用未知。",
            "No related-party disclosure and no other receivables: lending to insiders is unknown.",
        )
    share = other / assets
    large = share > LENT_OUT_LINE
    return Finding(
        score=35.0 if large else 65.0,
        gist=book.say(
            "其他应收款偏大" if large else "其他应收款占比不大",
            f"other receivables are {'large' if large else 'small'}",
        ),
        note=book.words.sentence(
            [
                book.say(
                    f"{book.cite('other_receivables')}，占总资产 {book.words.percent(share)}，"
                    + ("大到足以藏下资金占用，需查附注" if large else "资金占用的空间有限"),
                    f"{book.cite('other_receivables')}: {book.words.percent(share)} of assets, "
                    + ("enough to hide money lent to insiders" if large else "which leaves little to hide"),
                ),
                book.say("披露文本不在证据内", "the disclosures themselves are not in the evidence"),
            ]
        ),
        outputs={
            "related_party_risk": "高" if large else "低",
            "other_receivables_share": round(share * 100, 2),
        },
        evidence=[book.cite("other_receivables")],
    )


@rule("management_integrity")
def management_integrity(book: Book) -> Finding:
    """Figures do not show character."""
    return unread(book, "管理人诚信", "the integrity of management")


@rule("quick_screen")
def quick_screen(book: Book) -> Finding:
    """Five minutes with the figures: profit, return, direction, and for a business also cash and debt."""
    checks = [_loss_making(book), _low_return(book), _profit_collapsed(book)]
    if not book.financial:
        checks += [_cash_negative(book), _overindebted(book)]
    known = [check for check in checks if check is not None]
    if not known:
        return no_view(book, "初筛所需的数字不全。", "The figures for a quick screen are missing.")
    against = [text for failed, text in known if failed]
    for_it = [text for failed, text in known if not failed]
    result = "通过" if not against else "观察" if len(against) == 1 else "不通过"
    headline = book.say(f"初筛{result}", f"quick screen: {book.words.choice(result)}")
    parts = [
        book.say(f"{headline}。", f"{headline[0].upper()}{headline[1:]}."),
        book.words.sentence(against, book.say("未过的是：", "Against: ")),
        book.words.sentence(for_it, book.say("站得住的是：", "For: ")),
    ]
    return Finding(
        score={0: 78.0, 1: 55.0, 2: 36.0}.get(len(against), 22.0),
        gist=book.say(f"{headline}（{against[0]}）", f"{headline} ({against[0]})") if against else headline,
        note=book.words.sentences(parts),
        outputs={"screen_result": result, "screen_failures": len(against)},
        evidence=[*against, *for_it],
    )


def _identity_gap(book: Book) -> float | None:
    gaps = []
    for back in range(len(book.years)):
        assets, owed, equity = (
            book.item(name, back) for name in ("total_assets", "total_liabilities", "total_equity")
        )
        if assets and owed is not None and equity is not None:
            gaps.append(abs(assets - owed - equity) / assets)
    return max(gaps, default=None)


def _outruns_revenue(book: Book, name: str, floor: float) -> Check:
    """Has a balance grown much faster than revenue over three years, and is it large enough to matter?"""
    balance, sales = book.growth(name, 3), book.growth("revenue", 3)
    newest, assets = book.item(name), book.item("total_assets")
    if balance is None or sales is None or newest is None or not assets:
        return None
    return newest > floor * assets and balance > max(sales, 0.0) + 0.15, book.say(
        f"{book.run(name, 4)}，增长明显快于收入",
        f"{book.run(name, 4)}, growing much faster than revenue",
    )


def _profit_without_cash(book: Book) -> Check:
    profit, cash = book.total("net_profit", 3), book.total("cfo", 3)
    if profit is None or cash is None:
        return None
    return profit > 0 and cash < 0.5 * profit, book.say(
        f"三年利润没有收到相应的现金：{book.run('net_profit')}，{book.run('cfo')}",
        f"three years of profit came without the cash: {book.run('net_profit')}, {book.run('cfo')}",
    )


def _beneish(book: Book) -> Check:
    score = book.latest("beneish_m")
    if score is None:
        return None
    return score > MANIPULATION_LINE, book.say(
        f"Beneish M 值 {book.words.plain(score)}，落在疑似操纵一侧",
        f"Beneish M is {book.words.plain(score)}, on the side of likely manipulation",
    )


def _loss_making(book: Book) -> Check:
    profits = book.series("net_profit", 5)
    if not profits:
        return None
    losses = [(year, value) for year, value in profits if value <= 0]
    if losses:
        year, loss = losses[-1]
        amount = book.words.money(loss)
        return True, book.say(f"{year} 年净利润 {amount}", f"a net profit of {amount} in {year}")
    return False, book.say(f"{profits[0][0]} 年以来年年盈利", f"profitable every year since {profits[0][0]}")


def _low_return(book: Book) -> Check:
    roe = book.item("roe")
    return None if roe is None else (roe < 0.08, book.cite("roe"))


def _profit_collapsed(book: Book) -> Check:
    growth = book.item("profit_growth")
    return None if growth is None else (growth <= -0.3, book.cite("profit_growth"))


def _cash_negative(book: Book) -> Check:
    cash = book.series("cfo", 5)
    if len(cash) < 3:
        return None
    (first, _), (last, _) = cash[0], cash[-1]
    if sum(value for _, value in cash) > 0:
        return False, book.say(
            f"{first}—{last} 年经营现金流累计为正", f"operating cash flow of {first}-{last} positive in total"
        )
    return True, book.say(
        f"{first}—{last} 年经营现金流累计为负", f"operating cash flow of {first}-{last} negative in total"
    )


def _overindebted(book: Book) -> Check:
    net_cash, equity = book.item("net_cash"), book.item("equity_parent")
    if net_cash is None or equity is None:
        return None
    if equity <= 0:
        return True, book.say(
            f"净资产为负（{book.cite('equity_parent')}）", f"negative equity ({book.cite('equity_parent')})"
        )
    if net_cash >= 0:
        return False, book.cite("net_cash")
    both = f"{book.cite('net_cash')}{book.say('，', ', ')}{book.cite('equity_parent')}"
    if -net_cash > equity:
        return True, book.say(f"净负债超过净资产（{both}）", f"net debt above equity ({both})")
    return False, book.say(f"净负债低于净资产（{both}）", f"net debt below equity ({both})")
