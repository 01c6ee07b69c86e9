"""Banks, insurers and brokers: rules of the operators that look at money as the merchandise."""

from __future__ import annotations

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, ladder, no_view, rule
from workbench.llm.baseline.valuation import fair_pb

THIN_EQUITY = 0.06
"""Equity below this share of assets leaves a bank little to lose."""

HEAVY_LOSSES = 0.45
"""Credit losses above this share of the profit before them are most of what a bank earns."""


@rule("bank_margin")
def bank_margin(book: Book) -> Finding:
    """Net interest income against assets: the margin as far as annual totals show it."""
    margins = book.series("net_interest_to_assets")
    if len(margins) < 3:
        return no_view(book, "利息净收入不足三年。", "Fewer than three years of net interest income.")
    first, last = margins[0][1], margins[-1][1]
    trend = "改善" if last > 1.03 * first else "收窄" if last < 0.97 * first else "平稳"
    word = book.words.choice(trend)
    ending = book.say(f"息差{word}", f"the margin is {word}")
    if trend == "收窄":
        ending += book.say("，靠规模撑住收入", " and volume holds up the income")
    return Finding(
        score={"改善": 74.0, "平稳": 64.0, "收窄": 46.0}[trend],
        gist=book.say(f"息差{word}", f"margin {word}"),
        note=book.words.sentence(
            [book.run("net_interest_income"), book.run("net_interest_to_assets", 5), ending]
        ),
        outputs={"margin_trend": trend, "income_to_assets": round(last * 100, 2)},
        evidence=[book.run("net_interest_to_assets", 5)],
    )


@rule("bank_asset_quality")
def bank_asset_quality(book: Book) -> Finding:
    """What credit losses eat, and the equity left to bear more; bad loans themselves are not in the facts."""
    buffer = book.item("equity_to_assets")
    if buffer is None:
        return no_view(book, "权益或总资产缺失。", "Equity or assets are missing.")
    losses, operating = book.item("credit_impairment"), book.item("operating_profit")
    growth, assets = book.growth("credit_impairment", 2), book.growth("total_assets", 2)
    signs = [book.say("权益偏薄", "thin equity")] if buffer < THIN_EQUITY else []
    if losses is not None and operating is not None and losses > HEAVY_LOSSES * (operating + losses):
        signs.append(book.say("减值吃掉拨备前利润的大头", "losses eat most of the profit before them"))
    if growth is not None and growth > max(assets or 0.0, 0.0) + 0.05:
        signs.append(book.say("减值增长快于资产", "losses grow faster than assets"))
    quality = ("稳健", "关注", "恶化", "恶化")[len(signs)]
    word = book.words.choice(quality)
    gist = book.say(f"资产质量：{word}", f"asset quality: {word}")
    shown = [book.cite("equity_to_assets")]
    if losses is not None:
        shown.append(book.run("credit_impairment"))
    return Finding(
        score={"稳健": 70.0, "关注": 52.0, "恶化": 30.0}[quality],
        gist=gist,
        note=book.words.sentences(
            [
                book.words.sentence([*shown, *signs, gist]),
                book.say(
                    "不良率与拨备覆盖率不在证据内。",
                    "Bad loans and their provisions are not in the evidence.",
                ),
            ]
        ),
        outputs={"asset_quality": quality, "equity_to_assets": round(buffer * 100, 2)},
        evidence=shown,
    )


@rule("bank_pb_roe")
def bank_pb_roe(book: Book) -> Finding:
    """P/B against what the return on equity earns."""
    pb, roe = book.latest("pb"), book.mean("roe", 3)
    if pb is None or roe is None:
        return no_view(book, "缺少市净率或三年净资产收益率。", "P/B or three years of return are missing.")
    fair = fair_pb(roe)
    discount = 1 - pb / fair
    view = "低估" if discount >= 0.25 else "合理" if discount >= -0.1 else "高估"
    word, times, quoted = book.words.choice(view), book.words.times(fair), book.quote("pb")
    return Finding(
        score=ladder(discount, (0.45, 86), (0.25, 76), (0.1, 64), (-0.1, 54), below=34),
        gist=book.say(f"{quoted}，{word}", f"{quoted}, {word}"),
        note=book.words.sentence(
            [
                book.run("roe"),
                book.say(f"配得上的市净率约 {times}", f"which earns a P/B of about {times}"),
                book.say(f"现为{quoted}，{word}", f"now {quoted}, {word}"),
            ]
        ),
        outputs={"fair_pb": round(fair, 2), "pb_view": view},
        evidence=[quoted, book.run("roe")],
    )


@rule("broker_cycle")
def broker_cycle(book: Book) -> Finding:
    """A broker earns in bull markets; its return against its own eight years says where it stands."""
    returns = [value for _, value in book.series("roe", 8)]
    if len(returns) < 5:
        return no_view(book, "不足五年净资产收益率。", "Fewer than five years of return on equity.")
    low, high = min(returns), max(returns)
    share = (returns[-1] - low) / (high - low) if high > low else 0.5
    position = "低谷" if share < 0.3 else "中段" if share <= 0.7 else "高峰"
    word = book.words.choice(position)
    return Finding(
        score={"低谷": 66.0, "中段": 56.0, "高峰": 38.0}[position],
        gist=book.say(f"券商周期：{word}", f"broker cycle: {word}"),
        note=book.words.sentence(
            [book.run("roe", 5), book.say(f"处在自身周期的{word}", f"at the {word} of its own cycle")]
        ),
        outputs={"broker_position": position},
        evidence=[book.run("roe", 5)],
    )


@rule("insurer_embedded_value")
def insurer_embedded_value(book: Book) -> Finding:
    """Embedded value is not in the statements, and equity does not stand in for it."""
    return no_view(
        book,
        "内含价值与新业务价值不在证据内，不作判断。",
        "Embedded value and the value of new business are not in the evidence: no view.",
    )
