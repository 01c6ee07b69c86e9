"""The place in the text where one value stands, and how another value is put there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.strategy import emit
from workbench.strategy.findings import KeyPath
from workbench.strategy.layout import below, column, line_end, line_start, marks, newline_of
from workbench.strategy.plain import Plain
from workbench.strategy.tree import Node, Tree

_HEADER = re.compile(r"[|>][-+0-9]*")
_INDICATOR = re.compile(r"[|>][-+]?([1-9])")


@dataclass(frozen=True)
class Slot:
    """The place of a value: ``start..middle`` on the line of its key or dash, ``tail..end`` on lines below.

    What stands between ``middle`` and ``tail`` (an end-of-line comment, the line break) is kept.

    Attributes:
        text: The whole file.
        node: The value that stands here.
        column: Column of the key or dash.
        item: Whether the value hangs on a dash.
        flow: Whether it stands within brackets.
        separator: Text needed before a value where none is written yet.
    """

    text: str
    node: Node
    start: int
    middle: int
    tail: int
    end: int
    column: int = 0
    item: bool = False
    flow: bool = False
    separator: str = " "

    @classmethod
    def at(cls, tree: Tree, path: KeyPath) -> Slot:
        """The slot of the value at ``path``, which exists, is not the whole file and not under an alias."""
        text, node, parent = tree.text, tree.find(path), tree.find(path[:-1])
        assert node is not None
        assert parent is not None
        index = parent.names.index(path[-1]) if parent.kind == "map" else int(path[-1])
        above = (tree.find(path[:length]) for length in range(len(path)))
        if any(outer is not None and outer.flow for outer in above):
            bare = (
                parent.kind == "map" and ":" not in text[parent.keys[index].end : max(node.start, node.end)]
            )
            slot = cls(text, node, node.start, node.end, node.end, node.end)
            return replace(slot, flow=True, separator=": " if bare else " ")
        mark = marks(text, parent)[index]
        item = parent.kind == "list"
        after = mark + 1 if item else text.index(":", parent.keys[index].end) + 1
        return cls(text, node, *_extent(text, node, after), column=column(text, mark), item=item)

    def texts(self, value: Plain, list_offset: int) -> Iterator[str]:
        """Texts of the whole file with another value here, the least intrusive first."""
        properties = self.text[self.node.properties : self.node.start]
        for head, lines in self._renderings(value, list_offset):
            yield self._filled(head, lines)
            if "!" in properties:
                anchor = re.search(r"&\S+", properties)
                untagged = self.node.properties + (anchor.end() if anchor else 0)
                yield replace(self, start=untagged)._filled(head, lines)

    def _filled(self, head: str, lines: list[str]) -> str:
        newline = newline_of(self.text)
        before, rest = self.text[: self.start], self.text[self.middle : self.tail]
        if not head:
            before = before.rstrip(" ")
        elif self.start == self.middle and before[-1:] not in (" ", "\t"):
            head = self.separator + head
        if lines and not rest.endswith("\n"):
            rest += newline
        return before + head + rest + "".join(line + newline for line in lines) + self.text[self.end :]

    def _renderings(self, value: Plain, list_offset: int) -> Iterator[tuple[str, list[str]]]:
        """What to write on the line of the key or dash, and the lines below."""
        style = self.node.style
        if self.flow:
            yield from ((text, []) for text in emit.inline_texts(value, style, flow=True))
            return
        if isinstance(value, dict | list) and value:
            if self.node.flow and self.node.items:
                yield from ((text, []) for text in emit.inline_texts(value, "", flow=False))
            lines = emit.block_lines(value, self._child_column(value, list_offset), list_offset)
            yield (lines[0].lstrip(" "), lines[1:]) if self.item else ("", lines)
            return
        folded_or_literal = style in ("|", ">")
        if isinstance(value, str) and (folded_or_literal or "\n" in value.rstrip("\n")):
            for wanted in dict.fromkeys((style if folded_or_literal else "|", "|")):
                block = emit.literal(value, wanted, self._body_column(), self.column, self._width())
                if block is not None:
                    yield block.head, block.lines
        for wanted in (style, '"'):
            yield from ((text, []) for text in emit.inline_texts(value, wanted, flow=False))

    def _child_column(self, value: Plain, list_offset: int) -> int:
        """Column of the items of a block collection that is put here."""
        if self.node.style == "block" and (self.node.kind == "list") == isinstance(value, list):
            return column(self.text, marks(self.text, self.node)[0])
        return self.column + (list_offset if isinstance(value, list) and not self.item else emit.INDENT)

    def _body_lines(self) -> list[str]:
        """Lines of the block scalar that stands here."""
        if self.node.style not in ("|", ">"):
            return []
        return self.text[line_end(self.text, self.node.start) : self.node.end].splitlines()

    def _body_column(self) -> int:
        indicator = _INDICATOR.match(self.text, self.node.start)
        if indicator and self.node.style in ("|", ">"):
            return self.column + int(indicator[1])
        for line in self._body_lines():
            if line.strip():
                return len(line) - len(line.lstrip(" "))
        return self.column + emit.INDENT

    def _width(self) -> int:
        """Where a folded scalar is broken: at its longest line so far, 80 at least."""
        return max(80, *(len(line.strip()) for line in self._body_lines()), 0)


def _extent(text: str, node: Node, after: int) -> tuple[int, int, int, int]:
    """Start, middle, tail and end of a value in block context; ``after`` is where its colon or dash ends."""
    if node.empty:
        return after, after, line_end(text, after), line_end(text, after)
    if node.style in ("|", ">"):
        header = _HEADER.match(text, node.start)
        assert header is not None
        return node.start, header.end(), line_end(text, node.start), node.end
    if node.style == "block" and line_start(text, marks(text, node)[0]) > after:
        properties = text[node.properties : node.start].rstrip()
        head = node.properties + len(properties) if properties else after
        return head, head, line_end(text, head), below(text, node)
    if text[node.end - 1] == "\n":
        before_break = node.end - (2 if text[node.end - 2] == "\r" else 1)
        return node.start, before_break, node.end, node.end
    return node.start, node.end, line_end(text, node.end), line_end(text, node.end)
