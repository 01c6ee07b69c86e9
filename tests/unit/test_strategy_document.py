"""Editing a YAML file changes what was edited and not one byte more."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import StrategyError
from workbench.strategy import tree
from workbench.strategy.document import Document, EditRefused
from workbench.strategy.layout import below, layout, line_start

ODD = """\
# 文件抬头：这几行属于文件，不属于第一个键
name: 价值   # 行尾\t注释
"quoted key": yes
defaults: &base   # an anchor
  revise: true
  temperature: 0.20
agents:
- <<: *base
  name: form
  note: 'it''s "quoted"'
- {name: h2h, revise: no, seats: 010, at: '12:30', empty: , tilde: ~}
steps:
    # 第一步上面的注释
    - step: 一票否决
      instruction: |
          四格缩进
            - 内层 # 不是注释

          末行
    - step: 折叠 # 行尾

      # 夹在中间的注释
      instruction: >-
        folded text that
        goes on

        and a paragraph

    # 第三步上面的注释
    # 一共两行
    - step: keep
      instruction: |+
        keeps its newlines


    - step: indicator
      instruction: |2
          two more spaces belong to the text
nested:
- - a
  - b
-
  - c
rubric:
  - range: "85-100"
    description: "一个冒号: 和一个 # 号"
  - {range: '75-84', description: plain}
wrapped: "a double quoted \\
  text over two lines"
