"""The baseline's answers in a match run: five experts, the aggregator, and all of it in one call.

The aggregator weighs the experts' home edges, each turned back into an expected goal difference, with the
declared weights below; the total comes from the league and both clubs' own season. Like all constants of
the match baseline the weights were chosen on the second half of the Premier League season 2016-17.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import pstdev
from typing import Any

from workbench.errors import ModelError
from workbench.llm.base import Request
from workbench.llm.baseline.edges import (
    Ground,
    edge_of,
    expectations,
    ground,
    outcome_of,
    supremacy_of,
)
from workbench.llm.baseline.experts import EXPERTS, Facts
from workbench.llm.baseline.registry import answers
from workbench.llm.baseline.second_look import REVIEWS, apply
from workbench.llm.baseline.wording import Wording

WEIGHTS: Mapping[str, float] = {"stats": 0.9, "home_away": 0.3, "injuries": 0.2, "form": 0.1, "h2h": 0.05}
"""Slice -> credence of its expert given a full sample."""

OTHER_WEIGHT = 0.1
"""Credence of an expert on any other slice."""

SAMPLE_FACTORS: Mapping[str, float] = {"high": 1.0, "medium": 0.8, "low": 0.5}

TOTAL_SHARE = 0.5
TOTAL_SHRINK_MATCHES = 10
"""By how much, and beside how many matches of the league, a club's own season moves the expected total."""


@dataclass(frozen=True)
class _Vote:
    """What the aggregator takes from one report."""

    agent: str
    title: str
    slice: str
    sufficiency: str
    home_edge: float
    confidence: float

    @property
    def weight(self) -> float:
        return WEIGHTS.get(self.slice, OTHER_WEIGHT) * SAMPLE_FACTORS[self.sufficiency]


@answers("match_expert")
def draft_expert(request: Request) -> Mapping[str, Any]:
    """The expert's first judgement of its slice."""
    return _draft(str(request.task["slice"]), request.facts, _words(request))


@answers("match_expert", "revised")
def revise_expert(request: Request) -> Mapping[str, Any]:
    """The draft after a second look at the same slice."""
    draft = request.draft or {}
    return _revised(str(request.task["slice"]), request.facts, draft, _words(request))


@answers("match_final")
def aggregate(request: Request) -> Mapping[str, Any]:
    """Two goal expectations from the reports that count; ``facts`` hold the header and the reports."""
    votes = [
        _Vote(
            agent=report["agent"],
            title=report["title"],
            slice=report["slice"],
            sufficiency=report["sufficiency"],
            home_edge=report["home_edge"],
            confidence=report["subjective_confidence"],
        )
        for report in request.facts["reports"]
        if report["status"] == "ok"
    ]
    answer = _final(request.facts["match"], votes, _words(request))
    silent = {report["agent"]: 0.0 for report in request.facts["reports"] if report["status"] != "ok"}
    return answer | {"agent_weights": answer["agent_weights"] | silent}


@answers("match_single")
def answer_at_once(request: Request) -> Mapping[str, Any]:
    """The same experts and weights in one call, each with its second look where the strategy revises."""
    words = _words(request)
    header = request.facts["match"]
    votes = []
    for name, title in request.task["slices"].items():
        if name not in EXPERTS or name not in request.facts:
            continue
        facts = {"match": header, **request.facts[name]}
        opinion = _draft(name, facts, words)
        if request.task["revise"]:
            opinion = _revised(name, facts, opinion, words)
        votes.append(
            _Vote(
                agent=name,
                title=title,
                slice=name,
                sufficiency=opinion["data_sufficiency"],
                home_edge=opinion["home_edge"],
                confidence=opinion["subjective_confidence"],
            )
        )
    answer = _final(header, votes, words)
    return {key: value for key, value in answer.items() if key != "agent_weights"}


def _words(request: Request) -> Wording:
    return Wording(request.task["language"], currency="")


def _draft(name: str, facts: Facts, words: Wording) -> dict[str, Any]:
    if name not in EXPERTS:
        raise ModelError(
            f"the baseline has no expert for the slice {name!r}.",
            remedy="Choose a hosted model for this expert.",
        )
    base = ground(facts["match"])
    judgement = EXPERTS[name](facts, base, words)
    edge = round(edge_of(judgement.supremacy, base.total), 3)
    conclusion = words.say(
        f"联赛主场优势为每场 {base.advantage:.2f} 球，合计预期净胜 {judgement.supremacy:+.2f} 球。",
        f"The league's home advantage is {base.advantage:.2f} goals; altogether the expected difference is "
        f"{judgement.supremacy:+.2f} goals.",
    )
    return {
        "status": "ok",
        "data_sufficiency": judgement.sufficiency,
        "analysis": words.sentences([*judgement.notes, conclusion]),
        "home_edge": edge,
        "subjective_confidence": round(judgement.confidence * SAMPLE_FACTORS[judgement.sufficiency], 2),
        "key_evidence": list(judgement.evidence),
    }


