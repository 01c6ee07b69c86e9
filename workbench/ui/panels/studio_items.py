"""The parts of a strategy that are edited item by item: thinking steps, specialists, output fields."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.strategy.document import Document
from workbench.strategy.findings import KeyPath
from workbench.strategy.plain import Plain
from workbench.ui import text
from workbench.ui.editing import show
from workbench.ui.language import t, term
from workbench.ui.panels import fields
from workbench.ui.studio import FIELDS, ITEMS, SPECIALISTS, STEPS, Part, Studio


def head(studio: Studio, part: Part, new: Plain, *, least: int = 1) -> int | None:
    """The title of the chosen item, what can be done with it, and a button for one more.

    Args:
        studio: The strategy.
        part: The part; one of ``ITEMS``.
        new: What an added item is.
        least: How many items must stay.

    Returns:
        Position of the chosen item; None where there is none.
    """
    path, _ = ITEMS[part]
    count, index = len(studio.entries(path)), studio.item

    def add() -> None:
        at = index + 1 if count else 0

        def change(document: Document) -> Document:
            return document.insert(path, at, new) if count else document.set(path, [new])

        studio.edit(change)
        studio.go(item=at)

    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        title = studio.titles(part)[index] if count else term("studio_part", part)
        st.subheader(text.escape(f"{index + 1} {title}" if count else title), anchor=False, width="content")
        st.space("stretch")
        if count:
            fields.item_bar(
                studio,
                path,
                index,
                count,
                key=f"strategy.{part}",
                after=lambda at: studio.go(item=at),
                least=least,
            )
        st.button(t("studio.add"), icon=":material/add:", key=f"strategy.{part}.add", on_click=add)
    if not count:
        st.caption(term("studio_empty", part))
        return None
    fields.marked([f for f in studio.findings_at((*path, index)) if len(f.path) == len(path) + 1])
    return index


def unused(name: str, taken: Sequence[str]) -> str:
    """``name``, or ``name 2``, ``name 3``, ... where it is taken."""
    number = 2
    candidate = name
    while candidate in taken:
        candidate, number = f"{name} {number}", number + 1
    return candidate


def unused_id(stem: str, taken: Sequence[str]) -> str:
    """An identifier nobody has yet."""
    return unused(stem, [name.replace("_", " ") for name in taken]).replace(" ", "_")


def steps(studio: Studio) -> None:
    """One thinking step: its name and its instruction."""
    new = {
        "step": unused(t("studio.new_step"), studio.titles("steps")),
        "instruction": t("studio.new_instruction"),
    }
    index = head(studio, "steps", new)
    if index is None:
        return
    path: KeyPath = (*STEPS, index)
    fields.line(studio, (*path, "step"), t("studio.step_name"))
    fields.marked(studio.findings_at((*path, "step")))
    fields.paragraph(
        studio,
        (*path, "instruction"),
        t("studio.instruction"),
        lines=(10, 24),
        help=t("studio.instruction_help"),
    )
    fields.marked(studio.findings_at((*path, "instruction")))


def output_fields(studio: Studio) -> None:
    """The fields the synthesis must answer, a line each."""
    st.subheader(term("studio_part", "fields"), anchor=False)
    st.caption(t("studio.fields_help"))
    entries = studio.texts(FIELDS)
    for index in range(len(entries)):
        path: KeyPath = (*FIELDS, index)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            fields.line(studio, path, t("studio.field"), label_visibility="collapsed")
            fields.item_bar(studio, FIELDS, index, len(entries), key=f"strategy.fields.{index}", least=1)
        fields.marked(studio.findings_at(path))

    def add() -> None:
        new = unused(t("studio.new_field"), entries)
        studio.edit(lambda document: document.insert(FIELDS, len(entries), new))

    st.button(t("studio.add"), icon=":material/add:", key="strategy.fields.add", on_click=add)


def specialists(studio: Studio) -> None:
    """One specialist: what it is called, what it is shown, and which prompt it answers."""
    names = [str(entry.get("name")) for entry in studio.entries(SPECIALISTS)]
    prompts = studio.workspace.prompts.names()
    libraries = studio.workspace.strategy_folder.libraries
    slices = sorted(libraries.slices.get(studio.kind or "", ()))
    news = studio.kind == "news"
    new: dict[str, Plain] = {"name": unused_id("expert", names), "title": t("studio.new_specialist")}
    if not news:
        new["slice"] = slices[0] if slices else ""
    if prompts:
        new["prompt"] = next((name for name in names if name in prompts), prompts[0])
    index = head(studio, "specialists", new)
    if index is None:
        return
    path: KeyPath = (*SPECIALISTS, index)
    left, right = st.columns(2)
    with left:
        fields.line(studio, (*path, "title"), t("studio.title"))
        fields.marked(studio.findings_at((*path, "title")))
    with right:
        fields.line(studio, (*path, "name"), t("studio.agent_name"), help=t("studio.agent_name_help"))
        fields.marked(studio.findings_at((*path, "name")))
    left, right = st.columns(2)
    with left:
        own = str(studio.at((*path, "name"), ""))
        fields.choice(
            studio, (*path, "prompt"), t("studio.prompt"), prompts,
            none=t("studio.own_prompt", name=own), help=t("studio.prompt_help"),
        )  # fmt: skip
        fields.marked(studio.findings_at((*path, "prompt")))
    if news:
        _tools(studio, path, slices)
        return
    with right:
        fields.choice(studio, (*path, "slice"), t("studio.slice"), slices, help=t("studio.slice_help"))
        fields.marked(studio.findings_at((*path, "slice")))


def _tools(studio: Studio, specialist: KeyPath, slices: Sequence[str]) -> None:
    """The tools called for a specialist before it is asked, and whether each is required."""
    path: KeyPath = (*specialist, "tools")
    tools = studio.at(path) or []
    st.markdown(f"**{t('studio.tools')}**")
    st.caption(t("studio.tools_help"))
    names = [tool.get("name", "") if isinstance(tool, dict) else str(tool) for tool in tools]
    required = [not isinstance(tool, dict) or tool.get("required", True) is True for tool in tools]

    def write(index: int) -> None:
        must = st.session_state[f"strategy.tools.{index}.required"]
        value: Plain = names[index] if must else {"name": names[index], "required": False}
        studio.edit(lambda document: document.set((*path, index), value))

    for index, name in enumerate(names):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(text.escape(name), width=180)
            key = f"strategy.tools.{index}.required"
            show(key, required[index])
            st.checkbox(t("studio.required"), key=key, on_change=write, args=(index,))
            st.space("stretch")
            fields.item_bar(studio, path, index, len(names), key=f"strategy.tools.{index}")
        fields.marked(studio.findings_at((*path, index)))

    def add() -> None:
        chosen = st.session_state["strategy.tools.new"]
        if chosen:
            st.session_state["strategy.tools.new"] = None
            studio.edit(lambda document: _appended(document, path, chosen))

    st.selectbox(
        t("studio.add_tool"),
        [name for name in slices if name not in names],
        index=None,
        placeholder=t("form.choose"),
        key="strategy.tools.new",
        on_change=add,
    )


def _appended(document: Document, path: KeyPath, value: Plain) -> Document:
    """A list with one more item; it is made where there is none."""
    node = document.tree.find(path)
    if node is None:
        return document.set(path, [value])
    return document.insert(path, len(node.items), value)
