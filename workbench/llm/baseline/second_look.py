"""The second look of a match expert: what its draft made too much of, by how much that counts, and why.

A change moves the expected goal difference, lowers the confidence, or both. What no change is found for
stays as it was drafted, and the reason given says so.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.llm.baseline.edges import Ground
from workbench.llm.baseline.experts import Facts, form_margin, meetings_margin, venue_margin
from workbench.llm.baseline.wording import Wording

XG_SHARE = 0.5
"""How far results are moved towards expected goals where the two differ."""

XG_GAP = 0.1
"""Goals per match from which that difference is worth a change."""

SCHEDULE_GAP = 2.0
"""Places between the mean positions of the two clubs' opponents from which the schedule counts."""

GOALS_PER_PLACE = 0.04
FIRST_TABLES = 5
"""Until after this round a league table says nothing about a schedule."""

THIN_MATCHES = 5
NEW_TO_LEAGUE_MATCHES = 10.0
STRENGTHS_GAP = 0.25
OLD_MATCHES_DAYS = 120
OLD_MEETINGS_DAYS = 500


@dataclass(frozen=True)
class Change:
    """One correction of a draft.

    Attributes:
        why: One sentence.
        shift: Added to the expected goal difference.
        pull: Share by which that difference then moves to the league's ordinary home advantage.
        trust: Factor on the confidence.
        evidence: Figures of the slice it rests on.
    """

    why: str
    shift: float = 0.0
    pull: float = 0.0
    trust: float = 1.0
    evidence: tuple[str, ...] = ()


Review = Callable[[Facts, Ground, Wording], Iterator[Change]]


def apply(changes: list[Change], supremacy: float, ground: Ground) -> float:
    """The expected goal difference after all changes, in order."""
    for change in changes:
        supremacy += change.shift
        supremacy -= change.pull * (supremacy - ground.advantage)
    return supremacy


def review_form(facts: Facts, ground: Ground, words: Wording) -> Iterator[Change]:
    gap = {
        side: form_margin(facts[side], ground, "xg") - form_margin(facts[side], ground, "goals")
        for side in ("home", "away")
    }
    yield from _expected_goals(gap["home"] - gap["away"], _xg_lines(facts), words)
    yield from _schedule(facts, words)
    yield from _thin(min(facts[side]["recent"]["matches"] for side in ("home", "away")), words)
    dates = [match["date"] for side in ("home", "away") for match in facts[side]["matches"]]
    yield from _old(max(dates), facts, words)


def review_home_away(facts: Facts, ground: Ground, words: Wording) -> Iterator[Change]:
    gap = {
        side: venue_margin(facts[side], ground, "xg") - venue_margin(facts[side], ground, "goals")
        for side in ("home", "away")
    }
    yield from _expected_goals(gap["home"] - gap["away"], _xg_lines(facts), words)
    yield from _thin(min(facts[side]["recent"]["matches"] for side in ("home", "away")), words)
    yield from _old(facts["match"]["newest"], facts, words)


def review_h2h(facts: Facts, ground: Ground, words: Wording) -> Iterator[Change]:
    gap = meetings_margin(facts, ground, "xg") - meetings_margin(facts, ground, "goals")
    yield from _expected_goals(gap, (_xg_line(facts["match"]["home"], facts["total"]),), words)
    yield from _thin(facts["total"]["matches"], words)
    newest = facts["meetings"][-1]["date"]
    if _days(newest, facts["match"]["date"]) > OLD_MEETINGS_DAYS:
        why = words.say(
            f"上次交锋已是 {newest}，阵容多已更替，交锋规律打折。",
            f"The last meeting was on {newest}; the squads have changed, so the pattern counts for less.",
        )
        yield Change(why, pull=0.5, trust=0.8)


def review_stats(facts: Facts, ground: Ground, words: Wording) -> Iterator[Change]:
    fitted = facts.get("strengths") or {}
    if "mixed" in fitted:
        for side in ("home", "away"):
            known = fitted["mixed"][side]["matches"]
            if known < NEW_TO_LEAGUE_MATCHES:
                why = words.say(
                    f"{facts[side]['club']} 在本联赛加权后只有 {known} 场，强度多半来自先验。",
                    f"{facts[side]['club']} have only {known} weighted matches in this league: "
                    "the strength is mostly its prior.",
                )
                yield Change(why, trust=0.8)
        mixed, goals = fitted["mixed"], fitted["goals_only"]
        gap = _expected_difference(goals) - _expected_difference(mixed)
        if abs(gap) >= STRENGTHS_GAP:
            club = facts["home" if gap > 0 else "away"]["club"]
            score = f"{goals['expected_home_goals']}:{goals['expected_away_goals']}"
            why = words.say(
                f"只看进球的强度更看好 {club}（{score}），预期进球并不支持，维持混合强度但降低信心。",
                f"Strengths by goals alone favour {club} more ({score}); expected goals do not bear "
                "that out, so the mixed strengths stand with less confidence.",
            )
            yield Change(why, trust=0.85)
    yield from _old(facts["match"]["newest"], facts, words)


