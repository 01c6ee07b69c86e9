"""The match pipeline: experts in parallel, each on its own slice, then an aggregator; or all of it at once.

Single mode asks one question over one context made of the same slices, as the yardstick that shows what
the experts are worth. Its runs carry the prompt version alone (``v1``), those of the experts ``multi_v1``,
so that stored runs fall into the two groups by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field, field_validator

from workbench.engine.plan import AnswerForm, Plan, Reports, Step
from workbench.errors import InputError
from workbench.evidence.football import Window, combine, match_header
from workbench.evidence.slices import get_slice
from workbench.evidence.view import View
from workbench.llm.schemas import MatchFinal, MatchForecast, SpecialistMatch
from workbench.records import EDGE_SCALE, Evidence, MatchSubject, Scale, Status, Subject
from workbench.rules.match import conclude, heard
from workbench.rules.poisson import MAX_GOALS
from workbench.strategy.files import LoadedStrategy
from workbench.strategy.prompts import PromptLibrary
from workbench.strategy.schema import MatchStrategy, Specialist

AGGREGATOR = "aggregator"
SINGLE = "single"

GOALS_SCALE = Scale(low=-4, high=4, neutral=0, unit="goals")
"""Expected home minus away goals, as far as football goes; drawn, not enforced."""

Share = Annotated[float, Field(ge=0, le=1)]


class OutcomeProbabilities(BaseModel):
    home: Share = Field(alias="1")
    draw: Share = Field(alias="X")
    away: Share = Field(alias="2")


class _Stated(BaseModel):
    """What a forecast may add to its contract, and how far it may go."""

    probabilities: OutcomeProbabilities | None = None

    @field_validator("pred_home_goals", "pred_away_goals", check_fields=False)
    @classmethod
    def _no_slip(cls, goals: float) -> float:
        if goals > MAX_GOALS:
            raise ValueError(f"a goal expectation above {MAX_GOALS:g} is a slip")
        return goals


class ExpertAnswer(SpecialistMatch):
    """One expert's report. An unknown status is asked for again: it would leave the expert unheard."""

    status: Status


class SingleAnswer(_Stated, MatchForecast):
    """The forecast of a single analyst, who has nobody to weigh."""


class FinalAnswer(_Stated, MatchFinal):
    """The forecast of the aggregator."""


EXPERT_FORM = AnswerForm(
    schema=ExpertAnswer,
    scale=EDGE_SCALE,
    score=lambda answer: float(answer["home_edge"]),
    confidence="subjective_confidence",
)


def _final_form(schema: type[MatchForecast]) -> AnswerForm:
    return AnswerForm(
        schema=schema,
        scale=GOALS_SCALE,
        score=_goal_difference,
        confidence="subjective_confidence",
        analysis="reasoning",
    )


def _goal_difference(answer: Mapping[str, Any]) -> float:
    return round(float(answer["pred_home_goals"]) - float(answer["pred_away_goals"]), 6)


def build(
    loaded: LoadedStrategy,
    strategy: MatchStrategy,
    subject: Subject,
    *,
    view: View,
    prompts: PromptLibrary,
) -> Plan:
    """The plan of one run over one match.

    Raises:
        InputError: The subject is no match, or the view reaches beyond the morning of the match.
        StrategyError: A specialist names a slice that does not exist.
        PromptError: A prompt is missing or was changed after its release.
    """
    if not isinstance(subject, MatchSubject):
        raise InputError(f"the strategy {strategy.name!r} judges matches, not a {subject.kind}.")
    if view.as_of > subject.date:
        raise InputError(
            f"as of {view.as_of} the match of {subject.date} has been played.",
            remedy="Choose an as-of date up to the day of the match.",
        )
    window = Window(recent=strategy.recent, meetings=strategy.meetings)
    slices = {spec.name: get_slice(spec.slice, of="match") for spec in strategy.specialists}

    def show(name: str) -> Evidence:
        return slices[name](view, subject, window)

    if strategy.mode == "single":
        steps = [_single_step(strategy, show, prompts)]
    else:
        steps = [_expert_step(spec, strategy, show, prompts) for spec in strategy.specialists]
        steps.append(_aggregator_step(strategy, lambda: match_header(view, subject), prompts))
    version = strategy.prompt_version
    return Plan(
        pipeline="match",
        subject=subject,
        as_of=view.as_of,
        strategy=strategy.name,
        strategy_text=loaded.text,
        strategy_hash=loaded.hash,
        prompt_version=version if strategy.mode == "single" else f"multi_{version}",
        language=strategy.language,
        steps=tuple(steps),
        conclude=lambda reports: conclude(reports, strategy),
        receipt=view.receipt,
    )


def _expert_step(
    spec: Specialist, strategy: MatchStrategy, show: Callable[[str], Evidence], prompts: PromptLibrary
) -> Step:
    return Step(
        agent=spec.name,
        title=spec.title,
        role="specialist",
        needs=(),
        gather=lambda reports: show(spec.name),
        form=EXPERT_FORM,
        draft=prompts.get(spec.prompt_name, strategy.prompt_version),
        revise=prompts.get("revise_expert", strategy.prompt_version) if strategy.revise else None,
        task={
            "kind": "match_expert",
            "slice": spec.slice,
            "title": spec.title,
            "language": strategy.language,
        },
    )


def _aggregator_step(strategy: MatchStrategy, header: Callable[[], Evidence], prompts: PromptLibrary) -> Step:
    def gather(reports: Reports) -> Evidence:
        shown = header()
        opinions = [_report_facts(spec, reports) for spec in strategy.specialists]
        update: dict[str, Any] = {"facts": {**shown.facts, "reports": opinions}}
        if shown.empty and any(opinion["status"] == "ok" for opinion in opinions):
            update["sufficiency"] = "low"  # nothing of the league, but an expert had something to go by
        return shown.model_copy(update=update)

    return Step(
        agent=AGGREGATOR,
        title="终裁" if strategy.language == "zh" else "Aggregator",
        role="aggregator",
        needs=tuple(spec.name for spec in strategy.specialists),
        gather=gather,
        form=_final_form(FinalAnswer),
        draft=prompts.get(AGGREGATOR, strategy.prompt_version),
        task={"kind": "match_final", "language": strategy.language},
    )


def _single_step(strategy: MatchStrategy, show: Callable[[str], Evidence], prompts: PromptLibrary) -> Step:
    return Step(
        agent=SINGLE,
        title="单一分析" if strategy.language == "zh" else "Single analyst",
        role="aggregator",
        needs=(),
        gather=lambda reports: combine({spec.slice: show(spec.name) for spec in strategy.specialists}),
        form=_final_form(SingleAnswer),
        draft=prompts.get(SINGLE, strategy.prompt_version),
        task={
            "kind": "match_single",
            "language": strategy.language,
            "revise": strategy.revise,
            "slices": {spec.slice: spec.title for spec in strategy.specialists},
        },
    )


def _report_facts(spec: Specialist, reports: Reports) -> dict[str, Any]:
    """One report as the aggregator weighs it; a report that does not count keeps only why."""
    report = reports[spec.name]
    facts: dict[str, Any] = {"agent": spec.name, "title": spec.title, "slice": spec.slice}
    if not heard(report) or report.final is None:
        return facts | {"status": "no_data" if report.status == "ok" else report.status}
    answer: Mapping[str, Any] = report.final.fields
    return facts | {
        "status": "ok",
        "sufficiency": report.evidence.sufficiency,
        "home_edge": answer["home_edge"],
        "subjective_confidence": answer["subjective_confidence"],
    }
