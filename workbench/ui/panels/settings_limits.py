"""How fast providers may be asked, what models cost, and what may be spent on a day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from workbench.llm.presets import Presets, Provider, TokenPrice
from workbench.ui import text
from workbench.ui.language import t
from workbench.ui.panels.settings_models import save, version
from workbench.workspace import Workspace

Changes = dict[tuple[str | int, ...], Any]


def limits(workspace: Workspace) -> None:
    """The budget of the day, a table of providers and one of prices; one button writes them."""
    presets = workspace.presets.read()
    changes = _budget(workspace, presets)
    column = st.column_config
    st.subheader(t("settings.providers"), anchor=False)
    settings = workspace.settings
    per_minute = settings.requests_per_minute
    st.caption(
        t(
            "settings.providers_help",
            concurrency=settings.concurrency,
            per_minute=text.number(per_minute) if per_minute else t("settings.no_limit"),
        )
    )
    rows = _table(
        presets.providers,
        key="provider",
        fields=tuple(Provider.model_fields),
        editor=f"settings.providers.{version(presets)}",
        config={
            "provider": column.TextColumn(t("settings.provider"), required=True),
            "concurrency": column.NumberColumn(t("settings.concurrency"), min_value=1, step=1),
            "requests_per_minute": column.NumberColumn(t("settings.per_minute"), min_value=1, step=1),
        },
        alt=t("settings.providers"),
    )
    changes |= _changed("providers", presets.providers, rows)
    st.subheader(t("settings.prices"), anchor=False)
    st.caption(t("settings.prices_help"))
    rows = _table(
        presets.prices,
        key="model",
        fields=("input", "cached", "output"),
        editor=f"settings.prices.{version(presets)}",
        config={
            "model": column.TextColumn(t("settings.model"), required=True),
            "input": column.NumberColumn(t("settings.price_input"), min_value=0.0, required=True),
            "cached": column.NumberColumn(t("settings.price_cached"), min_value=0.0),
            "output": column.NumberColumn(t("settings.price_output"), min_value=0.0, required=True),
        },
        alt=t("settings.prices"),
    )
    changes |= _changed("prices", presets.prices, rows)
    save(workspace, changes, key="settings.limits.save")


def _budget(workspace: Workspace, presets: Presets) -> Changes:
    chosen = st.number_input(
        t("settings.budget"),
        min_value=0.0,
        step=1.0,
        value=presets.daily_budget,
        placeholder=t("settings.no_limit"),
        help=t("settings.budget_help"),
        width=320,
        key=f"settings.budget.{version(presets)}",
    )
    st.caption(text.escape(t("settings.today", paid=text.dollars(workspace.store.payments.today()))))
    return {} if chosen == presets.daily_budget else {("daily_budget",): chosen}


def _table(
    saved: Mapping[str, Provider | TokenPrice],
    *,
    key: str,
    fields: Sequence[str],
    editor: str,
    config: Mapping[str, Any],
    alt: str,
) -> dict[str, dict[str, Any]]:
    """An editable table of a mapping; returns it as it is edited, without what is left empty."""
    frame = pd.DataFrame(
        [{key: name} | {field: getattr(entry, field) for field in fields} for name, entry in saved.items()],
        columns=[key, *fields],
    ).astype({key: "str"} | dict.fromkeys(fields, "float64"))
    edited = st.data_editor(
        frame,
        key=editor,
        num_rows="dynamic",
        hide_index=True,
        placeholder=text.MISSING,
        column_config=dict(config),
        alt=alt,
    )
    return {
        str(row[key]).strip(): {field: _plain(row[field]) for field in fields if pd.notna(row[field])}
        for row in edited.to_dict("records")
        if isinstance(row[key], str) and row[key].strip()
    }


def _plain(value: float) -> int | float:
    """A whole number as such: nobody writes ``concurrency: 2.0``."""
    return int(value) if float(value).is_integer() else float(value)


def _changed(
    section: str, saved: Mapping[str, Provider | TokenPrice], rows: Mapping[str, Mapping[str, Any]]
) -> Changes:
    before = {name: entry.model_dump(exclude_none=True) for name, entry in saved.items()}
    changed: Changes = {(section, name): dict(row) for name, row in rows.items() if row != before.get(name)}
    return changed | {(section, name): None for name in before if name not in rows}
