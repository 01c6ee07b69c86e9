"""Files made to do harm: too large, too deep, half characters, names that are paths."""

from __future__ import annotations

import json

import pytest

from workbench.errors import InputError, PromptError, StrategyError
from workbench.evidence.readers import tables
from workbench.evidence.readers.absences import read_absences
from workbench.evidence.readers.football import read_matches
from workbench.evidence.readers.news import read_news
from workbench.workspace import Workspace

DEEP = 100_000
READERS = {
    "matches": read_matches,
    "absences": read_absences,
    "news": lambda content: read_news(content, "news.json"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "content",
    [
        b'{"a":' * DEEP,
        b"[" * DEEP,
        b'{"name": "x 2019", "matches": ' + b"[" * DEEP,
        b"[" + b"9" * 6000 + b"]",
        b"\x00" * 1000,
        b"\x80\xff\xfe" * 1000,
        b"PK\x03\x04" + b"\x00" * 1000,
        b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><x>&b;</x>',
        b'"' * 999,
        b"",
    ],
    ids=["objects", "lists", "inner", "digits", "zeros", "no text", "zip", "xml", "quotes", "empty"],
)
def test_a_file_that_is_no_data_is_refused_in_one_line(reader: str, content: bytes) -> None:
    """Deep nesting ended the readers of matches and absences with a RecursionError."""
    with pytest.raises(InputError) as refused:
        READERS[reader](content)

    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("reader", READERS)
def test_a_file_larger_than_any_table_is_not_read(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_FILE", 10)

    with pytest.raises(InputError, match="more than 10"):
        READERS[reader](b"x" * 11)


def test_half_a_character_in_a_file_does_not_reach_the_database(workspace: Workspace) -> None:
    """It was kept in the name of a player, and the database refused the whole import with a traceback."""
    half = json.dumps(
        [{"team": "Chelsea", "player": "a\ud83d", "published": "2019-01-01", "detail": "\U0001f984"}]
    )
    ((_, absence),) = read_absences(half.encode()).absences

    assert (absence.player, absence.detail) == ("a?", "\U0001f984")
    workspace.evidence.add("absences", [absence._asdict()], origin="half.json")


@pytest.mark.parametrize(
    "name",
    [
        "../value",
        "..",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "value\0",
        "con",
        ".hidden",
        "",
        " ",
        "a" * 65,
        "C:x",
        "\ud800",
        "名\u202e",
    ],
)
def test_no_name_leads_out_of_its_folder(workspace: Workspace, name: str) -> None:
    for open_ in (
        workspace.strategy,
        workspace.operators.get,
        lambda name: workspace.prompts.get(name, "v1"),
        lambda version: workspace.prompts.get("chapter", version),
        lambda name: workspace.drafts.create(name, b"kind: chapters\n", author="", note=""),
    ):
        with pytest.raises((StrategyError, InputError, PromptError)):
            open_(name)
