"""The figures a company is known by, as they stood at the as-of date; a missing one says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from workbench.records import Evidence
from workbench.ui import text
from workbench.ui.language import t, term

_SHOWN: Mapping[str, Callable[[float], str]] = {
    "price": lambda value: text.number(value, 2),
    "market_cap": text.amount,
    "pe": text.figure,
    "pb": text.figure,
    "ev_fcf": text.figure,
    "dividend_yield": text.percent,
    "price_position_5y": text.percent,
    "gross_margin": text.percent,
    "net_margin": text.percent,
    "roe": text.percent,
    "roic": text.percent,
    "cash_conversion": text.figure,
    "revenue_growth": text.percent,
    "fcf": text.amount,
    "net_cash": text.amount,
    "debt_to_assets": text.percent,
}
"""Figures in reading order: what it costs, what it earns, what it owes; and how each is written."""


def key_figures(evidence: Evidence) -> None:
    """A grid of the figures; draws nothing for evidence which is not a company's."""
    known = latest_figures(evidence.facts)
    if not known:
        return
    grid = st.grid("auto", min_column_width=120, gap="small")
    for name, write in _SHOWN.items():
        value = known.get(name)
        shown = text.MISSING if value is None else text.escape(write(value))
        reason = (
            None if value is not None else text.escape(evidence.missing.get(name, t("figures.not_stated")))
        )
        grid.markdown(f":small[:gray[{term('figure', name)}]]  \n**{shown}**", help=reason)


def latest_figures(facts: Mapping[str, Any]) -> dict[str, float | None]:
    """Valuation at the as-of date and the ratios of the latest fiscal year, by name."""
    latest, ratios = facts.get("latest"), facts.get("ratios")
    if not isinstance(latest, dict) or not isinstance(ratios, dict):
        return {}
    figures = {name: by_year[max(by_year)] for name, by_year in ratios.items() if by_year}
    figures |= latest
    return {name: value for name, value in figures.items() if isinstance(value, int | float | None)}
