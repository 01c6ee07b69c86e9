"""Saving strategies: checked, atomic, inside the folder, and never over somebody else's change."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest

from tests.strategy_samples import STRATEGY, write_libraries
from workbench.errors import StrategyError
from workbench.strategy.files import Conflict
from workbench.strategy.folder import StrategyFolder

BASE = STRATEGY.encode()
MINE = STRATEGY.replace("buy: 75", "buy: 76").encode()
THEIRS = STRATEGY.replace("buy: 75", "buy: 80").encode()


@pytest.fixture
def folder(tmp_path: Path) -> StrategyFolder:
    libraries = write_libraries(tmp_path)
    (tmp_path / "strategy" / "sample.yaml").write_bytes(BASE)
    return StrategyFolder(tmp_path / "strategy", libraries)


def everything(folder: StrategyFolder) -> dict[str, bytes]:
    """Every file of the workspace but the lock."""
    root = folder.folder.parent
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def test_a_save_writes_the_bytes_given_and_returns_their_hash(folder: StrategyFolder) -> None:
    digest = folder.save("sample", MINE, BASE)
    assert folder.read("sample") == MINE
    assert digest == hashlib.sha256(MINE).hexdigest()
    assert set(everything(folder)) == {"strategy/sample.yaml"} | {
        name for name in everything(folder) if name.endswith(".md")
    }


def test_a_file_changed_meanwhile_is_not_overwritten_but_shown_three_ways(folder: StrategyFolder) -> None:
    (folder.folder / "sample.yaml").write_bytes(THEIRS)
    with pytest.raises(Conflict) as conflict:
        folder.save("sample", MINE, BASE)
    assert (conflict.value.base, conflict.value.disk, conflict.value.mine) == (BASE, THEIRS, MINE)
    assert folder.read("sample") == THEIRS


def test_a_file_removed_meanwhile_is_a_conflict_too(folder: StrategyFolder) -> None:
    folder.delete("sample")
    with pytest.raises(Conflict) as conflict:
        folder.save("sample", MINE, BASE)
    assert conflict.value.disk == b""


def test_saving_what_is_there_already_is_no_conflict_and_no_write(folder: StrategyFolder) -> None:
    path = folder.folder / "sample.yaml"
    path.write_bytes(MINE)
    before = path.stat().st_mtime_ns
    folder.save("sample", MINE, BASE)
    assert path.stat().st_mtime_ns == before


def test_of_two_saves_at_once_one_wins_and_the_other_learns_of_it(folder: StrategyFolder) -> None:
    outcomes: list[str] = []
    start = threading.Barrier(2)

    def save(data: bytes) -> None:
        start.wait()
        try:
            folder.save("sample", data, BASE)
            outcomes.append("saved")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=save, args=(data,)) for data in (MINE, THEIRS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["conflict", "saved"]
    assert folder.read("sample") in (MINE, THEIRS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[credibility]", "[nobody]", "sample.yaml:11: there is no operator 'nobody'"),
        ("buy: 75", "buy: 20", "sample.yaml:29: watch starts at 30"),
        ("kind: chapters", "kind: [", "sample.yaml:.* not valid YAML"),
        ("cap: 25", "cap: !!python/object:os.system 25", "not plain data"),
    ],
)
def test_a_strategy_with_an_error_is_not_saved(
    folder: StrategyFolder, old: str, new: str, message: str
) -> None:
    with pytest.raises(StrategyError, match=message):
        folder.save("sample", STRATEGY.replace(old, new).encode(), BASE)
    assert folder.read("sample") == BASE


def test_a_warning_does_not_stand_in_the_way(folder: StrategyFolder) -> None:
    folder.save("sample", STRATEGY.replace('"0-29"', '"5-29"').encode(), BASE)


def test_a_copy_carries_its_own_name_and_every_comment(folder: StrategyFolder) -> None:
    folder.create("副本", folder.read("sample"))
    assert folder.names() == ("sample", "副本")
    assert folder.read("副本") == STRATEGY.replace("name: sample", "name: 副本").encode()


def test_a_rename_changes_the_name_in_the_file_and_of_the_file(folder: StrategyFolder) -> None:
    folder.rename("sample", "other")
    assert folder.names() == ("other",)
    assert folder.document("other").value(("name",)) == "other"


def test_a_name_that_is_taken_is_refused_and_nothing_is_lost(folder: StrategyFolder) -> None:
    folder.create("other", BASE)
    before = everything(folder)
    with pytest.raises(StrategyError, match="a file of this name exists"):
        folder.rename("sample", "other")
    assert everything(folder) == before


def test_a_deleted_strategy_is_handed_back_for_the_history(folder: StrategyFolder) -> None:
    assert folder.delete("sample") == BASE
    assert folder.names() == ()
    with pytest.raises(StrategyError, match="cannot be read"):
        folder.delete("sample")


@pytest.mark.parametrize("name", ["../../x", "CON", "a" * 300, "a/b", "", "x.yaml", "\x00"])
def test_no_name_leads_outside_the_folder(folder: StrategyFolder, name: str) -> None:
    before = everything(folder)
    for attempt in (
        lambda: folder.create(name, BASE),
        lambda: folder.save(name, MINE, BASE),
        lambda: folder.rename("sample", name),
        lambda: folder.delete(name),
        lambda: folder.read(name),
    ):
        with pytest.raises(StrategyError, match="cannot be the name of a strategy"):
            attempt()
    assert everything(folder) == before


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("名: 值".encode("utf-16"), id="UTF-16"),
        pytest.param(STRATEGY.encode("gbk"), id="GBK"),
        pytest.param(b"a: 1\n" * 1_000_000, id="5 MB"),
        pytest.param(b"kind: [", id="malformed"),
        pytest.param(b"- a list", id="list"),
        pytest.param(b"", id="empty"),
        pytest.param(b"x: &x [*x]", id="loop"),
    ],
)
def test_an_import_that_is_no_strategy_writes_nothing(folder: StrategyFolder, data: bytes) -> None:
    before = everything(folder)
    with pytest.raises(StrategyError):
        folder.create("imported", data)
    assert everything(folder) == before


def test_a_folder_that_cannot_be_locked_is_one_line(folder: StrategyFolder) -> None:
    (folder.folder / ".lock").mkdir()
    with pytest.raises(StrategyError, match="the file cannot be locked"):
        folder.save("sample", MINE, BASE)


def test_an_operator_knows_the_strategies_that_use_it(folder: StrategyFolder) -> None:
    folder.create("copy", BASE)
    (folder.folder / "broken.yaml").write_text("kind: [")
    assert folder.using("credibility") == ("copy", "sample")
    assert folder.using("nobody") == ()


def test_an_edited_operator_breaks_the_strategies_whose_rules_read_it(folder: StrategyFolder) -> None:
    """Renaming a field switched off the hard rules that read it, in every strategy, without a word."""
    folder.create("copy", BASE)
    (folder.folder / "broken.yaml").write_text("kind: [")
    saved = folder.libraries.operators.get("credibility")
    assert folder.broken_by(saved) == {}
    edited = saved.model_copy(update={"outputs": {"trust": saved.outputs["trusted"]}})
    broken = folder.broken_by(edited)
    assert list(broken) == ["copy", "sample"]
    (error,) = broken["sample"]
    assert "'trusted', which chapter 'ch01_data' does not answer" in error.what
    assert error.remedy == "Did you mean 'trust'?"


def test_what_is_broken_already_is_not_held_against_an_edited_operator(folder: StrategyFolder) -> None:
    path = folder.folder / "sample.yaml"
    path.write_bytes(BASE.replace(b"field: trusted", b"field: gone"))
    saved = folder.libraries.operators.get("credibility")
    edited = saved.model_copy(update={"outputs": {"trust": saved.outputs["trusted"]}})
    assert folder.broken_by(edited) == {}
