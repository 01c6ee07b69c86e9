"""Finding a match: by competition, season, and then round or day; a table whose rows open the match."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from workbench.evaluate.forecasts import result_of
from workbench.evidence.league import rounds
from workbench.evidence.view import Match
from workbench.store.rows import RunRow
from workbench.store.runs import RunStore
from workbench.ui import palette, text
from workbench.ui.language import t, term
from workbench.ui.panels.season_picker import season_picker

KNOWN_RUNS = 2000
"""Newest match runs that are looked through for the verdicts beside the fixtures."""


def key_of(match: Match) -> str:
    """The key of the subject a match is, which is its address too."""
    return f"{match.competition}|{match.date.isoformat()}|{match.home}|{match.away}"


def fixture_picker(every: Sequence[Match], store: RunStore) -> Match | None:
    """Draw the filters and the table; ``?match=KEY`` of the address is the match that is open.

    Args:
        every: All matches on record, oldest first.
        store: Where the runs are, for the newest verdict about each match.

    Returns:
        The open match; None while none is.
    """
    known = {key_of(match): match for match in every}
    opened = known.get(st.query_params.get("match", ""))
    listed = _filtered(every, opened or every[-1])
    _table(listed, store, opened)
    return known.get(st.query_params.get("match", ""))


def _filtered(every: Sequence[Match], first: Match) -> list[Match]:
    """The matches of the competition, season, and round or day chosen; at first those around ``first``."""
    left, middle, right = st.columns([2, 1, 2], vertical_alignment="bottom")
    matches = season_picker(every, first, (left, middle), "fixtures")
    named = rounds(matches)
    by_day = (
        right.segmented_control(
            t("fixtures.find_by"),
            ["round", "day"],
            default="round",
            required=True,
            format_func=lambda way: term("find_by", way),
            key="fixtures.by",
        )
        == "day"
    )
    groups = [match.date.isoformat() for match in matches] if by_day else named
    options = list(dict.fromkeys(groups if by_day else sorted(groups, key=_round_order)))
    inside = groups[matches.index(first)] if first in matches else options[-1]
    chosen = (
        st.select_slider(
            term("find_by", "day" if by_day else "round"),
            options,
            value=inside,
            key=f"fixtures.group.{matches[0].competition}.{matches[0].season}.{by_day}",
        )
        if len(options) > 1
        else options[0]
    )
    return [match for match, group in zip(matches, groups, strict=True) if group == chosen]


def _round_order(name: str) -> tuple[int, int]:
    """Numbered rounds by number, then the others, which a stable sort leaves as they were played."""
    number = name.removeprefix("Matchday ")
    return (0, int(number)) if number.isdigit() else (1, 0)


def _table(matches: Sequence[Match], store: RunStore, opened: Match | None) -> None:
    verdicts: dict[str, RunRow] = {}
    for row in store.find(pipeline="match", status="done", limit=KNOWN_RUNS):
        verdicts.setdefault(row.subject_key, row)

    def clicked() -> None:
        st.query_params["match"] = key_of(matches[st.session_state["fixtures.open"].row])

    column = st.column_config
    st.dataframe(
        pd.DataFrame([_line(match, verdicts.get(key_of(match)), match == opened) for match in matches]),
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("fixtures.title"),
        column_config={
            "date": column.DateColumn(t("subject.date"), width=95),
            "match": column.ButtonColumn(
                t("subject.match"), type="tertiary", alignment="left", on_click=clicked, key="fixtures.open"
            ),
            "result": column.TextColumn(t("fixtures.result"), width=110),
            "verdict": column.TextColumn(t("fixtures.verdict"), width=110, help=t("fixtures.verdict_help")),
        },
    )


def _line(match: Match, verdict: RunRow | None, opened: bool) -> dict[str, object]:
    label = verdict.label if verdict else None
    return {
        "date": match.date,
        "match": ("▸ " if opened else "") + f"{match.home} – {match.away}",
        "result": result_words(match),
        "verdict": f"{palette.SIGNS.get(label, '')} {term('label', label)}" if label else None,
    }


def result_words(match: Match) -> str:
    """``⌂ 2:0``, or what became of the match instead."""
    if match.settled:
        return f"{palette.SIGNS[result_of(match)]} {match.home_goals}:{match.away_goals}"
    return term("match_status", match.status or "scheduled")
