"""The point-in-time view: nothing from the as-of date on, whatever is added to the tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

# Importing the modules registers their slices.
import workbench.evidence.company
import workbench.evidence.football  # noqa: F401
from workbench.errors import InputError
from workbench.evidence.database import EvidenceDB
from workbench.evidence.slices import get_slice, slice_names
from workbench.evidence.view import View, parse_day
from workbench.records import MatchSubject, TickerSubject

FACTS = Path(__file__).parents[2] / "data" / "facts"
CODES = ("600519.SH", "601288.SH", "600340.SH", "002304.SZ", "00700.HK", "AAPL", "MSFT")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("view") / "evidence.db", FACTS)


@pytest.fixture
def own_db(tmp_path: Path) -> EvidenceDB:
    return EvidenceDB(tmp_path / "evidence.db", FACTS)


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def test_a_row_of_the_as_of_date_itself_is_withheld(db: EvidenceDB) -> None:
    """Moutai's statement of 2020 came out on 2021-03-31, the day of a month-end close."""
    on_the_day, day_after = db.view(day("2021-03-31")), db.view(day("2021-04-01"))
    assert on_the_day.statements("600519.SH")[-1].fiscal_year == 2019
    assert day_after.statements("600519.SH")[-1].fiscal_year == 2020
    assert on_the_day.prices("600519.SH")[-1].date == day("2021-02-26")
    assert day_after.prices("600519.SH")[-1].date == day("2021-03-31")


def test_the_receipt_counts_each_withheld_row_once_however_often_it_is_asked_for(db: EvidenceDB) -> None:
    view = db.view(day("2017-12-29"))
    assert view.receipt().model_dump() == {
        "as_of": day("2017-12-29"),
        "newest_evidence": None,
        "withheld": 0,
        "undated": 0,
    }
    view.prices("MSFT")
    view.prices("MSFT")
    # The closes of 2017-12-29, 2018-01-31 and 2018-02-07 lie on or after the day.
    assert view.receipt().withheld == 3
    assert view.receipt().newest_evidence == day("2017-11-30")
    view.matches("Liverpool")
    both = view.receipt().withheld
    view.matches("Liverpool", "English Premier League")
    assert view.receipt().withheld == both


def test_undated_rows_are_dropped_and_counted(own_db: EvidenceDB) -> None:
    own_db.add("prices", [{"code": "MSFT", "date": None, "close": 1.0}], origin="mine")
    view = own_db.view(day("2018-03-01"))
    assert len(view.prices("MSFT")) == 61
    assert view.receipt().undated == 1
    assert view.receipt().withheld == 0


def test_a_restated_figure_is_seen_from_the_day_of_its_restatement(own_db: EvidenceDB) -> None:
    restated = {
        "code": "600519.SH",
        "fiscal_year": 2019,
        "period_end": "2019-12-31",
        "published": "2021-03-31",
        "currency": "CNY",
        "item": "revenue",
        "value": 1.0,
    }
    own_db.add("statements", [restated], origin="mine")

    def revenue(as_of: str) -> float:
        figures = own_db.view(day(as_of)).statements("600519.SH")
        (value,) = (row.value for row in figures if (row.fiscal_year, row.item) == (2019, "revenue"))
        return value

    assert revenue("2021-03-31") == 85_430_000_000
    assert revenue("2021-04-01") == 1.0


def test_matches_of_a_club_are_those_at_home_and_away(db: EvidenceDB) -> None:
    matches = db.view(day("2018-06-01")).matches("Burnley", "English Premier League")
    assert len(matches) == 76
    assert sum(match.home == "Burnley" for match in matches) == 38
    assert matches == sorted(matches, key=lambda match: match.date)


def test_documents_absences_and_indicators_obey_the_same_rule(own_db: EvidenceDB) -> None:
    for published in ("2020-01-01", "2020-01-02", None):
        document = {
            "kind": "news",
            "source": "s",
            "title": f"t{published}",
            "published": published,
            "code": "ZZZ",
        }
        own_db.add("documents", [document], origin="mine")
        own_db.add(
            "absences", [{"team": "Ajax", "player": f"p{published}", "published": published}], origin="mine"
        )
        own_db.add(
            "indicators",
            [
                {
                    "name": "cpi_elsewhere",
                    "period": "2019-11",
                    "value": 2.1 if published else 0,
                    "published": published,
                }
            ],
            origin="mine",
        )
    view = own_db.view(day("2020-01-02"))
    assert [row.title for row in view.documents("ZZZ")] == ["t2020-01-01"]
    assert view.documents("ZZZ", kind="speech") == []
    assert [row.player for row in view.absences("Ajax")] == ["p2020-01-01"]
    assert [row.value for row in view.indicators("cpi_elsewhere")] == [2.1]
    receipt = view.receipt()
    assert (receipt.withheld, receipt.undated, receipt.newest_evidence) == (3, 3, day("2020-01-01"))


