"""The strategies of a workspace: listing, saving, and never overwriting what somebody else saved meanwhile.

Every write goes through the checks of ``lint``, so that a strategy with an error, such as a missing operator,
is never saved.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from workbench.errors import StrategyError
from workbench.permission import require_editor
from workbench.strategy.document import Document
from workbench.strategy.files import check_name, load_strategy, read_file, replace_file, write_atomically
from workbench.strategy.findings import Finding
from workbench.strategy.lint import Libraries, lint
from workbench.strategy.operators import EditedOperators, Operator
from workbench.strategy.schema import ChaptersStrategy


class StrategyFolder:
    """The ``NAME.yaml`` files of one folder.

    Args:
        folder: The folder; nothing is ever written outside it.
        libraries: What the strategies may refer to.
    """

    def __init__(self, folder: Path, libraries: Libraries) -> None:
        self.folder = folder
        self.libraries = libraries

    def names(self) -> tuple[str, ...]:
        """Every strategy that has a file, sorted."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.yaml")))

    def read(self, name: str) -> bytes:
        """The bytes of a strategy file.

        Raises:
            StrategyError: No such strategy, or it cannot be read.
        """
        return read_file(self._path(name))

    def document(self, name: str) -> Document:
        """A strategy opened for editing.

        Raises:
            StrategyError: No such strategy, or it is not YAML.
        """
        return Document.parse(self.read(name), f"{name}.yaml")

    def save(self, name: str, mine: bytes, base: bytes) -> str:
        """Replace a strategy.

        Args:
            name: The strategy.
            mine: Its new content.
            base: The content that was edited.

        Returns:
            sha256 of what is on disk now.

        Raises:
            Conflict: The file is no longer ``base``.
            StrategyError: The content has an error; nothing was written.
        """
        self._check(name, mine)
        replace_file(self._path(name), mine, base)
        return hashlib.sha256(mine).hexdigest()

    def create(self, name: str, data: bytes) -> str:
        """Write a strategy under a name that is free: a new one, or one that was imported.

        Its ``name`` is set to the new name; everything else stays as it is.

        Returns:
            sha256 of the file.

        Raises:
            StrategyError: The name is taken or cannot be one, or the content has an error.
        """
        path = self._path(name)
        document = Document.parse(data, path.name)
        if isinstance(document.tree.value, dict):
            document = document.set(("name",), path.stem)
        self._check(name, document.data)
        write_atomically(path, document.data, new=True)
        return hashlib.sha256(document.data).hexdigest()

    def rename(self, name: str, new: str) -> str:
        """Give a strategy another name, in the file and of the file.

        Returns:
            sha256 of the new file.

        Raises:
            StrategyError: The new name is taken or cannot be one, or the strategy has an error.
        """
        digest = self.create(new, self.read(name))
        self.delete(name)
        return digest

    def delete(self, name: str) -> bytes:
        """Remove a strategy.

        Returns:
            What it was, for the history.

        Raises:
            AccessError: Whoever asks may only read.
            StrategyError: No such strategy, or the disk refuses.
        """
        require_editor()
        data, path = self.read(name), self._path(name)
        try:
            path.unlink()
        except OSError as error:
            raise StrategyError(f"the file cannot be removed: {error.strerror}.", where=path.name) from None
        return data

    def using(self, operator: str) -> tuple[str, ...]:
        """The strategies that use an operator; those that cannot be read are left out."""
        found = []
        for name in self.names():
            try:
                strategy = load_strategy(self._path(name)).strategy
            except StrategyError:
                continue
            chapters = strategy.framework.chapters if isinstance(strategy, ChaptersStrategy) else ()
            if any(operator in chapter.operators for chapter in chapters):
                found.append(name)
        return tuple(found)

    def broken_by(self, edited: Operator) -> dict[str, list[Finding]]:
        """The strategies an edited operator would break, each with the errors it has not got already.

        Strategies that cannot be read are left out.
        """
        operators = EditedOperators(self.libraries.operators.folder, edited)
        after = replace(self.libraries, operators=operators)
        found = {}
        for name in self.names():
            try:
                document = self.document(name)
            except StrategyError:
                continue
            known = {(error.path, error.what) for error in _errors(document, self.libraries)}
            new = [error for error in _errors(document, after) if (error.path, error.what) not in known]
            if new:
                found[name] = new
        return found

    def _path(self, name: str) -> Path:
        return self.folder / f"{check_name(name, 'strategy')}.yaml"

    def _check(self, name: str, data: bytes) -> None:
        for error in _errors(Document.parse(data, f"{name}.yaml"), self.libraries):
            raise StrategyError(error.what, where=error.where, remedy=error.remedy)


def _errors(document: Document, libraries: Libraries) -> list[Finding]:
    return [finding for finding in lint(document, libraries) if finding.severity == "error"]
