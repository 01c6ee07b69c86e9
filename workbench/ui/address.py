"""Choices that live in the address: ``?urgency=FLASH,ALERT`` means the same in every language.

Streamlit can bind a widget to the address itself, but writes the words the reader sees there; an address sent
to somebody who reads another language would lose the choice. Here the address holds the members themselves,
and every run of the page sets the widget from it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import streamlit as st


class Kept(TypedDict):
    """Arguments of a widget whose value is kept in the address."""

    key: str
    on_change: Callable[[], None]


def one(name: str, options: Sequence[str], *, page: str, otherwise: str | None = None) -> Kept:
    """Keep the choice of one option as ``?name=option``.

    Args:
        name: Of the parameter.
        options: What may be chosen; anything else in the address is ignored.
        page: Prefix of the widget key.
        otherwise: The choice that an address without the parameter stands for.
    """
    asked = st.query_params.get(name)
    return _kept(name, page, asked if asked in options else otherwise, lambda value: value or "")


def several(name: str, options: Sequence[str], *, page: str) -> Kept:
    """Keep the choice of several options as ``?name=a,b``."""
    asked = st.query_params.get(name, "").split(",")
    return _kept(name, page, [option for option in options if option in asked], ",".join)


def day(name: str, *, page: str) -> Kept:
    """Keep a day as ``?name=2019-01-02``; one that cannot be read is no day."""
    try:
        asked = dt.date.fromisoformat(st.query_params.get(name, ""))
    except ValueError:
        asked = None
    return _kept(name, page, asked, lambda value: value.isoformat() if value else "")


def _kept(name: str, page: str, value: Any, write: Callable[[Any], str]) -> Kept:
    key = f"{page}.{name}"
    st.session_state[key] = value

    def save() -> None:
        if written := write(st.session_state[key]):
            st.query_params[name] = written
        else:
            st.query_params.pop(name, None)

    return Kept(key=key, on_change=save)
