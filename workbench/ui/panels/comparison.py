"""Runs side by side: what weakens the comparison, every row that differs, and the strategies as a diff."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.compare import SECTIONS, Cell, Comparison, Row
from workbench.errors import InputError
from workbench.store.rows import RunRow
from workbench.store.runs import RunStore
from workbench.tryout import side_of
from workbench.ui import charts, palette, text
from workbench.ui.language import t, term
from workbench.ui.panels.states import show_error
from workbench.ui.titles import subject_title

RECENT = 200
"""How many runs the chooser lists."""


def choose_runs(store: RunStore, asked: Sequence[str]) -> list[str]:
    """Which runs are compared, the reference first; the choice is written to the address.

    Args:
        store: Where the runs are.
        asked: Ids out of the address; an unknown one is shown as an error and left out.
    """
    known: dict[str, RunRow] = {row.run_id: row for row in store.find(limit=RECENT)}
    chosen: list[str] = []
    for name in filter(None, (name.strip() for name in asked)):
        try:
            run_id = store.resolve(name)
        except InputError as error:
            show_error(error)
            continue
        known.setdefault(run_id, store.find(run_id=run_id, limit=1)[0])
        chosen.append(run_id)
    pipeline = known[chosen[0]].pipeline if chosen else None
    picked = st.multiselect(
        t("compare.runs"),
        [row.run_id for row in known.values() if pipeline in (None, row.pipeline) or row.run_id in chosen],
        default=list(dict.fromkeys(chosen)),
        format_func=lambda run_id: _row_title(known[run_id]),
        placeholder=t("compare.placeholder"),
        help=t("compare.runs_help"),
        key="compare.runs",
    )
    if picked != chosen:
        st.query_params["runs"] = ",".join(picked)
    return list(picked)


def comparison(compared: Comparison, rows: Sequence[RunRow]) -> None:
    """The whole comparison, section by section.

    Args:
        compared: The runs.
        rows: The same runs as they are listed, in the same order.
    """
    titles = _titles(rows)
    if compared.weakened_by:
        lines = [
            f"- {term('weakness', weakness.kind)}: {text.escape(', '.join(weakness.values))}"
            for weakness in compared.weakened_by
        ]
        st.warning("\n".join(lines), title=t("compare.weakened"), icon=":material/warning:")
    _chart(compared, titles)
    differing = st.toggle(t("compare.differing"), value=True, key="compare.differing")
    _table(compared, titles, differing=differing)
    for run, title in zip(compared.runs[1:], titles[1:], strict=True):
        if diff := compared.strategy_diffs.get(run.run_id):
            with st.expander(t("compare.strategy_diff", run=text.escape(title))):
                st.code(diff, language="diff", wrap_lines=True)


def _chart(compared: Comparison, titles: Sequence[str]) -> None:
    """The final score of every agent in every run, where they share a scale."""
    scales = [report.scale for run in compared.runs for report in run.reports if report.counted]
    if not scales:
        return
    scale = max(set(scales), key=scales.count)
    series = list(zip(titles, compared.runs, strict=True))
    st.vega_lite_chart(
        charts.agents_by_run(series, scale, st.context.theme.type or "light"), alt=t("compare.alt")
    )


def _table(compared: Comparison, titles: Sequence[str], *, differing: bool) -> None:
    """One table, so that a run keeps its column from section to section."""
    heads = list(map(text.escape, titles))
    heads[0] = f"{t('compare.reference')}  \n{heads[0]}"
    names: list[str] = []
    cells: list[list[str]] = [[] for _ in heads]
    folded = len(compared.rows)
    for section in SECTIONS:
        rows = [row for row in compared.section(section, differing=differing) if _telling(row, compared)]
        folded -= len(rows)
        if rows:
            names.append(f"**{term('compare_section', section)}**")
            names += [_name(row, compared) for row in rows]
            for index, column in enumerate(cells):
                column += ["", *(_cell(row, row.cells[index]) for row in rows)]
    if names:
        table = {t("compare.what"): names, **dict(zip(heads, cells, strict=True))}
        st.table(table, border="horizontal", alt=t("compare.title"))
    if folded:
        st.caption(t("compare.folded", count=folded))


def _telling(row: Row, compared: Comparison) -> bool:
    """Evidence of two dates or subjects differs in any case; that its text does is not worth a row."""
    return row.name != "content" or not {"as_of", "subject"} & {w.kind for w in compared.weakened_by}


def _name(row: Row, compared: Comparison) -> str:
    rule, _, field = row.name.rpartition(": ") if row.section == "rules" else ("", "", row.name)
    name = text.escape(" · ".join(filter(None, (rule, term("compare_row", field)))))
    return f"{text.escape(compared.titles[row.agent])} · {name}" if row.agent else name


def _cell(row: Row, cell: Cell) -> str:
    """A value and its signed change against the reference."""
    value = cell.value
    if value is None:
        return text.MISSING
    if isinstance(value, str):
        return text.escape(_words(row.name, value))
    change = "" if cell.change is None else f" :gray[{_signed(row.name, cell.change)}]"
    return f"{_figure(row.name, value)}{change}"


def _words(name: str, value: str) -> str:
    match name:
        case "label":
            return f"{palette.SIGNS.get(value, '')} {term('label', value)}".strip()
        case "status":
            return term("run_status", value) if value in ("running", "done") else term("status", value)
        case "sufficiency":
            return term("sufficiency", value)
        case "blind":
            return term("blind", value)
        case "models" | "model":
            return text.model_name(value)
    return value


def _figure(name: str, value: float) -> str:
    match name:
        case "confidence":
            return text.probability(value)
        case "cost":
            return text.escape(text.cost(value))
        case "seconds":
            return text.duration(value)
    return text.figure(value)


def _signed(name: str, change: float) -> str:
    figure = _figure(name, abs(change))
    if figure == _figure(name, 0):
        return "0"
    return f"{'+' if change > 0 else text.MINUS}{figure}"


def _titles(rows: Sequence[RunRow]) -> list[str]:
    """What sets each run apart from the others: the facts in which they differ, else its id."""
    differing = [facts for facts in zip(*map(_facts, rows), strict=True) if len(set(facts)) > 1]
    titles = [" · ".join(filter(None, facts)) for facts in zip(*differing, strict=True)] or [""] * len(rows)
    return [
        title if title and titles.count(title) == 1 else " · ".join(filter(None, (title, row.run_id[-6:])))
        for title, row in zip(titles, rows, strict=True)
    ]


def _facts(row: RunRow) -> tuple[str, ...]:
    """Subject, day, strategy and models, and which side of a trial it is, if any."""
    side = side_of(row)
    return (
        subject_title(row),
        text.day(row.as_of),
        row.strategy,
        text.models_title(row.models),
        term("studio_side_of", side) if side else "",
    )


def _row_title(row: RunRow) -> str:
    return " · ".join((*filter(None, _facts(row)), row.run_id[-6:]))
