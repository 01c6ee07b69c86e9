"""One agent in full: both texts with their differences, its evidence, and the exact words of every call."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import streamlit as st

from workbench.records import Call, Opinion, Report, Run, Scale
from workbench.ui import text
from workbench.ui.differences import Piece, differences
from workbench.ui.language import t, term
from workbench.ui.messages import translated
from workbench.ui.panels.figures import key_figures
from workbench.ui.panels.opinions import STATUS_SIGNS, confidences, sufficiency_words, why

_SHOWN_ELSEWHERE = {"analysis", "key_evidence", "why_changed", "score", "confidence"}


def expanders(run: Run, open_agent: Callable[[str], None]) -> None:
    """Every report as an expander in pipeline order, its conclusion in the header line."""
    st.subheader(term("agents_of", run.pipeline), anchor=False)
    with st.container(gap="xsmall"):
        for report in run.reports:
            _expander(report, open_agent)


def _expander(report: Report, open_agent: Callable[[str], None]) -> None:
    final = report.final
    score = text.score(final.score, report.scale) if final else STATUS_SIGNS[report.standing]
    conclusion_line = text.escape(text.short(conclusion(report), 150))
    with st.expander(f"**{text.escape(report.title)}** · {score} · {conclusion_line}"):
        if final:
            st.text(final.analysis)
            _key_evidence(final.key_evidence)
            _fields(report.draft, report.revised)
        else:
            st.text(why(report))
        st.button(
            t("agents.open"),
            key=f"run.agent.{report.agent}",
            icon=":material/right_panel_open:",
            on_click=open_agent,
            args=(report.agent,),
        )


def conclusion(report: Report) -> str:
    """The one line an agent is remembered by."""
    final = report.final
    if final is None:
        return why(report)
    return str(final.fields.get("conclusion") or final.analysis)


def drawer(report: Report) -> None:
    """One agent in full, in a drawer over the page; closing it takes the agent out of the address."""

    def close() -> None:
        st.query_params.pop("agent", None)

    title = text.escape(report.title)
    st.dialog(title, width="large", position="right", on_dismiss=close)(in_full)(report)


def in_full(report: Report) -> None:
    """Header, then draft against revision, evidence, and calls in tabs."""
    scores = [text.score(o.score, report.scale) for o in (report.draft, report.revised) if o]
    facts = [
        f"{STATUS_SIGNS[report.standing]} {term('status', report.standing)}",
        " → ".join(scores),
        t("agents.confidence", confidence=confidences(report)),
        sufficiency_words(report.evidence.sufficiency),
    ]
    st.markdown(" · ".join(fact for fact in facts if fact))
    if report.error:
        st.error(text.escape(report.error), icon=":material/error:")
    words, evidence, calls = st.tabs(
        [t("agents.words"), t("agents.evidence"), t("agents.calls", count=len(report.calls))]
    )
    with words:
        _side_by_side(report)
    with evidence:
        _evidence(report)
    with calls:
        _calls(report.calls)


def _side_by_side(report: Report) -> None:
    draft, revised = report.draft, report.revised
    if draft is None:
        st.caption(t("agents.no_opinion"))
        return
    if revised is None:
        st.text(draft.analysis)
        _key_evidence(draft.key_evidence)
        _fields(draft, None)
        return
    with st.container(border=True):
        st.caption(t("column.why"))
        st.text(why(report))
    if (draft.analysis, draft.key_evidence) == (revised.analysis, revised.key_evidence):
        st.caption(t("agents.same_text"))
        st.text(revised.analysis)
        _key_evidence(revised.key_evidence)
    else:
        before, after = differences(draft.analysis, revised.analysis)
        left, right = st.columns(2)
        with left:
            _marked_opinion(draft, before, ":red-background[~~{}~~]", report.scale)
        with right:
            _marked_opinion(revised, after, ":green-background[**{}**]", report.scale)
    _fields(draft, revised)


def _marked_opinion(opinion: Opinion, pieces: Sequence[Piece], mark: str, scale: Scale) -> None:
    st.markdown(f"**{term('stage', opinion.stage)}** {text.score(opinion.score, scale)}")
    st.markdown(_marked(pieces, mark))
    _key_evidence(opinion.key_evidence)


def _marked(pieces: Sequence[Piece], mark: str) -> str:
    """Pieces as Markdown: changed words marked, line ends kept, nothing of the text taken for markup."""
    parts = []
    for piece in pieces:
        lines = [
            mark.format(text.escape(line)) if piece.changed and line.strip() else text.escape(line)
            for line in piece.text.split("\n")
        ]
        parts.append("  \n".join(lines))
    return "".join(parts)


def _key_evidence(lines: Sequence[str]) -> None:
    if lines:
        st.markdown("\n".join(f"- {text.escape(text.short(line, 600))}" for line in lines))


def _fields(draft: Opinion | None, revised: Opinion | None) -> None:
    """The named fields of the answer, under the schema's own names, changed ones marked."""
    names = [
        name
        for name in dict.fromkeys([*(draft.fields if draft else ()), *(revised.fields if revised else ())])
        if name not in _SHOWN_ELSEWHERE
    ]
    if not names:
        return
    rows = {t("column.field"): [text.escape(name) for name in names]}
    if draft and revised and any(draft.fields.get(name) != revised.fields.get(name) for name in names):
        shown: dict[str, Opinion | None] = {t("column.draft"): draft, t("column.revised"): revised}
    else:
        shown = {t("column.value"): revised or draft}
    for title, opinion in shown.items():
        if opinion:
            rows[title] = [text.escape(plain(opinion.fields.get(name))) for name in names]
    st.table(rows, border="horizontal", alt=t("agents.fields"))


