"""What is set, and where: in the environment, in the workspace's ``.env``, in ``models.yaml``, or nowhere.

Of keys only the names are told.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dotenv import dotenv_values

from workbench.errors import without_logins
from workbench.llm.presets import FILE_NAME
from workbench.records import BASELINE, Sampling, Tier
from workbench.settings import Settings
from workbench.workspace import Workspace

Origin = Literal["environment", ".env", "models.yaml", "default"]

TIERS: tuple[Tier, ...] = get_args(Tier)

_KEY_NAME = re.compile(r"[A-Z0-9_]+_(?:API_KEY|AUTH_TOKEN|ACCESS_KEY(?:_ID)?)")


@dataclass(frozen=True)
class Setting:
    """One thing that can be set.

    Attributes:
        name: The variable, or the key in the file.
        value: What it is now; None where nothing is set and there is no default.
        origin: Where the value comes from.
    """

    name: str
    value: Any
    origin: Origin


def variables() -> Mapping[str, str]:
    """The environment variable of every field of ``Settings``."""
    return {
        name: str(field.validation_alias or f"WORKBENCH_{name.upper()}")
        for name, field in Settings.model_fields.items()
    }


def in_force(workspace: Workspace) -> list[Setting]:
    """Every setting that is no model."""
    return [
        Setting(variable, _shown(getattr(workspace.settings, name)), origin(workspace, variable) or "default")
        for name, variable in variables().items()
        if not name.endswith("model")
    ]


def model_of(workspace: Workspace, tier: Tier) -> Setting:
    """Which model plays a tier as long as neither a strategy nor a run names another.

    Raises:
        InputError: ``models.yaml`` cannot be used.
    """
    for variable in (f"LLM_{tier.upper()}_MODEL", "LLM_MODEL"):
        if where := origin(workspace, variable):
            return Setting(variable, os.environ[variable].strip(), where)
    named = workspace.presets.read().tier(tier).model
    return Setting(f"{tier}.model", named or BASELINE, FILE_NAME if named else "default")


def keys(workspace: Workspace) -> list[Setting]:
    """The keys of model providers that are set, by name alone."""
    found = [name for name, value in os.environ.items() if value and _KEY_NAME.fullmatch(name)]
    return [Setting(name, None, origin(workspace, name) or "environment") for name in sorted(found)]


def origin(workspace: Workspace, variable: str) -> Literal["environment", ".env"] | None:
    """Where a variable was set; None where it is not. What both say counts as said by ``.env``."""
    value = os.environ.get(variable, "").strip()
    if not value:
        return None
    written = dotenv_values(workspace.root / ".env").get(variable) or ""
    return ".env" if written.strip() == value else "environment"


def sampling_words(sampling: Sampling) -> Iterable[str]:
    """``temperature 0.2``, ``seed 7``: the parameters that are set."""
    return (
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in sampling.params.items()
    )


def _shown(value: Any) -> Any:
    """A value as it may be shown: an address without the password in it."""
    return without_logins(value) if isinstance(value, str) else value
