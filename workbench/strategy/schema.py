"""What a strategy file may say: the models of its kinds.

A strategy is the analyst's own text. It decides what is asked, in which order, on which anchors a score
stands and which rules hold whatever a model says. Every model forbids unknown keys, so a misspelt key is an
error and never a setting that silently does nothing.

A new kind is one more class with its own ``kind`` literal, added to ``Strategy``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, model_validator

from workbench.errors import StrategyError
from workbench.records import Blind, StageName
from workbench.strategy.findings import KeyPath
from workbench.strategy.news import NewsStrategy
from workbench.strategy.parts import (
    Identifier,
    Part,
    Problem,
    RubricAnchor,
    StrategyBase,
    Text,
    duplicates,
    reserved,
)

Label = Literal["buy", "watch", "avoid"]
LABELS: tuple[Label, ...] = ("buy", "watch", "avoid")
"""Best first."""
LABEL_ZH: dict[Label, str] = {"buy": "买入", "watch": "观望", "avoid": "回避"}
LABEL_EN: dict[Label, str] = {"buy": "Buy", "watch": "Watch", "avoid": "Avoid"}

Operation = Literal["==", "!=", "in", "<", "<=", ">", ">=", "contains"]

SYNTHESIS = "synthesis"
"""Agent name of the synthesis; a hard rule may name it where it names a chapter."""
AGGREGATOR = "aggregator"
SINGLE = "single"


class Band(NamedTuple):
    """The scores that earn one label: ``low`` belongs to the band, ``high`` to the next one above."""

    label: Label
    low: float
    high: float


class Thresholds(Part):
    """Where a score becomes a label. Only the lower bounds decide, so no score falls between two bands.

    Attributes:
        buy: Lowest score that is a buy.
        watch: Lowest score that is watched, and the highest as it is written for readers.
        avoid: Highest score that is avoided, as it is written for readers.
    """

    buy: float = Field(gt=0, le=100)
    watch: tuple[float, float]
    avoid: float

    def bands(self) -> tuple[Band, ...]:
        """The one table behind prompts, rules, pages, charts and exports; best band first."""
        return (
            Band("buy", self.buy, 100.0),
            Band("watch", self.watch[0], self.buy),
            Band("avoid", 0.0, self.watch[0]),
        )

    def label(self, score: float) -> Label:
        """The label of ``score`` (0..100): 74.5 is watched where buy starts at 75."""
        buy, watch, _ = self.bands()
        return "buy" if score >= buy.low else "watch" if score >= watch.low else "avoid"

    def problems(self, path: KeyPath) -> Iterator[Problem]:
        low, high = self.watch
        if not 0 < low < self.buy:
            yield Problem(
                (*path, "watch"),
                f"watch starts at {low:g}, which does not lie between 0 and buy ({self.buy:g}).",
                "Thresholds must rise: avoid below watch, watch below buy.",
            )
        if not low <= high < self.buy:
            yield Problem(
                (*path, "watch"),
                f"watch ends at {high:g}, which does not lie between {low:g} and buy ({self.buy:g}).",
                f"Write watch: [{low:g}, {_just_below(self.buy):g}].",
            )
        if not 0 <= self.avoid < low:
            yield Problem(
                (*path, "avoid"),
                f"avoid ends at {self.avoid:g}, which does not lie between 0 and watch ({low:g}).",
                f"Write avoid: {_just_below(low):g}.",
            )


def _just_below(bound: float) -> float:
    return bound - 1 if bound >= 1 else 0.0


class ThinkingStep(Part):
    step: Text
    instruction: Text


class OutputField(NamedTuple):
    """One field the synthesis must answer: the name before the first colon, and what is said after it."""

    name: str
    description: str


class Synthesis(Part):
    """How the chapters become a conclusion.

    Attributes:
        thinking_steps: What it thinks through, in this order.
        scoring_rubric: What a subject in each score range looks like.
        decision_thresholds: Where a score becomes a label.
        synthesis_fields: What it answers, ``name: description`` each.
        token_budget: About how many tokens of chapters it reads; beyond them the texts needed least are left
            out, their conclusions and fields are not.
    """

    thinking_steps: tuple[ThinkingStep, ...] = Field(min_length=1)
    scoring_rubric: tuple[RubricAnchor, ...] = Field(min_length=1)
    decision_thresholds: Thresholds
    synthesis_fields: tuple[Text, ...] = Field(min_length=1)
    token_budget: int = Field(default=24_000, ge=1)

    def fields(self) -> tuple[OutputField, ...]:
        """``synthesis_fields`` split into name and description: ``综合评分: 0-100分``."""
        split = (re.split(r"[:：]", text, maxsplit=1) for text in self.synthesis_fields)
        return tuple(OutputField(name.strip(), "".join(rest).strip()) for name, *rest in split)

    def anchor(self, score: float) -> RubricAnchor | None:
        """The anchor ``score`` stands on, by lower bounds like the thresholds; None below the lowest."""
        reached = [anchor for anchor in self.scoring_rubric if anchor.low <= score]
        return max(reached, key=lambda anchor: anchor.low, default=None)


class Chapter(Part):
    """One chapter: a question answered through operators.

    ``needs`` names the chapters whose conclusions it reads; None means all earlier ones.
    """

    id: Identifier
    title: Text
    question: Text
    operators: tuple[Identifier, ...] = Field(min_length=1)
    needs: tuple[Identifier, ...] | None = None


class FieldRef(Part):
    """A field of an answer; without ``chapter``, the one chapter of the run that has such a field."""

    chapter: str | None = None
    field: Text


class Condition(FieldRef):
    """A comparison of one answered field with a value, or with another answered field (``other``).

    A field that was not answered makes the condition unknown, which is neither true nor false.
    """

    op: Operation
    value: Any = None
    other: FieldRef | None = None

    @model_validator(mode="after")
    def _one_right_side(self) -> Condition:
        if (self.value is None) == (self.other is None):
            raise ValueError(
                "a condition compares with either `value` or `other`; write exactly one of them."
            )
        if self.op == "in" and self.other is None and not isinstance(self.value, list | tuple):
            raise ValueError("`in` needs a list of values, e.g. value: [危险, 恶化].")
        return self


class When(Part):
    """All of the conditions, or any one of them."""

    all: tuple[Condition, ...] = ()
    any: tuple[Condition, ...] = ()

    @model_validator(mode="after")
    def _one_list(self) -> When:
        if bool(self.all) == bool(self.any):
            raise ValueError("write either `all:` or `any:` with at least one condition.")
        return self

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.all or self.any


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


class HardRule(Part):
    """A rule that holds whatever a model says: where ``when`` is true, it caps the score and bars labels.

    Attributes:
        name: What a reader calls it.
        when: Conditions over the answers of chapters and synthesis.
        cap: Highest score left, 0..100.
        label_bar: Labels that may not be given: one, or a list.
        why: One sentence shown beside the adjustment.
    """

    name: Text
    when: When
    cap: float | None = Field(default=None, ge=0, le=100)
    label_bar: Annotated[tuple[Label, ...], BeforeValidator(_as_tuple)] = ()
    why: str = ""

    @model_validator(mode="after")
    def _does_something(self) -> HardRule:
        if self.cap is None and not self.label_bar:
            raise ValueError("the rule changes nothing; give it `cap:` or `label_bar:`.")
        if set(self.label_bar) == set(LABELS):
            raise ValueError("the rule bars every label; leave at least one.")
        return self


class Framework(Part):
    chapters: tuple[Chapter, ...] = Field(min_length=1)
    synthesis: Synthesis

    def needs(self, chapter: Chapter) -> tuple[str, ...]:
        """Ids of the chapters ``chapter`` reads, in file order."""
        if chapter.needs is None:
            return tuple(earlier.id for earlier in self.chapters[: self.chapters.index(chapter)])
        return tuple(other.id for other in self.chapters if other.id in chapter.needs)

    def run_order(self) -> tuple[Chapter, ...]:
        """The chapters so that each follows those it needs, in file order where the needs allow.

        Raises:
            StrategyError: The needs form a cycle.
        """
        waiting = list(self.chapters)
        ordered: list[Chapter] = []
        while waiting:
            placed = {chapter.id for chapter in ordered}
            ready = next((c for c in waiting if placed.issuperset(self.needs(c))), None)
            if ready is None:
                cycle = " -> ".join(self._cycle(waiting))
                raise StrategyError(
                    f"the chapters need each other in a circle: {cycle}.",
                    where="framework.chapters",
                    remedy="Remove one of these needs.",
                )
            ordered.append(ready)
            waiting.remove(ready)
        return tuple(ordered)

    def _cycle(self, stuck: list[Chapter]) -> list[str]:
        """One circle among chapters each of which waits for another of them."""
        by_id = {chapter.id: chapter for chapter in stuck}
        walk = [stuck[0].id]
        while True:
            step = next(need for need in self.needs(by_id[walk[-1]]) if need in by_id)
            if step in walk:
                return [*walk[walk.index(step) :], step]
            walk.append(step)

    def problems(self, path: KeyPath) -> Iterator[Problem]:
        ids = [chapter.id for chapter in self.chapters]
        yield from duplicates(ids, (*path, "chapters"), "id", "chapter")
        yield from reserved(ids, (*path, "chapters"), "id", SYNTHESIS)
        for position, chapter in enumerate(self.chapters):
            at: KeyPath = (*path, "chapters", position)
            yield from duplicates(chapter.operators, (*at, "operators"), None, "operator")
            for index, need in enumerate(chapter.needs or ()):
                if need not in ids or need == chapter.id:
                    what = "itself" if need == chapter.id else f"{need!r}, which does not exist"
                    yield Problem(
                        (*at, "needs", index),
                        f"chapter {chapter.id!r} needs {what}.",
                        f"Chapters: {', '.join(ids)}.",
                    )
        if len(set(ids)) == len(ids):
            try:
                self.run_order()
            except StrategyError as error:
                yield Problem((*path, "chapters"), error.what, error.remedy)
        steps = [step.step for step in self.synthesis.thinking_steps]
        yield from duplicates(steps, (*path, "synthesis", "thinking_steps"), "step", "thinking step")
        names = [field.name for field in self.synthesis.fields()]
        yield from duplicates(names, (*path, "synthesis", "synthesis_fields"), None, "output field")
        yield from self.synthesis.decision_thresholds.problems((*path, "synthesis", "decision_thresholds"))


class ChaptersStrategy(StrategyBase):
    """A ticker, judged chapter by chapter and concluded by a synthesis that thinks in steps.

    Attributes:
        blind: ``identity`` hides from the model who and when it judges, ``full`` also rescales amounts.
        framework: Chapters and synthesis.
        hard_rules: What holds whatever a model says.
    """

    kind: Literal["chapters"] = "chapters"
    blind: Blind = "none"
    framework: Framework
    hard_rules: tuple[HardRule, ...] = ()

    def prompt_name(self, role: Literal["chapter", "synthesis"], stage: StageName = "draft") -> str:
        """The prompt an agent is asked with, in the language of the strategy: ``revise_chapter_en``."""
        name = role if stage == "draft" else f"revise_{role}"
        return name if self.language == "zh" else f"{name}_{self.language}"

    def prompt_names(self) -> tuple[str, ...]:
        stages: tuple[StageName, ...] = ("draft", "revised") if self.revise else ("draft",)
        return tuple(self.prompt_name(role, stage) for stage in stages for role in ("chapter", "synthesis"))

    def problems(self) -> Iterator[Problem]:
        yield from self.framework.problems(("framework",))
        yield from duplicates([rule.name for rule in self.hard_rules], ("hard_rules",), "name", "hard rule")
        known = {chapter.id for chapter in self.framework.chapters} | {SYNTHESIS}
        for at, rule, ref in self.rule_references():
            if ref.chapter is not None and ref.chapter not in known:
                what = f"hard rule {rule.name!r} reads chapter {ref.chapter!r}, which does not exist."
                yield Problem((*at, "chapter"), what, f"Known: {', '.join(sorted(known))}.")

    def rule_references(self) -> Iterator[tuple[KeyPath, HardRule, FieldRef]]:
        """Every answered field a hard rule reads, with its place in the file."""
        for position, rule in enumerate(self.hard_rules):
            side = "all" if rule.when.all else "any"
            for index, condition in enumerate(rule.when.conditions):
                at: KeyPath = ("hard_rules", position, "when", side, index)
                yield at, rule, condition
                if condition.other is not None:
                    yield (*at, "other"), rule, condition.other


class Specialist(Part):
    """One expert of a match: the slice it is shown and the prompt it answers (its own name by default)."""

    name: Identifier
    title: Text
    slice: Identifier
    prompt: Identifier | None = None

    @property
    def prompt_name(self) -> str:
        return self.prompt or self.name


class MatchStrategy(StrategyBase):
    """A football match: experts in parallel and an aggregator, or one call over everything (``single``).

    Attributes:
        mode: ``multi`` or ``single``.
        specialists: The experts; in single mode their slices make up the one context.
        recent: How many matches of each side the form and statistics slices show.
        meetings: How many earlier meetings of the two sides are shown.
    """

    kind: Literal["match"] = "match"
    mode: Literal["multi", "single"] = "multi"
    specialists: tuple[Specialist, ...] = Field(min_length=1)
    recent: int = Field(default=10, ge=1, le=100)
    meetings: int = Field(default=10, ge=1, le=100)

    def prompt_names(self) -> tuple[str, ...]:
        if self.mode == "single":
            return (SINGLE,)
        names = tuple(dict.fromkeys(specialist.prompt_name for specialist in self.specialists))
        return (*names, AGGREGATOR, "revise_expert") if self.revise else (*names, AGGREGATOR)

    def problems(self) -> Iterator[Problem]:
        names = [specialist.name for specialist in self.specialists]
        yield from duplicates(names, ("specialists",), "name", "specialist")
        yield from reserved(names, ("specialists",), "name", AGGREGATOR)


Strategy = Annotated[ChaptersStrategy | MatchStrategy | NewsStrategy, Field(discriminator="kind")]

STRATEGY_KINDS: dict[str, type[StrategyBase]] = {
    "chapters": ChaptersStrategy,
    "match": MatchStrategy,
    "news": NewsStrategy,
}
