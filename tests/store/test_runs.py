from __future__ import annotations

import datetime as dt

import pytest

from tests.store_samples import AGENTS, APPLE, MOUTAI, make_plan, make_report
from workbench.errors import InputError, StoreError
from workbench.records import Adjustment, Models, Receipt, Verdict
from workbench.store.database import Database
from workbench.store.migrations import migrations
from workbench.store.runs import RunStore

MODELS = Models(specialist="baseline", aggregator="gpt-4o")
VERDICT = Verdict(
    score=25,
    label="avoid",
    confidence=0.4,
    fields={"综合评分": 81, "最终建议": "买入"},
    adjustments=(Adjustment(rule="veto", field="score", before=81, after=25, why="短债远超现金"),),
    warnings=("the model said 买入",),
    counted=2,
    total=2,
)
RECEIPT = Receipt(as_of=dt.date(2021, 6, 30), newest_evidence=dt.date(2021, 4, 28), withheld=12)


def finished(store: RunStore, plan=None, *, verdict: Verdict = VERDICT) -> str:
    run_id = store.start(plan or make_plan(), MODELS)
    for agent in AGENTS:
        store.save_report(run_id, make_report(agent))
    store.finish(run_id, status="done", verdict=verdict, receipt=RECEIPT)
    return run_id


def test_a_run_comes_back_as_it_was_saved(store: RunStore) -> None:
    plan = make_plan()
    run_id = store.start(plan, MODELS)
    for agent in reversed(AGENTS):
        store.save_report(run_id, make_report(agent))
    store.finish(run_id, status="done", verdict=VERDICT, receipt=RECEIPT)

    run = store.load(run_id)

    assert (run.status, run.subject, run.models, run.as_of) == ("done", MOUTAI, MODELS, plan.as_of)
    assert (run.strategy_text, run.strategy_hash) == (plan.strategy_text, plan.strategy_hash)
    assert run.verdict == VERDICT
    assert run.receipt == RECEIPT
    assert run.reports == tuple(make_report(agent) for agent in AGENTS), "in the order of the plan"
    assert run.started <= run.finished
    assert run.started.utcoffset() == dt.timedelta(0)


