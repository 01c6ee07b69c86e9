"""What the checks of a strategy find: where, what is wrong, and how to mend it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.strategy_samples import MATCH, STRATEGY, operator_text, write_libraries
from workbench.strategy.claims import Measured, contradictions
from workbench.strategy.document import Document
from workbench.strategy.findings import Finding
from workbench.strategy.lint import Libraries, lint

FLAG = "{type: flag, description: x}"


@pytest.fixture
def libraries(tmp_path: Path) -> Libraries:
    return write_libraries(tmp_path)


def findings(text: str, libraries: Libraries, name: str = "sample.yaml") -> list[Finding]:
    return lint(Document.parse(text.encode(), name), libraries)


def only(text: str, libraries: Libraries) -> Finding:
    found = findings(text, libraries)
    assert len(found) == 1, [str(finding) for finding in found]
    return found[0]


def add_operator(libraries: Libraries, id: str, outputs: str, slice_name: str = "statements") -> None:
    path = libraries.operators.folder / f"{id}.md"
    path.write_text(operator_text(id, outputs, slice_name), encoding="utf-8")


def test_a_sound_strategy_has_no_findings(libraries: Libraries) -> None:
    assert findings(STRATEGY, libraries) == []
    assert findings(MATCH, libraries, "match.yaml") == []


def test_every_mistake_of_the_schema_is_listed_in_the_order_of_the_lines(libraries: Libraries) -> None:
    text = (
        STRATEGY.replace("title: 价格", "titel: 价格")
        .replace("cap: 25", "cap: 250")
        .replace("title: 样例", "")
    )
    found = findings(text, libraries)
    lines = [int(finding.where.split(":")[1]) for finding in found]
    assert len(found) == 4
    assert lines == sorted(lines)
    assert all(finding.severity == "error" and finding.what and finding.remedy for finding in found)


@pytest.mark.parametrize(
    ("old", "new", "line", "severity", "what", "remedy"),
    [
        (
            "30-74",
            "30-70",
            26,
            "warning",
            "no anchor covers the scores between 70 and 75",
            "30-70 reach up to 74",
        ),
        ("75-100", "70-100", 26, "warning", "the anchors 30-74 and 70-100 overlap", "start above 74"),
        ("0-29", "5-29", 28, "warning", "no anchor covers the scores below 5", "start at 0"),
        ("75-100", "75-99", 26, "warning", "the highest anchor ends at 99, not 100", "0 to 100"),
        (
            "不可信 → 明确回避",
            "不可信 → 买入",
            28,
            "warning",
            "says buy, but its scores are avoid",
            "wording",
        ),
        ("credibility", "credibilty", 11, "error", "there is no operator 'credibilty'", "'credibility'?"),
        (
            "先看 Ch01",
            "先看Ch07",
            20,
            "warning",
            "'否决' names Ch07, which does not exist",
            "Ch01 数据, Ch02 价格",
        ),
        ("先看 Ch01", "先看第三章、Ch01", 20, "warning", "'否决' names Ch03", "Ch01 数据"),
        ("先看 Ch01", "先看第十二章、Ch1", 20, "warning", "'否决' names Ch12", "Ch01 数据"),
        (
            "field: trusted",
            "field: trustd",
            36,
            "error",
            "'trustd', which chapter 'ch01_data' does not",
            "'trusted'?",
        ),
        (
            "name: sample",
            "name: other",
            3,
            "warning",
            "called 'other' in the file sample.yaml",
            "`name: sample`",
        ),
        ("再看 Ch02 的价格", "完", 16, "warning", "uses fair_price of chapter 'ch02_price'", "Name 价格"),
        ("kind: chapters", "kind: chapters\nprompt_version: v7", 3, "error", "no prompt chapter v7", "v1"),
    ],
)
def test_a_finding_says_where_what_and_how_to_mend_it(
    libraries: Libraries, old: str, new: str, line: int, severity: str, what: str, remedy: str
) -> None:
    found = [f for f in findings(STRATEGY.replace(old, new), libraries) if what in f.what]
    assert len(found) == 1
    assert found[0].where == f"sample.yaml:{line}"
    assert found[0].severity == severity
    assert remedy in found[0].remedy


def test_an_anchor_that_lies_across_a_threshold_is_named_with_the_threshold(libraries: Libraries) -> None:
    text = STRATEGY.replace("buy: 75, watch: [30, 74]", "buy: 70, watch: [30, 69]")
    finding = only(text, libraries)
    assert "the anchor 30-74 lies across the threshold 70: its scores are watch and buy" in finding.what
    assert finding.where == "sample.yaml:27"


def test_anchors_that_meet_within_the_precision_they_are_written_in_leave_no_gap(
    libraries: Libraries,
) -> None:
    text = STRATEGY.replace("30-74", "29.5-74.9").replace("0-29", "0-29.4").replace("75-100", "75.0-100")
    assert [f for f in findings(text, libraries) if "no anchor" in f.what] == []


def test_a_leaning_is_not_a_label(libraries: Libraries) -> None:
    """An anchor may say that it leans towards avoiding while its scores are watched."""
    assert findings(STRATEGY.replace("有疑虑 → 观望", "有疑虑 → 偏向回避"), libraries) == []


def test_a_chapter_that_needs_a_later_one_is_a_warning_where_no_cycle_comes_of_it(
    libraries: Libraries,
) -> None:
    text = STRATEGY.replace("[credibility]", "[credibility]\n      needs: [ch02_price]")
    text = text.replace("[valuation]", "[valuation]\n      needs: []")
    finding = only(text, libraries)
    assert "chapter 'ch01_data' needs 'ch02_price', which stands after it" in finding.what
    assert (finding.severity, finding.where) == ("warning", "sample.yaml:12")


def test_an_operator_whose_slice_nobody_provides_is_an_error(libraries: Libraries) -> None:
    add_operator(libraries, "credibility", f"trusted: {FLAG}", slice_name="statments")
    finding = only(STRATEGY, libraries)
    assert "operator 'credibility' needs the evidence slice 'statments'" in finding.what
    assert "In credibility.md: Did you mean 'statements'?" in finding.remedy


def test_a_broken_operator_is_named_with_its_own_line(libraries: Libraries) -> None:
    add_operator(libraries, "credibility", "trusted: {type: maybe, description: x}")
    assert "credibility.md:7: outputs.trusted.type" in only(STRATEGY, libraries).what


def test_two_operators_of_one_chapter_may_not_answer_the_same_field(libraries: Libraries) -> None:
    add_operator(libraries, "twin", f"trusted: {FLAG}")
    finding = only(STRATEGY.replace("[credibility]", "[credibility, twin]"), libraries)
    assert "'credibility' and 'twin' both answer the field 'trusted'" in finding.what
    assert finding.severity == "error"


def test_operators_of_industries_that_never_meet_may_answer_the_same_field(libraries: Libraries) -> None:
    text = STRATEGY.replace("[credibility]", "[credibility, twin]")
    for id, gate in (("credibility", "industries_excluded: [bank]"), ("twin", "industries: [bank]")):
        path = libraries.operators.folder / f"{id}.md"
        path.write_text(operator_text(id, f"trusted: {FLAG}\n{gate}"), encoding="utf-8")
    assert findings(text, libraries) == []


def test_a_match_expert_needs_a_slice_and_a_prompt(libraries: Libraries) -> None:
    text = MATCH.replace("slice: form}", "slice: from}\n  - {name: weather, title: 天气, slice: form}")
    found = findings(text, libraries, "match.yaml")
    assert [f.where for f in found] == ["match.yaml:1", "match.yaml:5"]
    assert "there is no prompt weather v1" in found[0].what
    assert "no evidence slice 'from'" in found[1].what
    assert "'form'?" in found[1].remedy


def test_single_mode_and_no_revision_need_fewer_prompts(libraries: Libraries) -> None:
    for name in ("aggregator", "form", "revise_expert"):
        (libraries.prompts.folder / "agents" / f"{name}_v1.md").unlink()
    assert len(findings(MATCH, libraries, "match.yaml")) == 3
    assert findings(MATCH.replace("kind: match", "kind: match\nmode: single"), libraries, "match.yaml") == []


# -- figures quoted in a step --------------------------------------------------------------------------------

WIN_RATE = Measured("价值发现", 12, "win_rate", value=0.62, low=0.55, high=0.69, n=180)


@pytest.mark.parametrize(
    "sentence",
    [
        "“价值发现”流派12m胜率仅47%，需审慎。",
        "价值发现在 12 个月的胜率只有 47 %",
        "价值发现：6m 与 12m 胜率 70%",
    ],
)
def test_a_quoted_win_rate_outside_the_measured_interval_is_contradicted(sentence: str) -> None:
    ((what, remedy),) = contradictions(sentence, [WIN_RATE])
    assert "12-month win rate of 价值发现" in what
    assert "62.0% (55.0% to 69.0%, n=180)" in what
    assert remedy


@pytest.mark.parametrize(
    "sentence",
    [
        "价值发现流派12m胜率60%。",
        "价值发现流派6m胜率47%。",
        "纯硬收息流派12m胜率47%。",
        "价值发现流派派息率47%，看12m。",
        "价值发现要从严。12m胜率47%的是另一类。",
        "价值发现流派12m胜率不高。",
    ],
)
def test_a_figure_within_the_interval_or_about_something_else_is_left_alone(sentence: str) -> None:
    assert list(contradictions(sentence, [WIN_RATE])) == []


def test_a_hard_rule_over_a_choice_nobody_can_make_is_an_error(libraries: Libraries) -> None:
    """A rule that reads 危险 in an English strategy, where the answer is "dangerous", would never hold."""
    add_operator(libraries, "credibility", "trusted: {type: choice, values: [可信, 存疑], description: x}")
    text = STRATEGY.replace('op: "==", value: false', "op: in, value: [存疑, 不可信]")
    finding = only(text, libraries)
    assert finding.severity == "error"
    assert "compares 'trusted' with '不可信', which nobody can choose" in finding.what
    assert findings(text.replace("[存疑, 不可信]", "[存疑]"), libraries) == []


def test_a_contradicted_figure_is_a_warning_at_its_step(libraries: Libraries) -> None:
    text = STRATEGY.replace("对照锚点给分。", "价值发现的12m胜率仅47%。")
    finding = only(text, replace(libraries, measured=[WIN_RATE]))
    assert (finding.severity, finding.where) == ("warning", "sample.yaml:24")
    assert findings(text, libraries) == []


# -- size ----------------------------------------------------------------------------------------------------


def test_a_strategy_of_200_steps_and_100_operators_is_edited_and_checked_in_a_blink(
    libraries: Libraries,
) -> None:
    for number in range(100):
        add_operator(libraries, f"op{number}", f"field{number}: {FLAG}")
    step = (
        "      - step: 第{}步\n        instruction: |\n" + "          看 Ch01。\n          再看 Ch02。\n" * 5
    )
    steps = "".join(step.format(number) for number in range(200))
    operators = ", ".join(["credibility", *(f"op{number}" for number in range(100))])
    text = STRATEGY.replace("    scoring_rubric:", f"{steps}    scoring_rubric:")
    document = Document.parse(text.replace("[credibility]", f"[{operators}]").encode(), "sample.yaml")
    lint(document, libraries)
    started = time.process_time()
    document = document.set(("framework", "synthesis", "thinking_steps", 100, "instruction"), "新\n")
    found = lint(document, libraries)
    assert found == []
    assert time.process_time() - started < 0.3


def test_an_anchor_that_cannot_be_read_hides_nothing_about_the_others(libraries: Libraries) -> None:
    """One bad range made every warning about the rubric vanish until it was mended."""
    text = STRATEGY.replace('"0-29"', "abc").replace("30-74", "30-80")
    found = [finding.what for finding in findings(text, libraries)]
    assert any("'abc' is not a range" in what for what in found)
    assert any("the anchors 30-80 and 75-100 overlap" in what for what in found)
    assert any("30-80 lies across the threshold 75" in what for what in found)


def test_an_anchor_within_another_leaves_no_gap_behind_it(libraries: Libraries) -> None:
    """The anchor after one that lies within a wider one was said to leave a gap, and its overlap was not."""
    narrow = '      - {range: "40-50", description: 有疑虑 → 观望}\n'
    text = STRATEGY.replace('      - {range: "0-29"', narrow + '      - {range: "0-29"')
    assert [finding.what for finding in findings(text, libraries)] == ["the anchors 30-74 and 40-50 overlap."]


def test_a_rubric_of_another_shape_is_left_to_the_schema(libraries: Libraries) -> None:
    for text in (
        STRATEGY.replace("{buy: 75, watch: [30, 74], avoid: 29}", "high"),
        STRATEGY.replace("    scoring_rubric:", "    scoring_rubric: none\n    rubric:"),
        "framework: 3\n",
    ):
        assert all(finding.severity == "error" for finding in findings(text, libraries))
