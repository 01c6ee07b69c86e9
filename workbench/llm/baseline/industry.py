"""What only this industry can show. Rules of the operators with an industry gate."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule
from workbench.llm.baseline.valuation import fair_pb


@rule("bank_margin")
def bank_margin(book: Book) -> Finding:
    """Net interest income against assets: the margin as far as annual totals show it."""
    income, assets = dict(book.series("net_interest_income")), dict(book.series("total_assets"))
    years = [year for year in income if year in assets and assets[year] > 0]
    if len(years) < 3:
        return no_view(book, "利息净收入不足三年。", "Fewer than three years of net interest income.")
    first, last = income[years[0]] / assets[years[0]], income[years[-1]] / assets[years[-1]]
    direction = "改善" if last > 1.03 * first else "收窄" if last < 0.97 * first else "平稳"
    english = {"改善": "widening", "收窄": "narrowing", "平稳": "steady"}[direction]
    return Finding(
        score={"改善": 74.0, "平稳": 64.0, "收窄": 46.0}[direction],
        gist=book.say(f"息差{direction}", f"margin {english}"),
        note=book.say(
            f"{book.run('net_interest_income', 3)}，对总资产的比率由 {years[0]} 年的 {_two(first)}到 {years[-1]} 年的 {_two(last)}，息差{direction}"
            + ("，规模在替利率还债。" if direction == "收窄" else "。"),
            f"{book.run('net_interest_income', 3)}; as a share of assets {_two(first)} in {years[0]} and {_two(last)} in {years[-1]}: {english}.",
        ),
        outputs={
            "margin_trend": direction,
            "income_to_assets": round(last * 100, 2),
            "income_to_assets_before": round(first * 100, 2),
        },
        evidence=[book.run("net_interest_income", 3)],
    )


@rule("bank_asset_quality")
def bank_asset_quality(book: Book) -> Finding:
    """What credit losses eat, and the equity left to bear more; non-performing loans are not in the facts."""
    equity, assets = book.item("total_equity"), book.item("total_assets")
    if equity is None or not assets:
        return no_view(book, "权益或总资产缺失。", "Equity or assets are missing.")
    buffer = equity / assets
    impairment, operating = book.item("credit_impairment"), book.item("operating_profit")
    before = book.item("credit_impairment", 2)
    parts = [
        book.say(
            f"{book.money('total_equity')}，占总资产 {_two(buffer)}。",
            f"{book.money('total_equity')}, {_two(buffer)} of assets.",
        )
    ]
    heavy = rising = False
    if impairment is not None and operating is not None and operating + impairment > 0:
        heavy = impairment > 0.45 * (operating + impairment)
        rising = before is not None and impairment > 1.15 * before
        parts.append(
            book.say(
                f"{book.run('credit_impairment', 3)}，"
                + ("吃掉拨备前利润的大头，" if heavy else "拨备前利润消化得了，")
                + ("还在上升。" if rising else "没有上升。"),
                f"{book.run('credit_impairment', 3)}: "
                + ("most of the profit before it, " if heavy else "borne by the profit before it, ")
                + ("and rising." if rising else "and not rising."),
            )
        )
    parts.append(
        book.say(
            "不良率与拨备覆盖率不在证据内。", "Non-performing loans and their cover are not in the evidence."
        )
    )
    weak = (buffer < 0.06) + heavy + rising
    quality = "稳健" if weak == 0 else "关注" if weak == 1 else "恶化"
    english = {"稳健": "sound", "关注": "to be watched", "恶化": "worsening"}[quality]
    return Finding(
        score={"稳健": 70.0, "关注": 52.0, "恶化": 30.0}[quality],
        gist=book.say(f"资产质量{quality}", f"asset quality {english}"),
        note=book.words.sentences(parts),
        outputs={"asset_quality": quality, "equity_to_assets": round(buffer * 100, 2)},
        evidence=[book.money("total_equity"), book.money("total_assets")],
    )


@rule("bank_pb_roe")
def bank_pb_roe(book: Book) -> Finding:
    """P/B against what the return on equity earns."""
    pb, roe = book.latest("pb"), book.mean("roe", 3)
    if pb is None or roe is None:
        return no_view(book, "缺少市净率或三年 ROE。", "P/B or three years of ROE are missing.")
    fair = fair_pb(roe)
    discount = 1 - pb / fair
    view = "低估" if discount >= 0.25 else "合理" if discount >= -0.1 else "高估"
    english = {"低估": "cheap", "合理": "fair", "高估": "dear"}[view]
    return Finding(
        score=ladder(discount, (0.45, 86), (0.25, 76), (0.1, 64), (-0.1, 54), below=34),
        gist=book.say(f"市净率 {_two_times(book, pb)}，{view}", f"P/B {_two_times(book, pb)}, {english}"),
        note=book.say(
            f"{book.run('roe', 3, percent=True)}，与之相称的市净率约 {_two_times(book, fair)}；现为 {_two_times(book, pb)}，{view}。",
            f"{book.run('roe', 3, percent=True)} earns a P/B of about {_two_times(book, fair)}; it trades at {_two_times(book, pb)}: {english}.",
        ),
        outputs={"fair_pb": round(fair, 2), "pb_view": view},
        evidence=[book.say(f"市净率 {_two_times(book, pb)}", f"P/B {_two_times(book, pb)}")],
    )


@rule("property_presales")
def property_presales(book: Book) -> Finding:
    """Presales as the developer's order book, and the three red lines of August 2020 as far as totals show them."""
    presales = book.series("contract_liabilities", 3)
    assets, owed = book.item("total_assets"), book.item("total_liabilities")
    equity, net_cash = book.item("total_equity"), book.item("net_cash")
    cash, short, advance = book.item("cash"), book.item("short_term_debt"), book.item("contract_liabilities")
    if len(presales) < 2 or None in (assets, owed, equity, net_cash, cash, short, advance):
        return no_view(book, "预收款或负债科目不全。", "Presales or debt items are missing.")
    assert assets and owed and equity is not None and net_cash is not None
    assert cash is not None and short is not None and advance is not None
    ratio = (owed - advance) / (assets - advance)
    gearing = -net_cash / equity if equity > 0 else float("inf")
    breached = [
        name
        for name, hit in (
            (book.say("剔除预收后的资产负债率", "liabilities to assets without presales"), ratio > 0.70),
            (book.say("净负债率", "net gearing"), gearing > 1.0),
            (book.say("现金短债比", "cash to short-term debt"), short > 0 and cash < short),
        )
        if hit
    ]
    change = presales[-1][1] / presales[-2][1] - 1 if presales[-2][1] > 0 else 0.0
    trend = "增长" if change > 0.05 else "下滑" if change < -0.05 else "平稳"
    trend_en = {"增长": "growing", "下滑": "falling", "平稳": "flat"}[trend]
    return Finding(
        score={0: 72.0, 1: 54.0, 2: 34.0, 3: 14.0}[len(breached)] - (8.0 if trend == "下滑" else 0.0),
        gist=book.say(
            f"三道红线踩中{book.words.count(len(breached))}道" if breached else "三道红线未踩",
            f"{book.words.count(len(breached))} of three red lines crossed",
        ),
        note=book.say(
            f"{book.run('contract_liabilities', 3)}，预收{trend}。"
            + (
                f"三道红线中踩中{book.words.count(len(breached))}道：{book.words.join(breached)}"
                f"（{book.money('net_cash')}，股东权益合计 {book.words.money(equity)}）。"
                if breached
                else "三道红线都没有踩。"
            ),
            f"{book.run('contract_liabilities', 3)}: presales {trend_en}. "
            + (
                f"Red lines crossed: {book.words.join(breached)} ({book.money('net_cash')}, equity {book.words.money(equity)})."
                if breached
                else "No red line is crossed."
            ),
        ),
        outputs={"presale_trend": trend, "red_lines_breached": len(breached)},
        evidence=[book.run("contract_liabilities", 3), book.money("net_cash")],
    )


