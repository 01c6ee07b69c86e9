"""Returns after a day: worked by hand, and empty where they are not known."""

from __future__ import annotations

import datetime as dt

import pytest

from workbench.evaluate.returns import Return, ShareHistory, followed, return_after
from workbench.evidence.days import months_later
from workbench.evidence.view import Dividend, Event, Price
from workbench.workspace import Workspace

TODAY = dt.date(2026, 1, 1)
DAY = dt.date.fromisoformat


def price(day: str, close: float, basis: str | None = None) -> Price:
    return Price("X", DAY(day), close, DAY(basis) if basis else None)


def dividend(day: str, cash: float) -> Dividend:
    return Dividend("X", DAY(day), cash, None, None)


def split(day: str, factor: float) -> Event:
    return Event("X", DAY(day), "split", factor, None)


def after(
    as_of: str,
    *prices: Price,
    dividends: tuple[Dividend, ...] = (),
    events: tuple[Event, ...] = (),
    measure: str = "return_6m",
    today: dt.date = TODAY,
) -> Return | str:
    return return_after(DAY(as_of), measure, ShareHistory(prices, dividends, events), today)  # type: ignore[arg-type]


def test_a_return_runs_between_the_closes_nearest_to_both_ends() -> None:
    found = after("2018-06-30", price("2018-06-29", 100), price("2018-12-28", 110), price("2019-01-31", 500))

    assert found == Return(pytest.approx(0.10), DAY("2018-06-29"), DAY("2018-12-28"), 0)


def test_the_earlier_of_two_equally_near_closes_counts() -> None:
    found = after("2018-06-30", price("2018-06-30", 100), price("2018-12-30", 110), price("2019-01-01", 120))

    assert found == Return(pytest.approx(0.10), DAY("2018-06-30"), DAY("2018-12-30"), 0)


@pytest.mark.parametrize(
    ("as_of", "last", "today", "reason"),
    [
        ("2025-07-15", "2025-12-31", "2026-01-01", "not_over"),
        ("2025-06-30", "2025-12-31", "2025-12-30", "not_over"),
        ("2018-07-11", "2018-12-31", "2026-01-01", "no_first_price"),
        ("2018-06-19", "2018-12-20", "2026-01-01", "no_first_price"),
        ("2018-06-30", "2019-01-11", "2026-01-01", "no_last_price"),
        ("2018-06-30", "2018-12-20", "2026-01-01", "no_last_price"),
    ],
)
def test_what_is_not_known_stays_empty_and_says_why(as_of: str, last: str, today: str, reason: str) -> None:
    prices = (price("2018-06-30", 100), price("2025-07-15", 100), price(last, 110))

    assert after(as_of, *prices, today=DAY(today)) == reason


def test_ten_days_are_near_enough() -> None:
    found = after("2018-06-30", price("2018-07-10", 100), price("2018-12-21", 110))

    assert isinstance(found, Return)
    assert found.value == pytest.approx(0.10)


def test_a_horizon_is_over_on_its_last_day() -> None:
    found = after("2025-06-30", price("2025-06-30", 100), price("2025-12-31", 90), today=DAY("2025-12-31"))

    assert isinstance(found, Return)
    assert found.value == pytest.approx(-0.10)


def test_one_price_is_no_return() -> None:
    assert after("2018-06-30", price("2018-07-05", 100), measure="return_1m") == "no_last_price"


def test_dividends_count_once_from_the_day_after_the_first_close_to_the_last() -> None:
    """100 becomes 104 and pays 3 and 2 on the way: 9 %. The first is already out of the first close."""
    paid = [
        dividend(day, cash)
        for day, cash in (
            ("2018-06-29", 50.0),
            ("2018-06-30", 3.0),
            ("2018-12-31", 2.0),
            ("2019-01-02", 50.0),
        )
    ]
    found = after("2018-06-30", price("2018-06-29", 100), price("2018-12-31", 104), dividends=tuple(paid))

    assert found == Return(pytest.approx(0.09), DAY("2018-06-29"), DAY("2018-12-31"), 2)


def test_splits_are_put_right_also_for_the_dividends_between_them() -> None:
    """One share at 100 becomes two; 1 a share before the split, 0.5 after it; 55 each at the end.

    Worth 2 x 55 = 110, with 1 + 2 x 0.5 = 2 of dividends: 12 %.
    """
    found = after(
        "2018-06-30",
        price("2018-06-30", 100),
        price("2018-12-31", 55),
        dividends=(dividend("2018-08-01", 1.0), dividend("2018-11-01", 0.5)),
        events=(split("2018-09-01", 2.0),),
    )

    assert isinstance(found, Return)
    assert found.value == pytest.approx(0.12)


def test_prices_on_the_basis_after_a_split_are_not_split_again() -> None:
    """Both prices are on the basis after a 2-for-1 split. The dividend of 4 is for one share of before it,
    which is two of these, so each got 2."""
    found = after(
        "2018-06-30",
        price("2018-06-30", 50, basis="2018-09-01"),
        price("2018-12-31", 55),
        dividends=(dividend("2018-08-01", 4.0),),
        events=(split("2018-09-01", 2.0),),
    )

    assert isinstance(found, Return)
    assert found.value == pytest.approx((55 + 2) / 50 - 1)


def test_months_end_where_months_end() -> None:
    assert months_later(DAY("2018-06-30"), 6) == DAY("2018-12-31")
    assert months_later(DAY("2018-12-31"), 2) == DAY("2019-02-28")
    assert months_later(DAY("2019-01-30"), 1) == DAY("2019-02-28")
    assert months_later(DAY("2018-06-15"), 12) == DAY("2019-06-15")


def test_every_horizon_of_every_judgement_is_filled_or_counted() -> None:
    prices = tuple(
        price(day, close) for day, close in (("2018-06-30", 100), ("2018-07-31", 90), ("2018-09-28", 95))
    )
    asked: list[str] = []

    def history(code: str) -> ShareHistory:
        asked.append(code)
        return ShareHistory(prices, (), ())

    judged = [("X", DAY("2018-06-30")), ("X", DAY("2018-07-31"))]
    found = followed(judged, history, DAY("2019-06-30"))

    assert asked == ["X"]
    assert [(o.as_of, o.measure, round(o.value, 6)) for o in found.outcomes] == [
        (DAY("2018-06-30"), "return_1m", -0.10),
        (DAY("2018-06-30"), "return_3m", -0.05),
    ]
    assert found.missing == {"no_last_price": 5, "not_over": 1}
    assert {o.source for o in found.outcomes} == {"prices; no dividends on record"}


def test_moutai_over_a_year_with_its_dividend(workspace: Workspace) -> None:
    """Out of the facts: the last closes of both years and the one dividend of 2019."""
    view = workspace.evidence.view(TODAY)
    code = "600519.SH"
    history = ShareHistory(view.prices(code), view.dividends(code), view.events(code))
    closes = {row.date.isoformat(): row.close for row in history.prices}

    found = return_after(DAY("2018-12-31"), "return_12m", history, TODAY)

    assert isinstance(found, Return)
    (paid,) = [row.cash_per_share for row in history.dividends if row.ex_date.year == 2019]
    assert found.value == pytest.approx((closes["2019-12-31"] + paid) / closes["2018-12-28"] - 1)
    assert found.dividends == 1
