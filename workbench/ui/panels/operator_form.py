"""One operator: its questions, the evidence it needs, the fields it adds, and the industries it is for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import streamlit as st

from workbench.strategy.document import Document
from workbench.strategy.findings import KeyPath
from workbench.strategy.operators import OutputType
from workbench.strategy.plain import Plain
from workbench.ui import text
from workbench.ui.editing import Unfit, show
from workbench.ui.language import t, term
from workbench.ui.operator_editor import OperatorEditor
from workbench.ui.panels import fields
from workbench.ui.panels.studio_checks import diff
from workbench.ui.panels.studio_items import unused_id

OUTPUTS: KeyPath = ("outputs",)
ENGLISH: KeyPath = ("english", "outputs")
SURE = "operators.sure"


def operator_form(editor: OperatorEditor) -> None:
    """The whole operator as a form, and the differences from what is saved."""
    if editor.base != editor.disk:
        st.warning(t("operators.changed_on_disk"), icon=":material/warning:")
    left, right = st.columns([3, 2], gap="large")
    with left:
        _question(editor)
        _outputs(editor)
    with right:
        _head(editor)
        fields.marked(editor.findings)
        if editor.edited:
            st.markdown(f"**{t('operators.differs')}**")
            diff(editor.base, editor.current())


def broken_strategies(editor: OperatorEditor) -> None:
    """After a save that was refused: the strategies it would break, and a tick to save all the same."""
    if not editor.broken:
        return
    with st.container(border=True):
        st.error(t("operators.breaks", count=len(editor.broken)), icon=":material/error:")
        for name, found in editor.broken.items():
            st.markdown(f"**{text.escape(name)}**")
            fields.marked(found)
        st.checkbox(t("operators.save_sure"), key=SURE)


def operator_bar(editor: OperatorEditor) -> None:
    """What is not saved, undo, save and discard."""
    sure = bool(st.session_state.get(SURE))
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        words = (
            f":orange-badge[● {t('operators.unsaved')}]"
            if editor.edited
            else f":gray-badge[{t('studio.all_saved')}]"
        )
        st.markdown(words, width="content")
        st.button(
            "", icon=":material/undo:", key="operators.undo_button", help=t("studio.undo"), type="tertiary",
            disabled=not editor.undos, on_click=editor.undo,
        )  # fmt: skip
        st.space("stretch")
        st.button(
            t("studio.discard"), key="operators.discard", disabled=not editor.edited, on_click=editor.discard
        )
        st.button(
            t("studio.save"), icon=":material/save:", type="primary", key="operators.save",
            disabled=not editor.edited or bool(editor.findings) or bool(editor.broken and not sure),
            on_click=editor.save, kwargs={"sure": sure},
        )  # fmt: skip


def _question(editor: OperatorEditor) -> None:
    key = "operators.question"
    show(key, editor.question)
    st.text_area(
        t("operators.question"), key=key, height=240, help=t("operators.question_help"),
        on_change=lambda: editor.ask(st.session_state[key]),
    )  # fmt: skip


def _head(editor: OperatorEditor) -> None:
    workspace = editor.workspace
    slices = workspace.strategy_folder.libraries.slices["chapters"]
    operators = workspace.operators
    kinds = sorted({one.industry_kind for one in workspace.evidence.instruments if one.industry_kind})
    categories = sorted({operator.category for operator in operators.all()}) if not editor.findings else []
    fields.line(editor, ("title",), t("studio.title"))
    fields.choice(
        editor, ("category",), t("operators.category"), categories, accept_new_options=True,
        format_func=lambda category: term("operator_category", category),
    )  # fmt: skip
    fields.several(editor, ("data_needed",), t("operators.needs"), sorted(slices))
    fields.several(
        editor, ("industries",), t("operators.only_industries"), kinds, placeholder=t("operators.for_all")
    )
    fields.several(
        editor,
        ("industries_excluded",),
        t("operators.not_industries"),
        kinds,
        placeholder=t("studio.needs_none"),
    )


def _outputs(editor: OperatorEditor) -> None:
    """The fields an operator adds to the answer of its chapter."""
    outputs = editor.at(OUTPUTS, {})
    if not isinstance(outputs, dict) or not all(isinstance(one, dict) for one in outputs.values()):
        raise Unfit
    st.markdown(f"**{t('operators.outputs')}**")
    for index, name in enumerate(outputs):
        with st.container(border=True, gap="small"):
            _output(editor, str(name), index, len(outputs))

    def add() -> None:
        new = unused_id("field", list(outputs))
        editor.edit(lambda document: _added(document, new, len(outputs)))

    st.button(t("operators.add_output"), icon=":material/add:", key="operators.outputs.add", on_click=add)


def _output(editor: OperatorEditor, name: str, index: int, count: int) -> None:
    at: KeyPath = (*OUTPUTS, name)
    key = f"operators.outputs.{index}.name"
    show(key, name)
    kind = editor.at((*at, "type"))

    def rename() -> None:
        new = st.session_state[key].strip()
        editor.edit(lambda document: _everywhere(document, name, lambda one, path: one.rename(path, new)))

    def retype() -> None:
        new = st.session_state[editor.key((*at, "type"))]
        editor.edit(lambda document: _retyped(document, name, new))

    left, middle, right = st.columns([4, 3, 1], vertical_alignment="bottom")
    left.text_input(t("studio.field"), key=key, on_change=rename)
    with middle:
        show(editor.key((*at, "type")), kind)
        st.selectbox(
            t("operators.type"), get_args(OutputType), key=editor.key((*at, "type")), on_change=retype,
            format_func=lambda one: term("output_type", one),
        )  # fmt: skip
    right.button(
        "", icon=":material/delete:", key=f"operators.outputs.{index}.delete", help=t("studio.delete_item"),
        type="tertiary", disabled=count < 2, on_click=editor.edit,
        args=(lambda document: _everywhere(document, name, Document.delete),),
    )  # fmt: skip
    fields.line(editor, (*at, "description"), t("operators.description"))
    if kind == "choice":
        _values(editor, name)
    elif kind in ("number", "integer"):
        fields.line(editor, (*at, "unit"), t("operators.unit"))


def _values(editor: OperatorEditor, name: str) -> None:
    """The closed set of a choice; new values are typed."""
    path: KeyPath = (*OUTPUTS, name, "values")
    values = [str(value) for value in editor.at(path) or ()]
    key = editor.key(path)
    show(key, values)

    def take() -> None:
        chosen: list[str] = list(st.session_state[key])
        editor.edit(lambda document: _revalued(document, name, values, chosen))

    st.multiselect(
        t("operators.values"), values, key=key, accept_new_options=True, on_change=take,
        placeholder=t("operators.values_placeholder"),
    )  # fmt: skip


# The English part of an operator has the same fields and as many values, so each edit is made in both.


def _everywhere(document: Document, name: str, edit: Callable[[Document, KeyPath], Document]) -> Document:
    for outputs in (OUTPUTS, ENGLISH):
        if document.tree.find((*outputs, name)) is not None:
            document = edit(document, (*outputs, name))
    return document


def _added(document: Document, name: str, index: int) -> Document:
    description: Plain = t("studio.new_anchor")
    document = document.insert(OUTPUTS, index, {"type": "text", "description": description}, key=name)
    if document.tree.find(ENGLISH) is None:
        return document
    return document.insert(ENGLISH, index, {"description": description}, key=name)


def _retyped(document: Document, name: str, kind: str) -> Document:
    """An output of another type: only a choice has values."""

    def values(document: Document, path: KeyPath) -> Document:
        has_values = document.tree.find((*path, "values")) is not None
        if kind == "choice" and not has_values:
            return document.set((*path, "values"), ["A", "B"])
        if kind != "choice" and has_values:
            return document.delete((*path, "values"))
        return document

    return _everywhere(document.set((*OUTPUTS, name, "type"), kind), name, values)


def _revalued(document: Document, name: str, old: Sequence[str], new: Sequence[str]) -> Document:
    """Other values of a choice: those that stay keep their English words, new ones are as they are."""
    written: list[Plain] = list(new)
    document = document.set((*OUTPUTS, name, "values"), written)
    path: KeyPath = (*ENGLISH, name, "values")
    if document.tree.find(path) is None:
        return document
    words = dict(zip(old, document.value(path), strict=False))
    return document.set(path, [words.get(value, value) for value in new])
