"""Widgets bound to one value of the file that is being edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from workbench.strategy.findings import Finding, KeyPath
from workbench.strategy.plain import Plain
from workbench.ui import text
from workbench.ui.editing import Editor, Unfit, show, without
from workbench.ui.language import t
from workbench.ui.messages import translated

LINE_HEIGHT = 24
TALL = (6, 24)
"""Fewest and most lines of a long text."""


def line(
    editor: Editor, path: KeyPath, label: str, *, help: str | None = None, empty: Plain = "", **options: Any
) -> None:
    """A short text; ``empty`` is what the file gets when nothing is left."""
    shown = _text(editor, path)
    st.text_input(
        label,
        key=editor.key(path),
        help=help,
        on_change=editor.take,
        args=(path, editor.at(path), lambda typed: typed if typed or shown is None else empty),
        **options,
    )


def paragraph(
    editor: Editor, path: KeyPath, label: str, *, lines: tuple[int, int] = TALL, **options: Any
) -> None:
    """A long text, in a box as high as it needs within limits."""
    shown = _text(editor, path)
    rows = sum(1 + text.columns(one) // 64 for one in shown.split("\n"))
    height = LINE_HEIGHT * min(max(rows + 1, lines[0]), lines[1])
    st.text_area(
        label,
        key=editor.key(path),
        height=height,
        on_change=editor.take,
        args=(path, editor.at(path), str),
        **options,
    )


def number(
    editor: Editor,
    path: KeyPath,
    label: str,
    *,
    default: float | None = None,
    follower: KeyPath | None = None,
    **options: Any,
) -> None:
    """A number; whole ones are written without a point.

    Args:
        editor: What is edited.
        path: The number.
        label: What it is called.
        default: What holds where the file says nothing.
        follower: A number that stands one below this one and stays there.
        options: For the widget.
    """
    value = editor.at(path, default)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise Unfit
    key = editor.key(path)
    show(key, None if value is None else float(value))
    options.setdefault("step", 1.0)

    def take() -> None:
        new = whole(st.session_state[key])
        if new is None:
            editor.edit(lambda document: without(document, path))
        elif follower and value is not None and editor.at(follower) == value - 1:
            editor.edit(lambda document: document.set(path, new).set(follower, whole(new - 1)))
        else:
            editor.take(path, editor.at(path), whole)

    st.number_input(label, key=key, format="%.6g", on_change=take, **options)


def flag(editor: Editor, path: KeyPath, label: str, *, default: bool, help: str | None = None) -> None:
    """A yes or no."""
    value = editor.at(path, default)
    if not isinstance(value, bool):
        raise Unfit
    key = editor.key(path)
    show(key, value)
    st.toggle(label, key=key, help=help, on_change=editor.take, args=(path, editor.at(path), bool))


def choice(
    editor: Editor,
    path: KeyPath,
    label: str,
    options: Sequence[str],
    *,
    default: str | None = None,
    none: str | None = None,
    format_func: Callable[[str], str] = str,
    placeholder: str | None = None,
    **more: Any,
) -> None:
    """One of several; what the file says stays choosable even where it is none of them.

    Args:
        editor: What is edited.
        path: The value.
        label: What it is called.
        options: What can be chosen.
        default: What holds where the file says nothing.
        none: What choosing nothing is called, which takes the entry out of the file; None where one must be
            chosen.
        format_func: What an option is called.
        placeholder: What stands there while nothing is chosen.
        more: For the widget.
    """
    value = editor.at(path, default)
    if isinstance(value, list | dict):
        raise Unfit
    shown = None if value is None else str(value)
    key = editor.key(path)
    show(key, "" if shown is None and none is not None else shown)

    def take() -> None:
        if st.session_state[key]:
            editor.take(path, editor.at(path), str)
        else:
            editor.edit(lambda document: without(document, path))

    st.selectbox(
        label,
        list(dict.fromkeys([*([""] if none is not None else []), *options, *([shown] if shown else [])])),
        key=key,
        format_func=lambda option: format_func(option) if option else none or "",
        placeholder=placeholder or t("form.choose"),
        on_change=take,
        **more,
    )


def several(
    editor: Editor,
    path: KeyPath,
    label: str,
    options: Sequence[str],
    *,
    format_func: Callable[[str], str] = str,
    placeholder: str | None = None,
    **more: Any,
) -> None:
    """Some of several, in the order of choosing."""
    value = editor.texts(path)
    key = editor.key(path)
    show(key, value)
    st.multiselect(
        label,
        list(dict.fromkeys([*options, *value])),
        key=key,
        format_func=format_func,
        placeholder=placeholder or t("form.choose"),
        on_change=editor.take,
        args=(path, editor.at(path), list),
        **more,
    )


def item_bar(
    editor: Editor,
    path: KeyPath,
    index: int,
    count: int,
    *,
    key: str,
    after: Callable[[int], None] = lambda index: None,
    least: int = 0,
) -> None:
    """Move up, move down and delete for one item of a list.

    Args:
        editor: What is edited.
        path: The list.
        index: The item.
        count: Items of the list.
        key: Prefix of the widget keys.
        after: Told where the reader should look next.
        least: How many items must stay.
    """

    def move(step: int) -> None:
        editor.edit(lambda document: document.move(path, index, index + step))
        after(index + step)

    def delete() -> None:
        editor.edit(lambda document: document.delete((*path, index)))
        after(max(index - 1, 0))

    with st.container(horizontal=True, gap="xsmall", width="content"):
        st.button(
            "", icon=":material/arrow_upward:", key=f"{key}.up", help=t("studio.up"), type="tertiary",
            disabled=index == 0, on_click=move, args=(-1,),
        )  # fmt: skip
        st.button(
            "", icon=":material/arrow_downward:", key=f"{key}.down", help=t("studio.down"), type="tertiary",
            disabled=index >= count - 1, on_click=move, args=(1,),
        )  # fmt: skip
        st.button(
            "", icon=":material/delete:", key=f"{key}.delete", help=t("studio.delete_item"), type="tertiary",
            disabled=count <= least, on_click=delete,
        )  # fmt: skip


def marked(findings: Sequence[Finding]) -> None:
    """Findings as lines beside the value they are about."""
    for finding in findings:
        colour, sign = ("red", "✕") if finding.severity == "error" else ("orange", "▲")
        words = " ".join(filter(None, map(translated, (finding.what, finding.remedy))))
        st.markdown(f":{colour}[{sign}] :small[{text.escape(words)}]")


def whole(value: float | None) -> Plain:
    """``75.0`` -> ``75``."""
    return int(value) if value is not None and float(value).is_integer() else value


def _text(editor: Editor, path: KeyPath) -> str:
    value = editor.at(path)
    if isinstance(value, list | dict):
        raise Unfit
    shown = "" if value is None else str(value)
    show(editor.key(path), shown)
    return shown
