"""The form a run is started from: pipeline, subject, date, strategy, models, and what will be asked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

import streamlit as st

from workbench.engine.plan import Plan
from workbench.errors import InputError, WorkbenchError
from workbench.evidence.view import View, parse_day
from workbench.llm.base import CacheUse
from workbench.records import BASELINE, Models, Subject, Tier
from workbench.strategy.files import LoadedStrategy
from workbench.ui import text
from workbench.ui.language import language, t, term
from workbench.ui.panels import subject_picker
from workbench.ui.panels.run_estimate import run_estimate
from workbench.ui.panels.states import errors_shown, show_error
from workbench.workspace import Workspace

Kind = Literal["chapters", "signals", "match"]
KINDS: tuple[Kind, ...] = get_args(Kind)

DEFAULT_STRATEGY: Mapping[Kind, str] = {"chapters": "value", "signals": "news", "match": "match"}
"""The strategy offered first, where the workspace has it."""

STRATEGY_KIND: Mapping[Kind, str] = {"chapters": "chapters", "signals": "news", "match": "match"}
"""Kind of the strategies that each pipeline runs."""


@dataclass(frozen=True)
class Order:
    """A run as the reader has put it together: it only has to be started."""

    plan: Plan
    models: Models
    cache: CacheUse = "use"


def run_form(workspace: Workspace, asked: Mapping[str, str]) -> Order | None:
    """Draw the form.

    Args:
        workspace: Strategies and evidence to choose from.
        asked: First values out of the address: ``pipeline``, ``subject``, ``as_of``, ``strategy``,
            ``specialist``, ``aggregator``. What cannot be used is left out.

    Returns:
        The order once Start is pressed; None until then. What is missing or wrong is shown.
    """
    form, preview = st.columns([3, 2], gap="large")
    with form, errors_shown():
        kind = choose_kind(asked.get("pipeline"), "new_run")
        evidence = workspace.evidence
        subject: Subject | None
        if kind == "match":
            subject = subject_picker.match(evidence, asked.get("subject"))
            as_of = subject.date if subject else None
            st.caption(t("form.match_as_of"))
        elif kind == "signals":
            subject = subject_picker.news(evidence, asked.get("subject"))
            as_of = subject.published if subject else None
            st.caption(t("form.news_as_of"))
        else:
            subject = subject_picker.company(evidence, asked.get("subject"))
            as_of = _as_of(asked.get("as_of"))
            if subject and as_of:
                _known(workspace.evidence.view(as_of), subject.code)
        strategy = choose_strategy(workspace, kind, asked.get("strategy"), "new_run")
        if strategy is None:
            return None
        models = choose_models(workspace.models(strategy), asked, "new_run")
        if subject is None or as_of is None:
            st.caption(t("form.choose_subject"))
            return None
        plan = partial(workspace.plan, strategy, subject, as_of)
        order = Order(plan(), models, _cache(models))
        with preview:
            _preview(workspace, order, plan)
            if st.button(t("form.start"), type="primary", icon=":material/play_arrow:", key="new_run.start"):
                return order
    return None


def choose_kind(asked: str | None, page: str) -> Kind:
    """Which pipeline runs; ``page`` is the prefix of the widget keys, here and below."""
    chosen = st.segmented_control(
        t("form.pipeline"),
        KINDS,
        default=next((kind for kind in KINDS if kind == asked), KINDS[0]),
        required=True,
        format_func=lambda name: term("pipeline", name),
        key=f"{page}.pipeline",
    )
    return chosen or KINDS[0]


def _as_of(asked: str | None) -> dt.date | None:
    today = dt.datetime.now(dt.UTC).date()
    try:
        first = parse_day(asked) if asked else today
    except InputError as error:
        show_error(error)
        first = today
    chosen = st.date_input(
        t("form.as_of"),
        value=min(max(first, subject_picker.EARLIEST), today),
        min_value=subject_picker.EARLIEST,
        max_value=today,
        format="YYYY-MM-DD",
        help=t("form.as_of_help"),
        key="new_run.as_of",
    )
    return chosen if isinstance(chosen, dt.date) else None


def _known(view: View, code: str) -> None:
    """How fresh the evidence is at the date chosen, so that nobody pays for a run over stale figures."""
    years = [figure.fiscal_year for figure in view.statements(code)]
    prices = view.prices(code)
    st.caption(
        t(
            "form.known",
            year=max(years) if years else text.MISSING,
            price=text.day(prices[-1].date if prices else None),
        )
    )


def choose_strategy(workspace: Workspace, kind: Kind, asked: str | None, page: str) -> LoadedStrategy | None:
    """The strategy chosen among the usable ones of a kind."""
    usable = usable_strategies(workspace, kind)
    if not usable:
        st.warning(t("form.no_strategy"), icon=":material/warning:")
        return None
    names = list(usable)
    first = asked if asked in names else first_strategy(names, kind)
    chosen = st.selectbox(
        t("form.strategy"),
        names,
        index=names.index(first) if first else 0,
        format_func=lambda name: f"{usable[name].strategy.title} · {name}",
        key=f"{page}.strategy.{kind}",
    )
    loaded = usable[chosen or names[0]]
    if loaded.strategy.description:
        st.caption(text.escape(loaded.strategy.description))
    return loaded


def first_strategy(names: Collection[str], kind: Kind) -> str | None:
    """The strategy offered first: the one in the reader's language where there is one."""
    offered = DEFAULT_STRATEGY[kind]
    return next((name for name in (f"{offered}_{language()}", offered) if name in names), None)


