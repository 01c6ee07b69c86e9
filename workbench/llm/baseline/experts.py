"""The match experts of the baseline: each judges its own slice and nothing else.

Every expert starts from the league's ordinary home advantage and adds what its slice says about the two
clubs, drawn to nothing by the size of the sample. The result is an expected goal difference; a home edge
is its other spelling. Drafts go by results (the statistics expert by fitted strengths); the second look
at expected goals, thin samples and old matches belongs to ``second_look``.

The constants were chosen on the second half of the Premier League season 2016-17 and nothing later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.llm.baseline.edges import Ground
from workbench.llm.baseline.wording import Wording
from workbench.records import Sufficiency

Facts = Mapping[str, Any]
Source = Literal["goals", "xg"]

SHRINK_MATCHES = 4
"""A mean over n matches counts n / (n + this)."""

GOALS_PER_ABSENCE = 0.1
"""What one missing player costs a club, in goals per match; a convention, not an estimate."""

MOST_ABSENCES = 5
"""More missing players than this cost no more."""


@dataclass(frozen=True)
class Judgement:
    """What an expert concludes from its slice.

    Attributes:
        supremacy: Expected home minus away goals.
        confidence: Trust in it for a full sample, 0..1.
        matches: Matches behind the club less is known about; decides sufficiency.
        notes: Full sentences.
        evidence: Figures of the slice, one line each, at most five.
    """

    supremacy: float
    confidence: float
    matches: int
    notes: tuple[str, ...]
    evidence: tuple[str, ...]

    @property
    def sufficiency(self) -> Sufficiency:
        """By the rule of the slices: five matches are enough, three are some."""
        return "high" if self.matches >= 5 else "medium" if self.matches >= 3 else "low"


Expert = Callable[[Facts, Ground, Wording], Judgement]


def judge_form(facts: Facts, ground: Ground, words: Wording) -> Judgement:
    """Goal differences of the last matches, each cleared of where it was played."""
    edge = form_margin(facts["home"], ground, "goals") - form_margin(facts["away"], ground, "goals")
    sides = [facts["home"], facts["away"]]
    lines = [_form_line(side, words) for side in sides]
    streaks = [_streak(side, words) for side in sides if side["matches"]]
    return Judgement(
        supremacy=ground.advantage + edge,
        confidence=0.55,
        matches=min(side["recent"]["matches"] for side in sides),
        notes=(words.say("；", "; ").join(lines) + words.say("。", "."), *streaks),
        evidence=tuple(lines),
    )


def judge_home_away(facts: Facts, ground: Ground, words: Wording) -> Judgement:
    """The home club at home and the away club away, against what an average club does there."""
    edge = venue_margin(facts["home"], ground, "goals") - venue_margin(facts["away"], ground, "goals")
    lines = []
    for side, place in (
        (facts["home"], ("主场近", "at home, last")),
        (facts["away"], ("客场近", "away, last")),
    ):
        lines.append(f"{side['club']} {words.say(*place)} {record_text(side['recent'], words)}")
    return Judgement(
        supremacy=ground.advantage + edge,
        confidence=0.6,
        matches=min(facts[side]["recent"]["matches"] for side in ("home", "away")),
        notes=(words.say("；", "; ").join(lines) + words.say("。", "."),),
        evidence=tuple(lines),
    )


def judge_h2h(facts: Facts, ground: Ground, words: Wording) -> Judgement:
    """Goal differences of the meetings, each cleared of where it was played."""
    edge = meetings_margin(facts, ground, "goals")
    home, away = facts["match"]["home"], facts["match"]["away"]
    total, here = facts["total"], facts["here"]
    lines = [
        words.say(
            f"{home} 对 {away} 近 {record_text(total, words)}",
            f"{home} v {away}, last {record_text(total, words)}",
        )
    ]
    if here["matches"]:
        lines.append(
            words.say(
                f"其中主队主场 {record_text(here, words)}", f"at this ground: {record_text(here, words)}"
            )
        )
    return Judgement(
        supremacy=ground.advantage + edge,
        confidence=0.45,
        matches=total["matches"],
        notes=(words.say("；", "; ").join(lines) + words.say("。", "."),),
        evidence=tuple(lines),
    )


def judge_stats(facts: Facts, ground: Ground, words: Wording) -> Judgement:
    """Attack against defence, both ways, by the strengths fitted to the league; recent goals without them."""
    sides = [facts["home"], facts["away"]]
    lines = [
        f"{side['club']} {words.say('本季 ', 'this season: ')}{record_text(side['season'], words)}"
        for side in sides
        if side["season"]["matches"]
    ]
    matches = min(side["recent"]["matches"] for side in sides)
    fitted = facts.get("strengths", {}).get("mixed")
    if not fitted:
        edge = per_match(sides[0]["recent"], "goals") - per_match(sides[1]["recent"], "goals")
        note = words.say(
            "联赛样本不足以拟合攻防强度，改用近期净胜球。",
            "Too few league matches to fit strengths; recent goal differences are used instead.",
        )
        return Judgement(ground.advantage + edge, 0.4, matches, (note,), tuple(lines))
    for side, club in zip(("home", "away"), sides, strict=True):
        attack, defence = fitted[side]["attack"], fitted[side]["defence"]
        lines.append(
            words.say(
                f"{club['club']} 进攻强度 {attack}、防守强度 {defence}（1 为联赛平均，防守越低越好）",
                f"{club['club']} attack {attack}, defence {defence} (1 is average, low defence is good)",
            )
        )
    home, away = fitted["expected_home_goals"], fitted["expected_away_goals"]
    lines.append(
        words.say(
            f"攻防强度推得进球期望 {home}:{away}", f"strengths multiply to expected goals {home}:{away}"
        )
    )
    return Judgement(
        supremacy=home - away,
        confidence=0.7,
        matches=matches,
        notes=(words.say("；", "; ").join(lines[-3:]) + words.say("。", "."),),
        evidence=tuple(lines),
    )


def judge_injuries(facts: Facts, ground: Ground, words: Wording) -> Judgement:
    """Players reported out, counted; who they are is not judged."""
    out = {side: facts[side]["absences"] if side in facts else [] for side in ("home", "away")}
    cost = {side: GOALS_PER_ABSENCE * min(len(players), MOST_ABSENCES) for side, players in out.items()}
    lines = []
    for side, players in out.items():
        if players:
            names = words.join([str(player["player"]) for player in players])
            lines.append(
                words.say(
                    f"{facts[side]['club']} 缺阵 {len(players)} 人：{names}",
                    f"{facts[side]['club']} without {len(players)}: {names}",
                )
            )
    return Judgement(
        supremacy=ground.advantage + cost["away"] - cost["home"],
        confidence=0.4,
        matches=3 if all(out.values()) else 1,
        notes=(words.say("；", "; ").join(lines) + words.say("。", "."),),
        evidence=tuple(lines),
    )


EXPERTS: dict[str, Expert] = {
    "form": judge_form,
    "stats": judge_stats,
    "home_away": judge_home_away,
    "injuries": judge_injuries,
    "h2h": judge_h2h,
}
"""Slice name -> the expert that judges it."""


def form_margin(side: Facts, ground: Ground, source: Source) -> float:
    """A club's goal difference per match beyond what the venue explains, drawn to 0 by its sample."""
    return _shrunk([_beyond_venue(match, ground, source) for match in side["matches"]])


