"""Logging in: whether the workspace asks for it, and under which name its server is reached.

It is asked for where ``.streamlit/secrets.toml`` of the workspace has an ``[auth]`` section, as the manual of
Streamlit describes it. The file holds secrets: nothing but the host of its address leaves this module.
"""

from __future__ import annotations

import ipaddress
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from workbench.errors import InputError

SECRETS = Path(".streamlit") / "secrets.toml"
_NEEDED = ("redirect_uri", "cookie_secret")


@dataclass(frozen=True)
class Login:
    """How people log in. ``host`` is the name they know the server by."""

    host: str


def login_of(workspace: Path) -> Login | None:
    """The login a workspace asks for; None where it asks for none.

    Raises:
        InputError: The file cannot be read, or its section is incomplete.
    """
    path = workspace / SECRETS
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get("auth")
    except FileNotFoundError:
        return None
    except (OSError, ValueError):  # the words of the parser would quote the file
        raise InputError("the file cannot be read.", where=str(path), remedy="It is TOML in UTF-8.") from None
    if section is None:
        return None
    if not isinstance(section, dict) or not all(isinstance(section.get(key), str) for key in _NEEDED):
        raise InputError(
            f"[auth] needs {' and '.join(_NEEDED)}.", where=str(path), remedy="See docs/security.md."
        )
    host = urlsplit(section["redirect_uri"]).hostname
    if not host:
        raise InputError("redirect_uri of [auth] is no address.", where=str(path))
    return Login(host)


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach a server that listens on an address."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
