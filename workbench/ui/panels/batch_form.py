"""The form a batch is started from: what is judged, as of when, by whom, and how much may be paid."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from workbench.engine.batch import expected_calls
from workbench.evidence.days import require_order
from workbench.evidence.fixtures import fixtures, resolve_fixtures
from workbench.evidence.news import count_items, items
from workbench.evidence.universe import read_universe
from workbench.pipelines.batches import (
    Item,
    company_items,
    match_items,
    news_items,
    parse_dates,
    without_result,
)
from workbench.records import BASELINE, Blind
from workbench.store.batch_records import BatchOrder
from workbench.strategy.blinding import blinded, for_backtest
from workbench.strategy.files import LoadedStrategy
from workbench.strategy.schema import ChaptersStrategy
from workbench.ui import text
from workbench.ui.language import language, t, term
from workbench.ui.panels.run_estimate import batch_estimate
from workbench.ui.panels.run_form import Kind, choose_kind, choose_models, choose_strategy
from workbench.ui.panels.season_picker import season_picker
from workbench.ui.panels.states import errors_shown
from workbench.workspace import Workspace

PAGE = "batch"
MOST_AT_ONCE = 64

Days = tuple[dt.date | None, dt.date | None]


def batch_form(workspace: Workspace, asked: Mapping[str, str]) -> BatchOrder | None:
    """Draw the form.

    Args:
        workspace: Strategies and evidence to choose from.
        asked: First values out of the address: ``pipeline``, ``strategy``, ``specialist``, ``aggregator``.

    Returns:
        The order once Start is pressed; None until then. What is missing or wrong is shown.
    """
    form, preview = st.columns([3, 2], gap="large")
    with form, errors_shown():
        kind = choose_kind(asked.get("pipeline"), PAGE)
        title, chosen = _subjects(workspace, kind)
        strategy = choose_strategy(workspace, kind, asked.get("strategy"), PAGE)
        if strategy is None:
            return None
        if kind == "chapters":
            strategy = _made_blind(strategy)
        models = choose_models(workspace.models(strategy), asked, PAGE)
        concurrency, budget = _limits(workspace, paid=not models.baseline_only)
        if not chosen:
            st.caption(t("batch.choose"))
            return None
        order = BatchOrder(
            pipeline=kind,
            title=title,
            strategy=strategy.strategy.name,
            strategy_text=strategy.text,
            models=models,
            items=chosen,
            concurrency=concurrency,
            budget=budget,
        )
        plan = workspace.planner(strategy)
        calls = expected_calls(plan, chosen)
        with preview:
            _preview(order, calls)
            if not models.baseline_only:
                middle = chosen[len(chosen) // 2]
                batch_estimate(workspace, lambda: plan(*middle), models, len(chosen))
            if st.button(t("batch.start"), type="primary", icon=":material/play_arrow:", key="batch.start"):
                return order
    return None


def _made_blind(strategy: LoadedStrategy) -> LoadedStrategy:
    """The strategy as blind as the reader chooses; blind from the start unless its file says otherwise."""
    proposed = for_backtest(strategy).strategy
    chosen = st.segmented_control(
        t("batch.blind"),
        get_args(Blind),
        default=proposed.blind if isinstance(proposed, ChaptersStrategy) else None,
        required=True,
        format_func=lambda blind: term("studio_blind", blind),
        help=t("batch.blind_help"),
        key=f"batch.blind.{strategy.hash}",
    )
    return blinded(strategy, chosen)


def _subjects(workspace: Workspace, kind: Kind) -> tuple[str, Sequence[Item]]:
    """A title for what is chosen, and the items themselves."""
    if kind == "match":
        return _matches(workspace)
    return _news(workspace) if kind == "signals" else _companies(workspace)


def _companies(workspace: Workspace) -> tuple[str, Sequence[Item]]:
    instruments = workspace.evidence.instruments
    typed = st.text_area(
        t("batch.universe"),
        "\n".join(instrument.code for instrument in instruments),
        help=t("batch.universe_help"),
        key="batch.universe",
    )
    file = st.file_uploader(t("batch.universe_file"), type=["txt", "csv"], key="batch.universe_file")
    dates = st.text_input(
        t("batch.dates"), "2018-06-30:2024-12-31:6M", help=t("batch.dates_help"), key="batch.dates"
    )
    content, name = (file.getvalue(), file.name) if file else ((typed or "").encode(), "")
    companies = read_universe(content, instruments, name)
    days = parse_dates(dates or "")
    chosen = company_items(companies, days, language())
    if unlisted := len(companies) * len(days) - len(chosen):
        st.caption(t("batch.unlisted", count=unlisted))
    what = name or t("batch.companies", count=len(companies))
    return f"{what}, {days[0]}" + (f" – {days[-1]}" if len(days) > 1 else ""), chosen


def _matches(workspace: Workspace) -> tuple[str, Sequence[Item]]:
    every = fixtures(workspace.evidence)
    if not every:
        st.caption(t("subject.no_matches"))
        return "", ()
    left, right = st.columns(2)
    league, season, *_ = season_picker(every, every[-1], (left, right), PAGE)[0]
    since, until = _days()
    found = resolve_fixtures(workspace.evidence, league, season=season, since=since, until=until)
    if left_out := without_result(found):
        each = (f"{count} {term('match_status', status)}" for status, count in left_out.items())
        st.caption(t("batch.without_result", count=left_out.total(), each=", ".join(each)))
    days = f", {found[0].date} – {found[-1].date}" if since or until else ""
    return f"{found[0].competition} {found[0].season}{days}", match_items(found)


def _news(workspace: Workspace) -> tuple[str, Sequence[Item]]:
    since, until = _days()
    total = count_items(workspace.evidence, since=since, until=until)
    if not total:
        return "", ()
    found = items(workspace.evidence, since=since, until=until, limit=total)
    return f"{found[-1].published} – {found[0].published}", news_items(found)


def _days() -> Days:
    left, right = st.columns(2)
    since = left.date_input(t("batch.since"), None, format="YYYY-MM-DD", key="batch.since")
    until = right.date_input(t("batch.until"), None, format="YYYY-MM-DD", key="batch.until")
    require_order(since, until)
    return since, until


def _limits(workspace: Workspace, *, paid: bool) -> tuple[int, float | None]:
    left, right = st.columns(2)
    concurrency = left.number_input(
        t("batch.concurrency"),
        1,
        MOST_AT_ONCE,
        min(workspace.settings.concurrency, MOST_AT_ONCE),
        help=t("batch.concurrency_help"),
        key="batch.concurrency",
    )
    budget = right.number_input(
        t("batch.budget"),
        0.0,
        value=None,
        step=1.0,
        placeholder=t("batch.no_budget"),
        help=t("batch.budget_help"),
        disabled=not paid,
        key="batch.budget",
    )
    return int(concurrency), budget if paid else None


def _preview(order: BatchOrder, calls: int) -> None:
    """What will be started: how many runs and calls, by whom, and the first and last of them."""
    with st.container(border=True):
        st.markdown(f"**{text.escape(order.title)}**")
        left, right = st.columns(2)
        left.metric(t("batch.runs"), text.number(len(order.items)))
        right.metric(t("batch.calls"), text.number(calls), help=t("batch.calls_help"))
        st.caption(text.escape(text.models_title(order.models)))
        if {order.models.specialist, order.models.aggregator} != {BASELINE} and order.budget is None:
            st.caption(t("batch.unlimited"))
        shown = dict.fromkeys((order.items[0], order.items[-1]))
        st.table(
            {
                t("column.subject"): [text.escape(subject.title) for subject, _ in shown],
                t("column.as_of"): [text.day(day) for _, day in shown],
            },
            border="horizontal",
            alt=t("batch.preview"),
        )
