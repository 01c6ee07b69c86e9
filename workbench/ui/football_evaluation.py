"""The evaluation of football runs as a page needs it: computed once per state of the two databases."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from workbench.evaluate.experts import ExpertLine, WeightLine, always_home, expert_lines, weight_lines
from workbench.evaluate.forecasts import YARDSTICK, Contestant, Forecast, Judged, Judgement, judge, yardsticks
from workbench.evaluate.scoreboard import Line, in_common, scoreboard
from workbench.evaluate.uncertainty import Estimate
from workbench.evidence.database import EvidenceDB
from workbench.evidence.view import Match
from workbench.records import MatchSubject, Run
from workbench.store.runs import RunStore
from workbench.ui import text
from workbench.ui.language import term
from workbench.ui.stamp import Stamp, stamp_of
from workbench.workspace import Workspace


class Selection(NamedTuple):
    """Which runs are looked at; None means all.

    ``common`` leaves only the matches that every contestant forecast, where there are any.
    """

    competition: str | None = None
    season: str | None = None
    strategy: str | None = None
    common: bool = False

    def holds(self, run: Run) -> bool:
        """Whether a run is one of those looked at."""
        match = run.subject
        return (
            isinstance(match, MatchSubject)
            and self.competition in (None, match.competition)
            and self.season in (None, match.season)
            and self.strategy in (None, run.strategy)
        )


@dataclass(frozen=True)
class Evaluation:
    """The runs of a selection, judged, and the yardsticks on the same matches."""

    judgement: Judgement
    forecasts: Mapping[Contestant, Sequence[Forecast]]
    lines: Sequence[Line]


@dataclass(frozen=True)
class Experts:
    """What the experts of one contestant are worth."""

    always_home: Estimate
    experts: Sequence[ExpertLine]
    weights: Sequence[WeightLine]


def match_runs(workspace: Workspace) -> list[Run]:
    """Every run of the match pipeline, without its long texts; read again when the databases change."""
    return _match_runs(workspace, stamp_of(workspace))


def known_matches(workspace: Workspace) -> list[Match]:
    """Every match on record, played or to come, oldest first; read again when the databases change."""
    return _known_matches(workspace, stamp_of(workspace))


def evaluation(workspace: Workspace, selection: Selection) -> Evaluation:
    """The selected runs against all that is known of their matches today."""
    return _evaluation(workspace, stamp_of(workspace), selection)


def experts_of(workspace: Workspace, selection: Selection, contestant: Contestant) -> Experts:
    """The experts of one contestant within a selection."""
    return _experts(workspace, stamp_of(workspace), selection, contestant)


def title(contestant: Contestant) -> str:
    """What a reader calls a contestant; the baseline never without saying that it is no model."""
    if contestant.provider == YARDSTICK:
        return term("yardstick", contestant.model)
    models = " + ".join(map(text.model_name, contestant.model.split(" + ")))
    return f"{models} · {contestant.prompt_version}"


@st.cache_resource(max_entries=1, show_spinner=False)
def _match_runs(_workspace: Workspace, stamp: Stamp) -> list[Run]:
    store: RunStore = _workspace.store
    return store.outlines(pipeline="match")


@st.cache_resource(max_entries=1, show_spinner=False)
def _known_matches(_workspace: Workspace, stamp: Stamp) -> list[Match]:
    evidence: EvidenceDB = _workspace.evidence
    return evidence.view(dt.date.max).matches()


@st.cache_resource(max_entries=8, show_spinner=False)
def _evaluation(_workspace: Workspace, stamp: Stamp, selection: Selection) -> Evaluation:
    runs = [run for run in _match_runs(_workspace, stamp) if selection.holds(run)]
    matches = _known_matches(_workspace, stamp)
    judgement = judge(runs, matches)
    judged = dict.fromkeys(each.forecast.match for each in judgement.judged)
    every = [*(each.forecast for each in judgement.judged), *yardsticks(judged, matches)]
    if selection.common:
        every = in_common(every) or every
    groups: dict[Contestant, list[Forecast]] = defaultdict(list)
    for forecast in every:
        groups[forecast.contestant].append(forecast)
    return Evaluation(judgement, dict(groups), scoreboard(every))


@st.cache_resource(max_entries=16, show_spinner=False)
def _experts(_workspace: Workspace, stamp: Stamp, selection: Selection, contestant: Contestant) -> Experts:
    judged: Sequence[Judged] = [
        each
        for each in _evaluation(_workspace, stamp, selection).judgement.judged
        if each.forecast.contestant == contestant
    ]
    return Experts(always_home(judged), expert_lines(judged), weight_lines(judged))
