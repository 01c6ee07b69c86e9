"""What is set and where, the language, the folder, and what is installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from workbench.configured import Setting, in_force, keys
from workbench.doctor import Check, examine
from workbench.ui import language, text
from workbench.ui.language import t, term
from workbench.ui.session import switch_language
from workbench.workspace import Workspace

STATUS_SIGNS = {
    "ok": ":green[:material/check_circle:]",
    "warning": ":orange[:material/warning:]",
    "error": ":red[:material/error:]",
}
"""A shape and a colour per status; the word stands beside it."""


def workspace(workspace: Workspace) -> None:
    """The language of the pages, every setting with its origin, and what ``workbench doctor`` says."""
    _language()
    st.subheader(t("settings.in_force"), anchor=False)
    st.caption(t("settings.in_force_help"))
    _settings([*in_force(workspace), *keys(workspace)])
    st.subheader(t("settings.doctor"), anchor=False)
    _checks(examine(workspace))


def _language() -> None:
    chosen = st.radio(
        t("settings.language"),
        language.LANGUAGES,
        index=language.LANGUAGES.index(language.language()),
        format_func=lambda one: language.NAMES[one],
        horizontal=True,
        key=f"settings.language.{language.language()}",
    )
    if chosen and chosen != language.language():
        switch_language(chosen)
        st.rerun()


def _settings(settings: Iterable[Setting]) -> None:
    rows = list(settings)
    st.table(
        {
            t("settings.setting"): [text.escape(setting.name) for setting in rows],
            t("column.value"): [text.escape(_written(setting)) for setting in rows],
            t("settings.origin"): [term("settings_origin", setting.origin) for setting in rows],
        },
        border="horizontal",
        alt=t("settings.in_force"),
    )


def _written(setting: Setting) -> str:
    value: Any = setting.value
    if value is None:
        return text.MISSING if setting.origin == "default" else t("settings.key_hidden")
    return f"{value:g}" if isinstance(value, float) else str(value) or text.MISSING


def _checks(checks: Iterable[Check]) -> None:
    rows = list(checks)
    st.table(
        {
            t("column.status"): [
                f"{STATUS_SIGNS[check.status]} {term('check_status', check.status)}" for check in rows
            ],
            t("settings.what"): [term("check_name", check.name) for check in rows],
            t("settings.found"): [text.escape(check.detail) for check in rows],
        },
        border="horizontal",
        alt=t("settings.doctor"),
    )
