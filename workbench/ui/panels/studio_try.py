"""Trying the draft beside the saved strategy: the calls it will take, then what came of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.errors import StrategyError, WorkbenchError
from workbench.records import BASELINE, EDGE_SCALE, PERCENT_SCALE, Models
from workbench.store.rows import RunRow
from workbench.strategy.files import LoadedStrategy
from workbench.tryout import CaseForesight, Pair, foresee_case, pairs, start_trial
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.ui.palette import SIGNS
from workbench.ui.panels.states import show_error
from workbench.ui.panels.studio_subjects import choose_cases
from workbench.ui.studio import Studio
from workbench.ui.titles import subject_title

REFRESH_S = 1.0


def tryout(studio: Studio) -> None:
    """Choose subjects, see the calls, press, read the differences."""
    st.caption(t("studio.try_lead"))
    try:
        draft = studio.draft.loaded()
    except StrategyError as error:
        show_error(error)
        return
    saved = _saved(studio)
    models = _models(studio, draft)
    cases = choose_cases(studio.workspace, studio.kind or "", "strategy.trial", several=True)
    foreseen: list[CaseForesight] = []
    refused = False
    for case in cases:
        try:
            foreseen.append(foresee_case(studio.workspace, draft, saved, case, models))
        except WorkbenchError as error:
            refused = True
            show_error(error)
    if foreseen:
        _calls(foreseen, models)
    if saved is None:
        st.caption(t("studio.nothing_saved"))
    if st.button(
        t("studio.try_press", count=len(cases)), type="primary", icon=":material/play_arrow:",
        disabled=not foreseen or refused, key="strategy.trial.press",
    ):  # fmt: skip
        st.query_params["trial"] = start_trial(studio.workspace, draft, saved, cases, models)
    if trial := st.query_params.get("trial"):
        _results(studio, trial)


def _saved(studio: Studio) -> LoadedStrategy | None:
    """The saved text, for comparison; None where it is the same or cannot be run."""
    try:
        return studio.draft.saved() if studio.draft.edited else None
    except StrategyError:
        return None


def _models(studio: Studio, draft: LoadedStrategy) -> Models:
    """The models the strategy asks for, or one for all."""
    default = studio.workspace.models(draft)
    options = list(dict.fromkeys([default.specialist, default.aggregator, BASELINE]))
    chosen = st.selectbox(
        t("form.models"),
        ["", *options],
        format_func=lambda name: text.model_name(name) if name else text.models_title(default),
        accept_new_options=True,
        help=t("form.model_help"),
        key="strategy.trial.model",
        persist_state="session",
    )
    return studio.workspace.models(draft, chosen or None)


def _calls(foreseen: Sequence[CaseForesight], models: Models) -> None:
    """How many calls the press will make, and which agents make them."""
    calls, cached = sum(one.calls for one in foreseen), sum(one.cached for one in foreseen)
    paid = sum(one.paid for one in foreseen)
    words = t("studio.calls_ahead", calls=calls, cached=cached)
    st.info(
        f"**{words}** " + (t("studio.calls_free") if not paid else t("studio.calls_paid", paid=paid)),
        icon=":material/call:",
    )
    with st.expander(t("studio.calls_by_agent")):
        rows = [
            (one.case.subject.title, term("studio_side_of", side), agent)
            for one in foreseen
            for side, agents in (("draft", one.draft), ("saved", one.saved))
            for agent in agents
            if agent.calls
        ]
        st.table(
            {
                t("column.subject"): [text.escape(subject) for subject, _, _ in rows],
                t("studio.text_of"): [side for _, side, _ in rows],
                t("column.agent"): [text.escape(agent.title) for *_, agent in rows],
                t("studio.calls"): [text.number(agent.calls) for *_, agent in rows],
            },
            border="horizontal",
        )


def _results(studio: Studio, trial: str) -> None:
    """The trial in the address, live while it goes on."""
    found = pairs(studio.workspace, trial)
    if not found:
        st.caption(t("studio.no_trial"))
        return
    if all(pair.finished for pair in found):
        results(found)
        return

    @st.fragment(run_every=REFRESH_S)
    def follow() -> None:
        now = pairs(studio.workspace, trial)
        if all(pair.finished for pair in now):
            st.rerun()
        done = sum(row.status != "running" for pair in now for row in (pair.saved, pair.draft) if row)
        total = sum(row is not None for pair in now for row in (pair.saved, pair.draft))
        st.progress(done / total, t("studio.trial_progress", done=done, total=total))
        st.caption(t("live.safe"))

    follow()


def results(found: Sequence[Pair]) -> None:
    """Score and label of both sides, the flipped ones first, then by size of the change."""
    flips = sum(pair.flipped for pair in found)
    changes = [abs(pair.change) for pair in found if pair.change is not None]
    st.markdown(
        f"**{t('studio.outcome', flips=flips, total=len(found))}** "
        + (t("studio.largest", change=text.number(max(changes), 1)) if changes else "")
    )
    opened = "strategy.trial.open"
    if click := st.session_state.get(opened):
        pair = found[click.row]
        runs = [row.run_id for row in (pair.saved, pair.draft) if row]
        if len(runs) == 2:
            open_page("compare", runs=",".join(runs))
        open_page("run", run=runs[0])
    column = st.column_config
    st.dataframe(
        [
            {
                "subject": subject_title(pair.some),
                "saved": _side(pair.saved),
                "draft": ("⇄ " if pair.flipped else "") + _side(pair.draft),
                "change": _moved(pair),
            }
            for pair in found
        ],
        hide_index=True,
        height="content",
        key="strategy.trial.table",
        alt=t("studio.trial_alt"),
        column_config={
            "subject": column.ButtonColumn(
                t("column.subject"), type="tertiary", alignment="left", key=opened, width=120, pinned=True
            ),
            "saved": column.TextColumn(term("studio_side_of", "saved"), width=95),
            "draft": column.TextColumn(term("studio_side_of", "draft"), width=105),
            "change": column.TextColumn(t("column.change"), width=70),
        },
    )
    st.caption(t("studio.trial_open"))


def _moved(pair: Pair) -> str:
    scale = PERCENT_SCALE if pair.some.pipeline == "chapters" else EDGE_SCALE
    saved, draft = (row.score if row else None for row in (pair.saved, pair.draft))
    return text.change(scale.difference(saved, draft), scale)


def _side(row: RunRow | None) -> str:
    """``54 ◆ Watch``, or how the run stands."""
    if row is None:
        return text.MISSING
    if row.status != "done":
        return term("run_status", row.status)
    digits = 0 if row.pipeline == "chapters" else 2
    label = f"{SIGNS.get(row.label or '', '')} {term('label', row.label)}"
    return f"{text.number(row.score, digits)} {label}".strip()
