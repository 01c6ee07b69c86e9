"""What goes wrong while a feed is asked: noted beside what arrives, one line a problem."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from workbench.errors import WorkbenchError, without_logins
from workbench.evidence.feeds.fetch import FeedError, SilentError


class Failures:
    """The failures of one feed; what fails alike for several companies is one.

    Args:
        feed: Its name, with which every line begins.
        key: Its key; a service may repeat it in a refusal, no line does.

    Attributes:
        silent: Whether the last question failed because the service does not answer at all.
    """

    def __init__(self, feed: str, key: str) -> None:
        self.silent = False
        self._feed = feed
        self._key = key
        self._found: dict[str, list[str]] = {}

    @contextmanager
    def noted(self, about: str) -> Iterator[None]:
        """Note what fails inside as being about somebody, and go on behind it."""
        self.silent = False
        try:
            with _understood():
                yield
        except WorkbenchError as error:
            self.silent = isinstance(error, SilentError)
            self._found.setdefault(f"{error.what} {error.remedy}".strip(), []).append(about)

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each problem: the feed, whom it is about, what is wrong."""
        return tuple(self._line(what, about) for what, about in self._found.items())

    def _line(self, what: str, about: list[str]) -> str:
        said = what.replace(self._key, "…") if self._key else what
        return ": ".join(
            filter(None, (self._feed, ", ".join(dict.fromkeys(filter(None, about))), without_logins(said)))
        )


@contextmanager
def _understood() -> Iterator[None]:
    """Make a failure of the feed out of an answer that cannot be read, whatever shape it has."""
    try:
        yield
    except WorkbenchError:
        raise
    except Exception as error:
        what = f"its answer is in a form that cannot be read ({type(error).__name__})."
        raise FeedError(what) from error
