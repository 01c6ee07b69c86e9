"""The evaluation of company scores as a page needs it: computed once per state of the two databases."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from workbench.evaluate.companies import Contestant, Judged, Judgement, judge
from workbench.evaluate.company_board import Group, Line, board, own_thresholds, yardstick
from workbench.evaluate.returns import MONTHS, Measure, ShareHistory
from workbench.records import Blind
from workbench.store.rows import RunRow
from workbench.strategy.schema import Label
from workbench.ui import text
from workbench.ui.language import term
from workbench.ui.stamp import Stamp, stamp_of
from workbench.workspace import Workspace


class Selection(NamedTuple):
    """Which runs are looked at, and over which horizon; None means all."""

    measure: Measure
    strategy: str | None = None
    blind: Blind | None = None

    def holds(self, run: RunRow) -> bool:
        """Whether a run is one of those looked at."""
        return self.strategy in (None, run.strategy) and self.blind in (None, run.blind)


@dataclass(frozen=True)
class Evaluation:
    """The runs of a selection, judged, a line for each who scored, and what holding them all brought."""

    judgement: Judgement
    lines: Sequence[Line]
    yardstick: Group

    def of(self, contestant: Contestant) -> list[Judged]:
        """The judgements of one contestant, the newest date first."""
        own = [each for each in self.judgement.judged if each.contestant == contestant]
        return sorted(own, key=lambda each: (each.run.as_of, each.run.subject_key), reverse=True)


def company_runs(workspace: Workspace) -> list[RunRow]:
    """Every run over a company; read again when the databases change."""
    return _company_runs(workspace, stamp_of(workspace))


def evaluation(workspace: Workspace, selection: Selection) -> Evaluation:
    """The selected runs against the returns known today."""
    return _evaluation(workspace, stamp_of(workspace), selection, dt.datetime.now(dt.UTC).date())


def title(contestant: Contestant) -> str:
    """What a reader calls a contestant; the baseline never without saying that it is no model."""
    models = " + ".join(map(text.model_name, contestant.model.split(" + ")))
    asked = f"{contestant.strategy} {contestant.prompt_version}"
    return f"{models} · {asked}, {term('blind_short', contestant.blind)}"


@st.cache_resource(max_entries=1, show_spinner=False)
def _company_runs(_workspace: Workspace, stamp: Stamp) -> list[RunRow]:
    found: list[RunRow] = _workspace.store.find(pipeline="chapters", limit=-1)
    return found


@st.cache_resource(max_entries=8, show_spinner=False)
def _evaluation(_workspace: Workspace, stamp: Stamp, selection: Selection, today: dt.date) -> Evaluation:
    runs = [run for run in _company_runs(_workspace, stamp) if selection.holds(run)]
    history = ShareHistory.known(_workspace.evidence, today)
    judgement = judge(runs, selection.measure, history, today)

    def own(each: Judged) -> Mapping[float, Label]:
        return own_thresholds(_workspace.store.load(each.run.run_id).strategy_text)

    lines = board(judgement.judged, MONTHS[selection.measure], own)
    return Evaluation(judgement, lines, yardstick(judgement.judged))
