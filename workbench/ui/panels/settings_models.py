"""The model of each tier: which one, asked how, set where, and whether it answers."""

from __future__ import annotations

import concurrent.futures
import hashlib
from collections.abc import Mapping
from typing import Any, get_args

import streamlit as st

from workbench.configured import TIERS, model_of
from workbench.errors import ModelError, WorkbenchError
from workbench.llm.hosted import Check
from workbench.llm.presets import Presets
from workbench.records import BASELINE, ReasoningEffort, Sampling, Tier
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.panels.states import show_error
from workbench.workspace import Workspace

EFFORTS: tuple[ReasoningEffort, ...] = get_args(ReasoningEffort)


def models(workspace: Workspace) -> None:
    """A card for each tier, and one button that writes what was changed to ``models.yaml``."""
    presets = workspace.presets.read()
    changes: dict[tuple[str | int, ...], Any] = {}
    for place, tier in zip(st.columns(2, gap="medium"), TIERS, strict=True):
        with place.container(border=True):
            st.subheader(term("tier", tier), anchor=False)
            changes |= _tier(workspace, presets, tier)
    save(workspace, changes, key="settings.models.save")
    st.caption(t("settings.order"))


def save(workspace: Workspace, changes: Mapping[tuple[str | int, ...], Any], *, key: str) -> None:
    """A button that writes the changes; it says when there are none."""
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            t("settings.save"), type="primary", icon=":material/save:", disabled=not changes, key=key
        )
        st.caption(t("settings.changes", count=len(changes)) if changes else t("settings.unchanged"))
    if pressed:
        try:
            workspace.presets.change(changes)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.toast(t("settings.saved"))
            st.rerun()


def version(presets: Presets) -> str:
    """A part of widget keys: when the file says something else, the widgets start from that."""
    return hashlib.sha256(presets.model_dump_json().encode()).hexdigest()[:8]


def _tier(workspace: Workspace, presets: Presets, tier: Tier) -> dict[tuple[str | int, ...], Any]:
    """The widgets of one tier; returns what they would change in the file."""
    saved = presets.tier(tier)
    chosen = {"model": _model(workspace, presets, tier), **_sampling(saved, f"{tier}.{version(presets)}")}
    _test(workspace, tier, chosen)
    fixed = model_of(workspace, tier).origin in ("environment", ".env")
    before = saved.model_dump() | {"model": saved.model or BASELINE}
    return {
        (tier, name): None if (name, value) == ("model", BASELINE) else value
        for name, value in chosen.items()
        if value != before[name] and not (fixed and name == "model")
    }


def _model(workspace: Workspace, presets: Presets, tier: Tier) -> str:
    setting = model_of(workspace, tier)
    others = (workspace.default_models().specialist, workspace.default_models().aggregator)
    options = list(dict.fromkeys((setting.value, *others, *presets.prices, BASELINE)))
    fixed = setting.origin in ("environment", ".env")
    chosen = st.selectbox(
        t("settings.model"),
        options,
        format_func=text.model_name,
        accept_new_options=True,
        disabled=fixed,
        help=t("form.model_help"),
        key=f"settings.model.{tier}.{version(presets)}",
    )
    if fixed:
        place = term("settings_origin", setting.origin)
        st.caption(text.escape(t("settings.model_fixed", variable=setting.name, place=place)))
    else:
        st.caption(term("settings_origin", setting.origin))
    return (chosen or setting.value).strip() or setting.value


def _sampling(saved: Sampling, key: str) -> dict[str, Any]:
    left, right = st.columns(2)
    temperature = left.number_input(
        t("settings.temperature"),
        min_value=0.0,
        max_value=2.0,
        step=0.1,
        value=saved.temperature,
        placeholder=t("settings.providers_choice"),
        help=t("settings.temperature_help"),
        key=f"settings.temperature.{key}",
    )
    seed = right.number_input(
        t("settings.seed"),
        step=1,
        value=saved.seed,
        placeholder=t("settings.none"),
        help=t("settings.seed_help"),
        key=f"settings.seed.{key}",
    )
    max_tokens = left.number_input(
        t("settings.max_tokens"),
        min_value=1,
        step=500,
        value=saved.max_tokens,
        placeholder=t("settings.providers_choice"),
        help=t("settings.max_tokens_help"),
        key=f"settings.max_tokens.{key}",
    )
    effort = right.selectbox(
        t("settings.effort"),
        EFFORTS,
        index=EFFORTS.index(saved.reasoning_effort) if saved.reasoning_effort else None,
        placeholder=t("settings.providers_choice"),
        help=t("settings.effort_help"),
        key=f"settings.effort.{key}",
    )
    return {
        "temperature": temperature,
        "seed": seed,
        "max_tokens": max_tokens,
        "reasoning_effort": effort,
    }


def _test(workspace: Workspace, tier: Tier, chosen: Mapping[str, Any]) -> None:
    """The button that asks the model on the screen one tiny question, and what came of it."""
    if chosen["model"] == BASELINE:
        st.caption(t("settings.no_test"))
        return
    remembered = f"settings.tested.{tier}"
    asked = dict(chosen)
    if st.button(t("settings.test"), icon=":material/network_check:", key=f"settings.test.{tier}"):
        with st.spinner(t("settings.testing")):
            st.session_state[remembered] = (asked, _checked(workspace, asked))
    question, outcome = st.session_state.get(remembered, (None, None))
    if question != asked:
        st.caption(t("settings.test_help"))
    elif isinstance(outcome, WorkbenchError):
        show_error(outcome)
    elif outcome is not None:
        _show(outcome)


def _checked(workspace: Workspace, chosen: Mapping[str, Any]) -> Check | WorkbenchError:
    params = Sampling.model_validate({k: v for k, v in chosen.items() if k != "model"}).params
    limit = workspace.settings.call_timeout_s
    waiting = workspace.jobs.ask(workspace.hosted.check(chosen["model"], params))
    try:
        check: Check = waiting.result(limit)
        return check
    except WorkbenchError as error:
        return error
    except concurrent.futures.TimeoutError:
        waiting.cancel()
        return ModelError(t("settings.test_timeout", seconds=text.number(limit)), where=chosen["model"])


def _show(check: Check) -> None:
    reply, price = check.reply, check.price
    rows = {
        t("settings.answered_by"): reply.resolved_model,
        t("settings.latency"): text.duration(reply.latency_s),
        t("settings.structured"): term("answer_format", check.answer_format),
        t("settings.readable"): t("settings.yes") if check.readable else t("settings.no"),
        t("settings.price"): t(
            "settings.price_words",
            input=text.dollars(price.input * 1e6),
            output=text.dollars(price.output * 1e6),
            source=price.source,
        )
        if price
        else t("settings.price_unknown"),
    }
    if check.ignored:
        rows[t("settings.ignored")] = ", ".join(check.ignored)
    st.success(t("settings.answers"), icon=":material/check_circle:")
    st.table({name: text.escape(value) for name, value in rows.items()}, border="horizontal")
