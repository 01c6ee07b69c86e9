"""The chapters of a strategy: their order, what each needs, and the operators it is answered through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.errors import StrategyError
from workbench.strategy.document import Document
from workbench.strategy.findings import KeyPath
from workbench.ui import text
from workbench.ui.editing import show
from workbench.ui.language import language, t, term
from workbench.ui.navigation import link
from workbench.ui.palette import ACCENT, FAINT, TEXT
from workbench.ui.panels import fields
from workbench.ui.panels.studio_items import head, unused, unused_id
from workbench.ui.studio import CHAPTERS, RULES, Studio


def chapters(studio: Studio) -> None:
    """The graph, and the chosen chapter."""
    entries = studio.entries(CHAPTERS)
    known = studio.workspace.operators.ids()
    ids = [str(entry.get("id")) for entry in entries]
    new = {
        "id": unused_id("chapter", ids),
        "title": unused(t("studio.new_chapter"), studio.titles("chapters")),
        "question": t("studio.new_question"),
        "operators": list(known[:1]),
    }
    if entries:
        st.graphviz_chart(graph(entries, studio.item), width="stretch", alt=t("studio.graph_alt"))
        st.caption(t("studio.graph_legend"))
    fields.marked([finding for finding in studio.findings_at(CHAPTERS) if finding.path == CHAPTERS])
    index = head(studio, "chapters", new)
    if index is None:
        return
    path: KeyPath = (*CHAPTERS, index)
    left, right = st.columns(2)
    with left:
        fields.line(studio, (*path, "title"), t("studio.title"))
    with right:
        _identifier(studio, path, ids[index])
    fields.marked(studio.findings_at((*path, "title")) + studio.findings_at((*path, "id")))
    fields.paragraph(studio, (*path, "question"), t("studio.question"), lines=(3, 10))
    fields.marked(studio.findings_at((*path, "question")))
    _needs(studio, path, index, ids)
    _operators(studio, path, known)


def _identifier(studio: Studio, path: KeyPath, old: str) -> None:
    key = studio.key((*path, "id"))
    show(key, old)

    def rename() -> None:
        new = st.session_state[key]
        studio.edit(lambda document: renamed(document, old, new))

    st.text_input(t("studio.agent_name"), key=key, help=t("studio.chapter_id_help"), on_change=rename)


def renamed(document: Document, old: str, new: str) -> Document:
    """A chapter with another id, in its own entry, in the needs of others and in the hard rules.

    Raises:
        EditRefused: The text cannot hold the change.
    """
    for index, chapter in enumerate(document.value(CHAPTERS)):
        if chapter.get("id") == old:
            document = document.set((*CHAPTERS, index, "id"), new)
        for position, need in enumerate(chapter.get("needs") or ()):
            if need == old:
                document = document.set((*CHAPTERS, index, "needs", position), new)
    for path in list(_chapter_references(document.tree.value.get("hard_rules"), RULES)):
        if document.value(path) == old:
            document = document.set(path, new)
    return document


def _chapter_references(value: Any, path: KeyPath) -> Sequence[KeyPath]:
    """Where a hard rule names a chapter."""
    if isinstance(value, dict):
        own = [(*path, "chapter")] if isinstance(value.get("chapter"), str) else []
        return own + [p for key, item in value.items() for p in _chapter_references(item, (*path, key))]
    if isinstance(value, list):
        return [p for index, item in enumerate(value) for p in _chapter_references(item, (*path, index))]
    return []


def _needs(studio: Studio, path: KeyPath, index: int, ids: Sequence[str]) -> None:
    """All earlier chapters, or those chosen."""
    at: KeyPath = (*path, "needs")
    everything = studio.at(at) is None
    key = f"strategy.chapters.{index}.all"
    show(key, everything)

    def switch() -> None:
        if st.session_state[key]:
            studio.edit(lambda document: document.delete(at))
        else:
            studio.edit(lambda document: document.set(at, list(ids[:index])))

    st.toggle(t("studio.needs_all"), key=key, on_change=switch)
    if not everything:
        fields.several(
            studio, at, t("studio.needs"), [id for id in ids if id != ids[index]],
            placeholder=t("studio.needs_none"),
        )  # fmt: skip
    fields.marked(studio.findings_at(at))


def _operators(studio: Studio, path: KeyPath, known: Sequence[str]) -> None:
    """The operators in the order they are asked in, and a choice of more."""
    at: KeyPath = (*path, "operators")
    used = studio.texts(at)
    st.markdown(f"**{t('studio.operators')}**")
    fields.marked([finding for finding in studio.findings_at(at) if finding.path == at])
    with st.container(gap="xxsmall"):
        for index, id in enumerate(used):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(_operator_line(studio, id), width="stretch")
                fields.item_bar(studio, at, index, len(used), key=f"strategy.operators.{index}", least=1)
            fields.marked(studio.findings_at((*at, index)))

    def add() -> None:
        chosen = st.session_state["strategy.operators.new"]
        if chosen:
            st.session_state["strategy.operators.new"] = None
            studio.edit(lambda document: document.insert(at, len(document.value(at)), chosen))

    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.selectbox(
        t("studio.add_operator"),
        [id for id in known if id not in used],
        index=None,
        placeholder=t("form.choose"),
        format_func=lambda id: _operator_words(studio, id),
        key="strategy.operators.new",
        on_change=add,
    )
    with right:
        link("operators", t("studio.all_operators"))


def _operator_line(studio: Studio, id: str) -> str:
    try:
        operator = studio.workspace.operators.get(id).in_language(language())
    except StrategyError:
        return text.escape(id)
    gate = ", ".join(operator.industries)
    only = f" :gray[:small[{text.escape(t('studio.only_for', kinds=gate))}]]" if gate else ""
    return f"{text.escape(operator.title)} :gray[:small[{text.escape(id)}]]{only}"


def _operator_words(studio: Studio, id: str) -> str:
    try:
        operator = studio.workspace.operators.get(id).in_language(language())
    except StrategyError:
        return id
    return f"{operator.title} · {id} · {term('operator_category', operator.category)}"


def graph(entries: Sequence[Mapping[str, Any]], chosen: int | None) -> str:
    """The chapters and what they need as a DOT graph; an arrow that others imply is left out."""
    ink = st.context.theme.type or "light"
    ids = [str(entry.get("id")) for entry in entries]
    needs = {
        id: [need for need in (ids[:index] if entry.get("needs") is None else entry["needs"]) if need in ids]
        for index, (id, entry) in enumerate(zip(ids, entries, strict=True))
        if entry.get("needs") is None or isinstance(entry["needs"], list)
    }
    lines = [
        "digraph chapters {",
        'rankdir=LR; bgcolor="transparent"; nodesep=0.15; ranksep=0.3;',
        'node [shape=box, style="rounded", fontname="sans-serif", fontsize=13, height=0.35,'
        f' margin="0.1,0.04", color="{FAINT[ink]}", fontcolor="{TEXT[ink]}"];',
        f'edge [color="{FAINT[ink]}", arrowsize=0.6];',
    ]
    for index, (id, entry) in enumerate(zip(ids, entries, strict=True)):
        own = f', color="{ACCENT[ink]}", penwidth=2.2' if index == chosen else ""
        lines.append(f"{_quoted(id)} [label={_quoted(str(entry.get('title') or id))}{own}];")
    end = "synthesis"
    lines.append(
        f'{_quoted(end)} [label={_quoted(term("studio_part", "synthesis"))}, style="rounded,dashed"];'
    )
    needs[end] = ids
    lines += [
        f"{_quoted(need)} -> {_quoted(id)};" for id, found in needs.items() for need in _direct(found, needs)
    ]
    return "\n".join([*lines, "}"])


def _direct(found: Sequence[str], needs: Mapping[str, Sequence[str]]) -> list[str]:
    """The needs that no other need of the same chapter implies."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(needs.get(start, ()))
        while waiting:
            one = waiting.pop()
            if one not in seen:
                seen.add(one)
                waiting += needs.get(one, ())
        return seen

    implied = {id: reached(id) for id in found}
    return [
        one
        for one in found
        if not any(one in implied[other] and other not in implied[one] for other in found if other != one)
    ]


def _quoted(words: str) -> str:
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
