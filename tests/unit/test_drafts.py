"""Drafts and versions of strategies: what is kept, what is written, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.strategy_samples import STRATEGY, write_libraries
from workbench.drafts import Draft, Drafts
from workbench.errors import InputError, StrategyError
from workbench.store.runs import RunStore
from workbench.strategy.files import Conflict
from workbench.strategy.folder import StrategyFolder


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    libraries = write_libraries(tmp_path)
    folder = tmp_path / "strategy"
    (folder / "sample.yaml").write_text(STRATEGY, encoding="utf-8", newline="")
    return Drafts(StrategyFolder(folder, libraries), RunStore(tmp_path / "data" / "runs.db").strategies)


def edited(drafts: Drafts, title: str = "改过") -> Draft:
    draft = drafts.open("sample")
    return drafts.keep(draft, draft.document().set(("title",), title).data.decode())


def test_a_strategy_opens_as_its_file_says(drafts: Drafts) -> None:
    draft = drafts.open("sample")
    assert (draft.text, draft.base, draft.disk) == (STRATEGY, STRATEGY, STRATEGY)
    assert not draft.edited
    assert draft.changes == 0


def test_a_draft_is_kept_until_it_equals_its_base_again(drafts: Drafts) -> None:
    draft = edited(drafts)
    assert drafts.open("sample").text == draft.text
    assert drafts.store.drafts() == ("sample",)
    drafts.keep(draft, draft.base)
    assert drafts.store.drafts() == ()


def test_a_draft_may_be_no_yaml_at_all(drafts: Drafts) -> None:
    drafts.keep(drafts.open("sample"), "kind: [")
    draft = drafts.open("sample")
    assert [finding.severity for finding in drafts.findings(draft)] == ["error"]
    with pytest.raises(StrategyError):
        drafts.save(draft, author="", note="")
    assert drafts.open("sample").text == "kind: ["


def test_a_save_keeps_what_was_found_and_what_was_written(drafts: Drafts) -> None:
    draft = edited(drafts)
    digest = drafts.save(draft, author="王五", note="改标题")
    newest, oldest = drafts.history("sample")
    assert (newest.hash, newest.author, newest.note, newest.text) == (digest, "王五", "改标题", draft.text)
    assert (oldest.author, oldest.note, oldest.text) == ("", "", STRATEGY)
    assert drafts.folder.read("sample") == draft.text.encode()
    assert drafts.store.drafts() == ()
    assert drafts.author() == "王五"


def test_a_byte_order_mark_and_crlf_survive_the_draft(drafts: Drafts) -> None:
    data = ("\ufeff" + STRATEGY.replace("\n", "\r\n")).encode()
    (drafts.folder.folder / "sample.yaml").write_bytes(data)
    draft = edited(drafts)
    drafts.save(draft, author="", note="")
    assert drafts.folder.read("sample") == data.replace(
        "title: 样例\r\n".encode(), "title: 改过\r\n".encode(), 1
    )


def test_a_file_changed_meanwhile_is_not_overwritten(drafts: Drafts) -> None:
    draft = edited(drafts)
    theirs = STRATEGY + "# theirs\n"
    (drafts.folder.folder / "sample.yaml").write_text(theirs, encoding="utf-8", newline="")
    assert drafts.open("sample").overtaken
    with pytest.raises(Conflict):
        drafts.save(draft, author="", note="")
    kept = drafts.keep_mine(drafts.open("sample"))
    assert not drafts.open("sample").overtaken
    drafts.save(kept, author="", note="mine")
    assert [version.text for version in drafts.history("sample")] == [draft.text, theirs]


def test_a_file_that_is_gone_leaves_the_draft_which_can_be_kept(drafts: Drafts) -> None:
    edited(drafts)
    (drafts.folder.folder / "sample.yaml").unlink()
    draft = drafts.open("sample")
    assert draft.disk is None
    assert draft.overtaken
    drafts.save(drafts.keep_mine(draft), author="", note="")
    assert drafts.folder.read("sample") == draft.text.encode()


def test_a_deleted_strategy_can_be_brought_back(drafts: Drafts) -> None:
    drafts.delete("sample")
    assert drafts.deleted() == ("sample",)
    drafts.create("sample", drafts.history("sample")[0].text.encode(), author="", note="")
    assert drafts.folder.read("sample") == STRATEGY.encode()
    assert drafts.deleted() == ()


def test_an_unsaved_strategy_is_not_renamed(drafts: Drafts) -> None:
    edited(drafts)
    with pytest.raises(StrategyError, match="unsaved"):
        drafts.rename("sample", "other", author="", note="")
    assert drafts.folder.names() == ("sample",)


def test_a_renamed_strategy_keeps_its_history_under_the_old_name(drafts: Drafts) -> None:
    assert drafts.rename("sample", "other", author="王五", note="") == "other"
    assert drafts.folder.names() == ("other",)
    assert [version.text for version in drafts.history("sample")] == [STRATEGY]
    assert drafts.deleted() == ("sample",)


@pytest.mark.parametrize("name", ["../../x", "CON", "a" * 300, "operators/debt"])
def test_no_name_leads_out_of_the_folder(drafts: Drafts, name: str) -> None:
    with pytest.raises(StrategyError):
        drafts.open(name)
    with pytest.raises(StrategyError):
        drafts.create(name, STRATEGY.encode(), author="", note="")


def test_a_version_is_found_by_its_number(drafts: Drafts) -> None:
    drafts.save(edited(drafts), author="", note="")
    newest = drafts.history("sample")[0]
    assert drafts.store.version(newest.number) == newest
    with pytest.raises(InputError):
        drafts.store.version(999)
