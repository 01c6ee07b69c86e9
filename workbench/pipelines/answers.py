"""The answer schemas of the chapters pipeline, composed from what the strategy and its operators ask for.

A field of an operator is required but may be null: a model must say that it does not know, it cannot just
leave a question out. The synthesis must give score, recommendation and confidence; what else it leaves out is
missing from its answer, never filled in.
"""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from workbench.engine.plan import AnswerForm
from workbench.errors import StrategyError
from workbench.llm.schemas import Answer, plain_name
from workbench.records import PERCENT_SCALE
from workbench.strategy.answer_fields import CONFIDENCE_LEVELS, ROLE_NAMES, FieldRole, label_words, role_field
from workbench.strategy.operators import Operator, Output
from workbench.strategy.parts import Language
from workbench.strategy.schema import ChaptersStrategy, Synthesis

FieldSpec = tuple[Any, dict[str, Any]]
"""Annotation of one schema field, and the arguments of its ``Field(...)``."""


def _as_text(value: Any) -> Any:
    """Lines where a text is asked for are that text; anything else is left for the schema to judge."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    return value


def _as_lines(value: Any) -> Any:
    """A text where lines are asked for is its lines."""
    return [line.strip() for line in value.splitlines() if line.strip()] if isinstance(value, str) else value


Prose = Annotated[str, BeforeValidator(_as_text)]
Lines = Annotated[list[str], BeforeValidator(_as_lines)]

_WORDS: dict[Language, dict[str, str]] = {
    "zh": {
        "score": "本章评分，0 到 100；证据不足以判断时写 null",
        "confidence": "把握，0 到 1，只取决于证据",
        "conclusion": "一句话结论",
        "note": "分析笔记，引用证据中的数字",
        "key_evidence": "最关键的证据，每条一行，带年份与数字",
        "output": "{description}；证据不足写 null",
        "measured_output": "{description}，单位 {unit}；证据不足写 null",
        "reasoning": "推理过程，引用各章的数字",
        "decisive": "决定结论的证据，每条一行",
        "step_findings": "步骤名 -> 这一步的发现",
    },
    "en": {
        "score": "score of this chapter, 0 to 100; null where the evidence allows no judgement",
        "confidence": "0 to 1, by the evidence alone",
        "conclusion": "the conclusion in one sentence",
        "note": "analyst's note with figures of the evidence",
        "key_evidence": "the evidence that matters most, one line each, with year and figure",
        "output": "{description}; null where the evidence does not say",
        "measured_output": "{description}, in {unit}; null where the evidence does not say",
        "reasoning": "the reasoning, with figures of the chapters",
        "decisive": "the evidence that decides, one line each",
        "step_findings": "name of the step -> what it finds",
    },
}
"""What the fields of an answer are for, as the model is told."""


class StrategyAnswer(Answer):
    model_config = ConfigDict(populate_by_name=True, allow_inf_nan=False)


@lru_cache(maxsize=256)
def chapter_form(operators: tuple[Operator, ...], language: Language) -> AnswerForm:
    """How a chapter with these operators answers; made once, because making a schema takes milliseconds.

    Raises:
        StrategyError: Two operators, or an operator and the chapter itself, use one field name.
    """
    words = _WORDS[language]
    fields: dict[str, FieldSpec] = {
        "score": (float | None, dict(ge=0, le=100, description=words["score"])),
        "confidence": (float, dict(ge=0, le=1, description=words["confidence"])),
        "conclusion": (Prose, dict(description=words["conclusion"])),
        "analysis": (Prose, dict(description=words["note"])),
        "key_evidence": (Lines, dict(description=words["key_evidence"])),
    }
    for operator in operators:
        for name, output in operator.outputs.items():
            if name in fields or name == "why_changed":
                raise StrategyError(
                    f"the field {name!r} is answered twice in one chapter.",
                    where=f"{operator.id}.md",
                    remedy="Rename the output, or move the operator to another chapter.",
                )
            fields[name] = _output_field(output, words)
    return AnswerForm(
        schema=_schema("ChapterAnswer", fields),
        scale=PERCENT_SCALE,
        score=lambda answer: _number(answer.get("score")),
        confidence="confidence",
    )


def synthesis_form(strategy: ChaptersStrategy) -> AnswerForm:
    """How the synthesis of this strategy answers.

    Raises:
        StrategyError: The strategy has no field for the score, the recommendation or the confidence.
    """
    return _synthesis_form(strategy.framework.synthesis, strategy.language)


@lru_cache(maxsize=64)
def _synthesis_form(synthesis: Synthesis, language: Language) -> AnswerForm:
    score, recommendation, confidence = (
        role_field(synthesis, "score"),
        role_field(synthesis, "recommendation"),
        role_field(synthesis, "confidence"),
    )
    fields: dict[str, FieldSpec] = {}
    for field in synthesis.fields():
        described = field.description or field.name
        if field.name == score:
            fields[field.name] = (float, dict(ge=0, le=100, description=described))
        elif field.name == recommendation:
            fields[field.name] = (
                _one_of(label_words(language).values()),
                dict(description=described),
            )
        elif field.name == confidence:
            fields[field.name] = (_one_of(CONFIDENCE_LEVELS[language]), dict(description=described))
        else:
            anything = str | list[str] | dict[str, Any] | None
            fields[field.name] = (anything, dict(default=None, description=described))
    words = _WORDS[language]
    fields["analysis"] = (Prose, dict(default="", description=words["reasoning"]))
    fields["key_evidence"] = (Lines, dict(default=[], description=words["decisive"]))
    fields["step_findings"] = (dict[str, Prose], dict(default={}, description=words["step_findings"]))
    roles: dict[FieldRole, str] = {"score": score, "recommendation": recommendation, "confidence": confidence}
    synonyms = {other: own for role, own in roles.items() for other in ROLE_NAMES[role]}
    return AnswerForm(
        schema=_schema("SynthesisAnswer", fields, synonyms),
        scale=PERCENT_SCALE,
        score=lambda answer: _number(answer.get(score)),
        confidence=confidence,
    )


def _output_field(output: Output, words: Mapping[str, str]) -> FieldSpec:
    match output.type:
        case "choice":
            annotation = _one_of(output.values)
        case "number":
            annotation = float
        case "integer":
            annotation = int
        case "flag":
            annotation = bool
        case "list":
            annotation = Lines
        case "text":
            annotation = Prose
    told = words["measured_output" if output.unit else "output"]
    description = told.replace("{description}", output.description).replace("{unit}", output.unit)
    return annotation | None, dict(description=description)


def _one_of(values: Iterable[str]) -> Any:
    return Literal[tuple(values)]


def _schema(
    name: str, fields: dict[str, FieldSpec], synonyms: Mapping[str, str] | None = None
) -> type[BaseModel]:
    """A model with these fields; a name that is no identifier becomes the alias of one that is.

    ``synonyms`` are further names a field may be answered under.
    """
    definitions: dict[str, Any] = {}
    for index, (field, (annotation, arguments)) in enumerate(fields.items()):
        identifier = field.isidentifier() and not keyword.iskeyword(field) and not field.startswith("_")
        if identifier and not hasattr(BaseModel, field):
            definitions[field] = (annotation, Field(**arguments))
        else:
            definitions[f"field_{index}"] = (annotation, Field(alias=field, **arguments))
    schema = create_model(name, __base__=StrategyAnswer, **definitions)
    plain = Counter(map(plain_name, fields))
    schema.other_names = {
        **{plain_name(other): field for other, field in (synonyms or {}).items()},
        **{plain_name(field): field for field in fields if plain[plain_name(field)] == 1},
    }
    return schema


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None
