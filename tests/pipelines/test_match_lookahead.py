"""No look-ahead, as a property: whatever is added from the day of a match on changes no prediction of it."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.engine.runner import Result, run
from workbench.evidence.database import EvidenceDB
from workbench.llm.baseline import Baseline
from workbench.pipelines.match import build
from workbench.records import MatchSubject, Models
from workbench.strategy.files import load_strategy
from workbench.strategy.prompts import PromptLibrary

ROOT = Path(__file__).parents[2]
DAY = dt.date(2019, 1, 12)
CLUBS = ("Liverpool", "Brighton and Hove Albion", "Chelsea", "Arsenal", "Nobody FC")
STRATEGIES = {name: load_strategy(ROOT / "strategy" / f"{name}.yaml") for name in ("match", "match_single")}

share = st.floats(0.01, 0.98)
figure = st.floats(0, 6)
day = st.integers(0, 400).map(lambda days: (DAY + dt.timedelta(days=days)).isoformat())

future_matches = st.fixed_dictionaries(
    {
        "competition": st.sampled_from(["English Premier League", "Chinese Super League"]),
        "season": st.sampled_from(["2017-18", "2018-19", "2019-20"]),
        "date": day,
        "home": st.sampled_from(CLUBS),
        "away": st.sampled_from(CLUBS),
        "home_goals": st.integers(0, 9),
        "away_goals": st.integers(0, 9),
        "home_xg": figure,
        "away_xg": figure,
        "ref_home": share,
        "ref_draw": share,
        "ref_away": share,
        "odds_home": st.floats(1.01, 30),
        "odds_draw": st.floats(1.01, 30),
        "odds_away": st.floats(1.01, 30),
        "status": st.sampled_from([None, "played", "postponed", "awarded"]),
    }
)
future_absences = st.fixed_dictionaries(
    {
        "team": st.sampled_from(CLUBS),
        "player": st.text("abc", min_size=1, max_size=3),
        "since": st.just("2018-12-01"),
        "published": day,
    }
)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> EvidenceDB:
    return EvidenceDB(tmp_path_factory.mktemp("evidence") / "evidence.db", ROOT / "data" / "facts")


def predict(db: EvidenceDB, name: str) -> Result:
    loaded = STRATEGIES[name]
    subject = MatchSubject(
        competition="English Premier League",
        season="2018-19",
        date=DAY,
        home="Brighton and Hove Albion",
        away="Liverpool",
    )
    prompts = PromptLibrary(ROOT / "prompts")
    plan = build(loaded, loaded.strategy, subject, view=db.view(DAY), prompts=prompts)
    return asyncio.run(run(plan, Models(), Baseline()))


def judged(result: Result) -> Mapping[str, Any]:
    """All a run concludes and all its agents are shown and say."""
    return {
        "verdict": result.verdict,
        "evidence": {name: report.evidence for name, report in result.reports.items()},
        "opinions": {name: (report.draft, report.revised) for name, report in result.reports.items()},
        "prompts": [call.prompt for report in result.reports.values() for call in report.calls],
    }


@pytest.mark.parametrize("name", STRATEGIES)
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(matches=st.lists(future_matches, max_size=12), absences=st.lists(future_absences, max_size=4))
def test_what_is_added_from_the_day_of_a_match_on_changes_no_prediction_of_it(
    db: EvidenceDB, name: str, matches: list[dict[str, Any]], absences: list[dict[str, Any]]
) -> None:
    before = predict(db, name)
    # The first rows make sure that there is something to forget.
    row = {"competition": "English Premier League", "season": "2018-19", "date": DAY.isoformat()}
    own = row | {"home": "Brighton and Hove Albion", "away": "Liverpool", "home_goals": 7, "away_goals": 0}
    db.add("matches", [own, *matches], origin="future")
    db.add(
        "absences",
        [{"team": "Liverpool", "player": "x", "published": DAY.isoformat()}, *absences],
        origin="future",
    )
    try:
        after = predict(db, name)
    finally:
        db.forget("matches", "future")
        db.forget("absences", "future")
    assert judged(after) == judged(before)
    assert after.receipt is not None
    assert before.receipt is not None
    assert after.receipt.withheld > before.receipt.withheld


def test_a_result_of_the_day_before_is_seen(db: EvidenceDB) -> None:
    """The same rows a day earlier do change the prediction, so that the property above says something."""
    before = predict(db, "match")
    row = {"competition": "English Premier League", "season": "2018-19", "date": "2019-01-11"}
    db.add(
        "matches",
        [row | {"home": "Liverpool", "away": "Arsenal", "home_goals": 0, "away_goals": 9}],
        origin="past",
    )
    try:
        after = predict(db, "match")
    finally:
        db.forget("matches", "past")
    assert after.verdict != before.verdict
