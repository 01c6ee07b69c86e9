"""What language the interface speaks: one catalogue per language, and the choice of one.

Every text a reader sees comes from ``locale/en.toml`` or ``locale/zh.toml`` under the same key. A section
whose keys are the members of a closed set (``status``, ``sufficiency``, ...) is read with ``term``; all
other texts are read with ``t`` and a literal key, so that a test can find the unused and the missing ones.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import streamlit as st

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
NAMES: Mapping[Language, str] = {"en": "English", "zh": "简体中文"}

_STATE = "app.language"
_LOCALE = Path(__file__).with_name("locale")


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """All texts of one language, flat: ``section.key`` -> text."""
    sections = tomllib.loads((_LOCALE / f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{name}.{key}": text for name, section in sections.items() for key, text in section.items()}


def t(key: str, /, **values: object) -> str:
    """The text of ``key`` in the chosen language, with ``{name}`` filled from ``values``.

    Values are put in as they are: escape untrusted ones before they reach Markdown.
    """
    return catalogue(language())[key].format(**values)


def term(section: str, member: str | None) -> str:
    """What a reader calls one member of a closed set, e.g. ``term("status", "no_data")``.

    A member the catalogue does not know (a label of a strategy's own) is shown as it is.
    """
    if member is None:
        return t("number.missing")
    return catalogue(language()).get(f"{section}.{member}", member)


def language() -> Language:
    """The language of this session; English before a session has chosen."""
    chosen: Language = st.session_state.get(_STATE, "en")
    return chosen


def begin(preferences: Path, configured: Language | None) -> None:
    """Choose the language of a new session; do nothing in a session which has one.

    In this order: ``?lang=`` of the address, the choice last saved in this workspace, the configured
    language, the language of the browser.

    Args:
        preferences: File in which ``choose`` saves.
        configured: ``Settings.language``.
    """
    if _STATE not in st.session_state:
        asked = st.query_params.get("lang")
        browser: Language = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
        st.session_state[_STATE] = (
            asked if asked in LANGUAGES else _saved(preferences) or configured or browser
        )


def choose(new: Language, preferences: Path | None) -> None:
    """Switch this session to ``new`` and save it for the next one, where there is a file to save it in."""
    st.session_state[_STATE] = new
    if preferences is None:
        return
    preferences.parent.mkdir(parents=True, exist_ok=True)
    preferences.write_text(json.dumps({"language": new}), encoding="utf-8")


def _saved(preferences: Path) -> Language | None:
    try:
        saved = json.loads(preferences.read_text(encoding="utf-8")).get("language")
    except (OSError, ValueError, AttributeError):
        return None  # Nothing saved yet, or a file somebody has broken: the browser decides.
    return saved if saved in LANGUAGES else None
