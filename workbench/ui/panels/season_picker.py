"""Choosing a season of a competition, of which there are many on record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import streamlit as st

from workbench.ui.language import t


class Dated(Protocol):
    """A match or fixture: what belongs to a season of a competition."""

    @property
    def competition(self) -> str: ...
    @property
    def season(self) -> str: ...


M = TypeVar("M", bound=Dated)
Place = st.delta_generator.DeltaGenerator


def season_picker(every: Sequence[M], first: M, places: tuple[Place, Place], page: str) -> list[M]:
    """Draw the two choices and return the matches of the season chosen.

    Args:
        every: All matches on record, in any order; at least one.
        first: Its competition and season are chosen at first.
        places: Where competition and season are chosen.
        page: Prefix of the widget keys.
    """
    leagues = sorted({match.competition for match in every})
    league = places[0].selectbox(
        t("subject.competition"), leagues, index=leagues.index(first.competition), key=f"{page}.competition"
    )
    seasons = sorted({match.season for match in every if match.competition == league}, reverse=True)
    season = places[1].selectbox(
        t("subject.season"),
        seasons,
        index=seasons.index(first.season) if first.season in seasons else 0,
        key=f"{page}.season.{league}",
    )
    return [match for match in every if (match.competition, match.season) == (league, season)]
