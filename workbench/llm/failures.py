"""Why a call to a provider failed, whether asking again may help, and what to tell the user."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.errors import ModelError
from workbench.llm.limits import retry_after
from workbench.llm.redaction import redacted

LONGEST_RETRY_AFTER_S = 120.0
"""A provider that asks for a longer pause is given up at once: the agent's deadline would pass meanwhile."""

_SAID_LENGTH = 300
_SERVER_TROUBLE = 500
_REFUSALS = (400, 422, 500)
"""Statuses that servers refuse a request with; llama-cpp-python reports what it cannot validate as 500."""
_TRANSIENT = frozenset({408, 409, 425, 429})
_REMEDIES: Mapping[int, str] = {
    400: "Check the model name and its parameters.",
    401: "Set the provider's API key in the environment or in .env.",
    402: "Check the balance of the provider's account.",
    403: "Check what the key is allowed to use.",
    404: "Check the model name.",
    408: "Raise WORKBENCH_CALL_TIMEOUT_S or choose a faster model.",
    429: "Lower WORKBENCH_CONCURRENCY or WORKBENCH_REQUESTS_PER_MINUTE, or wait.",
}
_STREAMED = re.compile(r"Received: '(?:data|event): ")
_SERVER_REMEDY = "Check the network and, for a server of your own, LLM_API_BASE; or try again later."

# litellm writes "litellm.RateLimitError: RateLimitError: OpenAIException - slow down": the end is for people.
_PREFIXES = re.compile(r"(?:(?:litellm\.)?\w+(?:Error|Exception)(?: [A-Z]\w+)*(?::| -)\s*)+")
_NO_KEY = re.compile(r"missing credentials|missing \w+ api key|unable to locate credentials", re.IGNORECASE)


class NoAnswerError(Exception):
    """The call succeeded and brought nothing."""

    def __init__(self, what: str, *, transient: bool = False) -> None:
        super().__init__(what)
        self.transient = transient


@dataclass(frozen=True)
class Failure:
    """Why an attempt failed.

    Attributes:
        status: HTTP status, or the one that comes closest; None for an answer that is no answer.
        said: What the provider said, without secrets.
        transient: Whether asking again may help.
        wait_s: Seconds the provider asks to wait.
        remedy: What to do, where the status does not say it.
    """

    status: int | None
    said: str
    transient: bool
    wait_s: float | None = None
    remedy: str = ""

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Read an exception of litellm, of the OpenAI client beneath it, or of our own timeout."""
        if isinstance(error, NoAnswerError):
            return cls(None, _shortened(redacted(str(error))), transient=error.transient)
        if isinstance(error, TimeoutError):
            return cls(408, "no answer in time.", transient=True)
        status = getattr(error, "status_code", None)
        said = _what_was_said(error)
        if not isinstance(status, int):
            return cls(None, f"{type(error).__name__}: {said}", transient=False)
        if _NO_KEY.search(said):
            # Arrives as a server error from some providers although nothing was ever sent.
            return cls(401, said, transient=False)
        if _STREAMED.search(said):
            said, remedy = "the server streams its answer, unasked.", "Switch streaming off in the server."
            return cls(None, said, transient=False, remedy=remedy)
        if status == _SERVER_TROUBLE and not _was_sent(error):
            said = said if said.startswith("Connection") else f"the answer cannot be read: {said}"
            return cls(None, said, transient=True, remedy=_SERVER_REMEDY)
        wait_s = retry_after(getattr(getattr(error, "response", None), "headers", None) or {})
        # Providers refuse with 429 both for a busy minute and for an account that is empty.
        unpaid = status == 429 and wait_s is None and "billing" in said and "retry" not in said
        patient = wait_s is None or wait_s <= LONGEST_RETRY_AFTER_S
        transient = (status in _TRANSIENT or status >= _SERVER_TROUBLE) and not unpaid and patient
        return cls(status, said, transient=transient, wait_s=wait_s if patient else None)

    @property
    def is_about_format(self) -> bool:
        """Whether the provider does not accept the way in which the answer's form was asked for."""
        words = ("response_format", "json_schema", "json_object", "structured output", "grammar")
        return self.status in _REFUSALS and any(word in self.said.lower() for word in words)

    def as_error(self, model: str, attempts: int) -> ModelError:
        """The failure as the user reads it."""
        tries = f" after {attempts} attempts" if attempts > 1 else ""
        status = f" ({self.status})" if self.status else ""
        remedy = self.remedy or _REMEDIES.get(
            self.status or 0, _SERVER_REMEDY if self.status else "Try another model."
        )
        return ModelError(f"no answer{tries}{status}: {self.said}", where=model, remedy=remedy)


def _was_sent(error: Exception) -> bool:
    """Whether a server answered with the status, which litellm gives broken connections and bodies too."""
    beneath = error.__context__
    return beneath is None or str(beneath).startswith("Error code:")


def _what_was_said(error: Exception) -> str:
    # Redacted before it is shortened: half a key is still a secret and matches nothing.
    text = redacted(str(getattr(error, "message", "") or error))
    text = text.partition("Traceback (most recent call last)")[0][: 2 * _SAID_LENGTH]
    return _shortened(_PREFIXES.sub("", text, count=1)) or type(error).__name__


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    if len(line) > _SAID_LENGTH:
        return line[:_SAID_LENGTH] + "…"
    return line if not line or line[-1] in ".!?…。！？" else f"{line}."
