"""Histories are read once and cut at each view's date; they are read again when the database changes."""

from __future__ import annotations

import datetime as dt
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.evidence import database
from workbench.evidence.database import EvidenceDB
from workbench.evidence.history import History
from workbench.evidence.view import PRICES, Match, Price

FACTS = Path(__file__).parents[2] / "data" / "facts"
CODE = "TEST"


def day(number: int) -> dt.date:
    return dt.date(2020, 1, 1) + dt.timedelta(days=number)


def price(number: int, close: float) -> dict[str, object]:
    return {"code": CODE, "date": day(number).isoformat(), "close": close}


@pytest.fixture
def db(tmp_path: Path) -> EvidenceDB:
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    db.add("prices", [price(1, 10), price(2, 20)], origin="mine")
    return db


def closes(db: EvidenceDB, number: int) -> list[float]:
    return [row.close for row in db.view(day(number)).prices(CODE)]


def count_queries(db: EvidenceDB, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    rows = db.rows

    def counted(sql: str, parameters: object = ()) -> list[tuple]:
        if "FROM prices" in sql:
            asked.append(sql)
        return rows(sql, parameters)

    monkeypatch.setattr(db, "rows", counted)
    return asked


def test_two_dates_ask_the_database_once(db: EvidenceDB, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = count_queries(db, monkeypatch)

    assert closes(db, 9) == [10, 20]
    first = len(asked)
    assert closes(db, 2) == [10]
    assert closes(db, 1) == []
    assert len(asked) == first


def test_the_receipt_counts_what_each_date_withholds(db: EvidenceDB) -> None:
    closes(db, 9)
    view = db.view(day(2))
    view.prices(CODE)

    assert (view.receipt().withheld, view.receipt().newest_evidence) == (1, day(1))


def test_rows_added_by_this_connection_are_seen_by_the_next_view(db: EvidenceDB) -> None:
    assert closes(db, 9) == [10, 20]
    db.add("prices", [price(3, 30)], origin="mine")

    assert closes(db, 9) == [10, 20, 30]


def test_rows_added_by_another_connection_are_seen_by_the_next_view(db: EvidenceDB) -> None:
    assert closes(db, 9) == [10, 20]
    EvidenceDB(db.path, FACTS).add("prices", [price(3, 30)], origin="mine")

    assert closes(db, 9) == [10, 20, 30]


def test_rows_added_by_another_thread_are_seen_by_the_next_view(db: EvidenceDB) -> None:
    assert closes(db, 9) == [10, 20]
    thread = threading.Thread(target=db.add, args=("prices", [price(3, 30)]), kwargs={"origin": "mine"})
    thread.start()
    thread.join()

    assert closes(db, 9) == [10, 20, 30]


def test_memory_is_bounded(db: EvidenceDB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "KEPT_ROWS", 100)
    for team in ("Liverpool", "Chelsea", "Arsenal", "Everton"):
        db.view(dt.date(2019, 5, 1)).matches(team)

    assert sum(map(len, db._histories.values())) <= 100 + 114, "one question may exceed the bound"


@settings(deadline=None, max_examples=100)
@given(
    stated=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 99)), max_size=12),
    as_of=st.integers(0, 6),
)
def test_of_each_thing_the_statement_known_last_is_seen(stated: list[tuple[int, int]], as_of: int) -> None:
    """Prices of one company on a few days, each stated any number of times."""
    rows = [Price(CODE, day(number), close, None) for number, close in sorted(stated, key=lambda row: row[0])]
    history = History(PRICES, rows, range(len(rows)), (), ())

    latest = {row.date: row for row in rows if row.date < day(as_of)}
    assert history.before(day(as_of)) == list(latest.values())
    hidden = [("prices", position) for position, row in enumerate(rows) if row.date >= day(as_of)]
    assert history.from_on(day(as_of)) == hidden
    assert history.newest_before(day(as_of)) == max(latest, default=None)
    high = [row.close for row in latest.values() if row.close > 50]
    for _ in range(2):
        assert history.made_before(day(as_of), lambda row: row.close if row.close > 50 else None) == high


def test_a_result_is_shared_by_views_of_one_date_until_the_database_changes(db: EvidenceDB) -> None:
    worked_out: list[int] = []

    def work_out() -> int:
        worked_out.append(1)
        return len(worked_out)

    assert [db.view(day(2)).shared("sum", work_out) for _ in range(2)] == [1, 1]
    assert db.view(day(3)).shared("sum", work_out) == 2
    assert db.view(day(2)).shared("mean", work_out) == 3
    db.add("prices", [price(3, 30)], origin="mine")
    assert db.view(day(2)).shared("sum", work_out) == 4


def test_what_is_made_of_a_match_is_made_once_and_cut_at_every_date(db: EvidenceDB) -> None:
    made: list[dt.date] = []

    def make(match: Match) -> dt.date | None:
        made.append(match.date)
        return match.date if match.home == "Liverpool" else None

    late, early = dt.date(2019, 5, 13), dt.date(2017, 5, 13)
    all_of_them = db.view(late).matches_as(make, team="Liverpool")
    assert len(all_of_them) == 57
    assert len(made) == 114
    view = db.view(early)
    assert view.matches_as(make, team="Liverpool") == [day for day in all_of_them if day < early]
    assert len(made) == 114
    assert view.receipt().withheld > 0
