"""The news on record: bring items in, choose some, and have them judged."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import streamlit as st

from workbench import crews
from workbench.errors import InputError
from workbench.evidence.feeds import FEEDS, pull
from workbench.evidence.news import NewsItem, add_items, count_items, items
from workbench.evidence.news_text import Language
from workbench.evidence.readers.news import NewsFile, read_news, read_pasted
from workbench.pipelines.batches import news_items
from workbench.store.batch_records import BatchOrder
from workbench.strategy.files import LoadedStrategy
from workbench.ui import text
from workbench.ui.language import NAMES, t
from workbench.ui.panels.run_form import usable_strategies
from workbench.ui.panels.states import errors_shown
from workbench.workspace import Workspace

PAGE_SIZE = 20
PASTED = "pasted"
"""Origin of items that were typed or pasted."""

DAYS_BACK = 30
"""How far back a feed is asked."""

REFRESH_S = 0.7
SHOWN_REFUSED = 5


def news_desk(workspace: Workspace) -> None:
    """Draw the desk; ``?batch=ID`` of the address is the batch that is followed."""
    with st.container(horizontal=True, gap="small"):
        with st.popover(t("news.paste"), icon=":material/content_paste:", key="news.paste"):
            _paste(workspace)
        with st.popover(t("news.upload"), icon=":material/upload_file:", key="news.upload"):
            _upload(workspace)
        with st.popover(t("news.pull"), icon=":material/rss_feed:", key="news.pull"):
            _pull(workspace)
    if said := st.session_state.pop("news.said", None):
        st.success(said, icon=":material/check:")
    if failed := st.session_state.pop("news.failed", None):
        st.error(failed, icon=":material/error:")
    if batch_id := st.query_params.get("batch", ""):
        _follow(workspace, batch_id)
    _choose(workspace)


def _paste(workspace: Workspace) -> None:
    with st.form("news.paste.form", clear_on_submit=True, border=False):
        words = st.text_area(t("news.words"), height=160, key="news.paste.words", help=t("news.words_help"))
        day = st.date_input(
            t("news.day"),
            max_value="today",
            format="YYYY-MM-DD",
            key="news.paste.day",
            help=t("news.day_help"),
        )
        source = st.text_input(t("news.source"), key="news.paste.source")
        if st.form_submit_button(t("news.add"), type="primary"):
            with errors_shown():
                item = read_pasted(str(words), str(day), source=str(source))
                _add(workspace, NewsFile((item,), ()), PASTED)


def _upload(workspace: Workspace) -> None:
    with st.form("news.upload.form", clear_on_submit=True, border=False):
        file = st.file_uploader(t("news.file"), type=["csv", "json", "jsonl"], key="news.file")
        st.caption(t("news.file_help"))
        if st.form_submit_button(t("news.add"), type="primary") and file is not None:
            with errors_shown():
                _add(workspace, read_news(file.getvalue(), file.name), file.name)


def _pull(workspace: Workspace) -> None:
    """Ask a service for what is new, about the watchlist or some words."""
    with st.form("news.pull.form", border=False):
        name = st.selectbox(
            t("news.feed"),
            list(FEEDS),
            format_func=lambda name: f"{name} · {FEEDS[name].title}",
            key="news.feed",
        )
        words = st.text_input(t("news.query"), key="news.query", help=t("news.query_help"))
        if st.form_submit_button(t("news.pull"), type="primary"):
            with errors_shown(), st.spinner(t("news.pulling")):
                watched = () if words else workspace.store.signals.watched()
                since = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=DAYS_BACK)
                kept = pull(workspace.evidence, FEEDS[name], tickers=watched, words=words, since=since)
                said = t("news.added", new=kept.new, known=kept.known, refused=kept.left_out)
                st.session_state["news.said"] = f"{name}: {said}"
                st.session_state["news.failed"] = "  \n".join(map(text.escape, kept.failed))
                st.rerun()


def _add(workspace: Workspace, file: NewsFile, origin: str) -> None:
    added = add_items(workspace.evidence, file.items, origin=origin)
    known = len(file.items) - len(added.new)
    lines = [t("news.added", new=len(added.new), known=known, refused=len(file.refused))]
    lines += [
        t("news.refused", number=refused.number, why=text.escape(refused.why))
        for refused in file.refused[:SHOWN_REFUSED]
    ]
    st.session_state["news.said"] = "  \n".join(lines)
    st.rerun()


def _choose(workspace: Workspace) -> None:
    """The items on record, filtered and paged; those marked, or all that match, can be judged."""
    db = workspace.evidence
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        placeholder = t("signals.search_placeholder")
        words = (
            st.text_input(
                t("signals.search"), placeholder=placeholder, key="news.text", type="search", width=220
            )
            or ""
        )
        language: Language | None = st.selectbox(
            t("news.language"),
            list(NAMES),
            index=None,
            format_func=NAMES.__getitem__,
            placeholder=t("runs.any"),
            key="news.language",
            width=150,
        )
    total = count_items(db, text=words, language=language)
    if not total:
        st.caption(t("news.none"))
        return
    bar, place = st.container(horizontal=True, vertical_alignment="bottom"), st.container()
    pages = -(-total // PAGE_SIZE)
    page = st.pagination(pages, key="news.page") if pages > 1 else 1
    shown = items(db, text=words, language=language, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE)
    with place:
        marked = _table(workspace, shown)
    with bar, errors_shown():
        loaded = _strategy(workspace)
        if st.button(t("news.run", count=len(marked)), type="primary", disabled=not marked, key="news.run"):
            _start(workspace, loaded, marked)
        if st.button(t("news.run_all", count=text.number(total)), key="news.run_all"):
            _start(workspace, loaded, items(db, text=words, language=language, limit=total))
        st.caption(text.escape(text.models_title(workspace.models(loaded))))


def _table(workspace: Workspace, shown: Sequence[NewsItem]) -> list[NewsItem]:
    instruments = workspace.evidence.instruments
    column = st.column_config
    state = st.dataframe(
        [
            {
                "title": item.title,
                "published": item.published,
                "source": item.source,
                "names": [link.code for link in item.links(instruments)],
            }
            for item in shown
        ],
        key="news.table",
        hide_index=True,
        height="content",
        alt=t("news.alt"),
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            "title": column.TextColumn(t("signals.item"), width="large", pinned=True),
            "published": column.DateColumn(t("signals.day"), width=95),
            "source": column.TextColumn(t("news.source"), width=130),
            "names": column.ListColumn(t("news.names"), width=170),
        },
    )
    return [shown[index] for index in state.selection.rows]


def _strategy(workspace: Workspace) -> LoadedStrategy:
    usable = usable_strategies(workspace, "signals")
    if not usable:
        raise InputError(t("form.no_strategy"))
    chosen = st.selectbox(
        t("form.strategy"),
        list(usable),
        format_func=lambda name: usable[name].strategy.title,
        key="news.strategy",
        width=190,
    )
    return usable[chosen]


def _start(workspace: Workspace, loaded: LoadedStrategy, chosen: Sequence[NewsItem]) -> None:
    order = BatchOrder(
        pipeline="signals",
        title=t("news.batch", count=len(chosen)),
        strategy=loaded.strategy.name,
        strategy_text=loaded.text,
        models=workspace.models(loaded),
        items=news_items(chosen),
        concurrency=workspace.settings.concurrency,
    )
    st.query_params["batch"] = workspace.batches.start(order, crews.here(workspace))
    st.rerun()


def _follow(workspace: Workspace, batch_id: str) -> None:
    """How far the batch of the address is; every run is on record as soon as it ends."""
    with errors_shown():
        batch_id = workspace.store.batches.resolve(batch_id)
        going = workspace.store.batches.load(batch_id).status == "running"

        @st.fragment(run_every=REFRESH_S if going else None)
        def follow() -> None:
            batch = workspace.store.batches.load(batch_id)
            if going and batch.status != "running":
                st.rerun()
            took = text.duration(batch.seconds(dt.datetime.now(dt.UTC)))
            over = batch.done + batch.failed
            words = t("news.progress", done=over, total=batch.total, failed=batch.failed, took=took)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.progress(over / batch.total, words)
                if going and st.button(t("live.cancel"), icon=":material/stop_circle:", key="news.cancel"):
                    workspace.batches.cancel(batch_id)
            if batch.error:
                st.warning(text.escape(batch.error), icon=":material/warning:")

        follow()
        if not going:
            with st.container(horizontal=True):
                st.button(t("news.to_feed"), type="primary", key="news.to_feed", on_click=_to_feed)


def _to_feed() -> None:
    st.query_params.pop("batch", None)
    st.query_params["view"] = "feed"
