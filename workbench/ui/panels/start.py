"""How to begin: the things the workbench judges, and worked examples that run at once."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import streamlit as st

from workbench.errors import InputError
from workbench.evidence.fixtures import resolve_match
from workbench.evidence.instruments import Instrument
from workbench.evidence.news import get_item
from workbench.records import Subject
from workbench.ui import text
from workbench.ui.language import language, t, term
from workbench.ui.navigation import open_page
from workbench.ui.panels.run_form import KINDS, Kind, first_strategy
from workbench.workspace import Workspace


@dataclass(frozen=True)
class Example:
    """A subject worth a first look, out of the sample facts."""

    kind: Kind
    names: tuple[str, ...]
    as_of: dt.date


EXAMPLES = (
    Example("chapters", ("600519.SH",), dt.date(2021, 6, 30)),
    Example("chapters", ("600340.SH",), dt.date(2019, 6, 30)),
    Example("signals", ("2019-01-02-ddbc7e03",), dt.date(2019, 1, 2)),
    Example("match", ("Liverpool", "Chelsea"), dt.date(2019, 4, 14)),
)


def start(workspace: Workspace) -> None:
    """A card for each, with its form and its examples."""
    cards = st.columns(len(KINDS), gap="medium")
    for card, kind in zip(cards, KINDS, strict=True):
        with card.container(border=True, height="stretch"):
            st.subheader(term("pipeline", kind), anchor=False)
            st.markdown(term("pipeline_words", kind))
            if st.button(t("home.choose"), type="primary", key=f"home.start.{kind}"):
                open_page("new_run", pipeline=kind)
            with st.container(gap=None):
                for example in EXAMPLES:
                    if example.kind == kind:
                        _example(workspace, example)


def _example(workspace: Workspace, example: Example) -> None:
    """A button that runs an example; nothing where the workspace lacks its subject or its strategy."""
    subject = _subject(workspace, example)
    name = first_strategy(workspace.strategies(), example.kind)
    if subject is None or name is None:
        return
    label = t("home.example", subject=text.escape(subject.title), date=text.day(example.as_of))
    if st.button(label, type="tertiary", icon=":material/play_arrow:", key=f"home.example.{subject.key}"):
        strategy = workspace.strategy(name)
        plan = workspace.plan(strategy, subject, example.as_of)
        open_page("run", run=workspace.jobs.start(plan, workspace.models(strategy)))


def _subject(workspace: Workspace, example: Example) -> Subject | None:
    try:
        if example.kind == "match":
            home, away = example.names
            return resolve_match(workspace.evidence, home, away, example.as_of)
        if example.kind == "signals":
            return get_item(workspace.evidence, example.names[0]).subject
        company: Instrument = workspace.evidence.instruments.resolve(example.names[0])
        return company.subject(language())
    except InputError:
        return None  # A workspace may hold other facts than the sample.