@rule("consumer_channel")
def consumer_channel(book: Book) -> Finding:
    """Dealers' prepayments and the speed of stock show whether the brand pulls or the channel is pushed."""
    advance = book.series("contract_liabilities", 3)
    margin = book.item("gross_margin")
    if len(advance) < 2 or margin is None:
        return no_view(book, "预收款或毛利率缺失。", "Prepayments or gross margin are missing.")
    drop = advance[-2][1] > 0 and advance[-1][1] < 0.7 * advance[-2][1]
    revenue = book.item("revenue_growth")
    pushed = drop and revenue is not None and revenue > 0
    health = "存疑" if pushed else "偏弱" if drop or margin < 0.3 else "健康"
    english = {"存疑": "doubtful", "偏弱": "weak", "健康": "healthy"}[health]
    return Finding(
        score={"健康": 78.0 if margin >= 0.6 else 68.0, "偏弱": 48.0, "存疑": 40.0}[health],
        gist=book.say(f"品牌与渠道{health}", f"brand and channel {english}"),
        note=book.say(
            f"{book.run('gross_margin', 1, percent=True)}；{book.run('contract_liabilities', 3)}，"
            + {
                "存疑": "预收大降而收入仍增，渠道可能在透支。",
                "偏弱": "品牌拉力有限或经销商打款意愿下降。",
                "健康": "品牌有定价权，经销商愿意先付款。" if margin >= 0.6 else "渠道没有压货迹象。",
            }[health],
            f"{book.run('gross_margin', 1, percent=True)}; {book.run('contract_liabilities', 3)}: {english}.",
        ),
        outputs={"channel_health": health},
        evidence=[book.run("contract_liabilities", 3)],
    )


