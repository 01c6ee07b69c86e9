"""A YAML file as a tree that knows where each value stands in the text.

Reading is defensive: the bytes may come from an upload. Size, encoding, nesting, the number of values after
aliases are followed, duplicate keys and foreign tags are checked before anything is built.

Positions are offsets into the text without its byte-order mark. PyYAML's own marks of collections end where
the next token starts, and those of block scalars include the blank lines after them; ``Node.end`` is the real
end, so that comments and blank lines after a value are never taken for a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

from workbench.errors import StrategyError
from workbench.strategy.findings import KeyPath

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Any = yaml.resolver.Resolver()

_TAGS = {None, "!"} | {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map", "merge")
}

MAX_BYTES = 1_000_000
MAX_NODES = 20_000
MAX_DEPTH = 60
MAX_DIGITS = 1_000
BOM = "\ufeff"


@dataclass
class Node:
    """One value of the file.

    Attributes:
        kind: ``scalar``, ``list``, ``map`` or ``alias`` (a ``*name`` standing for an anchored value).
        start: Offset of the value itself, after its ``&anchor`` and ``!tag``.
        properties: Offset of the first of those; equal to ``start`` where there are none.
        end: Offset just after the value; for ``|`` and ``>`` after the line break of its last line.
        style: ``|``, ``>``, ``'``, ``"``, empty for a plain scalar, ``flow`` or ``block`` for collections.
        items: Values of a list or map, in file order.
        keys: Nodes of a map's keys, beside ``items``.
        names: The keys as Python values, beside ``items``.
        anchor: Name of the anchor, or of the alias.
    """

    kind: Literal["scalar", "list", "map", "alias"]
    start: int
    properties: int
    end: int
    style: str
    items: list[Node] = field(default_factory=list)
    keys: list[Node] = field(default_factory=list)
    names: list[Hashable] = field(default_factory=list)
    anchor: str | None = None

    @property
    def flow(self) -> bool:
        return self.style == "flow"

    @property
    def empty(self) -> bool:
        """Whether nothing is written where the value should be (a null)."""
        return self.kind == "scalar" and self.start == self.end and self.style == ""


@dataclass(frozen=True)
class Tree:
    """A parsed file: its text without byte-order mark, its root node, and its plain value."""

    text: str
    root: Node
    value: Any

    def find(self, path: KeyPath) -> Node | None:
        """The node at ``path``; None where there is none. Aliases are not followed."""
        node = self.root
        for part in path:
            if node.kind == "map" and part in node.names:
                node = node.items[node.names.index(part)]
            elif node.kind == "list" and isinstance(part, int) and 0 <= part < len(node.items):
                node = node.items[part]
            else:
                return None
        return node

    def line(self, path: KeyPath) -> int:
        """1-based line of the key or item at ``path``, or of the nearest thing above it that exists."""
        for length in range(len(path), 0, -1):
            parent, part = self.find(path[: length - 1]), path[length - 1]
            if parent is None:
                continue
            if parent.kind == "map" and part in parent.names:
                return self.line_at(parent.keys[parent.names.index(part)].start)
            if parent.kind == "list" and isinstance(part, int) and 0 <= part < len(parent.items):
                return self.line_at(parent.items[part].properties)
        return self.line_at(self.root.start)

    def line_at(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1


def check_size(size: int, where: str) -> None:
    """Refuse what is too large to be written by hand.

    Raises:
        StrategyError: ``size`` is more than ``MAX_BYTES``.
    """
    if size > MAX_BYTES:
        raise StrategyError(
            f"the file has {size:,} bytes; at most {MAX_BYTES:,} are read.",
            where=where,
            remedy="Check that this is the right file.",
        )


def decode(data: bytes, where: str) -> str:
    """The text of a file, byte-order mark included.

    Raises:
        StrategyError: Too large, not UTF-8, or binary.
    """
    check_size(len(data), where)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StrategyError(
            "the file is not UTF-8 text.",
            where=f"{where}:{line}",
            remedy="Save it as UTF-8 (not GBK or UTF-16).",
        ) from None
    if "\x00" in text:
        raise StrategyError("the file is not text.", where=where, remedy="Save it as UTF-8 (not UTF-16).")
    return text


def parse(text: str, where: str) -> Tree:
    """Parse YAML text (a byte-order mark is skipped).

    Raises:
        StrategyError: Malformed, more than one document, too deep, too many values, a duplicate key, or a tag
            that is not plain data; with file and line.
    """
    text = text.removeprefix(BOM)
    try:
        root = _Builder(text, where).build()
        value = yaml.load(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f":{mark.line + 1}" if mark else ""
        problem = error.problem or error.context or "malformed"
        raise StrategyError(
            f"this is not valid YAML: {problem}.", where=where + line, remedy=_remedy(problem)
        ) from None
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:
        raise StrategyError(f"this is not valid YAML: {error}.", where=where) from None
    return Tree(text, root, value)


def _remedy(problem: str) -> str:
    if "\\t" in problem or "tab" in problem.lower():
        return "Indent with spaces, not tabs."
    return "Check indentation, quotes and colons on this line and the one above."


@dataclass
class _Open:
    """A collection whose end has not been read yet."""

    node: Node
    anchor: str | None
    size: int = 1
    key: Node | None = None
    seen: set[Hashable] = field(default_factory=set)


class _Builder:
    """Builds the tree from parser events. It keeps its own stack, so depth cannot exhaust Python's."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self.where = where
        self.sizes: dict[str, int] = {}
        self.stack: list[_Open] = []
        self.root: Node | None = None

    def build(self) -> Node:
        event: Any
        for event in yaml.parse(self.text, Loader=_LOADER):
            if getattr(event, "tag", None) not in _TAGS:
                raise self._refuse(f"the tag {event.tag} is not plain data", event)
            match event:
                case yaml.DocumentStartEvent() if self.root is not None:
                    raise self._refuse("the file holds more than one document", event)
                case yaml.ScalarEvent():
                    self._add(self._scalar(event), 1, event.anchor, event)
                case yaml.AliasEvent():
                    if event.anchor not in self.sizes:
                        raise self._refuse(f"*{event.anchor} has no complete &{event.anchor} above it", event)
                    start, end = _offsets(event)
                    node = Node("alias", start, start, end, "", anchor=event.anchor)
                    self._add(node, self.sizes[event.anchor], None, event)
                case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                    self._open(event)
                case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                    closed = self.stack.pop()
                    node = closed.node
                    node.end = _offsets(event)[1] if node.flow else node.items[-1].end
                    self._add(node, closed.size, closed.anchor, event)
        if self.root is None:
            raise StrategyError(
                "the file is empty.", where=self.where, remedy="Write a mapping of keys to values."
            )
        return self.root

    def _open(self, event: Any) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise self._refuse(f"values are nested more than {MAX_DEPTH} deep", event)
        first, _ = _offsets(event)
        start = self._after_properties(first) if event.anchor or event.tag else first
        node = Node(
            "list" if isinstance(event, yaml.SequenceStartEvent) else "map",
            start,
            first,
            start,
            "flow" if event.flow_style else "block",
            anchor=event.anchor,
        )
        self.stack.append(_Open(node, event.anchor))

    def _add(self, node: Node, size: int, anchor: str | None, event: Any) -> None:
        """Hang a finished node on the collection that is open, as item, key or value."""
        if anchor:
            self.sizes[anchor] = size
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        parent.size += size
        if parent.size > MAX_NODES:
            raise self._refuse(f"more than {MAX_NODES:,} values once aliases are followed", event)
        if parent.node.kind == "map" and parent.key is None:
            parent.key = node
            self._name(parent, event)
            return
        if parent.key is not None:
            parent.node.keys.append(parent.key)
            parent.key = None
        parent.node.items.append(node)

    def _name(self, parent: _Open, event: Any) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise self._refuse("a key is not a single value", event)
        name = scalar_value(event)
        if name in parent.seen:
            raise self._refuse(f"the key {event.value!r} is given twice", event)
        parent.seen.add(name)
        parent.node.names.append(name)

    def _scalar(self, event: Any) -> Node:
        if event.implicit[0] and len(event.value) > MAX_DIGITS and _NUMERIC.fullmatch(event.value):
            raise self._refuse(f"a number has more than {MAX_DIGITS:,} digits", event)
        first, end = _offsets(event)
        start = self._after_properties(first) if event.anchor or event.tag else first
        style = event.style or ""
        if style in ("|", ">"):
            end = self._block_end(start, end)
        return Node("scalar", start, first, max(start, end), style, anchor=event.anchor)

    def _block_end(self, start: int, end: int) -> int:
        """End of a block scalar without the blank lines that are not part of its value."""
        header, _, body = self.text[start:end].partition("\n")
        if "+" in header.partition("#")[0]:
            return end
        content = body.rstrip("\r\n \t")
        if not content:
            return min(start + len(header) + 1, end)
        stop = start + len(header) + 1 + len(content)
        line_break = self.text.find("\n", stop, end)
        return end if line_break < 0 else line_break + 1

    def _after_properties(self, start: int) -> int:
        match = _PROPERTIES.match(self.text, start)
        return match.end() if match else start

    def _refuse(self, what: str, event: Any) -> StrategyError:
        return StrategyError(
            f"{what}.", where=f"{self.where}:{event.start_mark.line + 1}", remedy="Remove it."
        )


def _offsets(event: Any) -> tuple[int, int]:
    return event.start_mark.index, event.end_mark.index


# Numbers in base 60 (1:30:00) take PyYAML minutes where they are long.
_NUMERIC = re.compile(r"[-+]?[0-9][0-9_:.]*")
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t]*)*")


def scalar_value(event: Any) -> Hashable:
    """The Python value of a scalar as YAML reads it: text, number, flag, date or None."""
    tag = event.tag
    if tag is None or tag == "!":
        tag = _RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)
    if tag in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
        return str(event.value)
    node = yaml.ScalarNode(tag, event.value)
    value: Hashable = yaml.constructor.SafeConstructor().construct_object(node)
    return value


def walk(node: Node, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Node]]:
    """Every node below ``node`` with its path, parents first."""
    yield path, node
    for index, item in enumerate(node.items):
        part: Any = node.names[index] if node.kind == "map" else index
        yield from walk(item, (*path, part))
