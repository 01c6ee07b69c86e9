"""The receipt: what could be seen, what was withheld, and what exactly was run at what price."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.records import Call, Report, Run
from workbench.ui import text
from workbench.ui.language import t, term


def receipt(run: Run) -> None:
    """Two lists side by side: the look-ahead receipt, and the bill."""
    st.subheader(t("receipt.title"), anchor=False)
    seen, bill = st.columns(2, gap="medium")
    with seen:
        _list(_seen(run))
    with bill:
        _list(_bill(run))
    if asked := [report for report in run.reports if report.calls]:
        with st.expander(t("receipt.agents")):
            _by_agent(asked)


def total(calls: Sequence[Call], figure: Callable[[Call], float | None]) -> float | None:
    """Sum over the calls that report the figure; None where none does."""
    known = [value for value in map(figure, calls) if value is not None]
    return sum(known) if known else None


def _seen(run: Run) -> dict[str, str]:
    proof = run.receipt
    return {
        t("receipt.as_of"): text.day(run.as_of),
        t("receipt.newest"): text.day(proof.newest_evidence if proof else None),
        t("receipt.withheld"): text.number(proof.withheld if proof else None),
        t("receipt.undated"): text.number(proof.undated if proof else None),
        t("receipt.strategy"): f"{run.strategy} · {run.strategy_hash[:12]}",
        t("receipt.prompts"): run.prompt_version,
        t("receipt.blind"): term("blind", run.blind),
        t("receipt.run"): run.run_id,
    }


def _bill(run: Run) -> dict[str, str]:
    calls = [call for report in run.reports for call in report.calls]
    elapsed = (run.finished - run.started).total_seconds() if run.finished else None
    return {
        t("receipt.models"): text.models_title(run.models),
        t("receipt.calls"): _counts(calls),
        t("receipt.input"): text.number(total(_asked(calls), lambda call: call.input_tokens)),
        t("receipt.output"): text.number(total(_asked(calls), lambda call: call.output_tokens)),
        t("receipt.cost"): paid(calls),
        t("receipt.started"): text.moment(run.started),
        t("receipt.time"): text.duration(elapsed),
    }


def _by_agent(reports: Sequence[Report]) -> None:
    """What each agent took: one line an agent. What came from the cache adds no tokens, cost or time."""
    columns: dict[str, list[str]] = {t("column.agent"): [text.escape(report.title) for report in reports]}
    for title, write in (
        (t("receipt.calls"), _counts),
        (t("receipt.input"), lambda calls: text.number(total(_asked(calls), lambda c: c.input_tokens))),
        (t("receipt.output"), lambda calls: text.number(total(_asked(calls), lambda c: c.output_tokens))),
        (t("receipt.cost"), paid),
        (t("receipt.time"), lambda calls: text.duration(total(_asked(calls), lambda c: c.latency_s))),
    ):
        columns[title] = [text.escape(write(report.calls)) for report in reports]
    st.table(columns, border="horizontal")


def _asked(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if not call.cache_hit]


def _counts(calls: Sequence[Call]) -> str:
    counts = {
        t("receipt.failed"): sum(bool(call.error) for call in calls),
        t("receipt.cached"): sum(call.cache_hit for call in calls),
    }
    return ", ".join([str(len(calls)), *(f"{name} {count}" for name, count in counts.items() if count)])


def paid(calls: Sequence[Call]) -> str:
    """What the calls cost; ``at least`` where the price of an answer is not known."""
    answered = [call for call in _asked(calls) if call.resolved_model]
    known = [call.cost for call in answered if call.cost is not None]
    if answered and not known:
        return text.MISSING
    words = text.cost(sum(known))
    return words if len(known) == len(answered) else t("number.at_least", figure=words)


def _list(rows: dict[str, str]) -> None:
    st.table({name: text.escape(value) for name, value in rows.items()}, border="horizontal")
