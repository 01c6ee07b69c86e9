"""Put a run together and start it."""

import streamlit as st

from workbench.ui.language import t
from workbench.ui.navigation import open_page
from workbench.ui.panels.heading import heading
from workbench.ui.panels.run_form import run_form
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("form.title"), t("form.lead"))
if order := run_form(workspace, st.query_params.to_dict()):
    open_page(
        "run", run=workspace.jobs.start(order.plan, order.models, options=workspace.run_options(order.cache))
    )
