"""Keep keys out of what is shown, logged and stored."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")
_KEY_SHAPE = re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|AIza)[-_A-Za-z0-9*.]{8,}|(?<=Bearer )[^\s,;]+")
_SHORTEST_SECRET = 8

HIDDEN = "[hidden]"


def without_secrets(text: str) -> str:
    """``text`` without the secrets of this process's environment: a server may send back what it was sent."""
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_SECRET and _SECRET_NAME.search(name.upper()):
            text = text.replace(value, HIDDEN)
    return text


def redacted(text: str) -> str:
    """``text`` without those secrets and without anything shaped like a key."""
    return _KEY_SHAPE.sub(HIDDEN, without_secrets(text))
