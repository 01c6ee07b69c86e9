"""The file itself: full, read-only, damaged, of an older schema, backed up and put back."""

from __future__ import annotations

import datetime as dt
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database as Connection

from tests.store_samples import make_plan, make_report
from workbench.errors import StoreError
from workbench.records import Models
from workbench.store import backups
from workbench.store.database import Database
from workbench.store.migrations import migrations
from workbench.store.runs import RunStore


def test_a_database_of_the_previous_schema_is_backed_up_and_migrated(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    old = Connection(path)
    migrations.apply(old, stop_before="m003_strategy_history")
    old.close()

    store = RunStore(path)

    with Database(path, migrations).read() as db:
        assert "strategy_versions" in db.table_names()
    assert store.count() == 0
    with closing(sqlite3.connect(backups.backups(path)[-1])) as copy:
        tables = {row[0] for row in copy.execute("select name from sqlite_master")}
    assert "runs" in tables
    assert "strategy_versions" not in tables, "the copy is of the time before"


def test_a_full_disk_keeps_what_was_saved_and_says_so(store: RunStore) -> None:
    run_id = store.start(make_plan(), Models())
    store.save_report(run_id, make_report("ch01"))
    with store._db.read() as db:
        used = db.execute("pragma page_count").fetchone()[0]
        db.execute(f"pragma max_page_count = {used}")
    big = make_report("ch02")
    big = big.model_copy(update={"calls": (big.calls[0].model_copy(update={"reply": "x" * 1_000_000}),)})

    with pytest.raises(StoreError, match="Free some disk space"):
        store.save_report(run_id, big)

    assert [report.agent for report in store.load(run_id).reports] == ["ch01"]


def test_a_read_only_database_can_be_read_and_refuses_to_write_clearly(store: RunStore) -> None:
    run_id = store.start(make_plan(), Models())
    with store._db.read() as db:
        db.execute("pragma query_only = on")

    with pytest.raises(StoreError, match="read-only: change its permissions"):
        store.start(make_plan(), Models())

    assert store.load(run_id).status == "running"


def test_a_data_folder_that_is_a_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(StoreError, match="data folder cannot be written"):
        RunStore(tmp_path / "data" / "runs.db")


def test_a_write_that_waits_too_long_says_who_to_look_for(store: RunStore) -> None:
    impatient = RunStore(store.path)
    impatient._db._patience_s = 0.05
    with store._db.write(), pytest.raises(StoreError, match="Another program holds the file"):
        impatient.start(make_plan(), Models())


def test_an_error_inside_a_write_leaves_nothing_behind(store: RunStore) -> None:
    def half_a_write() -> None:
        with store._db.write() as db:
            db.table("texts").insert({"hash": "h", "body": "b"})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half_a_write()

    with store._db.read() as db:
        assert db.table("texts").count == 0


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 8192])
def test_a_file_that_is_no_database_is_named_as_damaged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(content)

    with pytest.raises(StoreError, match="damaged") as error:
        RunStore(path)

    assert "There is no backup" in error.value.remedy
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (sqlite3.SQLITE_READONLY_DIRECTORY, "read-only"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "Another program"),
        (sqlite3.SQLITE_LOCKED, "Another program"),
        (sqlite3.SQLITE_CANTOPEN, "the folder exists"),
        (sqlite3.SQLITE_FULL, "disk space"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "no backup"),
        (sqlite3.SQLITE_NOTADB, "no backup"),
    ],
)
def test_only_a_wrong_content_is_damage_and_the_rest_has_its_own_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, remedy: str
) -> None:
    """A database in a read-only folder was called damaged, and going back to a backup was advised."""

    def refuse(*_: object, **__: object) -> None:
        error = sqlite3.DatabaseError("refused")
        error.sqlite_errorcode = code
        raise error

    monkeypatch.setattr(sqlite3, "connect", refuse)

    with pytest.raises(StoreError) as error:
        raise backups.damaged(tmp_path / "runs.db", backups.find_damage(tmp_path / "runs.db"))

    assert remedy in error.value.remedy
    assert ("damaged" in error.value.what) == (remedy == "no backup")


def test_the_last_backup_of_a_damaged_database_is_offered_and_put_back(store: RunStore) -> None:
    run_id = store.start(make_plan(), Models())
    store.finish(run_id, status="done")
    backup = backups.back_up(store.path)
    store.close()
    store.path.write_bytes(b"garbage" * 1000)

    with pytest.raises(StoreError, match="workbench doctor --restore"):
        RunStore(store.path)
    used, aside = backups.restore(store.path)

    assert used == backup
    assert aside.read_bytes() == b"garbage" * 1000
    assert RunStore(store.path).load(run_id).status == "done"


def test_a_damaged_page_is_found_and_never_copied_over_a_good_backup(store: RunStore) -> None:
    for _ in range(30):
        store.save_report(store.start(make_plan(), Models()), make_report("ch01"))
    good = backups.back_up(store.path)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    content = bytearray(store.path.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\x5a" * (4096 * 3)
    store.path.write_bytes(bytes(content))

    assert backups.find_damage(store.path)
    with pytest.raises(StoreError, match="damaged"):
        backups.back_up(store.path)

    assert backups.backups(store.path)[0] == good
    assert not list(good.parent.glob("*.partial"))


def test_there_is_one_backup_a_day_and_the_oldest_go(store: RunStore) -> None:
    folder = store.path.parent / "backups"
    assert len(backups.backups(store.path)) == 1
    backups.back_up_daily(store.path)
    assert len(backups.backups(store.path)) == 1, "the newest is younger than a day"
    for made in backups.backups(store.path):
        made.unlink()
    for day in range(1, 13):
        (folder / f"runs-202601{day:02}-120000.db").write_bytes(b"")

    backups.back_up_daily(store.path)

    kept = backups.backups(store.path)
    assert len(kept) == backups.KEPT
    assert backups.made(kept[0]) > dt.datetime(2026, 1, 12, 12, tzinfo=dt.UTC)
    assert kept[-1].name == "runs-20260107-120000.db"


def test_a_backup_that_cannot_be_written_does_not_stop_the_work(
    store: RunStore, caplog: pytest.LogCaptureFixture
) -> None:
    folder = store.path.parent / "backups"
    for made in backups.backups(store.path):
        made.unlink()
    folder.rmdir()
    folder.write_text("in the way")

    with caplog.at_level(logging.WARNING):
        assert RunStore(store.path).count() == 0

    assert "no backup of" in caplog.text


def test_restoring_without_a_backup_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    path.write_bytes(b"garbage")

    with pytest.raises(StoreError, match="no backup"):
        backups.restore(path)

    assert path.read_bytes() == b"garbage"
