"""What this workspace has: strategies, facts, and the model that will answer."""

from __future__ import annotations

import streamlit as st

from workbench.evidence.fixtures import fixtures
from workbench.ui import text
from workbench.ui.language import t
from workbench.workspace import Workspace


def installed(workspace: Workspace) -> None:
    """A list of what is here, and how to change the model."""
    models = workspace.default_models()
    rows = {
        t("installed.models"): text.models_title(models),
        t("installed.strategies"): ", ".join(workspace.strategies()),
        t("installed.companies"): text.number(len(workspace.evidence.instruments)),
        t("installed.matches"): text.number(len(fixtures(workspace.evidence))),
        t("installed.folder"): str(workspace.root),
    }
    st.subheader(t("installed.title"), anchor=False)
    st.markdown("  \n".join(f":gray[{name}]\N{EM SPACE}{text.escape(value)}" for name, value in rows.items()))
    if models.baseline_only:
        st.caption(t("installed.add_model"))
