"""The evaluation of company scores, opened without a browser."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Callable
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages.ui_fixtures import HOSTILE, Open, chapters_run, stored
from workbench.records import Models, TickerSubject
from workbench.ui.language import LANGUAGES, Language, catalogue
from workbench.workspace import Workspace

MOUTAI = TickerSubject(code="600519.SH", name="贵州茅台")
YANGHE = TickerSubject(code="002304.SZ", name="洋河股份")
SCORES = ((MOUTAI, 80, "buy"), (YANGHE, 40, "watch"))
Files = dict[str, Callable[[], bytes]]


def words(app: AppTest) -> str:
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.error, app.info)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart"))


def judged(workspace: Workspace, years: range, **changes: Any) -> None:
    """Two companies with prices on record, each as of the middle of some years, always in the same order."""
    for year in years:
        for subject, score, label in SCORES:
            run = chapters_run(subject=subject, as_of=dt.date(year, 6, 30), **changes)
            assert run.verdict
            verdict = run.verdict.model_copy(update={"score": score, "label": label})
            stored(workspace.store, run.model_copy(update={"verdict": verdict}))


@pytest.mark.parametrize("language", LANGUAGES)
def test_before_any_run_the_page_says_what_to_do(open_page: Open, language: Language) -> None:
    app = open_page("evaluate_companies", lang=language)
    assert not app.exception
    assert catalogue(language)["companies.empty"] in words(app)
    assert app.button(key="companies.first").label == catalogue(language)["companies.start"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_few_dates_show_nothing_and_the_page_says_so(
    open_page: Open, workspace: Workspace, language: Language
) -> None:
    judged(workspace, range(2015, 2018))
    stored(workspace.store, chapters_run(status="failed", verdict=None))
    app = open_page("evaluate_companies", lang=language)
    assert not app.exception
    shown = words(app)
    texts = catalogue(language)
    assert texts["football.judged"].format(judged=6, total=7) in shown
    assert texts["company_left_out.failed"] in shown
    assert texts["companies.says_few_dates"].partition("{")[0] in shown
    assert texts["companies.says_few_companies"].format(companies=2) in shown
    assert charts(app) == 3  # a single contestant is compared with nobody
    standings = app.dataframe[1].value
    assert (standings["n"][0], standings["dates"][0]) == (6, "3 / 3")
    assert list(app.dataframe[0].value["reason"]) == [texts["company_left_out.failed"]]


def test_the_order_of_every_date_is_counted(open_page: Open, workspace: Workspace) -> None:
    """One company always scores higher; the coefficient of a date is 1 where it also earned more, else -1."""
    judged(workspace, range(2010, 2019))
    app = open_page("evaluate_companies")
    dates = next(frame.value for frame in app.dataframe if "IC" in frame.value.columns)
    assert len(dates) == 9
    assert set(dates["IC"]) <= {"+1.00", "−1.00"}
    up = list(dates["IC"]).count("+1.00")
    standings = app.dataframe[0].value
    assert standings["positive"][0] == f"{up / 9:.1%}"
    assert catalogue("en")["companies.pairs"].format(count=9) in words(app)


def test_horizon_and_filters_are_in_the_address(open_page: Open, workspace: Workspace) -> None:
    judged(workspace, range(2015, 2018))
    judged(workspace, range(2015, 2017), strategy="income", blind="identity")
    app = open_page("evaluate_companies", horizon="12m")
    assert not app.exception
    assert sorted(app.dataframe[0].value["n"]) == [4, 6]
    assert charts(app) == 4
    app.segmented_control(key="companies.horizon").set_value("3m").run()
    assert not app.exception
    assert app.query_params["horizon"] == "3m"
    app.selectbox(key="companies.strategy").set_value("income").run()
    assert list(app.dataframe[0].value["n"]) == [4]
    app = open_page("evaluate_companies", blind="none")
    assert list(app.dataframe[0].value["n"]) == [6]
    app = open_page("evaluate_companies", horizon=HOSTILE, strategy=HOSTILE, contestant=HOSTILE, blind="x")
    assert not app.exception
    assert app.segmented_control(key="companies.horizon").value == "6m"


def test_another_contestant_is_looked_at(open_page: Open, workspace: Workspace) -> None:
    judged(workspace, range(2015, 2018))
    judged(workspace, range(2015, 2017), models=Models(specialist="openai/a", aggregator="openai/a"))
    app = open_page("evaluate_companies")
    look = app.selectbox(key="companies.contestant")
    assert len(look.options) == 2
    look.set_value("openai|openai/a|v1|value|none").run()
    assert not app.exception
    assert catalogue("en")["companies.judgements"].format(count=4) in [each.label for each in app.expander]


def test_a_horizon_that_is_not_over_is_named(open_page: Open, workspace: Workspace) -> None:
    recent = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=20)
    stored(workspace.store, chapters_run(as_of=recent))
    app = open_page("evaluate_companies")
    assert not app.exception
    assert catalogue("en")["companies.none_judged"] in words(app)
    assert list(app.dataframe[0].value["reason"]) == [catalogue("en")["company_left_out.not_over"]]


def test_names_are_no_markup(open_page: Open, workspace: Workspace) -> None:
    judged(workspace, range(2015, 2018), strategy=HOSTILE, models=Models(specialist=HOSTILE))
    app = open_page("evaluate_companies")
    assert not app.exception
    assert "<img" not in words(app)


def test_every_table_is_a_file(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: Files = {}

    def download_button(label: str, data: Any, file_name: str, **_: Any) -> bool:
        files[file_name] = data
        return False

    monkeypatch.setattr(st, "download_button", download_button)
    judged(workspace, range(2015, 2018))
    stored(workspace.store, chapters_run(status="failed", verdict=None))
    assert not open_page("evaluate_companies").exception
    rows = {
        name: list(csv.DictReader(io.StringIO(make().decode("utf-8-sig")))) for name, make in files.items()
    }
    assert {name: len(lines) for name, lines in rows.items()} == {
        "left_out.csv": 1,
        "standings.csv": 1,
        "ic_by_date.csv": 3,
        "judgements.csv": 6,
        "bands.csv": 6,
        "thresholds.csv": 4,
        "labels.csv": 3,
    }
    (line,) = rows["standings.csv"]
    assert (line["strategy"], line["blind"], line["n"], line["ic_low"]) == ("value", "none", "6", "")
    mean = sum(float(row["return"]) for row in rows["judgements.csv"]) / 6
    assert float(line["mean_return"]) == pytest.approx(mean)
