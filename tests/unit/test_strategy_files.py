"""Names, reading and writing of strategy files."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategy_samples import MATCH, STRATEGY
from workbench.errors import StrategyError
from workbench.strategy.files import check_name, load_strategy, read_strategy, write_atomically


@pytest.mark.parametrize("name", ["value", "价值_v2", "x", "2024-quick", "a" * 64])
def test_a_plain_name_is_accepted_as_it_is(name: str) -> None:
    assert check_name(name, "strategy") == name


PATHS = ("", ".", "..", "../../x", "a/b", "a\\b", ".x", "a.b", "x:y", "*", "a\n", "a\x00")
RESERVED = ("CON", "con", "Lpt1")
TOO_LONG = ("a" * 65, "a" * 300, "价" * 67)


@pytest.mark.parametrize("name", [*PATHS, *TOO_LONG, "_x", "-x", "a b"])
def test_a_name_that_could_leave_the_folder_or_break_a_system_is_refused(name: str) -> None:
    with pytest.raises(StrategyError) as error:
        check_name(name, "strategy")
    assert "Use letters" in error.value.remedy
    assert len(str(error.value)) < 200


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_an_accepted_name_is_one_path_part(name: str) -> None:
    try:
        safe = check_name(name, "strategy")
    except StrategyError:
        return
    assert Path("folder", f"{safe}.yaml").parent == Path("folder")
    assert not set(safe) & set('/\\:*?"<>|. \n\x00')


def test_a_strategy_is_loaded_with_its_text_and_the_hash_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "sample.yaml"
    path.write_bytes(STRATEGY.encode())
    loaded = load_strategy(path)
    assert (loaded.name, loaded.text, loaded.path) == ("sample", STRATEGY, path)
    assert loaded.hash == hashlib.sha256(STRATEGY.encode()).hexdigest()


def test_the_text_a_run_has_kept_reads_as_the_file_did(tmp_path: Path) -> None:
    path = tmp_path / "sample.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + STRATEGY.replace("\n", "\r\n").encode())
    loaded = load_strategy(path)
    again = read_strategy(loaded.text, "run 1")
    assert (again.strategy, again.hash) == (loaded.strategy, loaded.hash)


def test_a_match_strategy_is_read_by_its_kind() -> None:
    assert read_strategy(MATCH, "match.yaml").strategy.kind == "match"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"- a\n- b\n", "sample.yaml:1: a strategy is a mapping"),
        (b"just text", "sample.yaml:1: a strategy is a mapping"),
        ("kind: chapters\nname: 价".encode("gbk"), "sample.yaml:2: the file is not UTF-8"),
        (b"x" * 2_000_000, "2,000,000 bytes"),
    ],
)
def test_what_is_no_strategy_is_refused_in_one_line(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "sample.yaml"
    path.write_bytes(data)
    with pytest.raises(StrategyError, match=message):
        load_strategy(path)


def test_a_strategy_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    """The message was that of the operating system, "No such file", and left the reader alone with it."""
    for name in ("b.yaml", "a.yaml", "readme.md"):
        (tmp_path / name).touch()
    with pytest.raises(StrategyError, match=r"there is no strategy 'none'\. There are: a, b\."):
        load_strategy(tmp_path / "none.yaml")


@pytest.mark.parametrize("name", RESERVED)
def test_a_name_windows_reserves_is_said_to_be_reserved(name: str) -> None:
    """It was told to use letters, which it does."""
    with pytest.raises(StrategyError, match="Windows reserves it"):
        check_name(name, "strategy")


def test_writing_replaces_the_whole_file_keeps_its_rights_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"old and longer")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [file.name for file in tmp_path.iterdir()] == ["a.yaml"]


def test_writing_a_new_file_never_replaces_an_existing_one(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write_atomically(path, b"first", new=True)
    with pytest.raises(StrategyError, match="a file of this name exists"):
        write_atomically(path, b"second", new=True)
    assert path.read_bytes() == b"first"
    assert [file.name for file in tmp_path.iterdir()] == ["a.yaml"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_saving_over_a_link_does_not_write_to_what_it_points_at(tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_bytes(b"outside")
    link = tmp_path / "strategy" / "a.yaml"
    link.parent.mkdir()
    link.symlink_to(outside)
    write_atomically(link, b"inside")
    assert (outside.read_bytes(), link.read_bytes()) == (b"outside", b"inside")


def test_a_folder_that_cannot_be_written_to_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StrategyError, match="the file cannot be written: No such file"):
        write_atomically(tmp_path / "gone" / "a.yaml", b"x")


@pytest.mark.parametrize("kind", ["chapters", "match"])
def test_the_examples_in_the_documentation_can_be_read(kind: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "strategies.md").read_text(encoding="utf-8")
    (example,) = re.findall(rf"```yaml\n(kind: {kind}\n.*?)```", page, re.DOTALL)
    assert read_strategy(example, "strategies.md").strategy.kind == kind