def plain(value: object) -> str:
    """A field of an answer as one line of text."""
    if value is None or value == "":
        return text.MISSING
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)


def _evidence(report: Report) -> None:
    evidence = report.evidence
    sources = ", ".join(evidence.sources) or text.MISSING
    st.caption(text.escape(t("agents.sources", sources=sources, newest=text.day(evidence.newest))))
    key_figures(evidence)
    if evidence.text:
        st.code(evidence.text, language=None, wrap_lines=True)
    else:
        st.caption(t("opinions.no_evidence"))
    if evidence.missing:
        rows = {
            t("column.figure"): list(evidence.missing),
            t("column.reason"): [translated(reason) for reason in evidence.missing.values()],
        }
        st.caption(t("agents.missing"))
        st.dataframe(rows, hide_index=True, height="content", alt=t("agents.missing"))
    if evidence.facts:
        with st.expander(t("agents.facts")):
            st.json(evidence.facts, expanded=1)


def _calls(calls: Sequence[Call]) -> None:
    if not calls:
        st.caption(t("agents.no_calls"))
    for call in calls:
        stage = term("stage", call.stage)
        with st.expander(t("agents.call", stage=stage, attempt=call.attempt), expanded=False):
            st.caption(text.escape(_billing(call)))
            if call.error:
                st.error(text.escape(call.error), icon=":material/error:")
            for title, words in (
                (t("agents.system"), call.system),
                (t("agents.prompt"), call.prompt),
                (t("agents.reply"), call.reply),
            ):
                if words:
                    st.caption(title)
                    st.code(words, language=None, wrap_lines=True, height=_height(words))


def _height(words: str) -> int:
    """Pixels a text needs at about 120 columns a line, at most half a screen."""
    lines = sum(1 + text.columns(line) // 120 for line in words.split("\n"))
    return min(400, 45 + 20 * lines)


def _billing(call: Call) -> str:
    """One line: which model answered, under which prompt, for how many tokens, at what price, how fast."""
    model = text.model_name(call.resolved_model or call.requested_model)
    if call.resolved_model and call.resolved_model != call.requested_model:
        model = t("agents.resolved", requested=call.requested_model, resolved=model)
    parts = [
        model,
        t("agents.prompt_version", version=call.prompt_version, hash=call.template_hash[:8]),
        t(
            "agents.tokens",
            input=text.number(call.input_tokens),
            cached=text.number(call.cached_tokens),
            output=text.number(call.output_tokens),
        ),
        text.cost(call.cost),
        text.duration(call.latency_s),
    ]
    if call.params:
        parts.append(json.dumps(call.params, ensure_ascii=False))
    if call.cache_hit:
        parts.append(t("agents.cached"))
    return " · ".join(parts)