@pytest.mark.parametrize(
    "text", ["2021-02-30", "2021-6-30", "30.06.2021", "20210630", "", "tomorrow", "2021-06-30T"]
)
def test_a_malformed_day_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError, match="YYYY-MM-DD") as error:
        parse_day(text)
    assert "\n" not in str(error.value)


# --- no future row ever changes what a slice shows ---------------------------------------------------

SUBJECTS: dict[str, list[Any]] = {
    "ticker": [TickerSubject(code=code, name=code) for code in CODES],
    "match": [
        MatchSubject(
            competition="English Premier League", season="2018-19", date=day(date), home=home, away=away
        )
        for date, home, away in (
            ("2018-11-04", "Manchester City", "Southampton"),
            ("2019-04-14", "Liverpool", "Chelsea"),
        )
    ],
}


def shown(view: View, subject: Any) -> dict[str, Any]:
    """Everything any slice shows of a subject."""
    return {name: get_slice(name, of=subject.kind)(view, subject) for name in slice_names(subject.kind)}


def unseen_rows(subject: Any, as_of: dt.date) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """A row about the subject, dated on or after ``as_of`` or not at all, for any table.

    Most days are near: a cut that is off by a day or a month shows on these only.
    """
    near = st.just(as_of) | st.dates(as_of, as_of + dt.timedelta(days=60))
    late = st.none() | (near | st.dates(as_of, dt.date(2100, 1, 1))).map(dt.date.isoformat)
    number = st.floats(min_value=0.5, max_value=1e12)
    goals = st.integers(min_value=0, max_value=9)
    year = st.integers(min_value=2005, max_value=2030)
    if subject.kind == "match":
        club = st.sampled_from([subject.home, subject.away, "Arsenal"])
        return st.one_of(
            st.tuples(
                st.just("matches"),
                st.fixed_dictionaries(
                    {
                        "competition": st.just(subject.competition),
                        "season": st.just(subject.season),
                        "date": late,
                        "home": club,
                        "away": club,
                        "home_goals": goals,
                        "away_goals": goals,
                        "home_xg": st.none() | st.floats(min_value=0, max_value=6),
                        "away_xg": st.none() | st.floats(min_value=0, max_value=6),
                    }
                ),
            ),
            st.tuples(
                st.just("absences"),
                st.fixed_dictionaries({"team": club, "player": st.just("someone"), "published": late}),
            ),
        )
    code = st.just(subject.code)
    items = (
        "revenue",
        "net_profit",
        "total_assets",
        "equity_parent",
        "cfo",
        "shares_outstanding",
        "new_item",
    )
    return st.one_of(
        st.tuples(
            st.just("statements"),
            st.fixed_dictionaries(
                {
                    "code": code,
                    "fiscal_year": year,
                    "period_end": year.map(lambda y: f"{y}-12-31"),
                    "published": late,
                    "currency": st.sampled_from(["CNY", "USD"]),
                    "item": st.sampled_from(items),
                    "value": number,
                }
            ),
        ),
        st.tuples(st.just("prices"), st.fixed_dictionaries({"code": code, "date": late, "close": number})),
        st.tuples(
            st.just("dividends"),
            st.fixed_dictionaries(
                {"code": code, "ex_date": late, "cash_per_share": number, "fiscal_year": year}
            ),
        ),
        st.tuples(
            st.just("events"),
            st.fixed_dictionaries(
                {
                    "code": code,
                    "date": late,
                    "kind": st.sampled_from(["split", "share_count", "new_business"]),
                    "value": number,
                }
            ),
        ),
        st.tuples(
            st.just("documents"),
            st.fixed_dictionaries(
                {
                    "code": code,
                    "kind": st.just("news"),
                    "source": st.just("s"),
                    "title": st.just("t"),
                    "published": late,
                }
            ),
        ),
        st.tuples(
            st.just("indicators"),
            st.fixed_dictionaries(
                {"name": st.just("cpi"), "period": st.just("2019"), "value": number, "published": late}
            ),
        ),
    )


