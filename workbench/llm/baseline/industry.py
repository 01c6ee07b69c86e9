"""What only this industry can show. Rules of the operators with an industry gate, financials excepted."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, no_view, rule

RED_LINES = (
    ("debt_to_assets_ex_advances", 0.70, 1),
    ("net_gearing", 1.00, 1),
    ("cash_to_short_debt", 1.00, -1),
)
"""The three red lines for Chinese developers (August 2020): ratio, bound, and 1 where more is worse."""


@rule("property_presales")
def property_presales(book: Book) -> Finding:
    """Presales are a developer's order book; the red lines show whether it can wait for them."""
    presales = book.series("contract_liabilities")
    lines = [(name, book.item(name), bound, worse) for name, bound, worse in RED_LINES]
    known = [(name, value, bound, worse) for name, value, bound, worse in lines if value is not None]
    if len(presales) < 2 or not known or presales[-2][1] <= 0:
        return no_view(book, "预收款或负债科目不全。", "Presales or debt items are missing.")
    change = presales[-1][1] / presales[-2][1] - 1
    trend = "增长" if change > 0.05 else "下滑" if change < -0.05 else "平稳"
    crossed = [name for name, value, bound, worse in known if worse * (value - bound) > 0]
    count, word = book.words.count(len(crossed)), book.words.choice(trend)
    verdict = (
        book.say(f"三道红线踩中{count}道", f"{count} of the three red lines crossed")
        if crossed
        else book.say("三道红线都没有踩", "no red line crossed")
    )
    return Finding(
        score=(72.0, 54.0, 34.0, 14.0)[len(crossed)] - (8.0 if trend == "下滑" else 0.0),
        gist=verdict,
        note=book.words.sentences(
            [
                book.words.sentence(
                    [book.run("contract_liabilities"), book.say(f"预收{word}", f"presales {word}")]
                ),
                book.words.sentence([*(book.cite(name) for name, *_ in known), verdict]),
            ]
        ),
        outputs={"presale_trend": trend, "red_lines_breached": len(crossed)},
        evidence=[book.run("contract_liabilities"), *(book.cite(name) for name in crossed)],
    )


@rule("consumer_channel")
def consumer_channel(book: Book) -> Finding:
    """Dealers' prepayments show whether the brand pulls or the channel is pushed."""
    advance, margin, growth = (
        book.series("contract_liabilities"),
        book.item("gross_margin"),
        book.item("revenue_growth"),
    )
    if len(advance) < 2 or margin is None:
        return no_view(book, "预收款或毛利率缺失。", "Prepayments or gross margin are missing.")
    dropped = advance[-1][1] < 0.7 * advance[-2][1]
    pushed = dropped and growth is not None and growth > 0
    health = "存疑" if pushed else "偏弱" if dropped or margin < 0.3 else "健康"
    comment = {
        "存疑": book.say("预收大降而收入仍增，渠道可能在透支", "revenue grows on falling prepayments"),
        "偏弱": book.say(
            "品牌拉力有限，或经销商不再抢着打款", "the brand pulls little, or dealers hold back"
        ),
        "健康": book.say("经销商愿意先付钱，看不到压货", "dealers pay first and nothing is pushed"),
    }[health]
    return Finding(
        score={"健康": 78.0 if margin >= 0.6 else 68.0, "偏弱": 48.0, "存疑": 40.0}[health],
        gist=book.say(f"品牌与渠道{health}", f"brand and channel {book.words.choice(health)}"),
        note=book.words.sentence([book.cite("gross_margin"), book.run("contract_liabilities"), comment]),
        outputs={"channel_health": health},
        evidence=[book.run("contract_liabilities"), book.cite("gross_margin")],
    )


