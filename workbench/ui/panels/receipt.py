"""The receipt: what could be seen, what was withheld, and what exactly was run at what price."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.records import Call, Run
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
        t("receipt.calls"): t(
            "receipt.calls_failed", calls=len(calls), failed=sum(bool(c.error) for c in calls)
        ),
        t("receipt.input"): text.number(total(calls, lambda call: call.input_tokens)),
        t("receipt.output"): text.number(total(calls, lambda call: call.output_tokens)),
        t("receipt.cost"): text.cost(total(calls, lambda call: call.cost)),
        t("receipt.started"): text.moment(run.started),
        t("receipt.time"): text.duration(elapsed),
    }


def _list(rows: dict[str, str]) -> None:
    st.table({name: text.escape(value) for name, value in rows.items()}, border="horizontal")
