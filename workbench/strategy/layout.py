"""Where the items of a collection stand in the text, and how they are put together again.

A block collection is cut into *pieces* (whole lines: the comment lines directly above an item, the item, its
end-of-line comment, deeper comments below it) and the *gaps* between them (blank lines, comments set apart by
a blank line). Pieces travel with their item; gaps stay where they are. Brackets are cut likewise at commas.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.strategy.tree import Node

_BLANK_OR_COMMENT = re.compile(r"(?:[ \t\r\n]+|(?<![^ \t\r\n])#[^\n]*)*")


def line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def line_end(text: str, offset: int) -> int:
    """Offset after the line break of the line that holds ``offset``."""
    found = text.find("\n", offset)
    return len(text) if found < 0 else found + 1


def column(text: str, offset: int) -> int:
    return offset - line_start(text, offset)


def next_token(text: str, offset: int) -> int:
    """Offset of what comes after white space and comments."""
    match = _BLANK_OR_COMMENT.match(text, offset)
    return match.end() if match else offset


def below(text: str, node: Node) -> int:
    """Offset of the line below the last line of ``node``."""
    if node.end > node.start and text[node.end - 1] == "\n":
        return node.end
    return line_end(text, node.end)


def newline_of(text: str) -> str:
    """The line break the text uses."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


@dataclass(frozen=True)
class Layout:
    """A collection cut up; ``pieces`` and ``gaps`` in turn make up the text from ``start`` to ``end``.

    Attributes:
        start: Offset of the first piece.
        end: Offset after the last piece.
        pieces: Text per item. In a block every piece is whole lines with their indentation.
        gaps: Text between them, one fewer than pieces.
        column: Column of the items of a block.
        inline: Whether the first item of a block stands behind the dash of an outer list.
        flow: Whether it is written in brackets.
    """

    start: int
    end: int
    pieces: list[str]
    gaps: list[str]
    column: int = 0
    inline: bool = False
    flow: bool = False

    def join(self, text: str, pieces: list[str], gaps: list[str], newline: str) -> str:
        """The whole text with this collection made of other pieces."""
        if self.flow:
            parts = [part for pair in zip(pieces, [*gaps, ""], strict=True) for part in pair]
            return text[: self.start] + "".join(parts) + text[self.end :]
        before, after = text[: self.start], text[self.end :]
        whole = [piece if piece.endswith("\n") else piece + newline for piece in pieces]
        body = "".join(part for pair in zip(whole, [*gaps, ""], strict=True) for part in pair)
        if not after and not text.endswith("\n"):
            body = body.removesuffix(newline)
        if self.inline:
            first = body.lstrip(" ")
            body = newline + body if first.startswith(("#", "\n", "\r")) else first
            before = before.rstrip(" ") if body.startswith(newline) else before
        return before + body + after

    def without(self, index: int) -> tuple[list[str], list[str]]:
        """Pieces and gaps when one item is gone; of two gaps that meet, a blank one goes with it."""
        pieces, gaps = self.pieces[:], self.gaps[:]
        del pieces[index]
        if gaps and (self.flow or not gaps[max(index - 1, 0)].strip()):
            del gaps[max(index - 1, 0)]
        elif gaps:
            kept = gaps.pop(max(index - 1, 0))
            if index == 0:
                pieces[0] = kept + pieces[0]
            elif index == len(pieces):
                pieces[-1] += kept
            else:
                gaps[index - 1] = kept + gaps[index - 1]
        return pieces, gaps

    def with_new(self, index: int, piece: str) -> tuple[list[str], list[str]]:
        """Pieces and gaps when one item is added; it is set apart as the others are."""
        pieces, gaps = self.pieces[:], self.gaps[:]
        usual = self.gaps[0] if self.gaps and len({*self.gaps}) == 1 else ""
        if self.flow:
            usual = self.gaps[0] if self.gaps and "#" not in self.gaps[0] else ", "
        elif usual.strip():
            usual = ""
        pieces.insert(index, piece)
        gaps.insert(max(index - 1, 0), usual)
        return pieces, gaps

    def moved(self, source: int, target: int) -> tuple[list[str], list[str]]:
        pieces = self.pieces[:]
        pieces.insert(target, pieces.pop(source))
        return pieces, self.gaps


def layout(text: str, node: Node) -> Layout:
    """Cut up a list or map that has at least one item."""
    return _flow_layout(text, node) if node.flow else _block_layout(text, node)


def _flow_layout(text: str, node: Node) -> Layout:
    starts = [key.properties for key in node.keys] if node.keys else [item.properties for item in node.items]
    keys = node.keys or node.items
    ends = [max(key.end, item.end) for key, item in zip(keys, node.items, strict=True)]
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    gaps = [text[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    return Layout(starts[0], ends[-1], pieces, gaps, flow=True)


def marks(text: str, node: Node) -> list[int]:
    """Offsets of the dashes or keys of a block collection."""
    previous = [node.start, *(item.end for item in node.items[:-1])]
    return [next_token(text, offset) for offset in previous]


def _block_layout(text: str, node: Node) -> Layout:
    found = marks(text, node)
    at = column(text, found[0])
    inline = bool(text[line_start(text, found[0]) : found[0]].strip())
    starts, ends = [], []
    floor = 0
    for position, (mark, item) in enumerate(zip(found, node.items, strict=True)):
        start = mark if inline and position == 0 else _with_comments_above(text, mark, floor)
        limit = _with_comments_above(text, found[position + 1], 0) if position + 1 < len(found) else len(text)
        floor = _with_deeper_comments(text, below(text, item), at, limit)
        starts.append(start)
        ends.append(floor)
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    if inline:
        pieces[0] = " " * at + pieces[0]
    gaps = [text[end:start] for end, start in zip(ends, starts[1:], strict=False)]
    return Layout(starts[0], ends[-1], pieces, gaps, at, inline)


def _with_comments_above(text: str, mark: int, floor: int) -> int:
    """Start of the comment lines directly above a line; the first lines of a file are the file's own."""
    own = start = line_start(text, mark)
    while start > floor:
        above = line_start(text, start - 1)
        if above < floor or not text[above:start].lstrip().startswith("#"):
            return start
        start = above
    return own if start == 0 else start


def _with_deeper_comments(text: str, offset: int, at: int, limit: int) -> int:
    """End of the comment lines directly below ``offset`` that are indented deeper than column ``at``."""
    while offset < limit:
        end = line_end(text, offset)
        line = text[offset:end]
        if not line.lstrip().startswith("#") or len(line) - len(line.lstrip()) <= at:
            break
        offset = end
    return offset
