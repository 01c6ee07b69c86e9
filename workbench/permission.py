"""Whether the person asking may change things: everything that writes, starts, stops or spends asks here.

On one's own machine there is nobody else, and the answer is always yes. A server that others log in to lays
down a rule (``ui/access.py``). It is asked where the thing is done, not where its button is, so that no page
can forget to.
"""

from __future__ import annotations

from collections.abc import Callable

from workbench.errors import AccessError

Rule = Callable[[], bool]


class _Permission:
    def __init__(self) -> None:
        self.rule: Rule = lambda: True


_permission = _Permission()


def lay_down(rule: Rule) -> None:
    """Let ``rule`` decide from now on, in this process; it is asked anew each time."""
    _permission.rule = rule


def granted() -> bool:
    """Whether whoever asks may change things."""
    return _permission.rule()


def require_editor() -> None:
    """Make sure that whoever asks may change things.

    Raises:
        AccessError: They may only read.
    """
    if not granted():
        raise AccessError(
            "you may read here, but not change or run anything.", remedy="Ask whoever runs the server."
        )
