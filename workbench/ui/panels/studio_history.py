"""Every saved version of a strategy: who, when, why; differences of any two; going back; the runs of each."""

from __future__ import annotations

import streamlit as st

from workbench.store.strategies import Version
from workbench.ui import text
from workbench.ui.language import t
from workbench.ui.navigation import link
from workbench.ui.panels.studio_checks import diff
from workbench.ui.studio import Studio
from workbench.ui.titles import subject_title

RUNS_SHOWN = 5


def history(studio: Studio) -> None:
    """The versions, newest first."""
    versions = studio.drafts.history(studio.name)
    if not versions:
        st.caption(t("studio.no_history"))
        return
    uses = studio.drafts.store.runs_by_hash(studio.name)
    _compare(versions)
    for version in versions:
        _version(studio, version, uses.get(version.hash, 0))


def _compare(versions: list[Version]) -> None:
    """Any two versions as a diff."""
    if len(versions) < 2:
        return
    numbers = {version.number: version for version in versions}
    with st.expander(t("studio.compare_versions")):
        after = st.selectbox(
            t("studio.newer"),
            list(numbers),
            format_func=lambda n: _title(numbers[n]),
            key="strategy.diff.after",
        )
        before = st.selectbox(
            t("studio.older"), list(numbers), index=1, format_func=lambda n: _title(numbers[n]),
            key="strategy.diff.before",
        )  # fmt: skip
        if after and before:
            diff(numbers[before].text, numbers[after].text)


def _version(studio: Studio, version: Version, runs: int) -> None:
    current = version.text == studio.draft.text
    with st.container(border=True, gap="xxsmall"):
        unnamed = t("studio.no_note") if version.author else t("studio.found")
        st.markdown(f"**{text.escape(version.note) or unnamed}**")
        facts = [
            text.moment(version.saved),
            text.escape(version.author),
            f"`{version.hash[:8]}`",
        ]
        st.caption(" · ".join(filter(None, facts)))
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(
                t("studio.in_editor") if current else t("studio.restore"),
                icon=":material/history:",
                type="tertiary",
                key=f"strategy.restore.{version.number}",
                disabled=current,
                on_click=studio.put,
                args=(version.text,),
                help=t("studio.restore_help"),
            )
            if runs:
                with st.popover(
                    t("studio.used_by", count=runs), type="tertiary", key=f"strategy.runs.{version.number}"
                ):
                    for row in studio.workspace.store.find(strategy_hash=version.hash, limit=RUNS_SHOWN):
                        link(
                            "run",
                            f"{text.escape(subject_title(row))} · {text.day(row.as_of)}",
                            run=row.run_id,
                        )


def _title(version: Version) -> str:
    return f"{text.moment(version.saved)} · {version.note or version.hash[:8]}"
