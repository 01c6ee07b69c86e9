"""Checks of a strategy that go beyond its types: does it fit its operators, its prompts, and itself?

Every check is a function of the strategy and what it refers to. Errors keep a strategy from being saved or
run; warnings say what will probably not do what was meant.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from workbench.errors import PromptError, StrategyError
from workbench.strategy.claims import Measured, contradictions
from workbench.strategy.document import Document
from workbench.strategy.files import validate
from workbench.strategy.findings import Finding, KeyPath, Severity
from workbench.strategy.news import NewsStrategy
from workbench.strategy.operators import Operator, OperatorLibrary
from workbench.strategy.parts import Problem
from workbench.strategy.prompts import PromptLibrary
from workbench.strategy.rubric_checks import SYNTHESIS_PATH, rubric_problems
from workbench.strategy.rule_fields import unanswered
from workbench.strategy.schema import (
    ChaptersStrategy,
    Condition,
    MatchStrategy,
    Strategy,
)

_CHAPTER_NUMBER = re.compile(r"ch0*(\d+)(?:_|$)")
_MENTION = re.compile(
    r"(?<![A-Za-z])[Cc]h(?:apter)?[ .]?0*(\d{1,2})(?!\d)|第\s*(\d{1,2}|[一二三四五六七八九十]{1,3})\s*章"
)
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")}


@dataclass(frozen=True)
class Libraries:
    """What a strategy may refer to.

    Attributes:
        operators: The operators of the workspace.
        prompts: Its prompts.
        slices: Kind of strategy -> names of the evidence slices registered for its subjects.
        measured: Figures of the last evaluation, to check the ones quoted in thinking steps against.
    """

    operators: OperatorLibrary
    prompts: PromptLibrary
    slices: Mapping[str, Collection[str]]
    measured: Sequence[Measured] = ()


def lint(document: Document, libraries: Libraries) -> list[Finding]:
    """Everything to mend in a strategy file, in the order of its lines.

    Args:
        document: The file, saved or not.
        libraries: What it may refer to.
    """
    strategy, findings = validate(document.tree, document.where)
    kinds: list[tuple[Severity, Iterator[Problem]]] = [("warning", rubric_problems(document))]
    if strategy is not None:
        kinds += [
            ("error", _reference_errors(strategy, libraries)),
            ("warning", _warnings(strategy, document, libraries)),
        ]
    findings += [
        Finding(severity, f"{document.where}:{document.line(p.path)}", p.what, p.remedy, p.path)
        for severity, problems in kinds
        for p in problems
    ]
    return sorted(findings, key=lambda finding: document.line(finding.path))


def _reference_errors(strategy: Strategy, libraries: Libraries) -> Iterator[Problem]:
    """What the strategy names and nobody has."""
    for name in strategy.prompt_names():
        try:
            libraries.prompts.get(name, strategy.prompt_version)
        except PromptError as error:
            yield Problem(("prompt_version",), f"{error.where}: {error.what}", error.remedy)
    slices = libraries.slices[strategy.kind]
    match strategy:
        case ChaptersStrategy():
            operators = _operators(strategy, libraries.operators)
            yield from _missing_operators(strategy, libraries.operators)
            yield from _slices_of_operators(strategy, operators, slices)
            yield from _shared_outputs(strategy, operators)
            yield from _rule_fields(strategy, operators)
            yield from _rule_values(strategy, operators)
        case MatchStrategy():
            for index, specialist in enumerate(strategy.specialists):
                if specialist.slice not in slices:
                    what = f"there is no evidence slice {specialist.slice!r}."
                    yield Problem(("specialists", index, "slice"), what, _suggest(specialist.slice, slices))
        case NewsStrategy():
            for index, expert in enumerate(strategy.specialists):
                for position, tool in enumerate(expert.tools):
                    if tool.name not in slices:
                        what = f"there is no tool {tool.name!r}."
                        at = ("specialists", index, "tools", position)
                        yield Problem(at, what, _suggest(tool.name, slices))


def _warnings(strategy: Strategy, document: Document, libraries: Libraries) -> Iterator[Problem]:
    stem = document.where.removesuffix(".yaml")
    if stem != document.where and strategy.name != stem:
        remedy = f"Write `name: {stem}`, so that runs are listed under the name of the file."
        yield Problem(
            ("name",), f"the strategy is called {strategy.name!r} in the file {document.where}.", remedy
        )
    if isinstance(strategy, ChaptersStrategy):
        synthesis = strategy.framework.synthesis
        yield from _later_needs(strategy)
        yield from _chapter_mentions(strategy)
        yield from _unread_outputs(strategy, _operators(strategy, libraries.operators))
        for index, step in enumerate(synthesis.thinking_steps):
            for what, remedy in contradictions(step.instruction, libraries.measured):
                yield Problem((*SYNTHESIS_PATH, "thinking_steps", index, "instruction"), what, remedy)


def _operators(strategy: ChaptersStrategy, library: OperatorLibrary) -> dict[str, Operator]:
    """The operators the strategy uses, those that cannot be read left out."""
    found = {}
    for id in {id for chapter in strategy.framework.chapters for id in chapter.operators}:
        try:
            found[id] = library.get(id).in_language(strategy.language)
        except StrategyError:
            continue
    return found


def _missing_operators(strategy: ChaptersStrategy, library: OperatorLibrary) -> Iterator[Problem]:
    for at, id in _operator_places(strategy):
        try:
            library.get(id)
        except StrategyError as error:
            known = id in library.ids()
            what = f"{error.where}: {error.what}" if known else f"there is no operator {id!r}."
            yield Problem(at, what, error.remedy if known else _suggest(id, library.ids()))


def _operator_places(strategy: ChaptersStrategy) -> Iterator[tuple[KeyPath, str]]:
    for position, chapter in enumerate(strategy.framework.chapters):
        for index, id in enumerate(chapter.operators):
            yield ("framework", "chapters", position, "operators", index), id


def _slices_of_operators(
    strategy: ChaptersStrategy, operators: dict[str, Operator], slices: Collection[str]
) -> Iterator[Problem]:
    for at, id in _operator_places(strategy):
        for name in operators[id].data_needed if id in operators else ():
            if name not in slices:
                what = f"operator {id!r} needs the evidence slice {name!r}, which does not exist."
                yield Problem(at, what, f"In {id}.md: {_suggest(name, slices)}")


def _shared_outputs(strategy: ChaptersStrategy, operators: dict[str, Operator]) -> Iterator[Problem]:
    """Fields that two operators of one chapter would both answer for some company."""
    for position, chapter in enumerate(strategy.framework.chapters):
        known = [(index, operators[id]) for index, id in enumerate(chapter.operators) if id in operators]
        for (_, first), (index, second) in combinations(known, 2):
            shared = sorted(first.outputs.keys() & second.outputs.keys())
            if shared and _meet(first, second):
                what = f"operators {first.id!r} and {second.id!r} both answer the field {shared[0]!r}."
                at = ("framework", "chapters", position, "operators", index)
                remedy = "Put them in different chapters, or rename the field in one of them."
                yield Problem(at, what, remedy)


def _meet(first: Operator, second: Operator) -> bool:
    """Whether there is an industry both operators apply to; None stands for any they do not name."""
    kinds = (*first.industries, *second.industries, None)
    return any(first.applies(kind) and second.applies(kind) for kind in kinds)


def _rule_fields(strategy: ChaptersStrategy, operators: dict[str, Operator]) -> Iterator[Problem]:
    """Hard rules over fields that nobody answers, which could never be triggered."""
    for at, rule, ref, known in unanswered(strategy, operators):
        who = f"chapter {ref.chapter!r} does not answer" if ref.chapter else "no chapter answers"
        what = f"hard rule {rule.name!r} reads {ref.field!r}, which {who}."
        yield Problem(at, what, _suggest(ref.field, known))


def _rule_values(strategy: ChaptersStrategy, operators: dict[str, Operator]) -> Iterator[Problem]:
    """Hard rules that compare a choice with what nobody can choose, so that they never hold or always do."""
    choices: dict[tuple[str | None, str], set[str]] = {}
    for chapter in strategy.framework.chapters:
        for operator in (operators[id] for id in chapter.operators if id in operators):
            for name, output in operator.outputs.items():
                for key in ((chapter.id, name), (None, name)):
                    choices.setdefault(key, set()).update(output.values)
    for at, rule, ref in strategy.rule_references():
        known = choices.get((ref.chapter, ref.field))
        if not known or not isinstance(ref, Condition) or ref.op not in ("==", "!=", "in"):
            continue
        values = ref.value if isinstance(ref.value, list | tuple) else (ref.value,)
        for value in values:
            if value is not None and value not in known:
                what = (
                    f"hard rule {rule.name!r} compares {ref.field!r} with {value!r}, which nobody can choose."
                )
                yield Problem((*at, "value"), what, f"Values: {', '.join(sorted(known))}.")


def _later_needs(strategy: ChaptersStrategy) -> Iterator[Problem]:
    chapters = strategy.framework.chapters
    positions = {chapter.id: position for position, chapter in enumerate(chapters)}
    for position, chapter in enumerate(chapters):
        for index, need in enumerate(chapter.needs or ()):
            if positions.get(need, -1) > position:
                what = f"chapter {chapter.id!r} needs {need!r}, which stands after it."
                at = ("framework", "chapters", position, "needs", index)
                yield Problem(
                    at, what, f"Move {need!r} above it; the file then reads in the order of the run."
                )


def _chapter_mentions(strategy: ChaptersStrategy) -> Iterator[Problem]:
    """Thinking steps that name a chapter there is not, as ``Ch07`` or ``第七章``."""
    known = _chapter_numbers(strategy)
    for index, step in enumerate(strategy.framework.synthesis.thinking_steps):
        for number in sorted(_mentioned(step.instruction) - known.keys()):
            what = f"the step {step.step!r} names Ch{number:02d}, which does not exist."
            remedy = f"Chapters: {', '.join(f'Ch{n:02d} {title}' for n, title in sorted(known.items()))}."
            yield Problem((*SYNTHESIS_PATH, "thinking_steps", index, "instruction"), what, remedy)


def _chapter_numbers(strategy: ChaptersStrategy) -> dict[int, str]:
    """Chapter number -> title; the number in the id where every id has one, else the position."""
    chapters = strategy.framework.chapters
    numbers = [_CHAPTER_NUMBER.match(chapter.id) for chapter in chapters]
    return {
        int(number[1]) if all(numbers) and number else position: chapter.title
        for position, (number, chapter) in enumerate(zip(numbers, chapters, strict=True), start=1)
    }


def _mentioned(text: str) -> set[int]:
    return {_number(match[1] or match[2]) for match in _MENTION.finditer(text)}


def _number(text: str) -> int:
    """A number up to 99, in digits or as 七, 十二, 二十."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.partition("十")
    if not ten:
        return _DIGITS.get(text, 0)
    return _DIGITS.get(tens, 1) * 10 + _DIGITS.get(ones, 0)


