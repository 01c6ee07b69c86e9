"""News on the command line: bringing items in, listing, judging one or many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from workbench.cli import cli
from workbench.workspace import Workspace

FILE = "标题,日期,来源\n苹果下调业绩指引,2025-06-02,某报\n苹果 下调业绩指引！,2025-06-02,另一报\n没有日期,,\n"


def command(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


def printed(*arguments: str, stdin: str | None = None) -> dict:
    result = command(*arguments, "--json", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_a_file_is_brought_in_once_and_says_what_it_left_out(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    file.write_text(FILE, encoding="utf-8")
    first = printed("news", "import", str(file))
    assert (len(first["new"]), first["known"]) == (1, [])
    assert first["refused"] == [{"entry": 3, "why": "it has no date."}]
    again = command("news", "import", str(file)).stdout
    assert again.startswith("0 items added, 2 were known, 1 left out.")
    assert "entry 3: it has no date." in again
    assert command("news", "forget", "items.csv").stdout == "1 items taken out.\n"
    assert printed("news", "list", "--text", "指引")["total"] == 0


def test_an_item_is_pasted_listed_and_judged(workspace: Workspace) -> None:
    pasted = printed("news", "paste", "--date", "2025-06-02 09:30", stdin="Apple cuts guidance\nby 5%\n")
    (item,) = pasted["new"]
    listed = printed("news", "list", "--from", "2025-06-01")
    assert (listed["total"], listed["items"][0]["id"], listed["items"][0]["names"]) == (1, item, ["AAPL"])
    run = printed("run", "signals", item)
    assert (run["pipeline"], run["status"], run["as_of"]) == ("signals", "done", "2025-06-02")
    assert run["subject"]["id"] == item
    assert (run["verdict"]["label"], run["verdict"]["fields"]["event_type"]) == ("ALERT", "guidance_change")
    assert [report["agent"] for report in run["reports"]][:2] == ["signal_scope", "sentiment_pulse"]
    text = command("run", "signals", "apple cuts guidance").stdout
    assert "ALERT impact 0.80 · guidance_change · negative · AAPL" in text
    assert "built-in rules, not a model" in text


def test_a_list_shows_who_is_named_and_how_many_there_are(workspace: Workspace) -> None:
    lines = command("news", "list", "--language", "zh", "--limit", "2").stdout.splitlines()
    assert lines[0].split() == ["item", "source", "names", "title"]
    assert "600519.SH" in lines[1]
    assert lines[-1] == "2 of 15 items, page 1"
    assert "No item matches" in command("news", "list", "--text", "nothing like it").stdout


def test_what_names_no_item_or_several_ends_with_one_line_and_stores_nothing(workspace: Workspace) -> None:
    for asked, said in (("no such thing", "there is no news item"), ("2021", "may be any of 2 items")):
        result = command("run", "signals", asked)
        assert result.exit_code == 2
        assert said in result.stderr
        assert result.stderr.count("\n") == 1
    assert workspace.store.count() == 0


def test_a_file_that_cannot_be_read_ends_with_one_line(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_bytes(b"a,b\n1,2\n")
    result = command("news", "import", str(file))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "odd.csv: there is no column with titles." in result.stderr


def test_a_hostile_title_cannot_move_the_cursor(workspace: Workspace) -> None:
    command("news", "paste", "--date", "2025-06-02", stdin="\x1b[2Jboo\u202e <b>\n")
    shown = command("news", "list", "--from", "2025-06-01").stdout
    assert "[2Jboo <b>" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_items_are_judged_as_a_batch(workspace: Workspace) -> None:
    done = printed("batch", "signals", "--from", "2023-01-01", "--to", "2023-04-30")
    rows = printed("runs", "--pipeline", "signals", "--batch", done["batch_id"])
    assert rows["total"] == 3
    assert {row["label"] for row in rows["runs"]} <= {"FLASH", "ALERT", "NOTE", "FYI"}
    nothing = command("batch", "signals", "--text", "nothing like it")
    assert (nothing.exit_code, "no news item matches" in nothing.stderr) == (2, True)


@pytest.mark.parametrize("arguments", [("news",), ("matches",), ("absences",)])
def test_the_sample_cannot_be_taken_out(workspace: Workspace, arguments: tuple[str, ...]) -> None:
    """It ended in a traceback."""
    result = command(*arguments, "forget", "sample")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "the sample belongs to the workbench" in result.stderr


@pytest.mark.parametrize("day", ["0001-01-01T00:00:00+14:00", "2999-01-01"])
def test_a_day_that_cannot_be_ends_with_one_line(workspace: Workspace, day: str) -> None:
    """A time whose UTC day lies before the calendar ended in a traceback; a day to come was taken."""
    result = command("news", "paste", "--date", day, stdin="T\n")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
