"""Errors a user can act on: each says what is wrong, where, and what to do about it.

Anything that is not a ``WorkbenchError`` is a bug. Pages and commands show a ``WorkbenchError`` as
one line and never as a traceback.
"""

from __future__ import annotations

import re
from typing import Any

_LOGIN = re.compile(r"(?<=//)[^/?#\s]*@")
_SECRET = re.compile(
    r"(?<=[?&])([^=&\s]*(?:key|token|secret|auth|sig|pass|pwd)[^=&\s]*=)[^&\s]+", re.IGNORECASE
)


def without_logins(text: str) -> str:
    """A text as it may be shown: web addresses in it lose their login and what their query calls a secret."""
    return _SECRET.sub(r"\1…", _LOGIN.sub("", text))


class WorkbenchError(Exception):
    """Base of every error the workbench raises on purpose.

    Args:
        what: What is wrong, in one sentence.
        where: The file, line, field or name concerned; empty when there is none.
        remedy: What the user can do about it; empty when nothing can be done.
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where, remedy)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with ``args``, but it takes keywords. Workers send errors home.
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[WorkbenchError], args: tuple[Any, ...], state: dict[str, Any]) -> WorkbenchError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class InputError(WorkbenchError):
    """A value typed by the user cannot be used: a date, a ticker, a club, an option."""


class AmbiguousError(InputError):
    """The input names more than one thing; ``candidates`` lists what it may have meant."""

    def __init__(self, what: str, candidates: tuple[str, ...], *, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.candidates = candidates


class AccessError(WorkbenchError):
    """Whoever is at the page may read, but not change anything."""


class StrategyError(WorkbenchError):
    """A strategy or operator file cannot be used."""


class PromptError(WorkbenchError):
    """A prompt file is missing, changed after its release, or does not render."""


class EvidenceError(WorkbenchError):
    """The facts a run needs do not exist or cannot be read."""


class ModelError(WorkbenchError):
    """A model did not answer: no key, refused, timed out, over limit, empty."""


class StoreError(WorkbenchError):
    """A stored run, or the database itself, cannot be read or written."""


class BatchError(WorkbenchError):
    """A batch cannot go on: nobody is there to carry out its runs."""


class WorkspaceError(WorkbenchError):
    """The workspace folder is missing or incomplete."""
