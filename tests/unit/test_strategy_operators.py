"""Operator files: what they ask, where they apply, and what is said about a broken one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.strategy_samples import operator_text
from workbench.errors import StrategyError
from workbench.strategy.files import Conflict
from workbench.strategy.frontmatter import edit_front_matter
from workbench.strategy.operators import OperatorLibrary, read_operator

BUNDLED = Path(__file__).parents[2] / "strategy" / "operators"

DEBT = """\
---
id: debt
title: 债务结构
category: 通用
data_needed: [statements, ratios]
industries_excluded: [bank]
outputs:
  assessment: {type: choice, values: [好债, 坏债, 3], description: 性质}
  net_debt: {type: number, unit: 元, description: 净负债}
---

这家公司的负债是好债还是坏债？
"""


def test_an_operator_is_its_head_and_its_questions() -> None:
    debt = read_operator(DEBT.encode(), "debt.md")
    assert debt.question == "这家公司的负债是好债还是坏债？"
    assert debt.outputs["assessment"].values == ("好债", "坏债", "3")
    assert debt.data_needed == ("statements", "ratios")


def test_line_breaks_of_another_system_change_the_hash_and_nothing_else() -> None:
    unix, windows = (
        read_operator(data, "debt.md") for data in (DEBT.encode(), DEBT.replace("\n", "\r\n").encode())
    )
    assert unix.hash != windows.hash
    assert unix.model_dump(exclude={"hash"}) == windows.model_dump(exclude={"hash"})


@pytest.mark.parametrize(
    ("gate", "applies_to", "not_to"),
    [
        ("", ["bank", "consumer", None], []),
        ("industries: [bank, insurer]\n", ["bank", "insurer"], ["consumer", None]),
        ("industries_excluded: [bank]\n", ["consumer", None], ["bank"]),
    ],
)
def test_the_industry_gate(gate: str, applies_to: list[str | None], not_to: list[str | None]) -> None:
    text = DEBT.replace("industries_excluded: [bank]\n", gate)
    operator = read_operator(text.encode(), "debt.md")
    assert all(operator.applies(kind) for kind in applies_to)
    assert not any(operator.applies(kind) for kind in not_to)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\nid", "id", "debt.md:1: the file has no head"),
        ("category: 通用\n", "", "debt.md:2: category is missing"),
        ("category:", "catgory:", "category is missing"),
        ("values: [好债, 坏债, 3], ", "", r"debt.md:8: outputs.assessment: `values` lists"),
        ("type: number", "type: float", r"debt.md:9: outputs.net_debt.type: Input should be 'text'"),
        ("[statements, ratios]", "[]", "debt.md:5: data_needed"),
        ("id: debt", "id: credit", "debt.md: the operator in this file is called 'credit'"),
        ("这家公司的负债是好债还是坏债？", "", "debt.md: the operator asks nothing"),
        ("outputs:", "  outputs:", "debt.md:7: this is not valid YAML"),
    ],
)
def test_a_broken_operator_is_named_with_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(StrategyError, match=message):
        read_operator(DEBT.replace(old, new, 1).encode(), "debt.md")


def test_an_unknown_operator_is_answered_with_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "moat.md").write_text(
        operator_text("moat", "x: {type: text, description: x}"), encoding="utf-8"
    )
    library = OperatorLibrary(tmp_path)
    with pytest.raises(StrategyError, match=r"there is no operator 'moot'\. Known operators: moat"):
        library.get("moot")
    with pytest.raises(StrategyError, match="cannot be the name"):
        library.get("../moat")


def test_an_operator_edited_on_disk_is_read_anew(tmp_path: Path) -> None:
    path, library = tmp_path / "moat.md", OperatorLibrary(tmp_path)
    path.write_text(operator_text("moat", "x: {type: text, description: x}"), encoding="utf-8")
    assert set(library.get("moat").outputs) == {"x"}
    path.write_text(operator_text("moat", "y: {type: text, description: y}"), encoding="utf-8")
    assert set(library.get("moat").outputs) == {"y"}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_editing_a_question_or_an_output_leaves_every_other_byte(newline: str) -> None:
    text = DEBT.replace("title: 债务结构", "title: 债务结构   # 行尾注释").replace("\n", newline)
    data = text.encode()
    question = edit_front_matter(data, "debt.md", body="债是好是坏？\n看期限。")
    assert (
        question == text.replace("这家公司的负债是好债还是坏债？", f"债是好是坏？{newline}看期限。").encode()
    )
    title = edit_front_matter(data, "debt.md", head=lambda head: head.set(("title",), "负债"))
    assert title == text.replace("债务结构   #", "负债   #").encode()
    assert edit_front_matter(data, "debt.md", body="这家公司的负债是好债还是坏债？") == data


def test_an_operator_is_saved_only_when_it_is_valid_and_nobody_changed_it(tmp_path: Path) -> None:
    library, base = OperatorLibrary(tmp_path), DEBT.encode()
    library.create("debt", base)
    mine = edit_front_matter(base, "debt.md", body="新的问题？")
    assert library.save("debt", mine, base).question == "新的问题？"
    with pytest.raises(Conflict):
        library.save("debt", base.replace("性质".encode(), b"x"), base)
    with pytest.raises(StrategyError, match="asks nothing"):
        library.save("debt", edit_front_matter(mine, "debt.md", body=""), mine)
    with pytest.raises(StrategyError, match="a file of this name exists"):
        library.create("debt", base)
    assert library.read("debt") == mine


ENGLISH = """\
english:
  title: Debt
  question: |
    Good debt or bad debt?
  outputs:
"""


@pytest.mark.parametrize(
    ("outputs", "what"),
    [
        ('    other: {description: "x"}\n', "must have the same fields"),
        ('    debt: {description: "x", values: [sound]}\n', "must have one value for each"),
        ('    debt: {description: "x", values: [sound, bad], type: text}\n', "type"),
    ],
)
def test_english_that_does_not_fit_the_original_is_refused(outputs: str, what: str) -> None:
    with pytest.raises(StrategyError, match=what):
        read_operator(bilingual(outputs), "debt.md")


def test_an_operator_is_asked_in_the_language_of_the_strategy() -> None:
    operator = read_operator(
        bilingual('    debt: {description: "its nature", values: [sound, bad]}\n'), "debt.md"
    )
    assert operator.in_language("zh") is operator
    english = operator.in_language("en")
    assert (english.title, english.question.strip()) == ("Debt", "Good debt or bad debt?")
    assert (english.outputs["debt"].description, english.outputs["debt"].values) == (
        "its nature",
        ("sound", "bad"),
    )
    assert (english.id, english.data_needed, english.hash) == (
        operator.id,
        operator.data_needed,
        operator.hash,
    )


def test_an_operator_without_english_is_asked_as_it_is() -> None:
    operator = read_operator(DEBT.encode(), "debt.md")
    assert operator.in_language("en") is operator


def bilingual(outputs: str) -> bytes:
    head = "id: debt\ntitle: 债务\ncategory: x\ndata_needed: [ratios]\n"
    own = "outputs:\n  debt: {type: choice, values: [好, 坏], description: 性质}\n"
    return f"---\n{head}{own}{ENGLISH}{outputs}---\n好债还是坏债？\n".encode()


def test_every_bundled_operator_can_be_read() -> None:
    operators = OperatorLibrary(BUNDLED).all()
    assert len(operators) >= 10
    assert all(operator.question and operator.outputs for operator in operators)


def test_the_example_in_the_documentation_can_be_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "strategies.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```markdown\n(---\n.*?)```", page, re.DOTALL)
    assert read_operator(example.encode(), "debt_structure.md").title == "债务结构"