@rule("technology_spending")
def technology_spending(book: Book) -> Finding:
    """Research and plant together: what it costs to stay where one is, and whether revenue follows."""
    research, capex = book.series("rnd_expense", 3), book.series("capex", 3)
    revenue, growth = book.item("revenue"), book.growth("revenue", 3)
    if not revenue or growth is None or (not research and not capex):
        return no_view(book, "研发与资本开支数据不足。", "Research and capital spending are missing.")
    spent = (research[-1][1] if research else 0.0) + (capex[-1][1] if capex else 0.0)
    load = spent / revenue
    pays = growth >= 0.08
    verdict = "有回报" if pays else "回报不明" if load < 0.15 else "军备竞赛"
    english = {"有回报": "it pays", "回报不明": "return unclear", "军备竞赛": "an arms race"}[verdict]
    parts = [book.run(name, 3) for name, values in (("rnd_expense", research), ("capex", capex)) if values]
    return Finding(
        score={"有回报": 74.0, "回报不明": 56.0, "军备竞赛": 40.0}[verdict],
        gist=book.say(f"技术投入{verdict}", f"technology spending: {english}"),
        note=book.say(
            f"{'；'.join(parts)}；{book.run('revenue', 3)}，投入{verdict}。",
            f"{'; '.join(parts)}; {book.run('revenue', 3)}: {english}.",
        ),
        outputs={"technology_return": verdict, "spending_to_revenue": round(load * 100, 1)},
        evidence=parts,
    )


@rule("commodity_cost_curve")
def commodity_cost_curve(book: Book) -> Finding:
    """Without peers' costs, the worst margin of the record tells how low-cost a producer is."""
    margins = book.series("gross_margin", 8)
    if len(margins) < 5:
        return no_view(book, "不足五年毛利率，成本位置看不出。", "Fewer than five years of gross margin.")
    year, trough = min(margins, key=lambda pair: pair[1])
    place = "低成本" if trough >= 0.2 else "中等" if trough >= 0.08 else "高成本"
    english = {"低成本": "low cost", "中等": "middle of the curve", "高成本": "high cost"}[place]
    return Finding(
        score={"低成本": 74.0, "中等": 56.0, "高成本": 36.0}[place],
        gist=book.say(f"成本曲线：{place}", f"cost curve: {english}"),
        note=book.say(
            f"最差的 {year} 年毛利率仍有 {book.words.percent(trough)}，{book.run('gross_margin', 1, percent=True)}，属{place}。",
            f"The worst gross margin was {book.words.percent(trough)} in {year}; {book.run('gross_margin', 1, percent=True)}: {english}.",
        ),
        outputs={"cost_position": place},
        evidence=[book.run("gross_margin", 5, percent=True)],
    )


