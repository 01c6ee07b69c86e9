"""What holds for a strategy as a whole, and how the opinions on a news item add up."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from workbench.records import Blind
from workbench.strategy.findings import KeyPath
from workbench.strategy.news import Aggregation, SignalPolicy
from workbench.strategy.parts import Language
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.panels import fields
from workbench.ui.studio import SPECIALISTS, SYNTHESIS, Studio

WINDOWS = ("recent", "meetings")
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


def about(studio: Studio) -> None:
    """Title, language, second look, prompts and models."""
    st.subheader(term("studio_part", "about"), anchor=False)
    fields.line(studio, ("title",), t("studio.title"))
    fields.marked(studio.findings_at(("title",)))
    fields.paragraph(studio, ("description",), t("studio.description"), lines=(3, 8))
    left, right = st.columns(2)
    with left:
        fields.choice(
            studio, ("language",), t("studio.language"), get_args(Language), default="zh",
            format_func=lambda code: term("studio_language", code), help=t("studio.language_help"),
        )  # fmt: skip
        fields.marked(studio.findings_at(("language",)))
    with right:
        fields.choice(
            studio, ("prompt_version",), t("studio.prompt_version"), _versions(studio), default="v1",
            help=t("studio.prompt_version_help"),
        )  # fmt: skip
        fields.marked(studio.findings_at(("prompt_version",)))
    fields.flag(studio, ("revise",), t("studio.revise"), default=True, help=t("studio.revise_help"))
    _models(studio)
    if studio.kind == "chapters":
        fields.choice(
            studio, ("blind",), t("studio.blind"), get_args(Blind), default="none",
            format_func=lambda how: term("studio_blind", how),
        )  # fmt: skip
    if studio.kind == "chapters":
        fields.number(
            studio, (*SYNTHESIS, "token_budget"), t("studio.token_budget"), default=24_000, step=1000.0,
            help=t("studio.token_budget_help"),
        )  # fmt: skip
    if studio.kind == "match":
        _match(studio)
    _sampling(studio)
    fields.marked(studio.findings_at(("name",)))


def _versions(studio: Studio) -> list[str]:
    """Every version any prompt has, oldest first."""
    prompts = studio.workspace.prompts
    found = {version for name in prompts.names() for version in prompts.versions(name)}
    return sorted(found, key=lambda version: int(version[1:]))


def _models(studio: Studio) -> None:
    st.markdown(f"**{t('studio.models')}**")
    default = studio.workspace.default_models()
    left, right = st.columns(2)
    tiers = (left, "specialist", default.specialist), (right, "aggregator", default.aggregator)
    for place, tier, fallback in tiers:
        with place:
            fields.line(
                studio, ("models", tier), term("tier", tier), empty=None,
                placeholder=text.model_name(fallback),
                help=t("studio.models_help"),
            )  # fmt: skip
            fields.marked(studio.findings_at(("models", tier)))


def _sampling(studio: Studio) -> None:
    """How the models choose their words; left empty, what the settings say."""
    with st.expander(t("studio.sampling"), key="strategy.sampling"):
        for tier in ("specialist", "aggregator"):
            at: KeyPath = ("sampling", tier)
            st.caption(term("tier", tier))
            for place, name in zip(st.columns(3), ("temperature", "max_tokens", "seed"), strict=True):
                with place:
                    step = 0.1 if name == "temperature" else 1.0
                    fields.number(studio, (*at, name), term("studio_sampling", name), step=step)
            fields.choice(
                studio, (*at, "reasoning_effort"), term("studio_sampling", "reasoning_effort"),
                _EFFORTS, none=t("number.missing"),
            )  # fmt: skip
            fields.marked(studio.findings_at(at))


def _match(studio: Studio) -> None:
    left, middle, right = st.columns(3)
    with left:
        fields.choice(
            studio, ("mode",), t("studio.mode"), ("multi", "single"), default="multi",
            format_func=lambda mode: term("studio_mode", mode),
        )  # fmt: skip
    for place, name in zip((middle, right), WINDOWS, strict=True):
        with place:
            fields.number(studio, (name,), term("studio_window", name), default=10)
            fields.marked(studio.findings_at((name,)))


def policy(studio: Studio) -> None:
    """How the opinions of specialists become one signal."""
    default = SignalPolicy()
    at: KeyPath = ("policy",)
    st.subheader(term("studio_part", "policy"), anchor=False)
    st.caption(t("studio.policy_help"))
    for place, name in zip(st.columns(3), ("impact", "confidence", "tickers"), strict=True):
        with place:
            fields.choice(
                studio, (*at, name), term("studio_policy", name), get_args(Aggregation),
                default=getattr(default, name), format_func=lambda how: term("studio_aggregation", how),
            )  # fmt: skip
    for place, name in zip(st.columns(3), ("flash", "alert", "note"), strict=True):
        with place:
            fields.number(
                studio, (*at, "urgency", name), t("studio.urgency_from", name=name.upper()),
                default=getattr(default.urgency, name), step=0.05,
            )  # fmt: skip
    fields.marked(studio.findings_at((*at, "urgency")))
    left, right = st.columns(2)
    with left:
        fields.number(studio, (*at, "quorum"), term("studio_policy", "quorum"), default=default.quorum)
        fields.marked(studio.findings_at((*at, "quorum")))
    with right:
        fields.number(
            studio,
            (*at, "tool_factor"),
            term("studio_policy", "tool_factor"),
            default=default.tool_factor,
            step=0.05,
        )
        fields.marked(studio.findings_at((*at, "tool_factor")))
    names = [str(entry.get("name")) for entry in studio.entries(SPECIALISTS)]
    fields.several(studio, (*at, "flash_routes"), term("studio_policy", "flash_routes"), names)
    fields.marked(studio.findings_at((*at, "flash_routes")))
