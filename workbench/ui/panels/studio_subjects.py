"""What a strategy is previewed on and tried on: subjects of its kind, each as of a date."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping

import streamlit as st

from workbench.evidence import news
from workbench.evidence.fixtures import fixtures
from workbench.records import MatchSubject, NewsSubject, Subject
from workbench.tryout import MAX_SUBJECTS, Case
from workbench.ui import text
from workbench.ui.language import language, t
from workbench.ui.panels.subject_picker import EARLIEST
from workbench.workspace import Workspace

RECENT_MATCHES = 400
RECENT_NEWS = 300
FIRST = 3
PREFERRED = ("600519.SH", "600340.SH")
"""Companies of the sample facts worth a first try."""


def known_subjects(workspace: Workspace, kind: str) -> Mapping[str, Subject]:
    """The subjects on record a strategy of this kind can judge, by key; newest matches and news first."""
    evidence = workspace.evidence
    if kind == "match":
        recent = fixtures(evidence)[-RECENT_MATCHES:]
        return {one.subject.key: one.subject for one in reversed(recent)}
    if kind == "chapters":
        return {one.code: one.subject(language()) for one in evidence.instruments}
    return {item.id: item.subject for item in news.items(evidence, limit=RECENT_NEWS)}


def choose_cases(workspace: Workspace, kind: str, key: str, *, several: bool) -> list[Case]:
    """Choose one subject or several, and the date they are judged as of.

    Args:
        workspace: Where the subjects are on record.
        kind: Kind of the strategy.
        key: Prefix of the widget keys; the choice is kept for the session.
        several: Whether more than one can be chosen.
    """
    known = known_subjects(workspace, kind)
    if not known:
        st.caption(t("studio.no_subjects"))
        return []
    names = list(known)
    preferred = list(dict.fromkeys([name for name in PREFERRED if name in known] + names))[:FIRST]

    def title(name: str) -> str:
        return _title(known[name])

    if several:
        chosen = st.multiselect(
            t("studio.subjects"),
            names,
            default=preferred,
            max_selections=MAX_SUBJECTS,
            format_func=title,
            placeholder=t("studio.choose_subject"),
            key=f"{key}.{kind}.subjects",
            persist_state="session",
        )
    else:
        one = st.selectbox(
            t("studio.subject"),
            names,
            index=names.index(preferred[0]),
            format_func=title,
            placeholder=t("studio.choose_subject"),
            key=f"{key}.{kind}.subject",
            persist_state="session",
        )
        chosen = [one] if one else []
    subjects = [known[name] for name in chosen]
    if kind != "chapters":
        return [Case(subject, day) for subject in subjects if (day := _own_day(subject))]
    as_of = _as_of(workspace, f"{key}.{kind}.as_of")
    return [Case(subject, as_of) for subject in subjects] if as_of else []


def _as_of(workspace: Workspace, key: str) -> dt.date | None:
    today = dt.datetime.now(dt.UTC).date()
    last = workspace.store.find(pipeline="chapters", limit=1)
    day = st.date_input(
        t("form.as_of"),
        value=min(last[0].as_of, today) if last else dt.date(2021, 6, 30),
        min_value=EARLIEST,
        max_value=today,
        format="YYYY-MM-DD",
        help=t("form.as_of_help"),
        key=key,
        persist_state="session",
    )
    return day if isinstance(day, dt.date) else None


def _own_day(subject: Subject) -> dt.date | None:
    """The day a subject can only be judged as of: of the match, or of the news."""
    match subject:
        case MatchSubject():
            return subject.date
        case NewsSubject():
            return subject.published
    return None


def _title(subject: Subject) -> str:
    day = _own_day(subject)
    return f"{text.day(day)} · {subject.title}" if day else subject.title
