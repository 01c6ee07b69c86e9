"""Strategies to begin with: the least that can be saved and run, in the language of the analyst."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from workbench.errors import StrategyError
from workbench.strategy.emit import inline_texts
from workbench.strategy.parts import Language

BlankKind = Literal["chapters", "match"]
BLANK_KINDS: tuple[BlankKind, ...] = ("chapters", "match")

_FIRST_OPERATORS = ("business_model", "data_integrity")

_CHAPTERS: dict[Language, str] = {
    "zh": """\
kind: chapters
name: {name}
title: {title}
language: zh
revise: true
prompt_version: v1

framework:
  chapters:
    - id: ch01_first
      title: 第一章
      question: 这是一家什么样的公司？
      operators: [{operator}]

  synthesis:
    thinking_steps:
      - step: 锚点校准
        instruction: |
          依据第一章的结论，对照评分锚点找到最像的一档，再在档内定分。
      - step: 输出结论
        instruction: |
          给出分数、建议与信心，三者互相一致。
    scoring_rubric:
      - range: "75-100"
        description: 明显低估，风险可控
      - range: "30-74"
        description: 有吸引力，也有说得出的疑虑
      - range: "0-29"
        description: 重大风险，或数据不可信
    decision_thresholds:
      buy: 75
      watch: [30, 74]
      avoid: 29
    synthesis_fields:
      - "最终建议: 买入 / 观望 / 回避"
      - "综合评分: 0-100分"
      - "信心水平: 高 / 中 / 低"
""",
    "en": """\
kind: chapters
name: {name}
title: {title}
language: en
revise: true
prompt_version: v1

framework:
  chapters:
    - id: ch01_first
      title: First chapter
      question: What kind of company is this?
      operators: [{operator}]

  synthesis:
    thinking_steps:
      - step: Calibrate
        instruction: |
          Take what Ch01 concluded, find the anchor it resembles most, then place the score within it.
      - step: Conclude
        instruction: |
          Give score, recommendation and confidence, consistent with each other.
    scoring_rubric:
      - range: "75-100"
        description: Clearly undervalued, risks under control
      - range: "30-74"
        description: Attractive, with doubts that can be named
      - range: "0-29"
        description: Grave risks, or figures that cannot be trusted
    decision_thresholds:
      buy: 75
      watch: [30, 74]
      avoid: 29
    synthesis_fields:
      - "recommendation: buy / watch / avoid"
      - "overall_score: 0-100"
      - "confidence: high / medium / low"
""",
}

_MATCH = """\
kind: match
name: {name}
title: {title}
language: {language}
revise: true
prompt_version: v1
mode: multi

specialists:
  - {{name: form, title: {form}, slice: form}}

recent: 10
meetings: 10
"""
_FORM: dict[Language, str] = {"zh": "近期状态", "en": "Recent form"}


def blank(kind: BlankKind, name: str, title: str, language: Language, operators: Collection[str]) -> bytes:
    """A new strategy file.

    Args:
        kind: What it judges.
        name: What it is called; checked when it is written.
        title: What a reader calls it.
        language: Language of prompts and answers.
        operators: Ids of the operators there are.

    Raises:
        StrategyError: A strategy for companies needs an operator, and there is none.
    """
    names = [next(inline_texts(one, "", flow=False)) for one in (name, title)]
    if kind == "match":
        text = _MATCH.format(name=names[0], title=names[1], language=language, form=_FORM[language])
        return text.encode()
    operator = next((id for id in (*_FIRST_OPERATORS, *sorted(operators)) if id in operators), None)
    if operator is None:
        raise StrategyError("there is no operator yet.", remedy="Write one first, on the operators page.")
    return _CHAPTERS[language].format(name=names[0], title=names[1], operator=operator).encode()


_OPERATOR: dict[Language, tuple[str, str, str]] = {
    "zh": ("未分类", "一句话结论", "在此写下要回答的问题。"),
    "en": ("Other", "The finding in one sentence", "Write here what is to be answered."),
}


def blank_operator(id: str, title: str, language: Language) -> bytes:
    """A new operator file: one question, one text field."""
    category, output, question = _OPERATOR[language]
    shown = next(inline_texts(title, "", flow=False))
    head = f"id: {id}\ntitle: {shown}\ncategory: {category}\ndata_needed: [statements]\n"
    field = f"outputs:\n  {id}_finding:\n    type: text\n    description: {output}\n"
    return f"---\n{head}{field}---\n{question}\n".encode()
