"""Forms over a text file: every widget shows a value of the file and writes it back where it stands.

The draft in the store is the one source; widgets are set from it before they are drawn, so that undo, another
tab and the raw text all show at once. A change is written only over the value the widget was showing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import streamlit as st

from workbench.errors import StrategyError
from workbench.strategy.document import Document
from workbench.strategy.findings import Finding, KeyPath
from workbench.strategy.plain import Plain, same

Change = Callable[[Document], Document]

UNDO_DEPTH = 100
_SKIPPED = ("framework", "synthesis")
_UNSET = object()


class Unfit(Exception):
    """This part of the file has not the shape its form edits; its text must be changed instead."""


class Editor:
    """A text being edited on a page. Subclasses say where the text is kept and which part of it is YAML.

    Args:
        page: Prefix of widget keys.
        name: What is edited; undo is kept for each name.
    """

    def __init__(self, page: str, name: str) -> None:
        self.page = page
        self.name = name

    # -- what a subclass provides ----------------------------------------------------------------------

    def current(self) -> str:
        """The text as it is kept now."""
        raise NotImplementedError

    def read(self, text: str) -> Document:
        """The YAML of a text.

        Raises:
            StrategyError: It is malformed.
        """
        raise NotImplementedError

    def written(self, text: str, document: Document) -> str:
        """The text with its YAML replaced by an edited one."""
        raise NotImplementedError

    def keep(self, text: str) -> None:
        """Make ``text`` the current one."""
        raise NotImplementedError

    # -- reading ---------------------------------------------------------------------------------------

    @cached_property
    def document(self) -> Document | None:
        """The YAML of the text as the page shows it; None while it is malformed."""
        try:
            return self.read(self.current())
        except StrategyError:
            return None

    @cached_property
    def findings(self) -> list[Finding]:
        """What is to be mended."""
        return []

    def at(self, path: KeyPath, default: Plain = None) -> Plain:
        """The value at ``path``, or the default where there is none."""
        value: Any = self.document.tree.value if self.document else None
        for part in path:
            try:
                value = value[part]
            except (KeyError, IndexError, TypeError):
                return default
        return value

    def entries(self, path: KeyPath) -> list[dict[str, Plain]]:
        """The list of mappings at ``path``; empty where there is none.

        Raises:
            Unfit: Something else stands there.
        """
        found = self.at(path, [])
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            raise Unfit
        return found

    def texts(self, path: KeyPath) -> list[str]:
        """The list of texts at ``path``; empty where there is none.

        Raises:
            Unfit: Something else stands there.
        """
        found = self.at(path)
        if found is None:
            return []
        if not isinstance(found, list) or not all(isinstance(entry, str) for entry in found):
            raise Unfit
        return found

    def findings_at(self, path: KeyPath) -> list[Finding]:
        """What is to be mended in the value at ``path`` and below."""
        return [finding for finding in self.findings if finding.path[: len(path)] == path]

    # -- writing, in callbacks -------------------------------------------------------------------------

    def key(self, path: KeyPath) -> str:
        """Key of the widget for ``path``: ``strategy.thinking_steps.0.instruction``."""
        return ".".join([self.page, *(str(part) for part in path if part not in _SKIPPED)])

    def edit(self, change: Change) -> None:
        """Change the YAML; what cannot be done is said on the next page."""
        text = self.current()
        try:
            document = change(self.read(text))
            self.put(self.written(text, document))
        except StrategyError as error:
            self.say(error)

    def put(self, text: str) -> None:
        """Replace the whole text, and remember the one before for undo."""
        before = self.current()
        if text != before:
            self.undos.append(before)
            del self.undos[:-UNDO_DEPTH]
            self.redos.clear()
            self.keep(text)

    def take(self, path: KeyPath, shown: Plain, read: Callable[[Any], Plain]) -> None:
        """Write what a widget holds over the value it was showing."""
        value = read(st.session_state[self.key(path)])

        def change(document: Document) -> Document:
            if not same(value_at(document, path), shown):
                what = "the value was changed elsewhere meanwhile, so this was not written: " + str(value)
                raise StrategyError(what, remedy="Look at it again.")
            return with_value(document, path, value)

        self.edit(change)

    def undo(self) -> None:
        if self.undos:
            self.redos.append(self.current())
            self.keep(self.undos.pop())

    def redo(self) -> None:
        if self.redos:
            self.undos.append(self.current())
            self.keep(self.redos.pop())

    @property
    def undos(self) -> list[str]:
        return self._stack("undo")

    @property
    def redos(self) -> list[str]:
        return self._stack("redo")

    def _stack(self, kind: str) -> list[str]:
        stacks: list[str] = st.session_state.setdefault(f"{self.page}.{kind}.{self.name}", [])
        return stacks

    def say(self, error: StrategyError) -> None:
        """Show an error on the next run of the page."""
        st.session_state[f"{self.page}.said"] = error

    def said(self) -> StrategyError | None:
        """The error of the last callback, once."""
        error: StrategyError | None = st.session_state.pop(f"{self.page}.said", None)
        return error


def show(key: str, value: Any) -> None:
    """Let the widget ``key`` show ``value``; what the reader is typing elsewhere is left alone."""
    if st.session_state.get(key, _UNSET) != value:
        st.session_state[key] = value


def value_at(document: Document, path: KeyPath) -> Plain:
    """The value at ``path``; None where there is none."""
    try:
        return document.value(path)
    except StrategyError:
        return None


def with_value(document: Document, path: KeyPath, value: Plain) -> Document:
    """Set a value, together with the mappings above it that are not there yet.

    Raises:
        EditRefused: The text cannot hold the change.
    """
    for depth in range(1, len(path)):
        if value_at(document, path[:depth]) is None:
            for part in reversed(path[depth:]):
                value = {part: value}
            return document.set(path[:depth], value)
    return document.set(path, value)


def without(document: Document, path: KeyPath) -> Document:
    """Take an entry out, if it is there.

    Raises:
        EditRefused: The text cannot do without it.
    """
    return document.delete(path) if document.tree.find(path) is not None else document