def meetings_margin(facts: Facts, ground: Ground, source: Source) -> float:
    """The home club's goal difference per meeting beyond what the venue explains, drawn to 0."""
    return _shrunk([_beyond_venue(match, ground, source) for match in facts["meetings"]])


def venue_margin(side: Facts, ground: Ground, source: Source) -> float:
    """A club's goal difference per match at its venue beyond an average club's there, drawn to 0."""
    usual = ground.advantage if side["venue"] == "home" else -ground.advantage
    n = side["recent"]["matches"]
    return (per_match(side["recent"], source) - usual) * n / (n + SHRINK_MATCHES) if n else 0.0


def per_match(record: Facts, source: Source) -> float:
    """Goal difference per match of a record; by expected goals if ``source`` says so and they are known."""
    if source == "xg" and record["xg_for"] is not None:
        shots = record["xg_for"] - record["xg_against"]
        if record["nsxg_for"] is None:
            return float(shots)
        return float(shots + record["nsxg_for"] - record["nsxg_against"]) / 2
    return (record["goals_for"] - record["goals_against"]) / record["matches"] if record["matches"] else 0.0


def record_text(record: Facts, words: Wording) -> str:
    """Matches, results and goals of a record, as the slice has them."""
    if not record["matches"]:
        return words.say("没有比赛记录", "no match on record")
    n, won, drawn, lost = (record[key] for key in ("matches", "won", "drawn", "lost"))
    goals = f"{record['goals_for']}:{record['goals_against']}"
    return words.say(
        f"{n} 场 {won} 胜 {drawn} 平 {lost} 负，进失球 {goals}",
        f"{n} matches, {won} won, {drawn} drawn, {lost} lost, goals {goals}",
    )


def _form_line(side: Facts, words: Wording) -> str:
    return f"{side['club']}{words.say(' 近 ', ', last ')}{record_text(side['recent'], words)}"


def _streak(side: Facts, words: Wording) -> str:
    results = [match["result"] for match in side["matches"]]
    last = results[-1]
    length = next((i for i, result in enumerate(reversed(results)) if result != last), len(results))
    if length < 3:
        return ""
    zh, en = {"W": ("连胜", "wins"), "D": ("连平", "draws"), "L": ("连败", "defeats")}[last]
    return words.say(
        f"{side['club']} 正处于 {length} 场{zh}。", f"{side['club']} have {length} {en} in a row."
    )


def _beyond_venue(match: Facts, ground: Ground, source: Source) -> float:
    usual = ground.advantage if match["venue"] == "home" else -ground.advantage
    return per_match({**match, "matches": 1}, source) - usual


def _shrunk(values: Sequence[float]) -> float:
    return sum(values) / (len(values) + SHRINK_MATCHES)
