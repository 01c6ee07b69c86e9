"""Which models answer, at what limits and price, what was spent, what is installed: ``?section=...``."""

import streamlit as st

from workbench.ui import address
from workbench.ui.language import t, term
from workbench.ui.panels import settings_limits, settings_models, settings_spending, settings_workspace
from workbench.ui.panels.heading import heading
from workbench.ui.panels.states import errors_shown
from workbench.ui.session import open_workspace

SECTIONS = {
    "models": settings_models.models,
    "limits": settings_limits.limits,
    "spending": settings_spending.spending,
    "workspace": settings_workspace.workspace,
}

heading(t("settings.title"), t("settings.lead"))
chosen = st.segmented_control(
    t("settings.title"),
    list(SECTIONS),
    required=True,
    format_func=lambda section: term("settings_section", section),
    label_visibility="collapsed",
    **address.one("section", list(SECTIONS), page="settings", otherwise="models"),
)
with errors_shown():
    SECTIONS[chosen or "models"](open_workspace())
