"""The exact prompts the draft would lead to: size, cost, and what differs from the saved strategy."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.engine.preview import AgentPreview, Question, preview
from workbench.errors import WorkbenchError
from workbench.llm.baseline import Baseline
from workbench.llm.prices import Prices
from workbench.records import Models, Report
from workbench.strategy import texts
from workbench.strategy.files import LoadedStrategy
from workbench.tryout import Case
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.panels.states import show_error
from workbench.ui.panels.studio_subjects import choose_cases
from workbench.ui.studio import Studio
from workbench.workspace import Workspace


def prompts(studio: Studio) -> None:
    """Choose a subject and read what each agent would be asked about it."""
    st.caption(t("studio.prompts_lead"))
    cases = choose_cases(studio.workspace, studio.kind or "", "strategy.prompts", several=False)
    if not cases:
        return
    try:
        draft = studio.draft.loaded()
        models = studio.workspace.models(draft)
        earlier, run_id = latest_reports(studio.workspace, cases[0])
        asked = previews(studio.workspace, draft, cases[0], earlier)
        before = _saved(studio, cases[0], earlier) if studio.draft.edited else asked
    except WorkbenchError as error:
        show_error(error)
        return
    if run_id:
        st.caption(t("studio.from_run", run=run_id))
    _sizes(studio.workspace, asked, models)
    agents = {one.step.agent: one for one in asked}
    old = {one.step.agent: one for one in before}
    changed = [agent for agent in agents if _different(old.get(agent), agents[agent])]
    chosen = st.selectbox(
        t("column.agent"),
        list(agents),
        index=list(agents).index(changed[0]) if changed else len(agents) - 1,
        format_func=lambda agent: agents[agent].step.title + (" ●" if agent in changed else ""),
        key="strategy.prompts.agent",
    )
    if studio.draft.edited:
        st.caption(t("studio.changed_prompts", count=len(changed)))
    if chosen:
        agent_prompts(agents[chosen], old.get(chosen) if chosen in changed else None, "strategy.prompts")


def previews(
    workspace: Workspace, strategy: LoadedStrategy, case: Case, earlier: Mapping[str, Report]
) -> tuple[AgentPreview, ...]:
    """What each agent would be asked; nobody is."""
    plan = workspace.plan(strategy, case.subject, case.as_of)
    return asyncio.run(preview(plan, Baseline(), earlier))


def latest_reports(workspace: Workspace, case: Case) -> tuple[Mapping[str, Report], str]:
    """Reports of the latest finished run of a subject as of that day, and its id; empty without one."""
    rows = workspace.store.find(subject=case.subject.key, status="done", limit=20)
    row = next((row for row in rows if row.as_of == case.as_of), None)
    if row is None:
        return {}, ""
    return {report.agent: report for report in workspace.store.load(row.run_id).reports}, row.run_id


def _saved(studio: Studio, case: Case, earlier: Mapping[str, Report]) -> tuple[AgentPreview, ...]:
    """The same from the saved text; nothing where that cannot be run."""
    try:
        return previews(studio.workspace, studio.draft.saved(), case, earlier)
    except WorkbenchError:
        return ()


def _different(old: AgentPreview | None, new: AgentPreview) -> bool:
    return old is None or [_whole(one) for one in old.questions] != [_whole(one) for one in new.questions]


def _whole(question: Question) -> tuple[str, str]:
    return question.system, question.prompt


def _sizes(workspace: Workspace, asked: Sequence[AgentPreview], models: Models) -> None:
    """Tokens of every agent, and what a run would cost."""
    prices = Prices(workspace.hosted)
    rows: list[tuple[str, int, int, float | None]] = []
    for one in asked:
        model = models.of(one.step.tier)
        price = prices.price(model)
        put = sum(prices.tokens(model, f"{q.system}\n{q.prompt}") for q in one.questions)
        answered = sum(prices.tokens(model, q.expected) for q in one.questions)
        rows.append((one.step.title, len(one.questions), put, price.of(put, answered) if price else None))
    costs = [cost for _, _, _, cost in rows]
    total = None if None in costs else sum(cost for cost in costs if cost is not None)
    st.markdown(
        t(
            "studio.size",
            calls=sum(calls for _, calls, _, _ in rows),
            tokens=text.number(sum(tokens for _, _, tokens, _ in rows)),
            cost=text.escape(text.cost(total)),
            models=text.escape(text.models_title(models)),
        )
    )
    with st.expander(t("studio.size_by_agent")):
        st.table(
            {
                t("column.agent"): [text.escape(title) for title, *_ in rows],
                t("studio.calls"): [text.number(calls) for _, calls, _, _ in rows],
                t("studio.tokens"): [text.number(tokens) for _, _, tokens, _ in rows],
                t("column.cost"): [text.escape(text.cost(cost)) for *_, cost in rows],
            },
            border="horizontal",
        )


def placeholders(one: AgentPreview, question: Question) -> str:
    """What in a prompt the built-in rules have written in place of a model; empty where they have not."""
    reports = t("studio.stand_ins", count=len(one.stand_ins)) if one.stand_ins else ""
    draft = t("studio.stand_in_draft") if one.own_stand_in and question.stage == "revised" else ""
    return "\n\n".join(filter(None, (reports, draft)))


def agent_prompts(one: AgentPreview, before: AgentPreview | None, key: str) -> None:
    """The prompts of one agent, draft and second look.

    Args:
        one: The agent.
        before: The same agent of the saved strategy, to show what differs; None where nothing does.
        key: Prefix of the widget keys.
    """
    if one.error:
        st.error(text.escape(one.error), icon=":material/error:")
        return
    if not one.questions:
        st.caption(t("opinions.no_evidence"))
        return
    stages = [question.stage for question in one.questions]
    stage = st.segmented_control(
        t("studio.stage"), stages, default=stages[0], required=True, key=f"{key}.stage",
        format_func=lambda name: term("stage", name), label_visibility="collapsed",
    )  # fmt: skip
    question = next((q for q in one.questions if q.stage == stage), one.questions[0])
    if words := placeholders(one, question):
        st.info(words, icon=":material/info:")
    st.caption(t("studio.prompt_name", name=question.name, version=question.version))
    old = next((q for q in before.questions if q.stage == question.stage), None) if before else None
    if old and _whole(old) != _whole(question):
        found = texts.unified(f"{old.system}\n\n{old.prompt}", f"{question.system}\n\n{question.prompt}")
        st.markdown(f"**{t('studio.differs')}**")
        st.code("\n".join(found.split("\n")[2:]), language="diff", wrap_lines=True)
    st.markdown(f"**{t('agents.system')}**")
    st.code(question.system, language=None, wrap_lines=True)
    st.markdown(f"**{t('agents.prompt')}**")
    st.code(question.prompt, language=None, wrap_lines=True, height=520)
