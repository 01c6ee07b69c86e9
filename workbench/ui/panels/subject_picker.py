"""Choosing what is judged: a company by code or name in either language, a news item, or a match."""

from __future__ import annotations

import datetime as dt

import streamlit as st

from workbench.evidence.database import EvidenceDB
from workbench.evidence.fixtures import Fixture, clubs, fixtures, resolve_match
from workbench.evidence.instruments import Instrument
from workbench.evidence.news import items, resolve_item
from workbench.records import MatchSubject, NewsSubject, TickerSubject
from workbench.ui import text
from workbench.ui.language import language, t, term
from workbench.ui.panels.season_picker import season_picker

EARLIEST = dt.date(1990, 1, 1)

OFFERED_ITEMS = 200
"""Newest news items offered by title; an older one can be named by its id or a part of its title."""


def company(evidence: EvidenceDB, asked: str | None) -> TickerSubject | None:
    """A listed company out of those on record; any common spelling of a code may be typed instead.

    Args:
        evidence: Where the companies are on record.
        asked: Code or name the address asks for.

    Returns:
        The company, or None while nothing is chosen.

    Raises:
        InputError: What was typed names no company, or several.
    """
    known = {instrument.code: instrument for instrument in evidence.instruments}
    chosen = st.selectbox(
        t("subject.company"),
        [*known] + ([asked] if asked and asked not in known else []),
        index=None if asked is None else ([*known].index(asked) if asked in known else len(known)),
        format_func=lambda code: _company_title(known[code]) if code in known else code,
        accept_new_options=True,
        placeholder=t("subject.company_placeholder"),
        help=t("subject.company_help"),
        key="new_run.company",
    )
    if not chosen:
        return None
    instrument = known[chosen] if chosen in known else evidence.instruments.resolve(chosen)
    return instrument.subject(language())


def news(evidence: EvidenceDB, asked: str | None) -> NewsSubject | None:
    """A news item on record; its id or a part of its title may be typed instead.

    Raises:
        InputError: What was typed names no item, or several.
    """
    known = {item.id: item.subject for item in items(evidence, limit=OFFERED_ITEMS)}
    chosen = st.selectbox(
        t("news.subject"),
        [*known] + ([asked] if asked and asked not in known else []),
        index=None if asked is None else ([*known].index(asked) if asked in known else len(known)),
        format_func=lambda id: f"{known[id].title} · {known[id].published}" if id in known else id,
        accept_new_options=True,
        placeholder=t("news.subject_placeholder"),
        key="new_run.news",
    )
    if not chosen:
        return None
    return known[chosen] if chosen in known else resolve_item(evidence, chosen).subject


def match(evidence: EvidenceDB, asked: str | None) -> MatchSubject | None:
    """A match on record, or a coming one between two clubs on record.

    Args:
        evidence: Where the matches are on record.
        asked: Key of the match the address asks for.

    Raises:
        InputError: The two clubs do not meet on that day.
    """
    coming = (
        st.segmented_control(
            t("subject.match_kind"),
            ["recorded", "coming"],
            default="recorded",
            required=True,
            format_func=lambda kind: term("match_kind", kind),
            key="new_run.match_kind",
        )
        == "coming"
    )
    return _coming(evidence) if coming else _recorded(evidence, asked)


def _recorded(evidence: EvidenceDB, asked: str | None) -> MatchSubject | None:
    every = fixtures(evidence)
    if not every:
        st.caption(t("subject.no_matches"))
        return None
    wanted = next((fixture for fixture in every if fixture.subject.key == asked), every[-1])
    left, right = st.columns(2)
    listed = season_picker(every, wanted, (left, right), "new_run")[::-1]
    chosen: Fixture | None = st.selectbox(
        t("subject.match"),
        listed,
        index=listed.index(wanted) if wanted in listed else 0,
        format_func=lambda fixture: f"{text.day(fixture.date)} · {fixture.subject.title}",
        help=t("subject.match_help"),
        key="new_run.match",
    )
    return chosen.subject if chosen else None


def _coming(evidence: EvidenceDB) -> MatchSubject | None:
    known = clubs(evidence)
    home, away, day = st.columns(3)
    choose = t("form.choose")
    host = home.selectbox(t("subject.home"), known, index=None, placeholder=choose, key="new_run.home")
    guest = away.selectbox(t("subject.away"), known, index=None, placeholder=choose, key="new_run.away")
    date = day.date_input(t("subject.date"), min_value=EARLIEST, key="new_run.match_date")
    if not host or not guest or not isinstance(date, dt.date):
        return None
    return resolve_match(evidence, host, guest, date)


def _company_title(instrument: Instrument) -> str:
    return " · ".join(filter(None, (instrument.name, instrument.name_en, instrument.code)))
