"""What the synthesis reads of the chapters when their texts do not fit its budget."""

from __future__ import annotations

from typing import Any

from workbench.pipelines.abridging import LEFT_OUT, abridged, left_out
from workbench.records import PERCENT_SCALE, Evidence, Opinion, Report, Status


def chapter(
    agent: str, score: float | None, text: int = 1000, status: Status = "ok", **fields: Any
) -> Report:
    """A chapter with a text of so many tokens, and 7 tokens of fields where there are no others."""
    opinion = Opinion(
        stage="revised", score=score, analysis="字" * text, fields={"conclusion": "可", **fields}
    )
    counted = status == "ok"
    return Report(
        agent=agent,
        title=agent,
        role="chapter",
        scale=PERCENT_SCALE,
        status=status,
        evidence=Evidence(),
        draft=opinion.model_copy(update={"stage": "draft"}) if counted else None,
        revised=opinion if counted else None,
    )


CHAPTERS = [chapter("data", 70), chapter("cash", 40), chapter("value", 80), chapter("stress", None)]


def texts(budget: int, chapters: list[Report] = CHAPTERS) -> list[str]:
    """Titles of the chapters whose text is read in full."""
    read = abridged(chapters, budget, "zh")
    return [report.title for report in read if report.final and report.final.analysis != LEFT_OUT["zh"]]


def test_within_the_budget_everything_is_read_in_full() -> None:
    assert abridged(CHAPTERS, 5000, "zh") == CHAPTERS
    assert left_out(CHAPTERS, 5000) == []


def test_what_speaks_least_against_the_company_goes_first() -> None:
    assert texts(4000) == ["data", "cash", "value"]  # no judgement
    assert texts(3000) == ["data", "cash"]  # then the highest score
    assert texts(2000) == ["cash"]
    assert texts(1) == []
    assert left_out(CHAPTERS, 3000) == ["value", "stress"]


def test_of_two_equal_chapters_the_earlier_goes_first() -> None:
    assert texts(1500, [chapter("one", 60), chapter("two", 60)]) == ["two"]


def test_conclusion_and_fields_stay_and_the_report_itself_is_not_changed() -> None:
    (kept,) = abridged([chapter("cash", 40, debt_assessment="危险")], 10, "en")
    assert kept.final is not None
    assert kept.final.fields == {"conclusion": "可", "debt_assessment": "危险"}
    assert (kept.final.score, kept.final.analysis) == (40, LEFT_OUT["en"])
    assert kept.draft is not None
    assert len(kept.draft.analysis) == 1000


def test_fields_count_too() -> None:
    wordy = chapter("wordy", 90, text=100, remark="字" * 900)
    assert texts(1180, [wordy, chapter("cash", 40, text=200)]) == ["cash"]


def test_a_chapter_without_an_answer_takes_no_room_and_a_short_text_is_not_replaced_by_a_longer_note() -> (
    None
):
    failed = chapter("failed", 50, status="error")
    short = chapter("short", 90, text=3)
    assert abridged([failed, short], 1, "zh") == [failed, short]
