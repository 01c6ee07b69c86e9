"""The filters over the list of runs. Their values live in the address, so a filtered list can be sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import streamlit as st

from workbench.evidence.instruments import Instruments
from workbench.store.runs import Order, RunFilter, RunStore
from workbench.ui import address
from workbench.ui.language import t, term

PAGE_SIZE = 25


def runs_filter(store: RunStore, instruments: Instruments) -> tuple[RunFilter, Order]:
    """Draw one row of filters and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        text = st.text_input(
            t("runs.search"),
            placeholder=t("runs.search_placeholder"),
            key="runs.text",
            bind="query-params",
            type="search",
            width=200,
        )
        pipeline = _choice("pipeline", store.values("pipeline"), lambda value: term("pipeline", value))
        strategy = _choice("strategy", store.values("strategy"), str)
        status = _choice("status", store.values("status"), lambda value: term("run_status", value))
        label = _choice("label", store.values("label"), lambda value: term("label", value))
        order = st.selectbox(
            t("runs.order"),
            get_args(Order),
            format_func=lambda value: term("runs_order", value),
            **address.one("order", get_args(Order), page="runs", otherwise="newest"),
            width=150,
        )
        starred = st.toggle(t("runs.starred"), key="runs.starred", bind="query-params")
    filters: RunFilter = {
        "pipeline": pipeline,  # type: ignore[typeddict-item]  # values of the column are of its type
        "strategy": strategy,
        "status": status,  # type: ignore[typeddict-item]
        "label": label,
        "text": text,
        "also": [found.code for found in instruments.search(text)] if text else [],
        "starred": starred or None,
    }
    return filters, order or "newest"


def _choice(name: str, values: Sequence[str], words: Callable[[str], str]) -> str | None:
    """One filter over the values there are; nothing chosen is no restriction."""
    return st.selectbox(
        term("runs_filter", name),
        values,
        index=None,
        format_func=words,
        placeholder=t("runs.any"),
        **address.one(name, values, page="runs"),
        width=135,
    )
