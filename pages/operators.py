"""The operators: the questions chapters are answered through. ``?operator=ID`` opens one."""

import streamlit as st

from workbench.errors import StrategyError
from workbench.ui import text
from workbench.ui.editing import Unfit
from workbench.ui.language import t
from workbench.ui.operator_editor import OperatorEditor
from workbench.ui.panels.heading import heading
from workbench.ui.panels.operator_form import broken_strategies, operator_bar, operator_form
from workbench.ui.panels.operator_list import operator_list, strategies_line, used_by
from workbench.ui.panels.states import show_error
from workbench.ui.session import open_workspace

workspace = open_workspace()
heading(t("operators.heading"), t("operators.lead"))
chosen = operator_list(workspace)
if chosen is None:
    st.caption(t("operators.choose"))
    st.stop()
try:
    editor = OperatorEditor(workspace, chosen)
except StrategyError as error:
    show_error(error)
    st.stop()
st.subheader(text.escape(str(editor.at(("title",)) or chosen)), anchor=False)
st.caption(strategies_line(used_by(workspace).get(chosen, [])))
if said := editor.said():
    show_error(said)
broken_strategies(editor)
try:
    operator_form(editor)
except Unfit:
    st.info(t("operators.unfit"), icon=":material/info:")
    st.code(editor.current(), language="yaml", wrap_lines=True)
operator_bar(editor)