thresholds: {buy: 75, watch: [30, 74], avoid: 29}
many: [
  a,
  b,  # in brackets
]
last: 末
"""

VARIANTS = {
    "LF": ODD.encode(),
    "CRLF": ODD.replace("\n", "\r\n").encode(),
    "BOM": b"\xef\xbb\xbf" + ODD.encode(),
    "no final newline": ODD.rstrip("\n").encode(),
}
REAL = Path(__file__).parents[3] / "shared" / "realdata" / "yaml"

TEXTS = (
    "x",
    "",
    "两行\n第二行\n",
    "a: b # c",
    "  leading\nspaces",
    "tail\n\n",
    "'q' \"d\" \\",
    "a\n\n\n  b\n\nc",
    "yes",
    "75",
    "~",
    "- item",
    "\ttab",
    "trailing ",
    "\x85\u2028\ufeff",
    "&anchor *alias !tag",
    "第一段落很长" * 30,
)


def plain_value(data: bytes) -> Any:
    return copy.deepcopy(yaml.load(data.decode("utf-8-sig"), Loader=tree._LOADER))


def real_files() -> list[Any]:
    if not REAL.is_dir():
        reason = "the collection of real YAML files is not beside this repository"
        return [pytest.param(b"", id="real files", marks=pytest.mark.skip(reason=reason))]
    return [pytest.param(path.read_bytes(), id=path.name) for path in sorted(REAL.glob("*.yaml"))]


def all_files() -> list[Any]:
    return [*(pytest.param(data, id=name) for name, data in VARIANTS.items()), *real_files()]


# -- the promise, on random edits ----------------------------------------------------------------------------


scalars = st.one_of(
    st.sampled_from(TEXTS),
    st.text(max_size=30),
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.none(),
    st.dates(),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def apply(value: Any, op: str, path: tuple[Any, ...], arguments: tuple[Any, ...]) -> Any:
    """What the whole file must mean after an edit, written independently of the editor."""
    target = value
    for part in path[:-1] if op in ("set", "delete", "rename") else path:
        target = target[part]
    if op == "set":
        if not path:
            return arguments[0]
        target[path[-1]] = arguments[0]
    elif op == "delete":
        del target[path[-1]]
    elif op == "rename":
        entries = [(arguments[0] if key == path[-1] else key, item) for key, item in target.items()]
        target.clear()
        target.update(entries)
    elif isinstance(target, list):
        if op == "insert":
            target.insert(arguments[0], arguments[1])
        else:
            target.insert(arguments[1], target.pop(arguments[0]))
    else:
        entries = list(target.items())
        if op == "insert":
            entries.insert(arguments[0], (arguments[2], arguments[1]))
        else:
            entries.insert(arguments[1], entries.pop(arguments[0]))
        target.clear()
        target.update(entries)
    return value


def ordered(value: Any) -> Any:
    """A form in which equality heeds types and the order of keys."""
    if isinstance(value, dict):
        return ["map", *((ordered(key), ordered(item)) for key, item in value.items())]
    if isinstance(value, list):
        return ["list", *map(ordered, value)]
    return [type(value).__name__, repr(value)]


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for part, item in items for below in paths(item, (*path, part)))]


@st.composite
def edits(draw: st.DrawFn, value: Any) -> tuple[str, tuple[Any, ...], tuple[Any, ...]]:
    path = draw(st.sampled_from(paths(value)))
    here = value
    for part in path:
        here = here[part]
    if isinstance(here, dict | list) and here and draw(st.booleans()):
        position = st.integers(0, len(here) - 1)
        if draw(st.booleans()):
            return "move", path, (draw(position), draw(position))
        key = (
            (draw(st.text(max_size=8).filter(lambda key: key not in here)),) if isinstance(here, dict) else ()
        )
        return "insert", path, (draw(st.integers(0, len(here))), draw(values), *key)
    if not path:
        return "set", ("a new key",), (draw(values),)
    op = draw(st.sampled_from(("set", "set", "delete", "rename")))
    return op, path, () if op == "delete" else (draw(st.text(max_size=8) if op == "rename" else values),)


def check_random_edits(data: bytes, draw: st.DataObject, count: int) -> None:
    document = Document.parse(data)
    for _ in range(count):
        value = plain_value(document.data)
        op, path, arguments = draw.draw(edits(value))
        try:
            edited = getattr(document, op)(path, *arguments)
        except EditRefused:
            continue
        assert ordered(plain_value(edited.data)) == ordered(apply(value, op, path, arguments))
        document = edited


@pytest.mark.parametrize("data", VARIANTS.values(), ids=VARIANTS)
@given(draw=st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_edits_are_done_exactly_or_refused(data: bytes, draw: st.DataObject) -> None:
    """2,000 edits, five in a row: what is read back is what was meant, or nothing changed."""
    check_random_edits(data, draw, 5)


@pytest.mark.parametrize("data", real_files())
@given(draw=st.data())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_random_edits_of_real_files_are_done_exactly_or_refused(data: bytes, draw: st.DataObject) -> None:
    check_random_edits(data, draw, 3)


def scalar_paths(document: Document) -> list[tuple[Any, ...]]:
    return [path for path, node in tree.walk(document.tree.root) if node.kind == "scalar" and path]


@pytest.mark.parametrize("data", all_files())
@given(draw=st.data(), text=st.sampled_from(TEXTS) | st.text(max_size=40))
@settings(max_examples=25, deadline=None)
def test_a_scalar_edit_changes_only_the_lines_of_that_scalar(
    data: bytes, draw: st.DataObject, text: str
) -> None:
    document = Document.parse(data)
    path = draw.draw(st.sampled_from(scalar_paths(document)))
    node = document.tree.find(path)
    assert node is not None
    before = document.tree.text[: line_start(document.tree.text, node.start)]
    after = document.tree.text[below(document.tree.text, node) :]
    try:
        edited = document.set(path, text)
    except EditRefused:
        return
    assert edited.tree.text.startswith(before)
    assert edited.tree.text.endswith(after)
    assert edited.data[:3] == document.data[:3] or not document.data.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize("data", all_files())
def test_setting_what_is_there_already_rewrites_nothing(data: bytes) -> None:
    document = Document.parse(data)
    for path in paths(plain_value(data)):
        assert document.set(path, document.value(path)).data == data


@pytest.mark.parametrize("data", all_files())
def test_a_move_in_a_block_list_permutes_its_lines_and_keeps_every_comment(data: bytes) -> None:
    document = Document.parse(data)
    for path, node in tree.walk(document.tree.root):
        if node.kind != "list" or node.flow or len(node.items) < 2 or layout(document.tree.text, node).inline:
            continue
        try:
            moved = document.move(path, 0, len(node.items) - 1)
        except EditRefused:
            continue
        assert sorted(moved.data.splitlines()) == sorted(data.splitlines())
        assert moved.move(path, len(node.items) - 1, 0).data == data


# -- what must be done, not refused --------------------------------------------------------------------------


def edited_lines(before: Document, after: Document) -> tuple[list[str], list[str]]:
    """Lines that are only in the old text, and lines that are only in the new one."""
    old, new = before.tree.text.splitlines(), after.tree.text.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.fixture(params=["LF", "CRLF", "BOM"])
def odd(request: pytest.FixtureRequest) -> Document:
    return Document.parse(VARIANTS[request.param], "odd.yaml")


def test_a_literal_block_keeps_its_indentation_and_its_other_lines(odd: Document) -> None:
    edited = odd.set(("steps", 0, "instruction"), "四格缩进\n  - 内层 # 不是注释\n\n新的末行\n")
    assert edited_lines(odd, edited) == (["          末行"], ["          新的末行"])


def test_a_folded_block_stays_folded(odd: Document) -> None:
    edited = odd.set(("steps", 1, "instruction"), "folded text that goes on\nand another paragraph")
    assert edited_lines(odd, edited)[1] == [
        "        folded text that goes on",
        "        and another paragraph",
    ]
    assert "      instruction: >-" in edited.tree.text.splitlines()


def test_quotes_stay_quotes_and_the_comment_behind_a_value_stays(odd: Document) -> None:
    assert "note: 'it''s ''new'''" in odd.set(("agents", 0, "note"), "it's 'new'").tree.text
    assert 'range: "80-100"' in odd.set(("rubric", 0, "range"), "80-100").tree.text
    assert "name: 成长   # 行尾\t注释" in odd.set(("name",), "成长").tree.text


def test_a_text_that_looks_like_a_number_is_quoted_and_a_number_is_not(odd: Document) -> None:
    assert 'name: "75"   #' in odd.set(("name",), "75").tree.text
    assert "{buy: 70, watch: [30, 74], avoid: 29}" in odd.set(("thresholds", "buy"), 70).tree.text


def test_a_value_is_written_where_there_was_none(odd: Document) -> None:
    assert "empty: x, tilde" in odd.set(("agents", 1, "empty"), "x").tree.text


def test_a_new_paragraph_turns_a_plain_text_into_a_block(odd: Document) -> None:
    edited = odd.set(("last",), "第一行\n第二行\n")
    assert edited.tree.text.replace("\r", "").endswith("last: |\n  第一行\n  第二行\n")


def test_a_step_that_moves_takes_the_comment_lines_directly_above_it_along(odd: Document) -> None:
    edited = odd.move(("steps",), 2, 0).tree.text.replace("\r", "")
    assert edited.startswith(
        ODD[: ODD.index("    # 第一步上面")] + ODD[ODD.index("    # 第三步") : ODD.index("    - step: ind")]
    )
    assert edited.index("# 第一步上面的注释") + len("# 第一步上面的注释\n    ") == edited.index(
        "- step: 一票否决"
    )


def test_a_step_that_is_deleted_takes_its_comment_along_and_leaves_the_others(odd: Document) -> None:
    gone, new = edited_lines(odd, odd.delete(("steps", 2)))
    assert "    # 第三步上面的注释" in gone
    assert "    # 第一步上面的注释" not in gone
    assert new == []


def test_the_first_comment_of_the_file_does_not_belong_to_the_first_key(odd: Document) -> None:
    assert odd.delete(("name",)).tree.text.startswith("# 文件抬头")


def test_a_new_step_is_written_like_its_neighbours(odd: Document) -> None:
    edited = odd.insert(("steps",), 1, {"step": "新", "instruction": "一\n二\n"}).tree.text.replace("\r", "")
    assert "末行\n    - step: 新\n      instruction: |\n        一\n        二\n    - step: 折叠" in edited


def test_a_list_is_changed_item_by_item(odd: Document) -> None:
    rubric = odd.value(("rubric",))
    rubric.insert(1, {"range": "80-84", "description": "新"})
    edited = odd.set(("rubric",), rubric)
    assert edited_lines(odd, edited) == ([], ["  - range: 80-84", "    description: 新"])


def test_emptied_and_filled_again(odd: Document) -> None:
    empty = odd.set(("steps",), [])
    assert "steps: []" in empty.tree.text
    assert empty.insert(("steps",), 0, {"step": "a"}).value(("steps",)) == [{"step": "a"}]


def test_the_first_entry_behind_a_dash_can_go_move_and_be_preceded(odd: Document) -> None:
    assert "    - instruction: |2" in odd.delete(("steps", 3, "step")).tree.text
    assert "    - instruction: |2" in odd.move(("steps", 3), 0, 1).tree.text
    assert "    - id: 4" in odd.insert(("steps", 3), 0, 4, key="id").tree.text


def test_an_entry_that_comes_from_a_merged_mapping_is_overridden(odd: Document) -> None:
    edited = odd.set(("agents", 0, "revise"), False)
    assert edited_lines(odd, edited) == ([], ["  revise: false"])


def test_a_key_is_renamed_in_place(odd: Document) -> None:
    assert '"新 键": yes' in odd.rename(("quoted key",), "新 键").tree.text
    assert "{buy: 75, hold: [30, 74], avoid: 29}" in odd.rename(("thresholds", "watch"), "hold").tree.text


def test_brackets_stay_brackets(odd: Document) -> None:
    assert "watch: [31, 74]" in odd.set(("thresholds", "watch"), [31, 74]).tree.text
    assert "watch: [74]" in odd.delete(("thresholds", "watch", 0)).tree.text
    assert "watch: [74, 30]" in odd.move(("thresholds", "watch"), 0, 1).tree.text
    assert "watch: [30, 50, 74]" in odd.insert(("thresholds", "watch"), 1, 50).tree.text


# -- what must be refused ------------------------------------------------------------------------------------


def test_a_value_shared_through_an_alias_is_not_changed_behind_the_back_of_the_others(odd: Document) -> None:
    with pytest.raises(EditRefused, match=r"odd.yaml:5: defaults.revise: the value is shared .* 'base'"):
        odd.set(("defaults", "revise"), False)


def test_a_move_does_not_part_comments_in_brackets_from_their_items(odd: Document) -> None:
    commented = Document.parse(b"many: [\n  a,  # first\n  b,\n]\n")
    with pytest.raises(EditRefused, match="without touching other parts"):
        commented.move(("many",), 0, 1)


def test_entries_of_a_merged_mapping_are_not_counted_as_places(odd: Document) -> None:
    """A merged mapping shows more entries than are written; moving one of them broke with an IndexError."""
    with pytest.raises(EditRefused, match="merged mapping"):
        odd.move(("agents", 0), 3, 0)


@pytest.mark.parametrize(
    ("op", "path", "arguments"),
    [
        ("set", ("nothing", "here"), (1,)),
        ("delete", ("steps", 9), ()),
        ("move", ("steps",), (0, 4)),
        ("move", ("name",), (0, 0)),
        ("insert", ("steps",), (-1, "x")),
        ("insert", ("thresholds",), (0, 1, "buy")),
        ("insert", ("thresholds",), (0, 1)),
        ("rename", ("thresholds", "buy"), ("avoid",)),
        ("rename", ("steps", 0), ("x",)),
        ("delete", (), ()),
    ],
)
def test_an_edit_of_what_is_not_there_is_refused_with_its_line(
    odd: Document, op: str, path: tuple[Any, ...], arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(EditRefused) as refused:
        getattr(odd, op)(path, *arguments)
    assert refused.value.where.startswith("odd.yaml:")
    assert refused.value.remedy


# -- reading what may be hostile -----------------------------------------------------------------------------

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 10)}]\n" for n in range(8)
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param("名: 值".encode("utf-16"), "not UTF-8", id="UTF-16"),
        pytest.param("a: 1\nb: 名".encode("gbk"), ":2: the file is not UTF-8", id="GBK"),
        pytest.param(b"a: 1\x00", "not text", id="binary"),
        pytest.param(b"a" * 5_000_000, "5,000,000 bytes", id="5 MB"),
        pytest.param(BOMB.encode(), "more than 20,000 values", id="billion laughs"),
        pytest.param(b"a: 1" + b":1" * 400_000, "more than 1,000 digits", id="endless number"),
        pytest.param(b"a: 1" + b":1" * 400 + b".5", "not valid YAML", id="number too large"),
        pytest.param(b"a: &a [*a]", "no complete &a", id="alias within itself"),
        pytest.param(b"a: *b", "no complete &b", id="alias to nothing"),
        pytest.param(b"[" * 5000, "nest", id="deep brackets"),
        pytest.param(b"- " * 500 + b"a", "nested more than 60 deep", id="deep lists"),
        pytest.param(
            b"x: 1\na: !!python/object/apply:os.system [ls]", ":2: the tag .* not plain", id="object"
        ),
        pytest.param(b"a: !!set {x}", "not plain data", id="set"),
        pytest.param(b"a: 1\nb: 2\na: 3", ":3: the key 'a' is given twice", id="duplicate key"),
        pytest.param(b"a: 1\n---\nb: 2", "more than one document", id="two documents"),
        pytest.param(b"a: 1\n\tb: 2", ":2: this is not valid YAML", id="tab"),
        pytest.param(b"a: [1, 2", "not valid YAML", id="open bracket"),
        pytest.param(b"a: 2024-13-45", "not valid YAML", id="impossible date"),
        pytest.param(b"? [a]\n: 1", "key is not a single value", id="list as key"),
        pytest.param(b"# only a comment\n", "empty", id="empty"),
    ],
)
def test_a_hostile_or_broken_file_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(StrategyError, match=message) as refused:
        Document.parse(data, "bad.yaml")
    assert refused.value.where.startswith("bad.yaml")
    assert "\n" not in str(refused.value)


def test_the_slower_parser_finds_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML without its C library is used where that is missing, and its marks differ for empty values."""
    fast = Document.parse(VARIANTS["CRLF"])
    monkeypatch.setattr(tree, "_LOADER", yaml.SafeLoader)
    slow = Document.parse(VARIANTS["CRLF"])
    for path, node in tree.walk(fast.tree.root):
        twin = slow.tree.find(path)
        assert twin is not None
        assert node.empty or (twin.start, twin.end) == (node.start, node.end)
    assert slow.set(("agents", 1, "empty"), "x").value() == fast.set(("agents", 1, "empty"), "x").value()
