"""The fixtures page and the evaluation of football runs, opened without a browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.football_samples import make_run
from tests.pages.ui_fixtures import HOSTILE, Open, match_run, stored
from workbench.records import Run
from workbench.ui.language import LANGUAGES, Language, catalogue
from workbench.workspace import Workspace

DERBY = "English Premier League|2019-04-14|Liverpool|Chelsea"
LEAGUE = {"competition": "English Premier League", "season": "2018-19"}


def words(app: AppTest) -> str:
    kinds = (app.title, app.subheader, app.markdown, app.caption, app.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def charts(app: AppTest) -> int:
    return len(app.get("vega_lite_chart")) + len(app.get("arrow_vega_lite_chart"))


def run_over(workspace: Workspace, day: str, home: str, **changes: object) -> Run:
    """A finished run like ``match_run`` over a match of the sample facts."""
    (match,) = (
        match
        for match in workspace.evidence.view(match_run().as_of.replace(year=2030)).matches(team=home)
        if match.date.isoformat() == day
    )
    run = match_run(**changes)
    subject = make_run(match).subject
    return run.model_copy(update={"subject": subject, "as_of": match.date})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("page", "text"), [("fixtures", "fixtures.choose"), ("evaluate_football", "football.empty")]
)
def test_before_anything_is_chosen_the_page_says_what_will_be_here(
    open_page: Open, page: str, text: str, language: Language
) -> None:
    assert catalogue(language)[text] in words(open_page(page, lang=language))


def test_a_match_is_shown_as_it_stood_on_its_morning(open_page: Open) -> None:
    app = open_page("fixtures", match=DERBY)
    shown = words(app)
    assert not app.exception
    assert "Place 1 of 20, 82 points from 33 matches" in shown
    assert "Place 4 of 20, 66 points from 33 matches" in shown
    assert ":gray-badge[D] :gray-badge[D] :green-badge[W]" in shown
    meetings = app.dataframe[1].value
    assert meetings["date"].iloc[0] == "2018-09-29"
    assert meetings["result"].iloc[0] == "D 1:1"
    assert catalogue("en")["match.no_run"] in shown
    assert charts(app) == 2  # the trend, and the probabilities of others


def test_a_run_over_the_match_is_shown_beside_it(open_page: Open, workspace: Workspace) -> None:
    stored(workspace.store, match_run())
    app = open_page("fixtures", match=DERBY)
    assert not app.exception
    assert r"This run 0\.108" in words(app)  # 0.58, 0.22, 0.20 and a home win: (0.42² + 0.20²) / 2
    assert "Expected goals 2.00 : 1.10" in words(app)
    assert charts(app) == 4
    fixtures = app.dataframe[0].value
    assert list(fixtures[fixtures["match"] == "▸ Liverpool – Chelsea"]["verdict"]) == ["⌂ Home win"]


def test_fixtures_are_found_by_round_and_by_day(open_page: Open) -> None:
    app = open_page("fixtures", match=DERBY)
    assert app.select_slider[0].value == "34"
    assert set(app.dataframe[0].value["result"]) >= {"⌂ 2:0", "→ 0:1", "= 0:0"}
    app.segmented_control(key="fixtures.by").set_value("day").run()
    assert app.select_slider[0].value == "2019-04-14"
    assert len(app.dataframe[0].value) == 2
    app.selectbox(key="fixtures.competition").set_value("Chinese Super League").run()
    assert not app.exception
    assert app.selectbox(key="fixtures.season.Chinese Super League").value == "2019"


@pytest.mark.parametrize("address", ["nonsense", "a|b|c|d", HOSTILE, "x" * 4000])
def test_an_address_that_names_no_match_shows_the_list(open_page: Open, address: str) -> None:
    app = open_page("fixtures", match=address)
    assert not app.exception
    assert not app.error
    assert catalogue("en")["fixtures.choose"] in words(app)


def test_what_became_of_a_match_is_told_and_names_are_no_markup(
    open_page: Open, workspace: Workspace
) -> None:
    hostile = "**Reds** :red[x] <img src=x>"
    rows = [
        {"home": "Liverpool", "away": hostile, "date": "2019-05-20", "home_goals": 1, "away_goals": 1,
         "extra_home": 1, "extra_away": 2, "status": "played", "round": "Final", "note": "**windy**"},
        {"home": "Liverpool", "away": "Chelsea", "date": "2019-05-21", "status": "postponed"},
    ]  # fmt: skip
    workspace.evidence.add("matches", [LEAGUE | row for row in rows], origin="mine")
    app = open_page("fixtures", match=f"English Premier League|2019-05-20|Liverpool|{hostile}")
    assert not app.exception
    shown = words(app)
    assert "after extra time 1:2" in shown
    assert "Final" in shown
    for mark in ("**Reds**", ":red[x]", " <img", "**windy**"):
        assert mark not in shown
    app = open_page("fixtures", match="English Premier League|2019-05-21|Liverpool|Chelsea")
    assert "postponed" in words(app)


def test_the_old_day_of_a_moved_match_is_not_listed(open_page: Open, workspace: Workspace) -> None:
    """Both days once stood in the list, one of them without a result for ever."""
    old = {"home": "Liverpool", "away": "Reds", "date": "2019-05-20", "status": "scheduled"}
    new = old | {"date": "2019-05-21"}
    moved = {"home": "Liverpool", "away": "Reds", "date": "2019-05-20", "moved_to": "2019-05-21"}
    workspace.evidence.add("matches", [LEAGUE | row for row in (old, new, moved)], origin="mine")
    app = open_page("fixtures", match="English Premier League|2019-05-20|Liverpool|Reds")
    assert not app.exception
    assert catalogue("en")["fixtures.choose"] in words(app)
    shown = app.dataframe[0].value
    assert [str(day)[:10] for day in shown[shown["match"] == "Liverpool – Reds"]["date"]] in (
        [],
        ["2019-05-21"],
    )


def test_runs_are_held_against_yardsticks_on_the_same_matches(open_page: Open, workspace: Workspace) -> None:
    stored(workspace.store, match_run())
    stored(workspace.store, run_over(workspace, "2019-04-20", "Manchester City"))
    stored(workspace.store, match_run(status="failed", verdict=None))
    app = open_page("evaluate_football")
    assert not app.exception
    assert "2 of 3 runs judged." in words(app)
    assert "run failed 1" in words(app)
    table = app.dataframe[1].value.set_index("who")
    own = table.loc["baseline (built-in rules, not a model) · v1"]
    # Both end in a home win: RPS (0.42² + 0.20²) / 2, goals 2.0 and 1.1 against 2:0 and 1:0.
    assert (own["n"], own["rps"]) == (2, "0.1082")
    assert own["goal_mae"] == "0.8000"
    assert {"Published forecast", "Last season's rates"} < set(table.index)
    assert list(app.dataframe[0].value["reason"]) == ["run failed"]


def test_experts_are_counted_and_weights_are_held_against_leaving_them_out(
    open_page: Open, workspace: Workspace
) -> None:
    stored(workspace.store, match_run())
    app = open_page("evaluate_football")
    signs, _, weights = (frame.value for frame in app.dataframe[-3:])
    assert list(signs["Heard"]) == ["1 / 1", "1 / 1", "1 / 1", "0 / 1", "0 / 1"]
    assert signs["Winner named"].iloc[0] == "100.0%"
    assert list(weights["Expert"]) == ["Recent form", "Attack and defence", "Home and away"]
    assert set(weights["Says"]) == {catalogue("en")["estimate.few_days"]}


def test_means_are_taken_over_the_matches_all_forecast_unless_the_reader_says_otherwise(
    open_page: Open, workspace: Workspace
) -> None:
    """A group with few, easy matches stood first, and its empty table of experts was opened."""
    stored(workspace.store, match_run())
    stored(workspace.store, run_over(workspace, "2019-04-20", "Manchester City"))
    aggregator = match_run().reports[-1]
    stored(workspace.store, match_run(reports=(aggregator,), prompt_version="v2", strategy="match_single"))
    app = open_page("evaluate_football")
    assert not app.exception
    standings = app.dataframe[0].value
    assert set(standings["n"]) == {1}
    assert catalogue("en")["football.apart"] not in words(app)
    assert [str(option) for option in app.selectbox(key="football.experts_of").options] == [
        "baseline (built-in rules, not a model) · v1"
    ]
    app.toggle(key="football.in_common").set_value(False).run()
    assert set(app.dataframe[0].value["n"]) == {1, 2}
    assert catalogue("en")["football.apart"] in words(app)


@pytest.mark.parametrize("metric", ["log_loss", "brier", "accuracy", "goal_mae"])
def test_every_metric_can_be_compared_by(open_page: Open, workspace: Workspace, metric: str) -> None:
    stored(workspace.store, match_run())
    app = open_page("evaluate_football")
    app.segmented_control(key="football.metric").set_value(metric).run()
    assert not app.exception
    assert catalogue("en")[f"metric_help.{metric}"] in words(app)


def test_nothing_that_can_be_judged_is_said_and_named(open_page: Open, workspace: Workspace) -> None:
    coming = match_run().model_copy(
        update={"subject": match_run().subject.model_copy(update={"away": "Nobody FC"})}
    )
    stored(workspace.store, coming)
    app = open_page("evaluate_football")
    assert not app.exception
    assert catalogue("en")["football.none_judged"] in words(app)
    assert list(app.dataframe[0].value["reason"]) == ["match not on record"]
    app.selectbox(key="football.season").set_value("2018-19").run()
    assert not app.exception
