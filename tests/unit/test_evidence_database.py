"""The evidence database: built from the facts, rebuilt when they change, and kind to imported rows."""

from __future__ import annotations

import datetime as dt
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench.errors import EvidenceError
from workbench.evidence.database import EvidenceDB

ROOT = Path(__file__).parents[2]
FACTS = ROOT / "data" / "facts"
FAR = dt.date(2030, 1, 1)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """A copy of the sample facts, to be changed."""
    return shutil.copytree(FACTS, tmp_path / "facts")


def count(db: EvidenceDB, table: str) -> int:
    return int(db.rows(f"SELECT count(*) FROM {table}")[0][0])


def test_first_use_builds_every_table_in_under_three_seconds(tmp_path: Path) -> None:
    started = time.perf_counter()
    db = EvidenceDB(tmp_path / "data" / "evidence.db", FACTS)
    assert time.perf_counter() - started < 3
    counts = {
        table: count(db, table) for table in ("instruments", "statements", "prices", "dividends", "matches")
    }
    assert counts == {"instruments": 7, "statements": 2626, "prices": 771, "dividends": 32, "matches": 1421}
    assert db.rows("SELECT count(*) FROM matches WHERE competition = 'English Premier League'") == [(1140,)]
    assert db.rows("PRAGMA journal_mode") == [("wal",)]


def test_a_second_opening_loads_nothing_again(tmp_path: Path, facts: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", facts)
    newest = db.rows("SELECT max(id) FROM prices")
    db = EvidenceDB(tmp_path / "evidence.db", facts)
    assert db.rows("SELECT max(id) FROM prices") == newest
    assert db.rows("SELECT min(id) FROM prices") == [(1,)]


def test_changed_facts_are_loaded_again_and_imported_rows_stay(tmp_path: Path, facts: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", facts)
    db.add("prices", [{"code": "AAPL", "date": "2019-01-31", "close": 166.44}], origin="mine")
    db.add(
        "indicators",
        [{"name": "cpi_elsewhere", "period": "2019-01", "value": 1.6, "published": None}],
        origin="mine",
    )
    with (facts / "prices.csv").open("a") as stream:
        stream.write("MSFT,2018-03-29,91.27,\n")
    view = db.view(FAR)
    assert [row.close for row in view.prices("MSFT")][-1] == 91.27
    assert [row.close for row in view.prices("AAPL")][-1] == 166.44
    assert count(db, "prices") == 771 + 2
    assert db.rows("SELECT value FROM indicators WHERE origin = 'mine'") == [(1.6,)]


def test_an_imported_row_beats_the_sample_row_it_repeats_even_after_a_reload(
    tmp_path: Path, facts: Path
) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", facts)
    row = {"code": "AAPL", "date": "2018-01-31", "close": 1.0, "share_basis": "2014-06-09"}
    db.add("prices", [row], origin="mine")
    (facts / "prices.csv").touch()
    with (facts / "prices.csv").open("a") as stream:
        stream.write("MSFT,2018-03-29,91.27,\n")
    closes = {price.date: price.close for price in db.view(FAR).prices("AAPL")}
    assert closes[dt.date(2018, 1, 31)] == 1.0
    assert len(closes) == 61


def test_a_broken_facts_file_is_named_and_the_old_facts_stay(tmp_path: Path, facts: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", facts)
    good = (facts / "prices.csv").read_text()
    (facts / "prices.csv").write_text(good + "MSFT,29/03/2018,91.27,\n")
    with pytest.raises(EvidenceError, match=r"prices\.csv.*29/03/2018"):
        db.refresh()
    assert count(db, "prices") == 771
    (facts / "prices.csv").write_text(good + "MSFT,2018-03-29\n")
    with pytest.raises(EvidenceError, match="line 773 has not as many cells"):
        db.refresh()


@pytest.mark.parametrize(
    ("line", "cell"),
    [
        ("MSFT,29/03/2018,91.27,", "line 773, column date, value '29/03/2018'"),
        ("MSFT,2018-03-29,many,", "line 773, column close, value 'many'"),
        (",2018-03-29,91.27,", "line 773, column code, value ''"),
    ],
)
def test_a_bad_cell_is_named_by_line_column_and_value(
    tmp_path: Path, facts: Path, line: str, cell: str
) -> None:
    """The whole row was shown as Python writes a dictionary, and no line."""
    with (facts / "prices.csv").open("a") as stream:
        stream.write(f"{line}\n")
    with pytest.raises(EvidenceError, match=rf"prices\.csv: cannot be loaded: {cell}") as error:
        EvidenceDB(tmp_path / "evidence.db", facts)
    assert "{" not in error.value.what


def test_a_missing_facts_file_is_named_with_a_remedy(tmp_path: Path, facts: Path) -> None:
    (facts / "events.csv").unlink()
    with pytest.raises(EvidenceError, match=r"lacks events\.csv.*workbench init"):
        EvidenceDB(tmp_path / "evidence.db", facts)


def test_a_file_that_is_no_database_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "evidence.db").write_bytes(b"not a database, but long enough to look at" * 50)
    with pytest.raises(EvidenceError, match="file is not a database"):
        EvidenceDB(tmp_path / "evidence.db", FACTS)


def test_a_deleted_database_is_built_again_by_a_process_that_had_it_open(tmp_path: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    for file in tmp_path.glob("evidence.db*"):
        file.unlink()
    assert len(db.view(FAR).prices("MSFT")) == 61


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("prices", {"code": "AAPL", "date": "31.01.2019", "close": 1.0}),
        ("prices", {"code": "AAPL", "date": "2019-02-30", "close": 1.0}),
        ("prices", {"code": "AAPL", "date": "2019-01-31", "close": 0.0}),
        ("prices", {"code": "AAPL", "date": "2019-01-31", "close": "many"}),
        ("prices", {"code": "AAPL", "day": "2019-01-31", "close": 1.0}),
        ("prices", {"date": "2019-01-31", "close": 1.0}),
        ("events", {"code": "AAPL", "date": "2019-01-31", "kind": "rumour", "value": 1.0}),
    ],
)
def test_a_row_that_does_not_fit_is_refused_and_nothing_of_the_import_is_kept(
    tmp_path: Path, table: str, row: dict[str, object]
) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    before = count(db, table)
    good = {"code": "AAPL", "date": "2019-02-28", "close": 1.0}
    if table == "events":
        good = {"code": "AAPL", "date": "2019-02-28", "kind": "split", "value": 2.0}
    with pytest.raises(EvidenceError, match=f"{table}: a row does not fit"):
        db.add(table, [good, row], origin="mine")
    assert count(db, table) == before


def test_imports_cannot_pose_as_sample_rows(tmp_path: Path) -> None:
    db = EvidenceDB(tmp_path / "evidence.db", FACTS)
    with pytest.raises(ValueError, match="sample"):
        db.add("prices", [], origin="sample")


def test_four_processes_opening_a_new_workspace_at_once_all_get_the_same_facts(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from workbench.evidence.database import EvidenceDB;"
        "db = EvidenceDB(Path(sys.argv[1]), Path(sys.argv[2]));"
        "print(db.rows('SELECT count(*), max(id) FROM statements'))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "data" / "evidence.db"), str(FACTS)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) for _ in range(4)]
    outputs = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert outputs == ["[(2626, 2626)]"] * 4
