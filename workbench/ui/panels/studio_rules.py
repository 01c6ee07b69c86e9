"""The hard rules of a strategy: what holds whatever a model says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, get_args

import streamlit as st

from workbench.errors import StrategyError
from workbench.strategy.document import Document
from workbench.strategy.findings import KeyPath
from workbench.strategy.plain import Plain
from workbench.strategy.rule_fields import CHAPTER_FIELDS
from workbench.strategy.schema import LABELS, SYNTHESIS, Operation
from workbench.ui.editing import Unfit, show, value_at
from workbench.ui.language import t, term
from workbench.ui.panels import fields
from workbench.ui.panels.studio_items import head, unused
from workbench.ui.studio import CHAPTERS, FIELDS, RULES, Studio

SIDES = ("all", "any")


def rules(studio: Studio) -> None:
    """One rule: its conditions, and what it does."""
    chapters = [str(entry.get("id")) for entry in studio.entries(CHAPTERS)]
    new = {
        "name": unused(t("studio.new_rule"), studio.titles("rules")),
        "when": {"all": [_new_condition(chapters)]},
        "cap": 25,
    }
    index = head(studio, "rules", new, least=0)
    if index is None:
        return
    path: KeyPath = (*RULES, index)
    fields.line(studio, (*path, "name"), t("studio.rule_name"))
    fields.marked(studio.findings_at((*path, "name")))
    side = next((side for side in SIDES if studio.at((*path, "when", side))), "all")
    _side(studio, path, side)
    conditions = studio.entries((*path, "when", side))
    for position in range(len(conditions)):
        _condition(studio, (*path, "when", side), position, len(conditions), [*chapters, SYNTHESIS])
    st.button(
        t("studio.add_condition"),
        icon=":material/add:",
        key="strategy.conditions.add",
        on_click=lambda: studio.edit(
            lambda document: document.insert((*path, "when", side), len(conditions), _new_condition(chapters))
        ),
    )
    st.markdown(f"**{t('studio.then')}**")
    left, right = st.columns([1, 2])
    with left:
        fields.number(studio, (*path, "cap"), t("studio.cap"), placeholder=t("studio.no_cap"))
    with right:
        _barred(studio, (*path, "label_bar"))
    fields.paragraph(studio, (*path, "why"), t("studio.why"), lines=(3, 8))
    shown = {(*path, "name"), *((*path, "when", side, position) for position in range(len(conditions)))}
    fields.marked(
        [
            finding
            for finding in studio.findings_at(path)
            if len(finding.path) > len(path) and not any(finding.path[: len(one)] == one for one in shown)
        ]
    )


def _new_condition(chapters: Sequence[str]) -> dict[str, Plain]:
    return {"chapter": chapters[0] if chapters else SYNTHESIS, "field": "score", "op": "<", "value": 30}


def _side(studio: Studio, path: KeyPath, side: str) -> None:
    key = studio.key((*path, "side"))
    show(key, side)

    def switch() -> None:
        chosen = st.session_state[key]
        if chosen and chosen != side:
            studio.edit(lambda document: document.rename((*path, "when", side), chosen))

    st.segmented_control(
        t("studio.when"),
        SIDES,
        format_func=lambda name: term("studio_side", name),
        key=key,
        required=True,
        on_change=switch,
    )


def _condition(studio: Studio, path: KeyPath, position: int, count: int, chapters: Sequence[str]) -> None:
    at: KeyPath = (*path, position)
    with st.container(border=True):
        left, middle, right = st.columns([3, 4, 2], gap="small")
        with left:
            fields.choice(
                studio, (*at, "chapter"), t("studio.of_chapter"), chapters,
                none=t("studio.any_chapter"),
            )  # fmt: skip
        with middle:
            known = answered(studio, studio.at((*at, "chapter")))
            fields.choice(studio, (*at, "field"), t("studio.field"), known, accept_new_options=True)
        with right:
            fields.choice(studio, (*at, "op"), t("studio.op"), get_args(Operation))
        left, right = st.columns([5, 1], gap="small", vertical_alignment="bottom")
        with left:
            _right_side(studio, at, chapters)
        with right:
            fields.item_bar(studio, path, position, count, key=f"strategy.conditions.{position}", least=1)
        fields.marked(studio.findings_at(at))


def _right_side(studio: Studio, at: KeyPath, chapters: Sequence[str]) -> None:
    """The value compared with, or another answered field."""
    if studio.at((*at, "other")) is not None:
        left, right = st.columns(2, gap="small")
        with left:
            fields.choice(
                studio, (*at, "other", "chapter"), t("studio.other_chapter"), chapters,
                none=t("studio.any_chapter"),
            )  # fmt: skip
        with right:
            known = answered(studio, studio.at((*at, "other", "chapter")))
            fields.choice(
                studio, (*at, "other", "field"), t("studio.other_field"), known, accept_new_options=True
            )
        return
    key = studio.key((*at, "value"))
    shown = studio.at((*at, "value"))
    show(key, written(shown))

    def take() -> None:
        try:
            value = read(st.session_state[key], shown)
        except StrategyError as error:
            studio.say(error)
            return
        studio.edit(lambda document: document.set((*at, "value"), value))

    st.text_input(t("studio.value"), key=key, help=t("studio.value_help"), on_change=take)


def _barred(studio: Studio, path: KeyPath) -> None:
    """The labels a rule bars; a single one may stand without brackets."""
    value = studio.at(path)
    barred = [value] if isinstance(value, str) else list(value or ())
    if not all(isinstance(label, str) for label in barred):
        raise Unfit
    key = studio.key(path)
    show(key, barred)

    def change(document: Document) -> Document:
        chosen = list(st.session_state[key])
        if not chosen:
            return document.delete(path) if value_at(document, path) is not None else document
        return document.set(path, chosen)

    st.multiselect(
        t("studio.barred"),
        list(dict.fromkeys([*LABELS, *barred])),
        format_func=lambda label: term("label", label),
        key=key,
        placeholder=t("studio.no_bar"),
        on_change=lambda: studio.edit(change),
    )


def answered(studio: Studio, chapter: str | None) -> list[str]:
    """The fields a chapter, the synthesis or any of them answers, as far as the operators can be read."""
    found: dict[str, None] = {}
    library = studio.workspace.operators
    for entry in studio.entries(CHAPTERS):
        if chapter not in (None, entry.get("id")):
            continue
        for id in entry.get("operators") or ():
            try:
                found |= dict.fromkeys(library.get(str(id)).outputs)
            except StrategyError:
                continue
        found |= dict.fromkeys(sorted(CHAPTER_FIELDS))
    if chapter in (None, SYNTHESIS):
        found |= dict.fromkeys(one.replace("：", ":").split(":")[0].strip() for one in studio.texts(FIELDS))
    return list(found)


def written(value: Plain) -> str:
    """A value as it is typed: a text bare, a list in brackets, a flag as true or false."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def read(typed: str, shown: Any) -> Plain:
    """What was typed as YAML reads it; a text stays one where it was one and the new one is as well.

    Raises:
        StrategyError: It is no YAML value.
    """
    document = Document.parse(f"value: {typed}\n".encode(), t("studio.value"))
    value = document.value(("value",))
    return typed if value is None and isinstance(shown, str) else value
