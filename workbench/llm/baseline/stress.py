"""What if it goes wrong? Three scenarios, each a question the figures answer with yes or no."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.llm.baseline.book import Book
from workbench.llm.baseline.finding import Finding, no_view, rule

Scenario = tuple[str, bool | None]
"""``(what happens, whether the company withstands it)``; None where the figures are missing."""


@rule("stress_test")
def stress_test(book: Book) -> Finding:
    """How many of the scenarios the company withstands; a scenario without figures is not a pass."""
    scenarios = _financial_scenarios(book) if book.financial else _business_scenarios(book)
    passed = [name for name, withstood in scenarios if withstood]
    failed = [name for name, withstood in scenarios if withstood is False]
    blank = len(scenarios) - len(passed) - len(failed)
    if blank == len(scenarios):
        return no_view(book, "压力情景所需的科目不全。", "The items the scenarios need are missing.")
    shown = [book.cite(name) for name in _FIGURES[book.financial] if book.has(name)]
    parts = [
        book.words.sentence(shown),
        book.words.sentence(passed, book.say("扛得住：", "It withstands: ")),
        book.words.sentence(failed, book.say("扛不住：", "It does not withstand: ")),
        book.say("其余情景缺数，不算通过。", "The rest lacks figures and is no pass.") if blank else "",
    ]
    score = (40.0 if failed else 62.0) if blank else (14.0, 36.0, 60.0, 82.0)[len(passed)]
    return Finding(
        score=score,
        gist=_gist(book, len(passed), failed, blank),
        note=book.words.sentences(parts),
        outputs={
            "stress_passed": None if blank else len(passed),
            "weakest_scenario": failed[0] if failed else None,
        },
        evidence=shown,
    )


def _gist(book: Book, passed: int, failed: Sequence[str], blank: int) -> str:
    count = book.words.count
    if failed:
        return book.say(f"扛不住“{failed[0]}”", f"would not withstand {failed[0]}")
    if blank:
        return book.say(
            f"压力情景扛得住{count(passed)}个，{count(blank)}个缺数",
            f"withstands {count(passed)} of the scenarios, {count(blank)} unknown",
        )
    return book.say("压力情景都扛得住", "withstands every scenario")


_FIGURES = {
    False: ("operating_profit", "cash", "short_term_debt", "long_term_debt", "fcf"),
    True: ("net_profit", "payout", "credit_impairment", "total_equity", "total_assets"),
}
"""Whether it is a financial -> the figures its scenarios rest on."""


def _business_scenarios(book: Book) -> tuple[Scenario, ...]:
    operating, paid = book.item("operating_profit"), book.item(book.outlay)
    cash, short, long = book.item("cash"), book.item("short_term_debt"), book.item("long_term_debt")
    fcf, flows = book.mean("fcf", 3), [value for _, value in book.series("fcf", 5)]
    slump = None if operating is None or paid is None else 0.7 * operating >= paid
    drought = None if cash is None or short is None or len(flows) < 3 else cash + 2 * min(flows) >= short
    closed = (
        None
        if cash is None or short is None or long is None or fcf is None
        else cash + 2 * fcf >= short + long / 3
    )
    return (
        (book.say("营业利润降三成，仍要付息分红", "operating profit down by three tenths"), slump),
        (book.say("最差一年的自由现金流连续重演两年", "the worst free cash flow two years running"), drought),
        (book.say("两年借不到新钱而债务照常到期", "two years without new loans"), closed),
    )


def _financial_scenarios(book: Book) -> tuple[Scenario, ...]:
    payout, operating, impairment = (
        book.item(name) for name in ("payout", "operating_profit", "credit_impairment")
    )
    equity, assets = book.item("total_equity"), book.item("total_assets")
    return (
        (
            book.say("净利润降三成，分红照旧", "profit down by three tenths with the dividend kept"),
            None if payout is None else payout <= 0.7,
        ),
        (
            book.say("信用减值翻倍", "credit impairment doubled"),
            None if operating is None or impairment is None else operating > impairment,
        ),
        (
            book.say("百分之二的资产成为损失", "two per cent of the assets lost"),
            None if equity is None or not assets else (equity - 0.02 * assets) / assets >= 0.05,
        ),
    )
