"""Which match runs are evaluated, and which could not be judged, by name."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from workbench.evaluate.forecasts import Judgement
from workbench.records import MatchSubject, Run
from workbench.ui import text
from workbench.ui.football_evaluation import Selection
from workbench.ui.language import t, term


def choose_runs(runs: Sequence[Run]) -> Selection:
    """Draw the filters and return what they select: everything at first."""
    subjects = [run.subject for run in runs if isinstance(run.subject, MatchSubject)]
    values = {
        "competition": {subject.competition for subject in subjects},
        "season": {subject.season for subject in subjects},
        "strategy": {run.strategy for run in runs},
    }
    chosen = {
        name: place.selectbox(
            term("football_filter", name),
            sorted(values[name]),
            index=None,
            placeholder=t("runs.any"),
            key=f"football.{name}",
        )
        for name, place in zip(values, st.columns(3), strict=True)
    }
    common = st.toggle(
        t("football.in_common"), True, help=t("football.in_common_help"), key="football.in_common"
    )
    return Selection(**chosen, common=common)


def left_out(judgement: Judgement) -> None:
    """How many runs are judged, how many are not and why; folded, each of those by name."""
    judged, missing = len(judgement.judged), judgement.left_out
    reasons = [f"{term('left_out', reason)} {count}" for reason, count in judgement.reasons.most_common()]
    st.caption(
        t("football.judged", judged=text.number(judged), total=text.number(judged + len(missing)))
        + ("" if not reasons else " " + t("football.left_out", reasons=", ".join(reasons)))
    )
    if not missing:
        return
    with st.expander(t("football.left_out_list", count=text.number(len(missing)))):
        st.dataframe(
            pd.DataFrame(
                {
                    "match": each.run.subject.title,
                    "date": each.run.as_of,
                    "reason": term("left_out", each.reason),
                    "run": each.run.run_id,
                }
                for each in missing
            ),
            hide_index=True,
            alt=t("football.left_out_list", count=text.number(len(missing))),
            column_config={
                "match": st.column_config.TextColumn(t("subject.match")),
                "date": st.column_config.DateColumn(t("column.as_of")),
                "reason": st.column_config.TextColumn(t("football.reason")),
                "run": st.column_config.TextColumn(t("chart.run")),
            },
        )
