"""Whether the scores of companies meant anything: everybody's figures, and one contestant's in full."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from workbench.evaluate.company_board import Group, Line, alike, finding
from workbench.evaluate.scores import Band
from workbench.evaluate.uncertainty import MIN_CLUSTERS, Estimate
from workbench.export import rows_csv
from workbench.strategy.schema import LABELS
from workbench.ui import address, estimates, evaluation_charts, palette, score_charts, text
from workbench.ui.company_evaluation import Evaluation, title
from workbench.ui.language import t, term
from workbench.ui.panels.columns_table import columns_table
from workbench.ui.panels.company_runs import judgements
from workbench.ui.panels.download import download_csv

MOST_MARKS = 1000


def standings(evaluation: Evaluation) -> None:
    """Everybody's figures side by side, and what holding every company alike would have brought."""
    st.subheader(t("companies.standings"), anchor=False)
    if len(evaluation.lines) > 1:
        rows = [(title(line.contestant), line.figures["ic"]) for line in evaluation.lines]
        st.vega_lite_chart(
            evaluation_charts.forest(rows, t("companies.mean_ic_axis"), _ink(), write=_signed, zero=True),
            alt=t("companies.standings"),
        )
    column = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame([_line(line) for line in evaluation.lines]),
        hide_index=True,
        height="content",
        placeholder=text.MISSING,
        alt=t("companies.standings"),
        column_config={
            "who": column(t("companies.who"), pinned=True),
            "n": st.column_config.NumberColumn(t("estimate.n"), help=t("companies.n_help")),
            "companies": st.column_config.NumberColumn(t("companies.companies")),
            "dates": column(t("companies.dates"), help=t("companies.dates_help")),
            **{
                name: column(term("score_figure", name), help=term("score_figure_help", name))
                for name in ("ic", "std", "positive", "ir", "pooled", "mean_return", "gap")
            },
        },
    )
    download_csv("standings", lambda: rows_csv([line.row() for line in evaluation.lines]))
    held = evaluation.yardstick
    st.caption(
        t(
            "companies.yardstick",
            n=text.number(held.n),
            mean=_change(held.mean),
            wins=estimates.with_interval(held.win_rate, estimates.share),
        )
        + " "
        + t("companies.interval", least=MIN_CLUSTERS)
    )


def choose_contestant(evaluation: Evaluation) -> Line:
    """The line of the contestant that is looked at in full; nothing is drawn where there is one only."""
    if len(evaluation.lines) == 1:
        return evaluation.lines[0]
    lines = {"|".join(line.contestant): line for line in evaluation.lines}
    chosen = st.selectbox(
        t("companies.look_at"),
        list(lines),
        format_func=lambda name: title(lines[name].contestant),
        **address.one("contestant", list(lines), page="companies", otherwise=next(iter(lines))),
    )
    return lines[chosen or next(iter(lines))]


def conclusion(line: Line) -> None:
    """In words what the figures show, and what they do not."""
    values = {
        "ic": _interval(line.figures["ic"]),
        "n": text.number(line.n),
        "dates": text.number(line.figures["ic"].n),
        "companies": text.number(line.companies),
        "least": MIN_CLUSTERS,
    }
    match finding(line.figures["ic"], overlapping=line.overlapping):
        case "no_data":
            said = t("companies.says_no_data", **values)
        case "few_dates":
            said = t("companies.says_few_dates", **values)
        case "unclear":
            said = t("companies.says_unclear", **values)
        case "overlapping":
            said = t("companies.says_too_narrow", **values)
        case "above":
            said = t("companies.says_above", **values)
        case "below":
            said = t("companies.says_below", **values)
    if line.few_companies:
        said += " " + t("companies.says_few_companies", companies=text.number(line.companies))
    if alike(line.bands.values()):
        said += " " + t("companies.says_alike")
    if line.overlapping:
        said += " " + t("companies.says_overlapping")
    st.info(said, icon=":material/balance:")