@rule("utility_return")
def utility_return(book: Book) -> Finding:
    """A regulated return shows as a steady one; debt is how it is financed."""
    returns = book.series("roe")
    if len(returns) < 5:
        return no_view(book, "不足五年 ROE。", "Fewer than five years of ROE.")
    levels = [value for _, value in returns]
    mean, swing = sum(levels) / 5, max(levels) - min(levels)
    steadiness = "稳定" if swing <= 0.03 and mean >= 0.06 else "波动" if mean >= 0.05 else "偏低"
    english = {"稳定": "steady", "波动": "uneven", "偏低": "low"}[steadiness]
    return Finding(
        score={"稳定": 76.0, "波动": 55.0, "偏低": 38.0}[steadiness],
        gist=book.say(f"准许回报{steadiness}", f"regulated return {english}"),
        note=book.say(
            f"{book.run('roe', 5, percent=True)}，回报{steadiness}。",
            f"{book.run('roe', 5, percent=True)}: {english}.",
        ),
        outputs={"return_stability": steadiness},
        evidence=[book.run("roe", 5, percent=True)],
    )


@rule("broker_cycle")
def broker_cycle(book: Book) -> Finding:
    """A broker earns in bull markets; the present ROE against its own eight years says where it stands."""
    returns = [value for _, value in book.series("roe", 8)]
    if len(returns) < 5:
        return no_view(book, "不足五年 ROE。", "Fewer than five years of ROE.")
    low, high, now = min(returns), max(returns), returns[-1]
    share = (now - low) / (high - low) if high > low else 0.5
    place = "低谷" if share < 0.3 else "中段" if share <= 0.7 else "高峰"
    english = {"低谷": "trough", "中段": "middle", "高峰": "peak"}[place]
    return Finding(
        score={"低谷": 66.0, "中段": 56.0, "高峰": 38.0}[place],
        gist=book.say(f"券商周期：{place}", f"broker cycle: {english}"),
        note=book.say(
            f"{book.run('roe', 5, percent=True)}，处在自身周期的{place}。",
            f"{book.run('roe', 5, percent=True)}: {english} of its own cycle.",
        ),
        outputs={"broker_position": place},
        evidence=[book.run("roe", 5, percent=True)],
    )


@rule("insurer_embedded_value")
def insurer_embedded_value(book: Book) -> Finding:
    """Embedded value is not in the statements."""
    return no_view(
        book,
        "内含价值与新业务价值不在证据内，不作判断。",
        "Embedded value and the value of new business are not in the evidence: no view.",
    )


@rule("drug_pipeline")
def drug_pipeline(book: Book) -> Finding:
    """The pipeline itself is not in the figures; research spending shows only that there is one."""
    research = book.series("rnd_expense", 3)
    revenue = book.item("revenue")
    if not research or not revenue:
        return no_view(
            book,
            "研发费用与在研管线不在证据内。",
            "Research spending and the pipeline are not in the evidence.",
        )
    load = research[-1][1] / revenue
    intensity = "高" if load >= 0.15 else "中" if load >= 0.05 else "低"
    english = {"高": "high", "中": "middling", "低": "low"}[intensity]
    return Finding(
        score={"高": 62.0, "中": 56.0, "低": 46.0}[intensity],
        gist=book.say(f"研发强度{intensity}", f"research intensity {english}"),
        note=book.say(
            f"{book.run('rnd_expense', 3)}，强度{intensity}；管线临床进度不在证据内。",
            f"{book.run('rnd_expense', 3)}: intensity {english}; the trials themselves are not in the evidence.",
        ),
        outputs={"research_intensity": intensity, "research_to_revenue": round(load * 100, 1)},
        evidence=[book.run("rnd_expense", 3)],
    )


def _two(fraction: float) -> str:
    return f"{fraction * 100:.2f}%"


def _two_times(book: Book, multiple: float) -> str:
    return book.say(f"{multiple:.2f} 倍", f"{multiple:.2f}x")
