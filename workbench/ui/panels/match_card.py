"""A match as it stood on its morning: positions, form, chances and goals of late, earlier meetings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from workbench.evidence.database import EvidenceDB
from workbench.evidence.football import Window
from workbench.evidence.slices import get_slice
from workbench.evidence.view import Match
from workbench.records import Evidence, MatchSubject
from workbench.ui import match_charts, text
from workbench.ui.language import t, term
from workbench.ui.panels.fixture_picker import result_words

RESULT_COLOURS: Mapping[str, str] = {"W": "green", "D": "gray", "L": "red"}

Facts = Mapping[str, Any]


def subject_of(match: Match) -> MatchSubject:
    return MatchSubject(
        competition=match.competition, season=match.season, date=match.date, home=match.home, away=match.away
    )


def match_card(evidence: EvidenceDB, match: Match) -> None:
    """Draw the card from what the experts are shown, so that nothing of the day or later is in it."""
    view, window = evidence.view(match.date), Window()

    def shown(name: str) -> Evidence:
        return get_slice(name, of="match")(view, subject_of(match), window)

    form, meetings, header = shown("form"), shown("h2h"), shown("header")
    with st.container(border=True):
        st.subheader(text.escape(f"{match.home} – {match.away}"), anchor=False)
        facts = [
            text.escape(match.competition),
            text.escape(match.season),
            *([_round(match.round)] if match.round else []),
            text.day(match.date),
            f"**{text.escape(result_words(match))}**",
            *_aftermath(match),
        ]
        st.markdown(" · ".join(facts))
        st.caption(t("match.as_of", date=text.day(match.date)))
        if form.empty:
            st.caption(t("match.nothing_known"))
            return
        table = header.facts.get("match", {}).get("table", {})
        for column, side in zip(st.columns(2), ("home", "away"), strict=True):
            with column:
                _club(form.facts[side], table.get(side), side)
        _trend(form.facts)
        _meetings(meetings)


def _round(name: str) -> str:
    return t("match.round", name=name) if name.isdigit() else text.escape(name)


def _aftermath(match: Match) -> list[str]:
    """What happened after the 90 minutes, which judges no forecast, and what the source remarks."""
    words = []
    if match.extra_home is not None:
        words.append(t("match.extra", score=f"{match.extra_home}:{match.extra_away}"))
    if match.pens_home is not None:
        words.append(t("match.pens", score=f"{match.pens_home}:{match.pens_away}"))
    return words + ([text.escape(match.note)] if match.note else [])


def _club(facts: Facts, line: Facts | None, side: str) -> None:
    """One club: its place in the table and its last results, the newest last."""
    place = (
        t(
            "match.place",
            position=line["position"],
            clubs=line["clubs"],
            points=line["points"],
            played=line["matches"],
        )
        if line
        else t("match.no_place")
    )
    st.markdown(f"**{text.escape(facts['club'])}** · {term('venue', side)}  \n{place}")
    results = [match["result"] for match in facts["matches"]]
    strip = " ".join(f":{RESULT_COLOURS[r]}-badge[{term('form_result', r)}]" for r in results)
    record = facts["recent"]
    st.markdown(strip or text.MISSING)
    if results:
        st.caption(
            t(
                "match.record",
                matches=record["matches"],
                scored=record["goals_for"],
                conceded=record["goals_against"],
            )
        )


def _trend(facts: Facts) -> None:
    clubs = [(facts[side]["club"], facts[side]["matches"]) for side in ("home", "away")]
    st.markdown(f"**{t('match.trend')}**")
    st.vega_lite_chart(match_charts.trend(clubs, st.context.theme.type or "light"), alt=t("match.trend"))
    known = any(match["xg_for"] is not None for _, matches in clubs for match in matches)
    st.caption(t("match.trend_legend") if known else t("match.trend_no_xg"))


def _meetings(evidence: Evidence) -> None:
    st.markdown(f"**{t('match.meetings')}**")
    if evidence.empty:
        st.caption(t("match.no_meetings"))
        return
    meetings: Sequence[Facts] = evidence.facts["meetings"]
    st.dataframe(
        pd.DataFrame([_meeting(meeting) for meeting in reversed(meetings)]),
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("match.meetings"),
        column_config={
            "date": st.column_config.TextColumn(t("subject.date"), width=95),
            "venue": st.column_config.TextColumn(t("match.venue"), width=80),
            "result": st.column_config.TextColumn(t("fixtures.result"), width=110),
            "xg": st.column_config.TextColumn(t("match.xg"), width=110),
        },
    )


def _meeting(meeting: Facts) -> dict[str, str | None]:
    score = f"{meeting['goals_for']}:{meeting['goals_against']}"
    chances = f"{text.number(meeting['xg_for'], 2)} : {text.number(meeting['xg_against'], 2)}"
    return {
        "date": meeting["date"],
        "venue": term("venue", meeting["venue"]),
        "result": f"{term('form_result', meeting['result'])} {score}",
        "xg": chances if meeting["xg_for"] is not None else None,
    }
