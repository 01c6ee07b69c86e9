"""From the reports of a match run to its verdict: arithmetic over the last answer, every change recorded.

The rules: probabilities follow from the two goal expectations (independent Poisson) where the answer has
none, and are scaled to sum to 1 where it has; the label is the likeliest outcome, whatever the answer calls
it; an expert that had no data or failed has no weight.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.records import LAST_ROLES, Adjustment, Outcome, Report, Verdict
from workbench.rules.poisson import OUTCOMES, likeliest, poisson_1x2
from workbench.strategy.schema import MatchStrategy

SUM_TOLERANCE = 1e-6
"""Probabilities whose sum is further from 1 are scaled, with a warning."""

Probabilities = dict[Outcome, float]


@dataclass
class _Ruling:
    """What the rules have changed so far, told in the strategy's language."""

    chinese: bool
    adjustments: list[Adjustment] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def say(self, zh: str, en: str) -> str:
        return zh if self.chinese else en

    def adjust(
        self, rule: str, name: str, before: float | str | None, after: float | str | None, why: str
    ) -> None:
        self.adjustments.append(Adjustment(rule=rule, field=name, before=before, after=after, why=why))


def conclude(reports: Mapping[str, Report], strategy: MatchStrategy) -> Verdict:
    """The verdict of a match run.

    Args:
        reports: The report of every agent; the last one (aggregator, or the single agent) has an opinion.
        strategy: The strategy; gives the language of reasons and warnings.

    Returns:
        ``score`` is expected home minus away goals, ``label`` the likeliest of ``1``, ``X``, ``2``. Fields:
        ``pred_home_goals``, ``pred_away_goals``, ``probabilities`` (summing to 1), ``1x2`` as the model said
        it, ``agent_weights`` and ``reasoning``. Without an opinion of the last agent there is no score.
    """
    ruling = _Ruling(chinese=strategy.language == "zh")
    last = next(report for report in reports.values() if report.role in LAST_ROLES)
    experts = [report for report in reports.values() if report.role not in LAST_ROLES]
    opinion = last.final
    if opinion is None:
        return Verdict(counted=sum(map(heard, experts)), total=len(experts))
    answer = opinion.fields
    home, away = float(answer["pred_home_goals"]), float(answer["pred_away_goals"])
    probabilities = _probabilities(answer.get("probabilities"), home, away, ruling)
    label = _label(answer["1x2"], probabilities, ruling)
    weights = _weights(answer.get("agent_weights") or {}, experts, ruling)
    if "recency" in last.evidence.missing:
        newest = last.evidence.newest
        ruling.warnings.append(
            ruling.say(
                f"证据中最新一场比赛是 {newest}，距本场已久。",
                f"The newest match in evidence is of {newest}, long before this one.",
            )
        )
    return Verdict(
        score=round(home - away, 6),
        label=label,
        confidence=opinion.confidence,
        fields={
            "pred_home_goals": home,
            "pred_away_goals": away,
            "probabilities": probabilities,
            "1x2": answer["1x2"],
            "agent_weights": weights,
            "reasoning": opinion.analysis,
        },
        adjustments=tuple(ruling.adjustments),
        warnings=tuple(ruling.warnings),
        counted=sum(map(heard, experts)),
        total=len(experts),
    )


def heard(report: Report) -> bool:
    """Whether an expert's report counts: it is ok and does not itself say that it had nothing to go by."""
    if not report.counted or report.final is None:
        return False
    fields = report.final.fields
    return fields.get("status", "ok") == "ok" and fields.get("data_sufficiency") != "none"


def _standing(report: Report) -> str:
    """What keeps a report from counting: its status, or what the expert says of its own evidence."""
    fields = report.final.fields if report.counted and report.final is not None else {}
    if fields.get("data_sufficiency") == "none":
        return "data_sufficiency none"
    return str(fields.get("status", report.status))


