"""The operator that is open for editing: its draft, and where it is used."""

from __future__ import annotations

from functools import cached_property

import streamlit as st

from workbench.errors import StrategyError
from workbench.strategy.document import Document
from workbench.strategy.files import check_name
from workbench.strategy.findings import Finding
from workbench.strategy.frontmatter import edit_front_matter, front_document, read_front_matter
from workbench.strategy.operators import OperatorHead, read_operator
from workbench.strategy.tree import decode
from workbench.ui.editing import Editor
from workbench.workspace import Workspace

PREFIX = "operators/"
"""Drafts of operators are kept beside those of strategies, under a name no strategy can have."""


class OperatorEditor(Editor):
    """An operator open for editing: a YAML head, and questions below it.

    Args:
        workspace: Where it lives.
        id: The operator.

    Raises:
        StrategyError: There is no such operator, or its file is not text.
    """

    def __init__(self, workspace: Workspace, id: str) -> None:
        super().__init__("operator", id)
        self.workspace = workspace
        self.where = f"{check_name(id, 'operator')}.md"
        self.disk = decode(workspace.operators.read(id), self.where)
        kept = workspace.store.strategies.draft(PREFIX + id)
        self.base: str = kept.base if kept else self.disk
        self._text: str = kept.text if kept else self.disk

    def current(self) -> str:
        return self._text

    def read(self, text: str) -> Document:
        return front_document(text.encode(), self.where)

    def written(self, text: str, document: Document) -> str:
        return edit_front_matter(text.encode(), self.where, head=lambda _: document).decode()

    def keep(self, text: str) -> None:
        self._text = text
        drafts = self.workspace.store.strategies
        if text == self.base:
            drafts.drop_draft(PREFIX + self.name)
        else:
            drafts.keep_draft(PREFIX + self.name, self.base, text)

    @property
    def edited(self) -> bool:
        return self._text != self.base

    @property
    def question(self) -> str:
        """The questions below the head."""
        try:
            return read_front_matter(self._text.encode(), OperatorHead, self.where).body
        except StrategyError:
            return self._text.split("\n---", 1)[-1].strip("-\r\n")

    def ask(self, question: str) -> None:
        """Replace the questions."""
        try:
            self.put(edit_front_matter(self._text.encode(), self.where, body=question).decode())
        except StrategyError as error:
            self.say(error)

    @cached_property
    def findings(self) -> list[Finding]:
        try:
            read_operator(self._text.encode(), self.where)
        except StrategyError as error:
            return [Finding("error", error.where, error.what, error.remedy)]
        return []

    @property
    def broken(self) -> dict[str, list[Finding]]:
        """The strategies saving this very text would break, as the last refusal found them."""
        text, broken = st.session_state.get(self._refused, ("", {}))
        return broken if text == self._text else {}

    def save(self, *, sure: bool = False) -> None:
        """Write the file, unless that would break strategies; what goes wrong is said.

        Args:
            sure: Whether the reader accepts what ``broken`` shows.
        """
        mine = self._text.encode()
        try:
            broken = self.workspace.strategy_folder.broken_by(read_operator(mine, self.where))
            if broken and not (sure and broken == self.broken):
                st.session_state[self._refused] = (self._text, broken)
                return
            self.workspace.operators.save(self.name, mine, self.base.encode())
        except StrategyError as error:
            self.say(error)
            return
        st.session_state.pop(self._refused, None)
        self.workspace.store.strategies.drop_draft(PREFIX + self.name)
        self.undos.clear()
        self.redos.clear()

    @property
    def _refused(self) -> str:
        return f"{self.page}.refused.{self.name}"

    def discard(self) -> None:
        """Go back to what the file says now."""
        self.base = self.disk
        self.put(self.disk)
        self.workspace.store.strategies.drop_draft(PREFIX + self.name)
