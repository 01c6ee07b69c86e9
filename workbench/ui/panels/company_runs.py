"""Which company runs are evaluated, over which horizon, and which could not be judged, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from workbench.evaluate.companies import Judged, Judgement, LeftOut
from workbench.evaluate.returns import HORIZONS
from workbench.export import rows_csv
from workbench.records import Blind
from workbench.store.rows import RunRow
from workbench.ui import address, palette, text
from workbench.ui.company_evaluation import Selection
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.ui.panels.download import download_csv
from workbench.ui.titles import subject_title


def choose_runs(runs: Sequence[RunRow]) -> Selection:
    """Draw the horizon and the filters and return what they select: every run over six months at first."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        horizon = st.segmented_control(
            t("companies.horizon"),
            list(HORIZONS),
            required=True,
            format_func=lambda name: term("horizon", name),
            **address.one("horizon", list(HORIZONS), page="companies", otherwise="6m"),
        )
        strategies = sorted({run.strategy for run in runs})
        strategy = st.selectbox(
            t("column.strategy"),
            strategies,
            index=None,
            placeholder=t("runs.any"),
            width=200,
            **address.one("strategy", strategies, page="companies"),
        )
        blinds = [blind for blind in get_args(Blind) if any(run.blind == blind for run in runs)]
        blind = st.selectbox(
            t("companies.blind"),
            blinds,
            index=None,
            format_func=lambda name: term("blind_short", name),
            placeholder=t("runs.any"),
            width=200,
            **address.one("blind", blinds, page="companies"),
        )
    return Selection(HORIZONS[horizon or "6m"], strategy, blind)


def left_out(judgement: Judgement) -> None:
    """How many runs are judged, how many are not and why; folded, each of those by name."""
    judged, missing = len(judgement.judged), judgement.left_out
    reasons = [
        f"{term('company_left_out', reason)} {text.number(count)}"
        for reason, count in judgement.reasons.most_common()
    ]
    st.caption(
        t("football.judged", judged=text.number(judged), total=text.number(judged + len(missing)))
        + ("" if not reasons else " " + t("football.left_out", reasons=", ".join(reasons)))
    )
    if missing:
        with st.expander(t("football.left_out_list", count=text.number(len(missing)))):
            _runs_table(missing, "left_out")


def judgements(judged: Sequence[Judged]) -> None:
    """Folded: every score of a contestant with its return; a company opens its run."""
    with st.expander(t("companies.judgements", count=text.number(len(judged)))):
        _runs_table(judged, "judgements")


def _runs_table(rows: Sequence[Judged] | Sequence[LeftOut], name: str) -> None:
    opened = f"companies.{name}.open"
    if click := st.session_state.get(opened):
        open_page("run", run=rows[click.row].run.run_id)
    column = st.column_config
    st.dataframe(
        [_shown(row) for row in rows],
        hide_index=True,
        placeholder=text.MISSING,
        alt=t("companies.runs_alt"),
        key=f"companies.{name}",
        column_config={
            "company": column.ButtonColumn(
                t("column.subject"), type="tertiary", alignment="left", width=190, key=opened, pinned=True
            ),
            "as_of": column.DateColumn(t("column.as_of"), width=90),
            "score": column.NumberColumn(t("column.score"), format="%.3g", width=60),
            "label": column.TextColumn(t("column.label"), width=90),
            "return": column.NumberColumn(t("companies.return"), format="percent", width=80),
            "reason": column.TextColumn(t("football.reason")),
        },
    )
    download_csv(name, lambda: rows_csv([_written(row) for row in rows]))


def _shown(row: Judged | LeftOut) -> dict[str, object]:
    line = {"company": subject_title(row.run), "as_of": row.run.as_of, "score": row.run.score}
    sign = palette.SIGNS.get(row.run.label or "", "")
    line |= {"label": f"{sign} {term('label', row.run.label)}".strip()}
    if isinstance(row, LeftOut):
        return line | {"reason": term("company_left_out", row.reason)}
    return line | {"return": row.value}


def _written(row: Judged | LeftOut) -> dict[str, object]:
    run = row.run
    line = {"run_id": run.run_id, "subject": run.subject_key, "as_of": run.as_of}
    line |= {"score": run.score, "label": run.label}
    return line | ({"reason": row.reason} if isinstance(row, LeftOut) else {"return": row.value})