def _probabilities(
    given: Mapping[Outcome, float] | None, home: float, away: float, ruling: _Ruling
) -> Probabilities:
    expected = poisson_1x2(home, away)
    if given is None or sum(given.values()) <= 0:
        why = ruling.say(
            f"回答{'没有给出概率' if given is None else '给出的概率全为 0'}，"
            f"由进球期望 {home:g}:{away:g} 按独立泊松推算。",
            f"The answer gives {'no probabilities' if given is None else 'probabilities of 0 alone'};"
            f" Poisson gives them for {home:g}:{away:g} expected goals.",
        )
        before = None if given is None else percentages(given)
        ruling.adjust("poisson", "probabilities", before, percentages(expected), why)
        return expected
    stated: Probabilities = {outcome: float(given[outcome]) for outcome in OUTCOMES}
    total = sum(stated.values())
    if abs(total - 1) > SUM_TOLERANCE:
        scaled: Probabilities = {outcome: p / total for outcome, p in stated.items()}
        why = ruling.say(f"三项概率合计 {total:.3f}，按比例归一。", f"They sum to {total:.3f}; scaled to 1.")
        ruling.adjust("renormalise", "probabilities", percentages(stated), percentages(scaled), why)
        ruling.warnings.append(ruling.say(f"概率之和不为一：{why}", f"Probabilities do not sum to 1. {why}"))
        stated = scaled
    if (stated["1"] - stated["2"]) * (home - away) < 0:
        ruling.warnings.append(
            ruling.say(
                f"概率与进球期望 {home:g}:{away:g} 看好的不是同一队。",
                f"The probabilities and the expected goals {home:g}:{away:g} favour different clubs.",
            )
        )
    return stated


def _label(stated: str, probabilities: Probabilities, ruling: _Ruling) -> Outcome:
    """The likeliest outcome; on a tie the one the answer names, if it is among them."""
    top = max(probabilities.values())
    named = next((outcome for outcome in OUTCOMES if outcome == stated), None)
    if named is not None and probabilities[named] > top - SUM_TOLERANCE:
        return named
    label = likeliest(probabilities)
    why = ruling.say(
        f"回答写 {stated}，但概率最高的是 {label}（{percentages(probabilities)}）。",
        f"The answer says {stated}, but {label} is likeliest ({percentages(probabilities)}).",
    )
    ruling.adjust("1x2", "1x2", stated, label, why)
    ruling.warnings.append(ruling.say(f"1x2 与概率矛盾：{why}", f"1x2 contradicts the probabilities. {why}"))
    return label


def _weights(given: Mapping[str, Any], experts: list[Report], ruling: _Ruling) -> dict[str, float]:
    """The weights of the experts of this run; 0 where an expert was not heard."""
    weights: dict[str, float] = {}
    for report in experts:
        weight = given.get(report.agent)
        if not heard(report):
            if weight:
                found = _standing(report)
                why = ruling.say(
                    f"{report.title}没有可用的结论（{found}），采信度归零。",
                    f"{report.title} has nothing to count ({found}); its weight is 0.",
                )
                ruling.adjust("agent_weights", f"agent_weights.{report.agent}", float(weight), 0.0, why)
            weights[report.agent] = 0.0
        elif weight is None:
            ruling.warnings.append(
                ruling.say(
                    f"回答没有给出{report.title}的采信度。", f"The answer gives {report.title} no weight."
                )
            )
        else:
            weights[report.agent] = float(weight)
    if strangers := sorted(given.keys() - {report.agent for report in experts}):
        names = ", ".join(strangers)
        ruling.warnings.append(
            ruling.say(
                f"采信度提到了不存在的专家：{names}。", f"Weights name no expert of this run: {names}."
            )
        )
    return weights


def percentages(probabilities: Mapping[Outcome, float]) -> str:
    """``1 60.6% · X 21.2% · 2 18.3%``, in the order home, draw, away."""
    return " · ".join(f"{outcome} {probabilities[outcome]:.1%}" for outcome in OUTCOMES)
