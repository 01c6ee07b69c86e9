"""The operators page and the prompts page: what can be read, edited, refused and released."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import Open
from workbench.ui.language import LANGUAGES
from workbench.ui.operator_editor import OperatorEditor
from workbench.workspace import Workspace

QUESTION = "operators.question"


@pytest.mark.parametrize("language", LANGUAGES)
def test_operators_are_listed_with_who_uses_them(
    open_page: Open, workspace: Workspace, language: str
) -> None:
    app = open_page("operators", lang=language)
    assert not app.exception
    table = app.dataframe[0].value.set_index("id")
    assert set(table.index) == set(workspace.operators.ids())
    assert "value" in table.loc["debt_structure", "used"]


@pytest.mark.parametrize(("language", "word"), [("en", "Cash and debt"), ("zh", "现金与负债")])
def test_a_category_is_named_in_the_language_of_the_page(open_page: Open, language: str, word: str) -> None:
    """The English page listed Chinese categories."""
    app = open_page("operators", lang=language)
    assert app.dataframe[0].value.set_index("id").loc["debt_structure", "category"] == word
    assert word in app.selectbox(key="operators.category").options


def test_operators_are_filtered_by_category_and_industry(open_page: Open) -> None:
    app = open_page("operators")
    app.selectbox(key="operators.gate").set_value("bank").run()
    shown = set(app.dataframe[0].value["id"])
    assert "bank_margin" in shown
    assert "debt_structure" not in shown  # not for banks
    assert "broker_cycle" not in shown  # for brokers only


def test_every_operator_can_be_edited_by_form(workspace: Workspace) -> None:
    for id in workspace.operators.ids():
        editor = OperatorEditor(workspace, id)
        assert not editor.findings, id
        assert editor.written(editor.current(), editor.read(editor.current())) == editor.current(), id


@pytest.mark.parametrize("id", ["debt_structure", "bank_margin"])
def test_a_form_changes_nothing_by_itself(open_page: Open, workspace: Workspace, id: str) -> None:
    app = open_page("operators", operator=id)
    assert not app.exception
    assert not app.error
    assert workspace.store.strategies.drafts() == ()


def test_an_edited_question_is_a_draft_until_it_is_saved(open_page: Open, workspace: Workspace) -> None:
    before = workspace.operators.read("debt_structure").decode()
    app = open_page("operators", operator="debt_structure")
    app.text_area(key=QUESTION).set_value("债务是好债吗？").run()
    assert workspace.operators.read("debt_structure").decode() == before
    app = open_page("operators", operator="debt_structure")
    assert app.text_area(key=QUESTION).value == "债务是好债吗？"
    app.button(key="operators.save").click().run()
    after = workspace.operators.read("debt_structure").decode()
    assert after.rstrip().endswith("债务是好债吗？")
    assert after[: after.index("债务是")] == before[: after.index("债务是")]
    assert workspace.store.strategies.drafts() == ()


def test_an_output_becomes_a_choice_and_back(open_page: Open, workspace: Workspace) -> None:
    """The English part of the operator was left behind, so that no output could be added or retyped."""
    app = open_page("operators", operator="debt_structure")
    app.button(key="operators.outputs.add").click().run()
    app.selectbox(key="operator.outputs.field.type").set_value("choice").run()
    assert not app.exception
    app.button(key="operators.save").click().run()
    output = workspace.operators.get("debt_structure").outputs["field"]
    assert (output.type, output.values) == ("choice", ("A", "B"))
    english = workspace.operators.get("debt_structure").english
    assert english is not None
    assert english.outputs["field"].values == ("A", "B")
    app.multiselect(key="operator.outputs.field.values").set_value(["B"]).run()
    app.text_input(key=f"operators.outputs.{len(english.outputs) - 1}.name").set_value("grade").run()
    app.button(key="operators.save").click().run()
    english = workspace.operators.get("debt_structure").english
    assert english is not None
    assert english.outputs["grade"].values == ("B",)
    app.selectbox(key="operator.outputs.grade.type").set_value("text").run()
    app.button(key="operators.save").click().run()
    assert workspace.operators.get("debt_structure").outputs["grade"].values == ()


def test_an_operator_that_would_be_invalid_cannot_be_saved(open_page: Open, workspace: Workspace) -> None:
    app = open_page("operators", operator="debt_structure")
    app.multiselect(key="operator.data_needed").set_value([]).run()
    assert app.button(key="operators.save").disabled
    assert workspace.operators.get("debt_structure").data_needed


def rename_output(app: AppTest, old: str, new: str) -> AppTest:
    key = next(field.key for field in app.text_input if field.value == old)
    app.text_input(key=key).set_value(new).run()
    return app.button(key="operators.save").click().run()


def test_a_save_that_would_break_strategies_waits_for_a_tick(open_page: Open, workspace: Workspace) -> None:
    """Renaming ``debt_assessment`` switched off hard rules of five strategies and said nothing."""
    before = workspace.operators.read("debt_structure")
    app = rename_output(open_page("operators", operator="debt_structure"), "debt_assessment", "debt_view")
    assert not app.exception
    assert workspace.operators.read("debt_structure") == before
    shown = "\n".join(element.value for element in app.markdown).replace("\\", "")
    assert "**value**" in shown
    assert "'debt_assessment', which chapter 'ch03_cashflow' does not answer" in shown
    assert app.button(key="operators.save").disabled
    app.checkbox(key="operators.sure").check().run()
    app.button(key="operators.save").click().run()
    assert not app.exception
    assert not app.error
    assert "debt_view" in workspace.operators.get("debt_structure").outputs


def test_the_tick_holds_for_the_text_it_was_given_for(open_page: Open, workspace: Workspace) -> None:
    before = workspace.operators.read("debt_structure")
    app = rename_output(open_page("operators", operator="debt_structure"), "debt_assessment", "debt_view")
    app.checkbox(key="operators.sure").check().run()
    rename_output(app, "debt_view", "debt_word")
    assert workspace.operators.read("debt_structure") == before
    assert app.error


def test_a_field_no_strategy_reads_is_renamed_at_once(open_page: Open, workspace: Workspace) -> None:
    app = open_page("operators", operator="debt_structure")
    app.button(key="operators.outputs.add").click().run()
    app.button(key="operators.save").click().run()
    rename_output(app, "field", "renamed")
    assert not app.error
    assert "renamed" in workspace.operators.get("debt_structure").outputs


def test_a_new_operator_can_be_edited_at_once(open_page: Open, workspace: Workspace) -> None:
    app = open_page("operators")
    app.text_input(key="operators.new.id").set_value("brand_power")
    app.text_input(key="operators.new.title").set_value("品牌: 力量")
    app.button(key="operators.new.press").click().run()
    assert not app.exception
    assert workspace.operators.get("brand_power").title == "品牌: 力量"


@pytest.mark.parametrize("id", ["../../x", "CON", "Big", "no_such_operator"])
def test_a_hostile_operator_in_the_address_gets_a_message(open_page: Open, id: str) -> None:
    app = open_page("operators", operator=id)
    assert not app.exception
    assert app.error


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", ["template", "rendered", "diff"])
@pytest.mark.parametrize("name", ["synthesis", "revise_chapter", "aggregator", "single"])
def test_a_prompt_is_shown_as_template_and_rendered(
    open_page: Open, name: str, view: str, language: str
) -> None:
    app = open_page("prompts", prompt=name, lang=language)
    app.segmented_control(key="prompts.view").set_value(view).run()
    assert not app.exception
    assert not app.error


def test_a_rendered_prompt_holds_the_subject(open_page: Open) -> None:
    app = open_page("prompts", prompt="synthesis")
    app.segmented_control(key="prompts.view").set_value("rendered").run()
    assert any("600519.SH" in element.value for element in app.code)


def test_an_edit_is_a_new_version_and_the_old_one_stays(open_page: Open, workspace: Workspace) -> None:
    library = workspace.prompts
    before = library.text("synthesis", "v1")
    app = open_page("prompts", prompt="synthesis")
    app.text_area(key="prompts.synthesis.v1.text").set_value(before + "\n请再想一遍。\n")
    app.button(key="prompts.save").click().run()
    assert not app.exception
    assert library.versions("synthesis") == ("v1", "v2")
    assert library.text("synthesis", "v1") == before
    assert library.get("synthesis", "v2").template.endswith("请再想一遍。")

    # A strategy asks all its prompts in one version: the others follow as copies.
    app = open_page("prompts", prompt="synthesis")
    app.button(key="prompts.complete").click().run()
    assert not app.exception
    assert library.get("chapter", "v2").template == library.get("chapter", "v1").template


def test_a_malformed_prompt_is_refused(open_page: Open, workspace: Workspace) -> None:
    app = open_page("prompts", prompt="synthesis")
    app.text_area(key="prompts.synthesis.v1.text").set_value("{{ no head")
    app.button(key="prompts.save").click().run()
    assert app.error
    assert workspace.prompts.versions("synthesis") == ("v1",)


def test_a_release_locks_and_a_changed_file_is_named(open_page: Open, workspace: Workspace) -> None:
    app = open_page("prompts", prompt="synthesis")
    if any(button.key == "prompts.release" for button in app.button):
        app.button(key="prompts.release").click().run()
    assert workspace.prompts.is_released("synthesis", "v1")
    path = workspace.prompts_dir / "agents" / "synthesis_v1.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nmore\n", encoding="utf-8")
    app = open_page("prompts", prompt="synthesis")
    assert not app.exception
    assert any("changed after its release" in element.value for element in app.error)