def usable_strategies(workspace: Workspace, kind: Kind) -> Mapping[str, LoadedStrategy]:
    """The strategies of a pipeline by name; a broken file is shown and left out."""
    usable: dict[str, LoadedStrategy] = {}
    for name in workspace.strategies():
        try:
            loaded = workspace.strategy(name)
        except WorkbenchError as error:
            show_error(error)
            continue
        if loaded.strategy.kind == STRATEGY_KIND[kind]:
            usable[name] = loaded
    return usable


def choose_models(default: Models, asked: Mapping[str, str], page: str) -> Models:
    """Which model plays which tier; any litellm model string may be typed."""
    st.markdown(f"**{t('form.models')}**")
    left, right = st.columns(2)
    wanted = {tier: asked.get(tier) or default.of(tier) for tier in get_args(Tier)}
    specialist = _model(left, "specialist", wanted["specialist"], default, page)
    aggregator = _model(right, "aggregator", wanted["aggregator"], default, page)
    models = Models(specialist=specialist, aggregator=aggregator)
    st.caption(t("form.baseline_only") if models.baseline_only else t("form.hosted"))
    return models


def _model(
    place: st.delta_generator.DeltaGenerator, tier: Tier, first: str, default: Models, page: str
) -> str:
    options = list(dict.fromkeys((first, default.specialist, default.aggregator, BASELINE)))
    chosen = place.selectbox(
        term("tier", tier),
        options,
        format_func=text.model_name,
        accept_new_options=True,
        help=t("form.model_help"),
        key=f"{page}.model.{tier}",
    )
    return (chosen or first).strip() or first


def _cache(models: Models) -> CacheUse:
    """What to do with answers of language models that are stored already."""
    if models.baseline_only:
        return "use"
    chosen: CacheUse | None = st.segmented_control(
        t("form.cache"),
        get_args(CacheUse),
        default="use",
        required=True,
        format_func=lambda use: term("cache_use", use),
        help=t("form.cache_help"),
        key="new_run.cache",
    )
    return chosen or "use"


def _preview(workspace: Workspace, order: Order, plan: Callable[[], Plan]) -> None:
    """Which agents will be asked, and what language models would charge for it."""
    steps = order.plan.steps
    calls = sum(2 if step.revise else 1 for step in steps)
    with st.container(border=True):
        st.markdown(f"**{t('form.preview')}**")
        st.caption(t("form.preview_calls", agents=len(steps), calls=calls))
        if not order.models.baseline_only:
            run_estimate(workspace, plan, order.models)
            return
        st.table(
            {
                t("column.agent"): [text.escape(step.title) for step in steps],
                t("column.model"): [
                    text.escape(text.model_name(order.models.of(step.tier))) for step in steps
                ],
            },
            border="horizontal",
            alt=t("form.preview"),
        )