def marks(evaluation: Evaluation, line: Line) -> None:
    """The order of each date, and every score with its return."""
    order, cloud = st.columns(2, gap="medium")
    with order:
        st.markdown(f"**{t('companies.by_date')}**")
        st.vega_lite_chart(
            score_charts.by_date(line.by_date, line.figures["ic"], _ink()), alt=t("companies.by_date")
        )
        pairs = sum(date.n == 2 and date.ic is not None for date in line.by_date)
        st.caption(
            t("companies.by_date_legend", mean=_signed(line.figures["ic"].value))
            + (f" {t('companies.pairs', count=text.number(pairs))}" if pairs else "")
        )
        with st.expander(t("companies.table")):
            columns_table(
                {
                    t("companies.date"): [text.day(date.as_of) for date in line.by_date],
                    t("companies.companies"): [text.number(date.n) for date in line.by_date],
                    t("companies.ic"): [_signed(date.ic) for date in line.by_date],
                },
                t("companies.by_date"),
                "ic_by_date",
            )
    judged = evaluation.of(line.contestant)
    with cloud:
        st.markdown(f"**{t('companies.scatter')}**")
        st.vega_lite_chart(score_charts.scatter(judged[:MOST_MARKS], _ink()), alt=t("companies.scatter"))
        if len(judged) > MOST_MARKS:
            st.caption(t("companies.newest_marks", shown=MOST_MARKS, total=text.number(len(judged))))
        judgements(judged)


def bands(line: Line) -> None:
    """Mean return and win rate by stretch of the score, with everything beside it."""
    st.markdown(f"**{t('companies.bands')}**")
    groups = [(_band(band), group) for band, group in line.bands.items()]
    groups.append((t("companies.all"), line.all))
    chart, table = st.columns(2, gap="medium")
    with chart:
        spec = evaluation_charts.forest(
            [(name, group.mean) for name, group in groups],
            t("companies.mean_axis"),
            _ink(),
            write=estimates.signed_share,
            zero=True,
            labels=".0%",
        )
        st.vega_lite_chart(spec, alt=t("companies.bands"))
    with table:
        columns_table(_table(t("companies.band"), groups), t("companies.bands"), "bands")


def thresholds(line: Line) -> None:
    """What came of everything from a score up; the strategy's own thresholds say whose they are."""
    st.markdown(f"**{t('companies.thresholds')}**")
    groups = [
        (f"≥ {text.figure(low)}" + (f" {_label(line.own[low])}" if low in line.own else ""), group)
        for low, group in line.thresholds.items()
    ]
    columns = _table(t("companies.from_score"), groups)
    columns[t("companies.ratio")] = [text.number(group.returns.ratio, 2) for _, group in groups]
    columns_table(columns, t("companies.thresholds"), "thresholds")
    st.caption(t("companies.thresholds_help"))


def labels(line: Line) -> None:
    """What came of buys, watches and avoids, and how far the first are ahead of the last."""
    st.markdown(f"**{t('companies.labels')}**")
    groups = [(_label(label), line.labels[label]) for label in LABELS]
    columns_table(_table(t("column.label"), groups), t("companies.labels"), "labels")
    st.caption(
        t(
            "companies.gap",
            gap=_change(line.buy_minus_avoid),
            says=term("company_finding", finding(line.buy_minus_avoid, overlapping=line.overlapping)),
        )
    )


def _table(heading: str, groups: Sequence[tuple[str, Group]]) -> dict[str, list[str]]:
    return {
        heading: [name for name, _ in groups],
        t("estimate.n"): [text.number(group.n) for _, group in groups],
        t("companies.mean"): [_change(group.mean) for _, group in groups],
        t("companies.win_rate"): [
            estimates.with_interval(group.win_rate, estimates.share) for _, group in groups
        ],
    }


def _line(line: Line) -> dict[str, object]:
    figures = line.figures
    return {
        "who": title(line.contestant),
        "n": line.n,
        "companies": line.companies,
        "dates": f"{text.number(figures['ic'].n)} / {text.number(len(line.by_date))}",
        "ic": _interval(figures["ic"]),
        "std": estimates.with_interval(figures["std"], _two),
        "positive": estimates.with_interval(figures["positive"], estimates.share),
        "ir": _interval(figures["ir"]),
        "pooled": _interval(figures["pooled"]),
        "mean_return": _change(line.all.mean),
        "gap": _change(line.buy_minus_avoid),
    }


def _band(band: Band) -> str:
    """``40 – 55`` as a reader takes it, with the signs where an end is open."""
    low, high = text.figure(band.low), text.figure(band.high)
    if low == text.MISSING:
        return f"{'≤' if band.up_to else '<'} {high}"
    if high == text.MISSING:
        return f"{'>' if band.above else '≥'} {low}"
    return f"{low} – {high}"


def _label(label: str) -> str:
    return f"{palette.SIGNS[label]} {term('label', label)}"


def _two(value: float | None) -> str:
    return text.number(value, 2)


def _signed(value: float | None) -> str:
    written = _two(value)
    return f"+{written}" if value is not None and value > 0 else written


def _interval(estimate: Estimate) -> str:
    return estimates.with_interval(estimate, _signed)


def _change(estimate: Estimate) -> str:
    return estimates.with_interval(estimate, estimates.signed_share)


def _ink() -> palette.Ink:
    return st.context.theme.type or "light"
