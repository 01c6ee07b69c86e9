"""Editing strategies: the unsaved draft of each, saving it as a version, and going back.

The draft lives in the store, not in a page, so that it survives leaving the page, a refresh and a restart.
What the file says on disk is looked at each time a draft is opened; nothing that somebody else wrote is
overwritten without being asked.
"""

from __future__ import annotations

import getpass
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.errors import StrategyError
from workbench.store.strategies import StrategyStore, Version
from workbench.strategy import texts
from workbench.strategy.document import Document
from workbench.strategy.files import LoadedStrategy, check_name, read_strategy
from workbench.strategy.findings import Finding
from workbench.strategy.folder import StrategyFolder
from workbench.strategy.lint import lint
from workbench.strategy.tree import decode


@dataclass(frozen=True)
class Draft:
    """A strategy as it stands in the editor.

    Attributes:
        name: Of the file, without its ending.
        base: The text editing began from.
        text: The text now; equal to ``base`` while nothing is edited.
        disk: What the file says; None when it is gone.
    """

    name: str
    base: str
    text: str
    disk: str | None

    @property
    def edited(self) -> bool:
        return self.text != self.base

    @property
    def overtaken(self) -> bool:
        """Whether the file was changed or removed by somebody else since editing began."""
        return self.disk not in (self.base, self.text)

    @property
    def where(self) -> str:
        return f"{self.name}.yaml"

    @cached_property
    def changes(self) -> int:
        """How many stretches of lines differ from the text editing began from."""
        return texts.changes(self.base, self.text)

    def document(self) -> Document:
        """The draft opened for edits.

        Raises:
            StrategyError: It is not YAML; with its line.
        """
        return parsed(self.text, self.where)

    def loaded(self) -> LoadedStrategy:
        """The draft as a strategy that can be run.

        Raises:
            StrategyError: It has an error.
        """
        return read_strategy(self.text, self.where)

    def saved(self) -> LoadedStrategy:
        """The text editing began from, as a strategy that can be run.

        Raises:
            StrategyError: It has an error.
        """
        return read_strategy(self.base, self.where)


class Drafts:
    """The strategies of a workspace, for editing.

    Args:
        folder: Their files.
        store: Their drafts and history.
    """

    def __init__(self, folder: StrategyFolder, store: StrategyStore) -> None:
        self.folder = folder
        self.store = store

    def open(self, name: str) -> Draft:
        """A strategy as it was left in the editor, or as its file says.

        Raises:
            StrategyError: There is neither a file nor a draft, or the file is not text.
        """
        kept = self.store.draft(check_name(name, "strategy"))
        try:
            disk = self._on_disk(name)
        except StrategyError:
            if kept is None:
                raise
            disk = None
        if kept is None or kept.text == disk:
            assert disk is not None
            return Draft(name, disk, disk, disk)
        return Draft(name, kept.base, kept.text, disk)

    def keep(self, draft: Draft, text: str) -> Draft:
        """Replace the unsaved text."""
        if text == draft.base:
            self.store.drop_draft(draft.name)
        else:
            self.store.keep_draft(draft.name, draft.base, text)
        return replace(draft, text=text)

    def findings(self, draft: Draft) -> list[Finding]:
        """Everything to mend in the draft, in the order of its lines."""
        try:
            return lint(draft.document(), self.folder.libraries)
        except StrategyError as error:
            return [Finding("error", error.where, error.what, error.remedy)]

    def save(self, draft: Draft, *, author: str, note: str) -> str:
        """Write the draft to its file and to the history.

        Returns:
            sha256 of the file.

        Raises:
            Conflict: The file was changed on disk since editing began; nothing was written.
            StrategyError: The draft has an error; nothing was written.
        """
        digest = self.folder.save(draft.name, draft.text.encode(), draft.base.encode())
        self._record_found(draft.name, draft.base)
        self.store.record(draft.name, draft.text, author=author, note=note)
        self.store.drop_draft(draft.name)
        return digest

    def discard(self, name: str) -> None:
        """Forget what is not saved."""
        self.store.drop_draft(name)

    def keep_mine(self, draft: Draft) -> Draft:
        """Go on with the draft although the file was changed: what is on disk becomes what it is based on.

        Where the file is gone, it is written again as it was when editing began.

        Raises:
            StrategyError: The file cannot be written.
        """
        if draft.disk is None:
            self.folder.create(draft.name, draft.base.encode())
            return replace(draft, disk=draft.base)
        self._record_found(draft.name, draft.disk)
        return self.keep(replace(draft, base=draft.disk), draft.text)

    def create(self, name: str, data: bytes, *, author: str, note: str) -> str:
        """Write a strategy under a free name: a new one, a copy, an import, or one that was deleted.

        Returns:
            Its name as it was written.

        Raises:
            StrategyError: The name is taken or cannot be one, or the content has an error.
        """
        name = check_name(name, "strategy")
        self.folder.create(name, data)
        self.store.record(name, self._on_disk(name), author=author, note=note)
        return name

    def rename(self, name: str, new: str, *, author: str, note: str) -> str:
        """Give a strategy another name; the history of the old name is kept under it.

        Raises:
            StrategyError: There are unsaved changes, the new name is taken or cannot be one, or the strategy
                has an error.
        """
        if self.open(name).edited:
            raise StrategyError(
                "there are unsaved changes.", where=name, remedy="Save or discard them first."
            )
        new, old = check_name(new, "strategy"), self._on_disk(name)
        self.folder.rename(name, new)
        self._record_found(name, old)
        self.store.record(new, self._on_disk(new), author=author, note=note)
        return new

    def delete(self, name: str) -> None:
        """Remove a strategy; its last text is in the history.

        Raises:
            StrategyError: There is no such file, or the disk refuses.
        """
        self._record_found(name, self._on_disk(name))
        self.folder.delete(name)
        self.store.drop_draft(name)

    def deleted(self) -> tuple[str, ...]:
        """The names that have a history and no file."""
        return tuple(sorted(set(self.store.strategies()) - set(self.folder.names())))

    def history(self, name: str) -> list[Version]:
        """Every version of a strategy, newest first."""
        return self.store.versions(name)

    def author(self) -> str:
        """Whose name a save most likely gets: who saved last, else who is logged in."""
        try:
            return self.store.last_author() or getpass.getuser()
        except (OSError, KeyError):
            return ""  # a container may have no user of that number

    def _on_disk(self, name: str) -> str:
        return decode(self.folder.read(name), f"{name}.yaml")

    def _record_found(self, name: str, text: str) -> None:
        """Keep a text that nobody saved through the workbench, so that it can be gone back to."""
        known = self.store.versions(name)
        if not known or all(version.text != text for version in known):
            self.store.record(name, text, author="", note="")


_PARSED: dict[tuple[str, str], Document] = {}
_KEPT = 32


def parsed(text: str, where: str) -> Document:
    """A text opened for edits; the texts opened last are not parsed again.

    Raises:
        StrategyError: It is not YAML; with its line.
    """
    document = _PARSED.get((text, where)) or Document.parse(text.encode(), where)
    remember(document)
    return document


def remember(document: Document) -> None:
    """Keep the outcome of an edit, which has just been parsed to be checked."""
    for key in list(_PARSED)[: len(_PARSED) - _KEPT]:
        _PARSED.pop(key, None)
    _PARSED[document.data.decode(), document.where] = document
