"""Matches and stored match runs made by hand, for tests of what is made of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from workbench.evidence.view import Match
from workbench.records import (
    EDGE_SCALE,
    Adjustment,
    Evidence,
    MatchSubject,
    Models,
    Opinion,
    Report,
    Run,
    RunStatus,
    Scale,
    Status,
    Verdict,
)

START = dt.date(2018, 8, 11)
STARTED = dt.datetime(2026, 3, 2, 1, 30, tzinfo=dt.UTC)
EVEN = {"1": 0.5, "X": 0.3, "2": 0.2}


def make_match(
    day: int = 0,
    goals: tuple[int, int] | None = (2, 1),
    *,
    home: str = "Reds",
    away: str = "Blues",
    season: str = "2018-19",
    **details: Any,
) -> Match:
    """A match ``day`` days after the season's start; None as goals is a match without a result."""
    row = dict.fromkeys(Match._fields) | {"competition": "League", "season": season}
    row |= {"date": START + dt.timedelta(days=day), "home": home, "away": away}
    if goals is not None:
        row |= {"home_goals": goals[0], "away_goals": goals[1]}
    return Match(**(row | details))


def make_expert(
    agent: str, draft: float, revised: float | None = None, *, status: Status = "ok", **fields: Any
) -> Report:
    def opinion(stage: Any, edge: float) -> Opinion:
        answer = {"status": "ok", "data_sufficiency": "high", "home_edge": edge} | fields
        return Opinion(stage=stage, score=edge, confidence=0.6, fields=answer)

    usable = status == "ok"
    return Report(
        agent=agent,
        title=agent.title(),
        role="specialist",
        scale=EDGE_SCALE,
        status=status,
        evidence=Evidence(sufficiency="high" if usable else "none"),
        draft=opinion("draft", draft) if usable else None,
        revised=opinion("revised", revised) if usable and revised is not None else None,
    )


def make_run(
    match: Match,
    *experts: Report,
    probabilities: Any = None,
    goals: tuple[Any, Any] | None = (1.5, 1.0),
    weights: Mapping[str, Any] | None = None,
    model: str = "baseline",
    prompt_version: str = "multi_v1",
    status: RunStatus = "done",
    run_id: str = "run",
    stated: Mapping[str, float] | None = None,
) -> Run:
    """A run over ``match``; ``stated`` are probabilities of the answer that a rule has scaled."""
    fields: dict[str, Any] = {"probabilities": EVEN if probabilities is None else probabilities}
    if goals is not None:
        fields |= {"pred_home_goals": goals[0], "pred_away_goals": goals[1]}
    if weights is not None:
        fields["agent_weights"] = weights
    last = Report(
        agent="aggregator",
        title="Aggregator",
        role="aggregator",
        scale=Scale(low=-4, high=4, neutral=0),
        status="ok",
        evidence=Evidence(),
        draft=Opinion(stage="draft", fields={"probabilities": stated} if stated else {}),
    )
    scaled = Adjustment(rule="renormalise", field="probabilities", before="", after="", why="")
    return Run(
        run_id=run_id,
        pipeline="match",
        status=status,
        subject=MatchSubject(
            competition=match.competition,
            season=match.season,
            date=match.date,
            home=match.home,
            away=match.away,
        ),
        as_of=match.date,
        models=Models(specialist=model, aggregator=model),
        strategy="match",
        strategy_text="",
        strategy_hash="",
        prompt_version=prompt_version,
        language="en",
        started=STARTED,
        reports=(*experts, last),
        verdict=Verdict(fields=fields, adjustments=(scaled,) if stated else ()) if status == "done" else None,
    )
