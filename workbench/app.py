"""The script of every session: settles the language, draws the menu and runs the page asked for."""

from __future__ import annotations

import streamlit as st

from workbench.ui import access, session
from workbench.ui.language import t
from workbench.ui.navigation import LOGO, pages
from workbench.ui.panels.states import errors_shown

with errors_shown():
    session.begin()
    access.admit()
    page = st.navigation(pages(), position="top")
    st.set_page_config(page_title=f"{page.title} · {t('app.name')}", page_icon=LOGO, layout="wide")
    st.logo(LOGO)
    access.who()
    page.run()
session.page_drawn()