def test_runs_that_begin_within_one_second_have_ids_of_their_own(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of some hundred runs of a batch in one second two drew the same id, and the second was given up."""
    drawn = iter(["aaaaaa", "aaaaaa", "aaaaaa", "bbbbbb"])
    monkeypatch.setattr("workbench.store.runs.secrets.token_hex", lambda size: next(drawn))
    monkeypatch.setattr("workbench.store.runs.utc_now", lambda: "2026-12-01T05:57:39.000000+00:00")

    ids = [store.start(make_plan(), MODELS) for _ in range(2)]

    assert ids == ["20261201-055739-aaaaaa", "20261201-055739-bbbbbb"]


def test_a_running_run_shows_the_reports_saved_so_far(store: RunStore) -> None:
    run_id = store.start(make_plan(), MODELS)
    store.save_report(run_id, make_report("ch02"))

    run = store.load(run_id)

    assert run.status == "running"
    assert [report.agent for report in run.reports] == ["ch02"]
    assert run.finished is None
    assert run.verdict is None


def test_the_first_report_of_an_agent_counts(store: RunStore) -> None:
    run_id = store.start(make_plan(), MODELS)
    store.save_report(run_id, make_report("ch01", score=70))
    store.save_report(run_id, make_report("ch01", score=10))

    (report,) = store.load(run_id).reports

    assert report.draft.score == 70
    assert len(report.calls) == 2


def test_a_run_is_finished_once(store: RunStore) -> None:
    run_id = finished(store)

    with pytest.raises(StoreError, match="done"):
        store.finish(run_id, status="failed")
    with pytest.raises(StoreError, match="takes no more results"):
        store.save_report(run_id, make_report("ch01"))

    assert store.load(run_id).status == "done"


def test_a_text_shared_by_many_runs_is_stored_once(store: RunStore) -> None:
    for _ in range(5):
        finished(store)

    with Database(store.path, migrations).read() as db:
        bodies = [row["body"] for row in db.query("select body from texts")]

    assert len(bodies) == len(set(bodies))
    assert bodies.count("What is it worth?") == 1
    assert sum("ROE 31 %" in body for body in bodies) == 1


def test_a_lone_surrogate_in_a_model_answer_can_be_stored(store: RunStore) -> None:
    report = make_report("ch01")
    odd = report.calls[0].model_copy(update={"reply": "half an emoji \ud83d"})
    run_id = store.start(make_plan(), MODELS)

    store.save_report(run_id, report.model_copy(update={"calls": (odd,)}))

    assert "half an emoji" in store.load(run_id).reports[0].calls[0].reply


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_without_verdict_keeps_its_error(store: RunStore, status: str) -> None:
    run_id = store.start(make_plan(), MODELS)
    store.finish(run_id, status=status, error="synthesis: timed out")

    run = store.load(run_id)

    assert (run.status, run.error, run.verdict) == (status, "synthesis: timed out", None)
    (row,) = store.find(status=status)
    assert (row.score, row.label, row.counted, row.warnings) == (None, None, None, 0)


def test_a_retry_names_the_run_it_repeats(store: RunStore) -> None:
    first = finished(store)
    second = store.start(make_plan(), MODELS, retry_of=first)

    assert store.load(second).retry_of == first


def test_a_repeat_has_an_index_no_other_run_of_its_question_has(store: RunStore) -> None:
    first = finished(store)
    assert store.load(first).repeat == 0
    assert store.next_repeat(store.load(first)) == 1

    third = store.start(make_plan(), MODELS, repeat=3)
    store.start(make_plan(as_of="2020-06-30"), MODELS, repeat=7)

    assert store.load(third).repeat == store.repeat_of(third) == 3
    assert store.next_repeat(store.load(first)) == 4


def test_an_unknown_run_is_an_input_error(store: RunStore) -> None:
    with pytest.raises(InputError, match="there is no run 'nothing'"):
        store.load("nothing")
    with pytest.raises(InputError):
        store.finish("nothing", status="done")


def test_a_run_is_found_by_either_end_of_its_id(store: RunStore) -> None:
    run_id = finished(store)

    assert store.resolve(run_id) == run_id
    assert store.resolve(f" {run_id[-6:]} ") == run_id
    assert store.resolve(run_id[:17]) == run_id
    with pytest.raises(InputError, match="there is no run"):
        store.resolve(run_id[-3:])


def test_a_beginning_that_fits_two_runs_is_refused(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.store.runs.utc_now", lambda: "2026-03-01T12:00:00.000000+00:00")
    first, second = finished(store), finished(store)

    with pytest.raises(InputError) as error:
        store.resolve("20260301")

    assert first in str(error.value)
    assert second in str(error.value)


def test_lists_are_filtered_sorted_and_paged(store: RunStore) -> None:
    low = finished(store)
    high = finished(store, make_plan(APPLE, strategy="income"), verdict=Verdict(score=80, label="buy"))
    going = store.start(make_plan(APPLE), MODELS)

    def ids(**filters) -> list[str]:
        found = [row.run_id for row in store.find(**filters)]
        narrowing = {
            name: value for name, value in filters.items() if name not in ("order", "limit", "offset")
        }
        assert "limit" in filters or store.count(**narrowing) == len(found)
        return found

    assert ids() == [going, high, low]
    assert ids(order="oldest") == [low, high, going]
    assert ids(order="highest") == [high, low, going], "a run without a score comes last"
    assert ids(order="lowest") == [low, high, going]
    assert ids(subject="AAPL") == [going, high]
    assert ids(strategy="income") == [high]
    assert ids(status="running") == [going]
    assert ids(label="avoid") == [low]
    assert ids(pipeline="match") == []
    assert ids(subject="AAPL", label="buy") == [high]
    assert ids(limit=1, offset=1) == [high]
    assert ids(status=None, label=None) == [going, high, low]


def test_text_is_searched_literally_in_subject_strategy_verdict_tags_and_note(store: RunStore) -> None:
    run_id = finished(store)
    finished(store, make_plan(APPLE), verdict=Verdict(score=50, label="watch"))
    store.tag(run_id, ["to_review", "white spirit"])
    store.note(run_id, "sold 10% in May")

    for text in ("茅台", "600519", "短债远超", "to_rev", "10% in", " spirit "):
        assert [row.run_id for row in store.find(text=text)] == [run_id], text
    assert store.count(text="value") == 2
    assert store.count(text="t%review") == 0, "the wildcards of LIKE are ordinary characters"
    assert store.count(text="toXreview") == 0
    assert store.count(text="'; drop table runs; --") == 0
    assert store.count() == 2


def test_a_list_line_says_what_the_run_cost_and_how_many_agents_counted(store: RunStore) -> None:
    finished(store)

    (row,) = store.find()

    assert row.cost == pytest.approx(0.06)
    assert (row.counted, row.total, row.warnings, row.confidence) == (2, 2, 1, 0.4)
    assert row.models == MODELS
    assert row.seconds >= 0


def test_a_cost_nobody_knows_is_not_zero(store: RunStore) -> None:
    run_id = store.start(make_plan(), MODELS)
    store.save_report(run_id, make_report("ch01", cost=None))

    assert store.find()[0].cost is None


def test_marks_are_kept_and_replaced(store: RunStore) -> None:
    run_id = finished(store)
    store.star(run_id)
    store.tag(run_id, ["b", "a", " a ", ""])
    store.note(run_id, "first")
    store.note(run_id, "second")

    (row,) = store.find(starred=True, tag="a")
    assert (row.starred, row.tags, row.note) == (True, ("a", "b"), "second")

    store.star(run_id, False)
    store.tag(run_id, [])
    (row,) = store.find()
    assert (row.starred, row.tags) == (False, ())
    with pytest.raises(InputError):
        store.star("nothing")


def test_choices_of_a_filter_are_the_values_in_use(store: RunStore) -> None:
    finished(store)
    finished(store, make_plan(strategy="income"))

    assert store.values("strategy") == ["income", "value"]
    assert store.values("label") == ["avoid"]


def test_outlines_give_every_run_without_its_long_texts(store: RunStore) -> None:
    first, second = finished(store), finished(store)
    store.start(make_plan(strategy="income"), Models())

    runs = store.outlines(strategy="value")

    assert {run.run_id for run in runs} == {first, second}
    whole = store.load(first)
    outline = next(run for run in runs if run.run_id == first)
    assert (outline.verdict, outline.strategy_text) == (whole.verdict, "")
    assert [report.final for report in outline.reports] == [report.final for report in whole.reports]
    assert all(report.calls == () and report.evidence.text == "" for report in outline.reports)
    assert store.outlines(strategy="nothing") == []


def test_writes_together_are_one_transaction(store: RunStore) -> None:
    run_id = store.start(make_plan(), Models())

    def save_and_fail() -> None:
        with store.together():
            store.save_report(run_id, make_report("ch01"))
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        save_and_fail()
    assert store.load(run_id).reports == ()

    with store.together():
        store.save_report(run_id, make_report("ch01"))
        store.finish(run_id, status="done", verdict=Verdict(score=70, label="watch"))
    assert [report.agent for report in store.load(run_id).reports] == ["ch01"]
    assert store.load(run_id).status == "done"