def review_injuries(facts: Facts, ground: Ground, words: Wording) -> Iterator[Change]:
    for side in ("home", "away"):
        if side not in facts:
            club = facts["match"][side]
            why = words.say(
                f"没有 {club} 的伤停报告，不等于无人缺阵，差距减半。",
                f"No report on {club}, which does not mean that nobody is out; the difference is halved.",
            )
            yield Change(why, pull=0.5, trust=0.7)
    sources = {
        player["source"] for side in ("home", "away") if side in facts for player in facts[side]["absences"]
    }
    if len(sources) < 2:
        why = words.say(
            "伤停只有单一来源，降低信心。", "The absences come from a single source: less confidence."
        )
        yield Change(why, trust=0.85)


REVIEWS: dict[str, Review] = {
    "form": review_form,
    "stats": review_stats,
    "home_away": review_home_away,
    "injuries": review_injuries,
    "h2h": review_h2h,
}
"""Slice name -> its second look."""


def _expected_goals(gap: float, evidence: tuple[str, ...], words: Wording) -> Iterator[Change]:
    """Results that expected goals do not bear out; ``gap`` is what xG says more about the home club."""
    if abs(gap) < XG_GAP:
        return
    zh, en = ("主队", "home club") if gap > 0 else ("客队", "away club")
    why = words.say(
        f"与赛果相比，预期进球更看好{zh}，两队合计相差 {abs(gap):.2f} 球，向预期进球靠拢一半。",
        f"Expected goals rate the {en} higher than results do, by {abs(gap):.2f} goals for both clubs "
        "together; moved half of the way.",
    )
    yield Change(why, shift=XG_SHARE * gap, trust=0.9, evidence=evidence)


def _xg_lines(facts: Facts) -> tuple[str, ...]:
    return tuple(_xg_line(facts[side]["club"], facts[side]["recent"]) for side in ("home", "away"))


def _xg_line(club: str, record: Facts) -> str:
    line = f"{club} xG {record['xg_for']}:{record['xg_against']}"
    if record["nsxg_for"] is None:
        return line
    return f"{line}, non-shot xG {record['nsxg_for']}:{record['nsxg_against']}"


def _schedule(facts: Facts, words: Wording) -> Iterator[Change]:
    """The club whose opponents stand lower in the table had the easier matches."""
    if facts["match"]["round"] <= FIRST_TABLES:
        return
    positions = {
        side: [m["opponent_position"] for m in facts[side]["matches"] if m["opponent_position"] is not None]
        for side in ("home", "away")
    }
    if not all(positions.values()):
        return
    mean = {side: sum(places) / len(places) for side, places in positions.items()}
    gap = mean["home"] - mean["away"]
    if abs(gap) < SCHEDULE_GAP:
        return
    easier = facts["home" if gap > 0 else "away"]["club"]
    why = words.say(
        f"{easier} 近期对手平均排名低 {abs(gap):.1f} 位，赛程更易，按每位 {GOALS_PER_PLACE} 球折算。",
        f"The opponents of {easier} stood {abs(gap):.1f} places lower on average; each place is taken as "
        f"{GOALS_PER_PLACE} goals.",
    )
    yield Change(why, shift=-GOALS_PER_PLACE * gap)


def _thin(matches: int, words: Wording) -> Iterator[Change]:
    if matches < THIN_MATCHES:
        why = words.say(
            f"样本只有 {matches} 场，向联赛平均主场优势回调并降低信心。",
            f"Only {matches} matches: pulled to the league's ordinary home advantage, with less confidence.",
        )
        yield Change(why, pull=0.3, trust=0.7)


def _old(newest: str | None, facts: Facts, words: Wording) -> Iterator[Change]:
    if newest is not None and _days(newest, facts["match"]["date"]) > OLD_MATCHES_DAYS:
        why = words.say(
            f"最近一场已是 {newest}，状态可能已变，回调并降低信心。",
            f"The newest match is of {newest}; much may have changed, so pulled back with less confidence.",
        )
        yield Change(why, pull=0.3, trust=0.6)


def _expected_difference(fitted: Facts) -> float:
    return float(fitted["expected_home_goals"] - fitted["expected_away_goals"])


def _days(earlier: str, later: str) -> int:
    return (dt.date.fromisoformat(later) - dt.date.fromisoformat(earlier)).days
