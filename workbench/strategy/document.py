"""Editing a YAML file so that nothing changes but what was edited.

An edit is a change of the text at the place of the value, found through the parser's marks. Comments,
quoting, block scalars, key order, anchors and line breaks elsewhere stay because they are never written.

Each edit first says what the whole file must mean afterwards. A new text is kept only if it reads as exactly
that, so an edit is either done or refused; it cannot corrupt a file.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.errors import StrategyError
from workbench.strategy import emit, plain, tree
from workbench.strategy.findings import KeyPath, dotted
from workbench.strategy.layout import Layout, column, layout, marks, newline_of
from workbench.strategy.plain import Plain
from workbench.strategy.slot import Slot
from workbench.strategy.tree import BOM, Node, Tree


class EditRefused(StrategyError):
    """The edit cannot be made in the text without changing something else."""


@dataclass(frozen=True)
class Document:
    """A YAML file and the edits that can be made to it. Immutable: every edit returns a new document.

    A path leads from the top to a value: keys, and positions in lists.

    Attributes:
        data: The bytes of the file.
        tree: The file parsed.
        where: Its name, for messages.
    """

    data: bytes
    tree: Tree
    where: str

    @classmethod
    def parse(cls, data: bytes, where: str = "the file") -> Document:
        """Read a file.

        Raises:
            StrategyError: Not UTF-8, malformed, or not plain data; with its line.
        """
        return cls(data, tree.parse(tree.decode(data, where), where), where)

    def value(self, path: KeyPath = ()) -> Plain:
        """A copy of the value at ``path`` as plain data, aliases resolved.

        Raises:
            EditRefused: There is no such value.
        """
        value = self.tree.value
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                raise self._refusal(path, "there is no such value.") from None
        return plain.copied(value)

    def line(self, path: KeyPath) -> int:
        """1-based line of the value at ``path``, or of the nearest thing above it that exists."""
        return self.tree.line(path)

    def set(self, path: KeyPath, value: Plain) -> Document:
        """Make the value at ``path`` equal ``value``; a new key is added at the end of its mapping.

        A list or mapping is compared with what is there, and only the items that differ are written.

        Raises:
            EditRefused: No such place, or the text cannot hold the change.
        """
        value = plain.copied(value)
        if path and isinstance(above := self.value(path[:-1]), dict) and path[-1] not in above:
            return self.insert(path[:-1], len(above), value, key=path[-1])
        old = self.value(path)
        if plain.same(old, value):
            return self
        if old and value and type(old) is type(value) and isinstance(value, dict | list):
            try:
                return self._set_items(path, old, value)
            except EditRefused:
                if not path:
                    raise
        return self._edited(path, value, self._written(path, value))

    def insert(self, path: KeyPath, index: int, value: Plain, key: Any = None) -> Document:
        """Add an item to a list, or the entry ``key`` to a mapping, before position ``index``.

        Raises:
            EditRefused: No such collection or position, the key exists, or the text cannot hold the change.
        """
        value, old = plain.copied(value), self.value(path)
        node = self._collection(path, old, index, len(old) if isinstance(old, dict | list) else 0)
        if isinstance(old, dict) and (key is None or key in old):
            raise self._refusal(
                path, "a key is needed." if key is None else f"the key {key!r} exists already."
            )
        wanted = plain.with_entry(old, index, key, value)
        texts = self._added(node, index, value, key) if node.items else self._written(path, wanted)
        return self._edited(path, wanted, texts)

    def delete(self, path: KeyPath) -> Document:
        """Remove a list item or a mapping entry, with the comment lines directly above it.

        Raises:
            EditRefused: No such value, or the text cannot hold the change.
        """
        self.value(path)
        if not path:
            raise self._refusal(path, "the whole file cannot be removed here.")
        above, part = path[:-1], path[-1]
        rest = self.value(above)
        node = self._collection(above, rest, 0, 0)
        del rest[part]
        index = self._index(node, path)
        texts = self._joined(node, lambda cut: cut.without(index)) if rest else self._written(above, rest)
        return self._edited(above, rest, texts)

    def move(self, path: KeyPath, source: int, target: int) -> Document:
        """Move item ``source`` of the list or mapping at ``path`` so that it ends up at position ``target``.

        The comment lines directly above the item move with it.

        Raises:
            EditRefused: No such collection or positions, or the text cannot hold the change.
        """
        old = self.value(path)
        last = len(old) - 1 if isinstance(old, dict | list) else 0
        self._collection(path, old, source, last)
        node = self._collection(path, old, target, last)
        if source == target:
            return self
        if len(node.items) != len(old):
            raise self._refusal(path, "some of its entries come from a merged mapping.")
        entries: list[Any] = list(old.items()) if isinstance(old, dict) else old
        entries.insert(target, entries.pop(source))
        wanted = dict(entries) if isinstance(old, dict) else entries
        return self._edited(path, wanted, self._joined(node, lambda cut: cut.moved(source, target)))

    def rename(self, path: KeyPath, key: Any) -> Document:
        """Give the mapping entry at ``path`` another key; its place and value stay.

        Raises:
            EditRefused: No such entry, the key exists, or the text cannot hold the change.
        """
        self.value(path)
        above, siblings = path[:-1], self.value(path[:-1])
        if not path or not isinstance(siblings, dict):
            raise self._refusal(path, "only an entry of a mapping has a name.")
        if plain.same(key, path[-1]):
            return self
        if key in siblings:
            raise self._refusal(path, f"the key {key!r} exists already.")
        node = self._collection(above, siblings, 0, 0)
        old = node.keys[self._index(node, path)]
        wanted = {key if name == path[-1] else name: value for name, value in siblings.items()}
        before, after = self.tree.text[: old.start], self.tree.text[old.end :]
        texts = (before + emit.key_text(key, style) + after for style in (old.style, '"'))
        return self._edited(above, wanted, texts)

    def _edited(self, path: KeyPath, value: Plain, texts: Iterable[str]) -> Document:
        """The first of ``texts`` in which the value at ``path`` is ``value`` and all else is as it was."""
        intended = plain.replaced(self.value(), path, value)
        mark = BOM if self.data.startswith(BOM.encode()) else ""
        for text in texts:
            try:
                candidate = Document.parse((mark + text).encode(), self.where)
            except (StrategyError, UnicodeEncodeError):
                continue
            if plain.same(candidate.tree.value, intended):
                return candidate
        nodes = (self.tree.find(path[:length]) for length in range(len(path) + 1))
        shared = next((node.anchor for node in nodes if node and node.anchor), None)
        what = "it cannot be written here without touching other parts of the file."
        raise self._refusal(path, f"the value is shared with other places as {shared!r}." if shared else what)

    def _refusal(self, path: KeyPath, what: str) -> EditRefused:
        name = f"{dotted(path)}: " if path else ""
        remedy = "Change it in the text of the file instead."
        return EditRefused(name + what, where=f"{self.where}:{self.line(path)}", remedy=remedy)

    def _set_items(self, path: KeyPath, old: Plain, value: Plain) -> Document:
        """Turn one collection into another of its kind, item by item."""
        document = self
        if isinstance(value, dict):
            for key in (key for key in old if key not in value):
                document = document.delete((*path, key))
            for index, (key, item) in enumerate(value.items()):
                names = list(document.value(path))
                if key in names:
                    document = document.set((*path, key), item).move(path, names.index(key), index)
                else:
                    document = document.insert(path, index, item, key=key)
            return document
        before, after = ([json.dumps(item, default=repr) for item in items] for items in (old, value))
        steps = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        for _, start, end, new_start, new_end in (step for step in reversed(steps) if step[0] != "equal"):
            shared = min(end - start, new_end - new_start)
            for index in reversed(range(start + shared, end)):
                document = document.delete((*path, index))
            for index in range(new_start + shared, new_end):
                document = document.insert(path, start + index - new_start, value[index])
            for offset in range(shared):
                document = document.set((*path, start + offset), value[new_start + offset])
        return document

    def _collection(self, path: KeyPath, value: Plain, index: int, last: int) -> Node:
        """The node of the list or mapping at ``path``, whose positions up to ``last`` may be named."""
        node = self.tree.find(path)
        if not isinstance(value, dict | list):
            raise self._refusal(path, "this is a single value, not a list or mapping.")
        if node is None or node.kind == "alias":
            raise self._refusal(path, "the value stands elsewhere in the file, under an alias.")
        if not 0 <= index <= last:
            raise self._refusal(path, f"there is no position {index}.")
        return node

    def _index(self, node: Node, path: KeyPath) -> int:
        if node.kind == "list":
            return int(path[-1])
        if path[-1] not in node.names:
            raise self._refusal(path, "the entry comes from a merged mapping.")
        return node.names.index(path[-1])

    def _written(self, path: KeyPath, value: Plain) -> Iterator[str]:
        """Texts in which the value at ``path`` is written anew."""
        if not path:
            return iter(())
        if self.tree.find(path) is not None:
            return Slot.at(self.tree, path).texts(value, self._list_offset)
        above = self.tree.find(path[:-1])
        if above is None or above.kind != "map" or not above.items:
            return iter(())
        return self._added(above, len(above.items), value, path[-1])  # overrides a merged entry

    def _added(self, node: Node, index: int, value: Plain, key: Any) -> Iterator[str]:
        """Texts with one more item or entry in a collection that has some."""
        prefix = "-" if node.kind == "list" else f"{emit.key_text(key)}:"

        def add(cut: Layout) -> tuple[list[str], list[str]]:
            if cut.flow:
                text = next(emit.inline_texts(value, "", flow=True))
                return cut.with_new(index, text if node.kind == "list" else f"{prefix} {text}")
            newline = newline_of(self.tree.text)
            lines = emit.entry_lines(prefix, value, cut.column, self._list_offset)
            return cut.with_new(index, "".join(line + newline for line in lines))

        return self._joined(node, add)

    def _joined(
        self, node: Node, rearrange: Callable[[Layout], tuple[list[str], list[str]]]
    ) -> Iterator[str]:
        cut = layout(self.tree.text, node)
        if not (cut.flow and any("#" in gap for gap in cut.gaps)):
            yield cut.join(self.tree.text, *rearrange(cut), newline_of(self.tree.text))

    @cached_property
    def _list_offset(self) -> int:
        """How far this file indents a list below its key."""
        for _, node in tree.walk(self.tree.root):
            for key, item in zip(node.keys, node.items, strict=False):
                if not node.flow and item.kind == "list" and not item.flow:
                    dash = marks(self.tree.text, item)[0]
                    return max(column(self.tree.text, dash) - column(self.tree.text, key.start), 0)
        return emit.INDENT