@rule("technology_spending")
def technology_spending(book: Book) -> Finding:
    """Research and plant together: what it costs to stay, and whether revenue follows."""
    spending = [name for name in ("rnd_expense", "capex") if book.has(name)]
    revenue, growth = book.item("revenue"), book.growth("revenue", 3)
    if not revenue or growth is None or not spending:
        return no_view(book, "研发与资本开支数据不足。", "Research and capital spending are missing.")
    load = sum(book.item(name) or 0.0 for name in spending) / revenue
    verdict = "有回报" if growth >= 0.08 else "军备竞赛" if load >= 0.15 else "回报不明"
    word, percent = book.words.choice(verdict), book.words.percent(load)
    shown = [*(book.run(name) for name in spending), book.run("revenue")]
    return Finding(
        score={"有回报": 74.0, "回报不明": 56.0, "军备竞赛": 40.0}[verdict],
        gist=book.say(f"技术投入{word}", f"technology spending: {word}"),
        note=book.words.sentence(
            [*shown, book.say(f"投入占收入 {percent}，{word}", f"{percent} of revenue, {word}")]
        ),
        outputs={"technology_return": verdict, "spending_to_revenue": round(load * 100, 2)},
        evidence=shown,
    )


@rule("commodity_cost_curve")
def commodity_cost_curve(book: Book) -> Finding:
    """Without peers' costs, the worst margin of the record shows how low-cost a producer is."""
    margins = book.series("gross_margin", 8)
    if len(margins) < 5:
        return no_view(book, "不足五年毛利率，成本位置看不出。", "Fewer than five years of gross margin.")
    year, trough = min(margins, key=lambda pair: pair[1])
    position = "低成本" if trough >= 0.2 else "中等" if trough >= 0.08 else "高成本"
    word, percent = book.words.choice(position), book.words.percent(trough)
    return Finding(
        score={"低成本": 74.0, "中等": 56.0, "高成本": 36.0}[position],
        gist=book.say(f"成本曲线上属{word}", f"cost curve: {word}"),
        note=book.words.sentence(
            [
                book.cite("gross_margin") if book.has("gross_margin") else "",
                book.say(f"最差的 {year} 年是 {percent}，属{word}", f"at worst {percent} in {year}: {word}"),
            ]
        ),
        outputs={"cost_position": position},
        evidence=[book.run("gross_margin", 5)],
    )


@rule("utility_return")
def utility_return(book: Book) -> Finding:
    """A regulated return shows as a steady one."""
    levels = [value for _, value in book.series("roe")]
    if len(levels) < 5:
        return no_view(book, "不足五年净资产收益率。", "Fewer than five years of return on equity.")
    mean, swing = sum(levels) / 5, max(levels) - min(levels)
    stability = "稳定" if swing <= 0.03 and mean >= 0.06 else "波动" if mean >= 0.05 else "偏低"
    word = book.words.choice(stability)
    return Finding(
        score={"稳定": 76.0, "波动": 55.0, "偏低": 38.0}[stability],
        gist=book.say(f"准许回报{word}", f"regulated return {word}"),
        note=book.words.sentence([book.run("roe", 5), book.say(f"回报{word}", f"the return is {word}")]),
        outputs={"return_stability": stability},
        evidence=[book.run("roe", 5)],
    )


@rule("drug_pipeline")
def drug_pipeline(book: Book) -> Finding:
    """The pipeline itself is not in the figures; research spending shows only that there is one."""
    research, revenue = book.item("rnd_expense"), book.item("revenue")
    if research is None or not revenue:
        return no_view(
            book,
            "研发费用与在研管线不在证据内。",
            "Neither research spending nor a pipeline is in the evidence.",
        )
    load = research / revenue
    intensity = "高" if load >= 0.15 else "中" if load >= 0.05 else "低"
    word, percent = book.words.choice(intensity), book.words.percent(load)
    word = book.say({"中": "中等"}.get(word, word), word)
    return Finding(
        score={"高": 62.0, "中": 56.0, "低": 46.0}[intensity],
        gist=book.say(f"研发强度{word}", f"research intensity {word}"),
        note=book.words.sentence(
            [
                book.run("rnd_expense"),
                book.say(f"占收入 {percent}，强度{word}", f"{percent} of revenue, {word}"),
                book.say("临床进度不在证据内", "the trials are not in the evidence"),
            ]
        ),
        outputs={"research_intensity": intensity, "research_to_revenue": round(load * 100, 2)},
        evidence=[book.run("rnd_expense")],
    )
