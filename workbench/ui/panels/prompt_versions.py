"""A prompt in two versions side by side, rendered for a subject, and the way to a next one."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import streamlit as st

from workbench.engine.plan import Plan, Step
from workbench.engine.preview import AgentPreview, preview
from workbench.errors import PromptError, StrategyError, WorkbenchError
from workbench.llm.baseline import Baseline
from workbench.strategy import texts
from workbench.strategy.files import LoadedStrategy
from workbench.strategy.prompts import Prompt, PromptLibrary
from workbench.ui import text
from workbench.ui.language import t, term
from workbench.ui.navigation import open_page
from workbench.ui.panels.states import show_error
from workbench.ui.panels.studio_prompts import placeholders
from workbench.ui.panels.studio_subjects import choose_cases
from workbench.workspace import Workspace

VIEWS = ("template", "rendered", "diff")


def choose_prompt(library: PromptLibrary) -> str | None:
    """Which prompt is shown; the choice is kept in the address."""
    names = library.names()
    if not names:
        st.caption(t("prompts.none"))
        return None
    key = "prompts.name"
    asked = st.query_params.get("prompt")
    first = asked if asked in names else names[0]
    st.session_state[key] = first  # each time, as its title changes with a new version

    def choose() -> None:
        st.query_params["prompt"] = st.session_state[key]

    chosen: str = st.selectbox(
        t("prompts.prompt"),
        names,
        format_func=lambda name: f"{name} · {', '.join(library.versions(name))}",
        key=key,
        on_change=choose,
        width=420,
    )
    return chosen


def status(library: PromptLibrary) -> None:
    """What ``workbench prompts check`` says, and the release of what is not locked yet."""
    try:
        findings = library.check()
    except PromptError as error:
        show_error(error)
        return
    errors = [finding for finding in findings if finding.severity == "error"]
    waiting = [finding for finding in findings if finding.severity == "warning"]
    for finding in errors:
        st.error(f"{text.escape(str(finding))}", icon=":material/error:")
    if not waiting:
        if not errors:
            st.caption(f":material/lock: {t('prompts.all_released')}")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        names = ", ".join(finding.where.removesuffix(".md") for finding in waiting)
        st.markdown(
            f":orange-badge[{t('prompts.unreleased', count=len(waiting))}] :small[{text.escape(names)}]",
            width="stretch",
        )
        if st.button(
            t("prompts.release"),
            icon=":material/lock:",
            key="prompts.release",
            help=t("prompts.release_help"),
        ):
            try:
                library.release()
            except PromptError as error:
                show_error(error)
                return
            st.rerun()


def versions(workspace: Workspace, name: str) -> None:
    """Two versions side by side: as templates, rendered for a subject, or their differences."""
    library = workspace.prompts
    known = library.versions(name)
    view = st.segmented_control(
        t("prompts.view"), VIEWS, default="template", required=True, key="prompts.view",
        format_func=lambda one: term("prompt_view", one), label_visibility="collapsed",
    )  # fmt: skip
    sides = st.columns(2, gap="medium") if len(known) > 1 else [st.container()]
    shown: list[Prompt] = []
    plan = _plan(workspace, name) if view == "rendered" else None
    for index, side in enumerate(sides):
        with side:
            first = len(known) - len(sides) + index
            version = st.selectbox(
                t("prompts.version"), known, index=first, key=f"prompts.{name}.version.{index}"
            )
            try:
                prompt = library.get(name, version or known[-1])
            except PromptError as error:
                show_error(error)
                continue
            shown.append(prompt)
            _facts(library, prompt)
            if view == "template":
                st.code(f"{prompt.system}\n\n{prompt.template}", language="jinja2", wrap_lines=True)
            elif plan is not None:
                _rendered(plan, prompt)
    if view == "diff":
        if len(shown) == 2:
            before, after = (f"{one.system}\n\n{one.template}" for one in shown)
            found = texts.unified(before, after)
            st.code(
                "\n".join(found.split("\n")[2:]) or t("studio.same_text"), language="diff", wrap_lines=True
            )
        else:
            st.caption(t("prompts.one_version"))


def _facts(library: PromptLibrary, prompt: Prompt) -> None:
    released = library.is_released(prompt.agent, prompt.version)
    lock = (
        f":green-badge[:material/lock: {t('prompts.locked')}]"
        if released
        else f":orange-badge[{t('prompts.open')}]"
    )
    st.markdown(f"{lock} :gray[:small[{term('stage', prompt.stage)} · {prompt.hash[:8]}]]")


def _plan(workspace: Workspace, name: str) -> Plan | None:
    """A plan of the first strategy that asks this prompt, over a subject of choice."""
    using = _strategies(workspace, name)
    if not using:
        st.caption(t("prompts.unused"))
        return None
    strategy = using[0]
    chosen = st.selectbox(
        t("form.strategy"), using, format_func=lambda one: one.name, key=f"prompts.{name}.strategy"
    )
    strategy = chosen or strategy
    cases = choose_cases(workspace, strategy.strategy.kind, "prompts", several=False)
    if not cases:
        return None
    try:
        return workspace.plan(strategy, cases[0].subject, cases[0].as_of)
    except WorkbenchError as error:
        show_error(error)
        return None


def _strategies(workspace: Workspace, name: str) -> list[LoadedStrategy]:
    found = []
    for one in workspace.strategies():
        try:
            loaded = workspace.strategy(one)
        except StrategyError:
            continue
        if name in loaded.strategy.prompt_names():
            found.append(loaded)
    return found


def _rendered(plan: Plan, prompt: Prompt) -> None:
    """The prompt as the first agent that answers it would be sent it, in this version."""
    step = next((step for step in plan.steps if prompt.agent in _names(step)), None)
    if step is None:
        st.caption(t("prompts.no_agent"))
        return
    steps = tuple(_with(one, prompt) if one is step else one for one in plan.steps)
    asked = asyncio.run(preview(replace(plan, steps=steps), Baseline()))
    one: AgentPreview = next(agent for agent in asked if agent.step.agent == step.agent)
    if one.error:
        st.error(text.escape(one.error), icon=":material/error:")
    question = next((q for q in one.questions if q.name == prompt.agent), None)
    if question is None:
        st.caption(t("opinions.no_evidence"))
        return
    st.caption(t("prompts.for_agent", agent=text.escape(step.title)))
    if words := placeholders(one, question):
        st.caption(words)
    st.code(f"{question.system}\n\n{question.prompt}", language=None, wrap_lines=True)


def _names(step: Step) -> set[str]:
    return {step.draft.agent} | ({step.revise.agent} if step.revise else set())


def _with(step: Step, prompt: Prompt) -> Step:
    return replace(step, draft=prompt) if step.draft.agent == prompt.agent else replace(step, revise=prompt)


def next_version(workspace: Workspace, name: str) -> None:
    """The text of the newest version to be changed; saving it writes the next one and touches no other."""
    library = workspace.prompts
    newest = library.versions(name)[-1]
    coming = f"v{int(newest[1:]) + 1}"
    with st.expander(t("prompts.edit", version=coming), icon=":material/edit:"):
        st.caption(t("prompts.edit_help", version=coming))
        body = texts.shown(library.text(name, newest))
        with st.form(f"prompts.{name}.form", border=False):
            typed = st.text_area(t("prompts.text"), body, height=420, key=f"prompts.{name}.{newest}.text")
            if st.form_submit_button(
                t("prompts.save", version=coming), type="primary", icon=":material/save:", key="prompts.save"
            ):
                try:
                    library.write_next(name, typed)
                except PromptError as error:
                    show_error(error)
                    return
                open_page("prompts", prompt=name)
    _complete(workspace, name)


def _complete(workspace: Workspace, name: str) -> None:
    """A strategy asks all its prompts in one version: the others are brought along as copies."""
    library = workspace.prompts
    newest = library.versions(name)[-1]
    wanted = {one for loaded in _strategies(workspace, name) for one in loaded.strategy.prompt_names()}
    behind = sorted(one for one in wanted if newest not in library.versions(one))
    if not behind:
        return
    with st.container(border=True):
        st.markdown(t("prompts.behind", version=newest, names=text.escape(", ".join(behind))))
        if st.button(
            t("prompts.complete", version=newest), icon=":material/content_copy:", key="prompts.complete"
        ):
            try:
                for one in behind:
                    while newest not in (known := library.versions(one)):
                        library.write_next(one, library.text(one, known[-1]))
            except PromptError as error:
                show_error(error)
                return
            st.rerun()