def _unread_outputs(strategy: ChaptersStrategy, operators: dict[str, Operator]) -> Iterator[Problem]:
    """Fields no one reads but as part of the whole text: nothing names them, and no chapter needs theirs."""
    framework = strategy.framework
    numbers = {title: number for number, title in _chapter_numbers(strategy).items()}
    needed = {need for chapter in framework.chapters for need in framework.needs(chapter)}
    steps = "\n".join(step.instruction for step in framework.synthesis.thinking_steps)
    rules = {ref.field for _, _, ref in strategy.rule_references()}
    for position, chapter in enumerate(framework.chapters):
        named = chapter.id in steps or chapter.title in steps or numbers[chapter.title] in _mentioned(steps)
        if chapter.id in needed or named:
            continue
        fields = sorted({f for id in chapter.operators if id in operators for f in operators[id].outputs})
        unread = [field for field in fields if field not in rules and field not in steps]
        if unread:
            what = f"no chapter, rule or thinking step uses {', '.join(unread)} of chapter {chapter.id!r}."
            remedy = f"Name {chapter.title} in a thinking step, let a chapter need it, or drop the operator."
            yield Problem(("framework", "chapters", position, "operators"), what, remedy)


def _suggest(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"Known: {', '.join(sorted(known)) or 'none'}."