@pytest.mark.parametrize("kind", ["ticker", "match"])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_future_or_undated_row_in_any_table_changes_no_slice(
    own_db: EvidenceDB, kind: str, data: st.DataObject
) -> None:
    subject = data.draw(st.sampled_from(SUBJECTS[kind]))
    days = st.dates(min_value=dt.date(2009, 1, 1), max_value=dt.date(2026, 1, 1))
    as_of = subject.date if kind == "match" else data.draw(days)
    before = own_db.view(as_of)
    expected = shown(before, subject)
    rows = data.draw(st.lists(unseen_rows(subject, as_of), min_size=1, max_size=4))
    for table, row in rows:
        own_db.add(table, [row], origin="future")
    after = own_db.view(as_of)
    assert shown(after, subject) == expected
    assert after.receipt().newest_evidence == before.receipt().newest_evidence


def test_a_past_row_does_change_the_slices(own_db: EvidenceDB) -> None:
    """What keeps the property above from holding only because nothing ever changes anything."""
    as_of, subject = day("2018-03-01"), SUBJECTS["ticker"][-1]
    expected = shown(own_db.view(as_of), subject)
    own_db.add("prices", [{"code": "MSFT", "date": "2018-02-28", "close": 93.77}], origin="past")
    changed = shown(own_db.view(as_of), subject)
    assert {name for name in expected if changed[name] != expected[name]} == {"ratios", "prices"}


ASKED: dict[str, Callable[[View], list[Any]]] = {
    "published": lambda view: [
        *(figure for code in CODES for figure in view.statements(code)),
        *(report for club in ("Liverpool", "Chelsea") for report in view.absences(club)),
        *view.documents(),
        *view.headlines("news"),
        *view.headlines("speech"),
        *view.relations(),
        *view.indicators(),
    ],
    "date": lambda view: [
        *(price for code in CODES for price in view.prices(code)),
        *(event for code in CODES for event in view.events(code)),
        *view.matches(),
        *view.matches("Liverpool"),
        *view.matches_as(lambda match: match, competition="English Premier League"),
    ],
    "ex_date": lambda view: [dividend for code in CODES for dividend in view.dividends(code)],
}
"""All questions but ``item``, which may be of the day itself, by the field that dates their answers."""


@pytest.mark.parametrize(
    "as_of",
    [
        "2016-07-01",  # Moutai's dividend goes ex
        "2016-07-02",
        "2017-07-06",  # the day before the next one does
        "2018-11-04",  # a match day
        "2021-03-31",  # a statement and a close of one day
        "2024-12-20",
    ],
)
def test_every_row_of_every_answer_is_dated_before_the_day(db: EvidenceDB, as_of: str) -> None:
    """A view that let dividends through up to 30 days early passed every test of slices."""
    view = db.view(day(as_of))
    for field, ask in ASKED.items():
        dates = [getattr(row, field) for row in ask(view)]
        assert dates, field
        assert max(dates) < day(as_of), field


def test_a_dividend_is_seen_from_the_day_after_it_goes_ex_and_no_sooner(db: EvidenceDB) -> None:
    """As above; asked on every day around each of Moutai's dividends on record."""
    known = [dividend.ex_date for dividend in db.view(day("2100-01-01")).dividends("600519.SH")]
    assert len(known) > 5
    for ex_date in known:
        for offset in (-30, -1, 0, 1):
            as_of = ex_date + dt.timedelta(days=offset)
            seen = [dividend.ex_date for dividend in db.view(as_of).dividends("600519.SH")]
            assert seen == [other for other in known if other < as_of]


def test_a_dividend_from_before_the_first_statement_has_no_yield(own_db: EvidenceDB) -> None:
    """The dividends of a company without a visible statement ended in a KeyError."""
    own_db.add("dividends", [{"code": "AAPL", "ex_date": "2004-06-01", "cash_per_share": 0.5}], origin="mine")
    subject = TickerSubject(code="AAPL", name="Apple")
    evidence = get_slice("dividends")(own_db.view(day("2005-01-01")), subject)
    assert evidence.missing["dividend_yield"] == "no annual statement had been published"
