"""What every page promises, whatever is in the store and whatever the address says."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open, chapters_run, match_run, opinion_lines, stored
from workbench.ui import text
from workbench.ui.language import LANGUAGES, Language, catalogue
from workbench.ui.navigation import PageName
from workbench.workspace import Workspace

PAGES = get_args(PageName)


def words(app: AppTest) -> str:
    """Everything a reader can read outside tables and charts."""
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.text, app.error, app.warning, app.code)
    labels = [element.label for element in (*app.button, *app.metric, *app.expander)]
    return "\n".join([str(element.value) for kind in kinds for element in kind] + labels)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_empty_workspace(open_page: Open, page: str, language: str) -> None:
    app = open_page(page, lang=language)
    assert not app.exception
    assert not app.error


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("home", "home.no_runs"),
        ("new_run", "form.choose_subject"),
        ("run", "run.none"),
        ("runs", "runs.empty"),
        ("compare", "compare.empty"),
    ],
)
def test_an_empty_page_says_what_will_be_here(
    open_page: Open, page: str, text: str, language: Language
) -> None:
    assert catalogue(language)[text] in words(open_page(page, lang=language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_company_run_is_shown_in_full(open_page: Open, workspace: Workspace, language: Language) -> None:
    app = open_page("run", run=stored(workspace.store, chapters_run()), lang=language)
    shown = words(app)
    assert not app.exception
    name = {"en": "Kweichow Moutai", "zh": "贵州茅台"}[language]
    assert app.title[0].value == rf"{name} 600519\.SH"
    assert app.metric[0].value == "65"
    texts = catalogue(language)
    assert texts["label.watch"] in shown
    assert texts["verdict.counted"].format(counted=6, total=6) in shown
    assert "模型给出的建议是买入" in shown  # the warning
    lines = opinion_lines(app)
    assert [line["agent"] for line in lines] == [*(c[1] for c in chapters_titles()), "综合研判"]
    assert (lines[3]["score"], lines[3]["change"]) == ("46 → 39", "−7")
    assert (lines[2]["score"], lines[2]["change"]) == ("88 → 88", "0")


def chapters_titles() -> list[tuple[str, str]]:
    return [(report.agent, report.title) for report in chapters_run().reports[:-1]]


def test_the_largest_change_can_come_first(open_page: Open, workspace: Workspace) -> None:
    app = open_page("run", run=stored(workspace.store, chapters_run()))
    app.segmented_control(key="run.order").set_value("change").run()
    changes = [line["change"].removeprefix("−") for line in opinion_lines(app)]
    assert changes == ["10", "8", "7", "5", "2", "1", "0"]


def test_a_reason_is_never_cut(open_page: Open, workspace: Workspace) -> None:
    """The cells of a dataframe held three lines, and the end of what a model wrote was lost."""
    run = chapters_run()
    first = run.reports[0]
    assert first.revised
    reason = "\n\n".join(f"Point {number} of the checklist changed the score." for number in range(40))
    told = first.model_copy(update={"revised": first.revised.model_copy(update={"why_changed": reason})})
    run = run.model_copy(update={"reports": (told, *run.reports[1:])})
    lines = opinion_lines(open_page("run", run=stored(workspace.store, run)))
    assert lines[0]["why"] == text.escape(reason.replace("\n\n", " "))


def test_the_rule_that_moved_the_verdict_is_named_with_both_values(
    open_page: Open, workspace: Workspace
) -> None:
    app = open_page("run", run=stored(workspace.store, chapters_run()))
    rules = next(table.value for table in app.table if "Rule" in table.value.columns)
    assert rules["Changed"].iloc[0] == "score 68 → **65**"


def test_a_match_run_shows_missing_experts_as_missing(open_page: Open, workspace: Workspace) -> None:
    app = open_page("run", run=stored(workspace.store, match_run()))
    assert not app.exception
    assert app.metric[0].value == "2.0 – 1.1"
    lines = {line["agent"]: line for line in opinion_lines(app)}
    assert (lines["Squad"]["score"], lines["Squad"]["status"]) == ("–", "○ no data")
    assert lines["Head to head"]["why"] == text.escape("the model did not answer within 120 s.")
    assert "3 of 5 counted" in words(app)


@pytest.mark.parametrize("agent", ["ch04_valuation", "synthesis"])
def test_the_address_opens_one_agent_with_its_prompts_and_raw_answers(
    open_page: Open, workspace: Workspace, agent: str
) -> None:
    run = chapters_run()
    app = open_page("run", run=stored(workspace.store, run), agent=agent)
    assert not app.exception
    code = [element.value for element in app.code]
    for call in run.report(agent).calls:  # type: ignore[union-attr]
        assert call.prompt in code
        assert call.reply in code


def test_nothing_a_model_wrote_becomes_markup(open_page: Open, workspace: Workspace) -> None:
    """Text of models, feeds and files goes through ``st.text``, ``st.code`` or the escape of ``ui.text``."""
    app = open_page("run", run=stored(workspace.store, chapters_run()), agent="ch01_data")
    for element in (*app.markdown, *app.caption, *app.error, *app.warning, *app.expander):
        shown = str(getattr(element, "value", "")) + str(getattr(element, "label", ""))
        for mark in ("<img", "![x]", ":red[r]", "**bold**"):
            assert mark not in shown
    for table in app.table:
        assert not table.value.astype(str).map(lambda cell: "![x]" in cell or "<img" in cell).any(axis=None)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("run", {"run": "no-such-run"}),
        ("run", {"run": "<script>alert(1)</script>"}),
        ("run", {"run": "../../etc/passwd"}),
        ("run", {"run": "x" * 5000}),
        ("compare", {"runs": "nothing,nobody"}),
        ("new_run", {"pipeline": "chapters", "subject": "NO SUCH COMPANY"}),
        ("new_run", {"pipeline": "chapters", "subject": "600519.SH", "as_of": "2021-99-99"}),
        ("new_run", {"pipeline": "chapters", "subject": "600519.SH", "as_of": "1999-01-01"}),
    ],
)
def test_an_address_that_names_nothing_is_an_error_in_one_line(
    open_page: Open, workspace: Workspace, page: str, query: dict[str, str]
) -> None:
    stored(workspace.store, chapters_run())
    stored(workspace.store, chapters_run())
    app = open_page(page, **query)
    assert not app.exception
    assert app.error
    assert "Traceback" not in words(app)


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("run", {"agent": "nobody"}),
        ("runs", {"runs.page": "99"}),
        ("runs", {"runs.page": "-1", "status": "nonsense", "order": "'; drop table runs"}),
        ("runs", {"runs.text": "%_' OR 1=1 --"}),
        ("compare", {"runs": ",,,"}),
        ("new_run", {"pipeline": "nonsense", "strategy": "../secrets", "specialist": "a" * 300}),
        ("new_run", {"pipeline": "match", "subject": "not|a|match"}),
        ("home", {"lang": "xx", "unknown": "1"}),
    ],
)
def test_an_address_with_nonsense_beside_the_point_is_shown_without_it(
    open_page: Open, workspace: Workspace, page: str, query: dict[str, str]
) -> None:
    stored(workspace.store, chapters_run())
    app = open_page(page, **query)
    assert not app.exception
    assert not app.error


def test_runs_are_filtered_and_paged(open_page: Open, workspace: Workspace) -> None:
    for _ in range(26):
        stored(workspace.store, match_run())
    stored(workspace.store, chapters_run())
    app = open_page("runs")
    assert len(app.dataframe[0].value) == 25
    app.pagination(key="runs.page").set_value(2).run()
    assert len(app.dataframe[0].value) == 2
    app.text_input(key="runs.text").set_value("茅台").run()
    assert list(app.dataframe[0].value["subject"]) == ["Kweichow Moutai 600519.SH"]
    app.text_input(key="runs.text").set_value("kweichow").run()  # the run itself is in Chinese
    assert list(app.dataframe[0].value["subject"]) == ["Kweichow Moutai 600519.SH"]
    app.text_input(key="runs.text").set_value("nowhere").run()
    assert catalogue("en")["runs.none_match"] in words(app)
    assert not app.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_filtered_list_can_be_sent_to_a_reader_of_another_language(
    open_page: Open, workspace: Workspace, language: Language
) -> None:
    """The address held the words of the sender's language, which the receiver's page took for nonsense."""
    stored(workspace.store, match_run())
    stored(workspace.store, chapters_run())
    app = open_page("runs", lang=language, pipeline="chapters", status="done", order="oldest")
    assert len(app.dataframe[0].value) == 1
    assert app.selectbox(key="runs.pipeline").value == "chapters"
    assert app.selectbox(key="runs.order").value == "oldest"


def test_a_filter_over_runs_goes_into_the_address(open_page: Open, workspace: Workspace) -> None:
    stored(workspace.store, match_run())
    app = open_page("runs")
    app.selectbox(key="runs.pipeline").set_value("match").run()
    assert app.query_params["pipeline"] == "match"


def test_a_star_tags_and_a_note_are_kept(open_page: Open, workspace: Workspace) -> None:
    run_id = stored(workspace.store, chapters_run())
    app = open_page("run", run=run_id)
    app.button(key="run.star").click().run()
    app.text_area(key="run.marks.note").set_value("review the price")
    app.multiselect(key="run.marks.tags").set_value(["core"])
    next(button for button in app.button if button.label == "Save").click().run()
    (row,) = workspace.store.find(run_id=run_id)
    assert (row.starred, row.tags, row.note) == (True, ("core",), "review the price")
    assert not app.exception


def test_a_comparison_is_signed_against_the_first_run(open_page: Open, workspace: Workspace) -> None:
    first = stored(workspace.store, chapters_run())
    verdict = chapters_run().verdict.model_copy(update={"score": 81.0, "label": "buy", "adjustments": ()})  # type: ignore[union-attr]
    second = stored(workspace.store, chapters_run(verdict=verdict))
    app = open_page("compare", runs=f"{first},{second}")
    assert not app.exception
    table = app.table[0].value
    score = table[table["What"] == "score"].iloc[0]
    assert list(score)[1:] == ["65", "81 :gray[+16]"]
    app.toggle(key="compare.differing").set_value(False).run()
    assert len(app.table[0].value) > len(table)


def test_a_rule_is_named_with_the_word_for_what_it_changed(open_page: Open, workspace: Workspace) -> None:
    """A Chinese comparison had rows such as "否决：债务危险: score"."""
    first = stored(workspace.store, chapters_run())
    adjusted = chapters_run().verdict
    assert adjusted is not None
    rule = adjusted.adjustments[0]
    second = stored(workspace.store, chapters_run(verdict=adjusted.model_copy(update={"adjustments": ()})))
    app = open_page("compare", runs=f"{first},{second}", lang="zh")
    assert not app.exception
    names = [name.replace("\\", "") for name in app.table[0].value.iloc[:, 0]]
    assert f"{rule.rule} · {catalogue('zh')[f'compare_row.{rule.field}']}" in names


def test_runs_of_two_pipelines_cannot_be_compared(open_page: Open, workspace: Workspace) -> None:
    one, other = stored(workspace.store, chapters_run()), stored(workspace.store, match_run())
    app = open_page("compare", runs=f"{one},{other}")
    assert not app.exception
    assert "nothing to compare" in words(app)


def test_the_language_is_remembered_in_the_workspace(open_page: Open, workspace: Workspace) -> None:
    app = open_page("home", lang="en")
    app.button(key="app.language.switch").click().run()
    assert app.title[0].value == catalogue("zh")["app.name"]
    assert json.loads((workspace.data_dir / "preferences.json").read_text()) == {"language": "zh"}


def test_a_broken_preferences_file_does_no_harm(open_page: Open, workspace: Workspace) -> None:
    (workspace.data_dir / "preferences.json").write_text("[not json")
    assert not open_page("home").exception


def test_a_broken_strategy_is_named_and_the_others_stay_usable(open_page: Open, workspace: Workspace) -> None:
    (workspace.strategy_dir / "broken.yaml").write_text("kind: chapters\nname: [", encoding="utf-8")
    app = open_page("new_run", subject="600519.SH", as_of="2021-06-30")
    assert not app.exception
    assert "broken.yaml" in words(app)
    assert app.button(key="new_run.start")


def test_key_figures_are_in_the_readers_steps_and_a_missing_one_says_why(
    open_page: Open, workspace: Workspace
) -> None:
    run = chapters_run()
    first, *others = run.reports
    facts = {
        "latest": {"market_cap": 2.7858e12, "pe": None, "price_date": "2021-05-31"},
        "ratios": {"gross_margin": {"2019": 0.913, "2020": 0.915}, "roe": {}},
    }
    evidence = first.evidence.model_copy(update={"facts": facts, "missing": {"pe": "loss in 2020"}})
    shown = run.model_copy(update={"reports": (first.model_copy(update={"evidence": evidence}), *others)})
    run_id = stored(workspace.store, shown)
    figures = {
        element.value.split("[")[2].split("]")[0]: (element.value.split("**")[1], element.help)
        for element in open_page("run", run=run_id, agent=first.agent, lang="zh").markdown
        if element.value.startswith(":small[:gray[")
    }
    assert figures["总市值"] == (r"2\.8 万亿", "")
    assert figures["毛利率"] == (r"91\.5%", "")
    assert figures["市盈率"] == ("–", "loss in 2020")
    assert figures["净资产收益率"] == ("–", "未披露。")


def test_a_defect_is_one_line_and_not_a_traceback() -> None:
    script = (
        "from workbench.ui.panels.states import show_unexpected\nshow_unexpected(ValueError('secret detail'))"
    )
    app = AppTest.from_string(script).run()
    (shown,) = app.error
    assert "ValueError" in shown.value
    assert "secret" not in shown.value


def test_marked_runs_are_starred_tagged_and_compared(open_page: Open, workspace: Workspace) -> None:
    ids = [stored(workspace.store, chapters_run()) for _ in range(3)]
    app = open_page("runs")
    assert app.button(key="runs.compare").disabled
    app.session_state["runs.table"] = {"selection": {"rows": [0, 1], "columns": [], "cells": []}}
    app.run()
    assert app.button(key="runs.compare").label == "Compare (2)"
    app.text_input(key="runs.tag.text").set_value("core").run()
    app.button(key="runs.tag.save").click().run()
    app.button(key="runs.star").click().run()
    assert not app.exception
    marked = {row.run_id: (row.starred, row.tags) for row in workspace.store.find()}
    assert marked == {ids[0]: (False, ()), ids[1]: (True, ("core",)), ids[2]: (True, ("core",))}