def _revised(name: str, facts: Facts, draft: Mapping[str, Any], words: Wording) -> dict[str, Any]:
    base = ground(facts["match"])
    changes = list(REVIEWS[name](facts, base, words))
    before = supremacy_of(draft["home_edge"], base.total)
    after = apply(changes, before, base)
    moved = any(change.shift or change.pull for change in changes)
    edge = round(edge_of(after, base.total), 3) if moved else draft["home_edge"]
    unchanged = words.say(
        "复核样本、预期进球与日期，没有需要修正之处。",
        "Sample, expected goals and dates were checked; nothing to correct.",
    )
    evidence = [*(line for change in changes for line in change.evidence), *draft["key_evidence"]]
    before_trust = draft["subjective_confidence"]
    trust = round(before_trust * prod(change.trust for change in changes), 2)
    conclusion = words.say(
        f"复核后主队优势由 {draft['home_edge']:+.3f} 到 {edge:+.3f}，信心由 {before_trust} 到 {trust}。",
        f"After the second look the home edge goes from {draft['home_edge']:+.3f} to {edge:+.3f}, "
        f"the confidence from {before_trust} to {trust}.",
    )
    return dict(draft) | {
        "analysis": words.sentences([draft["analysis"], conclusion if changes else ""]),
        "home_edge": edge,
        "subjective_confidence": trust,
        "key_evidence": evidence[:5],
        "why_changed": words.sentences([change.why for change in changes]) or unchanged,
    }


def _final(match: Facts, votes: Sequence[_Vote], words: Wording) -> dict[str, Any]:
    base = ground(match)
    total = _total(match, base)
    weight = sum(vote.weight for vote in votes)
    differences = [supremacy_of(vote.home_edge, base.total) for vote in votes]
    pairs = list(zip(votes, differences, strict=True))
    supremacy = sum(vote.weight * d for vote, d in pairs) / weight if weight else base.advantage
    home, away = (round(goals, 2) for goals in expectations(supremacy, total))
    return {
        "pred_home_goals": home,
        "pred_away_goals": away,
        "1x2": outcome_of(home - away, home + away),
        "subjective_confidence": _confidence(votes, differences),
        "reasoning": _reasoning(match, votes, supremacy, (home, away), words),
        "agent_weights": {vote.agent: round(vote.weight, 3) for vote in votes},
    }


def _total(match: Facts, base: Ground) -> float:
    """Expected goals of both clubs together: the league's, moved by their own matches of this season."""
    total = base.total
    for line in match["table"].values():
        if line:
            n = line["matches"]
            own = (line["goals_for"] + line["goals_against"]) / n
            total += TOTAL_SHARE * (own - base.total) * n / (n + TOTAL_SHRINK_MATCHES)
    return total


def _confidence(votes: Sequence[_Vote], differences: Sequence[float]) -> float:
    """The weighted confidence of the experts, less a fifth of the goals by which they disagree."""
    weight = sum(vote.weight for vote in votes)
    if not weight:
        return 0.1
    agreed = sum(vote.weight * vote.confidence for vote in votes) / weight
    return round(max(0.1, agreed - pstdev(differences) / 5), 2)


def _reasoning(
    match: Facts, votes: Sequence[_Vote], supremacy: float, goals: tuple[float, float], words: Wording
) -> str:
    ranked = sorted(votes, key=lambda vote: -vote.weight)
    heard = [
        words.say(
            f"{vote.title}（采信 {vote.weight:.2f}）主队优势 {vote.home_edge:+.3f}",
            f"{vote.title} (weight {vote.weight:.2f}) home edge {vote.home_edge:+.3f}",
        )
        for vote in ranked
    ]
    parts = [words.say("；", "; ").join(heard) + words.say("。", ".")] if heard else []
    against = [vote.title for vote in ranked if vote.home_edge * supremacy < 0]
    if against:
        parts.append(
            words.say(
                f"{words.join(against)}的方向与合计相反。", f"{words.join(against)} point the other way."
            )
        )
    parts.append(
        words.say(
            f"按采信度合计，{match['home']} 预期净胜 {supremacy:+.2f} 球，进球期望 {goals[0]}:{goals[1]}。",
            f"Weighed together, {match['home']} are expected to finish {supremacy:+.2f} goals ahead, "
            f"{goals[0]}:{goals[1]}.",
        )
    )
    return words.sentences(parts)
