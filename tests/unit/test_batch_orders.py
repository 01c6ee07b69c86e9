"""What a batch consists of: universes, dates and seasons as users write them."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import AmbiguousError, InputError
from workbench.evidence.fixtures import resolve_fixtures
from workbench.evidence.universe import read_universe
from workbench.pipelines.batches import MOST_DATES, company_items, match_items, parse_dates
from workbench.workspace import Workspace


def days(text: str) -> list[str]:
    return [day.isoformat() for day in parse_dates(text)]


def codes(workspace: Workspace, content: str | bytes) -> list[str]:
    data = content if isinstance(content, bytes) else content.encode()
    return [company.code for company in read_universe(data, workspace.evidence.instruments, "file.txt")]


def test_half_years_are_ends_of_months_up_to_and_including_the_last() -> None:
    assert days("2018-06-30:2020-06-30:6M") == [
        "2018-06-30",
        "2018-12-31",
        "2019-06-30",
        "2019-12-31",
        "2020-06-30",
    ]
    assert days("2020-01-31:2020-04-30:1m") == ["2020-01-31", "2020-02-29", "2020-03-31", "2020-04-30"]


def test_a_day_within_a_month_stays_that_day_where_there_is_one() -> None:
    assert days("2019-01-30:2019-03-30:1M") == ["2019-01-30", "2019-02-28", "2019-03-30"]
    assert days("2016-02-29:2020-02-29:2Y") == ["2016-02-29", "2018-02-28", "2020-02-29"]


def test_days_weeks_quarters_and_lists_of_days() -> None:
    assert days("2020-02-27:2020-03-01:1D") == ["2020-02-27", "2020-02-28", "2020-02-29", "2020-03-01"]
    assert days("2020-01-01:2020-01-20:1W") == ["2020-01-01", "2020-01-08", "2020-01-15"]
    assert days("2020-03-31:2020-12-31:1Q") == ["2020-03-31", "2020-06-30", "2020-09-30", "2020-12-31"]
    assert days("2021-06-30, 2020-06-30 ,2020-06-30:2020-06-30:1Y") == ["2020-06-30", "2021-06-30"]
    assert days("9998-06-30:9999-12-31:1Y") == ["9998-06-30", "9999-06-30"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no day is given"),
        ("2020-13-01", "is not a date"),
        ("2020-01-01:2020-12-31", "is not a range of days"),
        ("2020-01-01:2020-12-31:0M", "is not a range of days"),
        ("2020-01-01:2020-12-31:M", "is not a range of days"),
        ("2020-01-01:2020-12-31:1X", "is not a range of days"),
        ("2020-01-01:2020-12-31:1M:2", "is not a range of days"),
        ("2020-12-31:2020-01-01:1M", "ends before it begins"),
        ("1990-01-01:2024-01-01:1D", "more than 1000 days"),
    ],
)
def test_dates_that_cannot_be_read_say_why(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_dates(text)


@settings(deadline=None, max_examples=60)
@given(
    start=st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)),
    length=st.integers(0, 4000),
    count=st.integers(1, 30),
    unit=st.sampled_from("DWMQY"),
)
def test_every_range_ascends_from_its_first_day_and_stays_within_its_last(
    start: dt.date, length: int, count: int, unit: str
) -> None:
    end = start + dt.timedelta(days=length)
    try:
        found = parse_dates(f"{start}:{end}:{count}{unit}")
    except InputError:
        assert unit == "D"
        assert length // count >= MOST_DATES
        return
    assert found[0] == start
    assert found[-1] <= end
    assert found == sorted(set(found))


def test_a_universe_is_one_company_a_line_in_any_spelling(workspace: Workspace) -> None:
    text = "# my list\n600519\n\nAgBank\n贵州茅台\naapl\n"

    assert codes(workspace, text) == ["600519.SH", "601288.SH", "AAPL"]


def test_a_universe_may_be_a_table_with_a_column_of_codes(workspace: Workspace) -> None:
    assert codes(workspace, "name,Code,note\nMoutai,600519,a\n\n") == ["600519.SH"]
    assert codes(workspace, "股票代码,简称\n601288,农行\n".encode("gb18030")) == ["601288.SH"]
    assert codes(workspace, "\ufeffticker\r\nMSFT\r\n") == ["MSFT"]


def test_every_bad_line_is_named_with_its_number(workspace: Workspace) -> None:
    with pytest.raises(InputError) as caught:
        codes(workspace, "600519\nNOPE\n\n601288\nXX9\n")

    message = str(caught.value)
    assert message.startswith("file.txt: line 2: 'NOPE' is no company")
    assert "line 5: 'XX9' is no company" in message
    assert "line 1" not in message


def test_many_bad_lines_are_counted(workspace: Workspace) -> None:
    with pytest.raises(InputError, match=r"line 10: .* and 20 more lines"):
        codes(workspace, "\n".join(f"NOPE{number}" for number in range(30)))


def test_a_row_of_a_table_without_a_code_is_bad(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="line 3: '' is no company"):
        codes(workspace, "code,name\n600519,a\n,b\n")


def test_a_file_that_names_no_company_is_refused(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="names no company"):
        codes(workspace, "# nothing\n\n")


def test_companies_are_judged_as_of_every_date_once_they_are_listed(workspace: Workspace) -> None:
    """AgBank was listed on 2010-07-15."""
    companies = read_universe(b"600519\n601288\n", workspace.evidence.instruments)

    items = company_items(companies, parse_dates("2010-06-30:2010-12-31:6M"), "zh")

    assert [(subject.key, str(day)) for subject, day in items] == [
        ("600519.SH", "2010-06-30"),
        ("600519.SH", "2010-12-31"),
        ("601288.SH", "2010-12-31"),
    ]


def test_a_season_is_found_by_part_of_the_competitions_name(workspace: Workspace) -> None:
    found = resolve_fixtures(workspace.evidence, "premier league", season="2018/19")

    assert len(found) == 380
    assert {(fixture.competition, fixture.season) for fixture in found} == {
        ("English Premier League", "2018-19")
    }
    items = match_items(found)
    assert all(day == subject.date for subject, day in items)
    assert [day for _, day in items] == sorted(day for _, day in items)


def test_fixtures_can_be_narrowed_to_days(workspace: Workspace) -> None:
    christmas = resolve_fixtures(
        workspace.evidence, "Premier", since=dt.date(2018, 12, 24), until=dt.date(2018, 12, 26)
    )

    assert {str(fixture.date) for fixture in christmas} == {"2018-12-26"}


def test_competitions_and_seasons_nobody_knows_are_named(workspace: Workspace) -> None:
    evidence = workspace.evidence
    with pytest.raises(AmbiguousError, match="more than one competition"):
        resolve_fixtures(evidence, "League")
    with pytest.raises(InputError, match="there is no competition 'Serie A'"):
        resolve_fixtures(evidence, "Serie A")
    with pytest.raises(InputError, match="there is no season of English Premier League '2099-00'"):
        resolve_fixtures(evidence, "Premier", season="2099-00")
    with pytest.raises(InputError, match="no match of English Premier League"):
        resolve_fixtures(evidence, "Premier", since=dt.date(2018, 7, 1), until=dt.date(2018, 7, 2))
