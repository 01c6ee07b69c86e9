"""A small strategy with everything it refers to, for the tests of strategy files."""

from __future__ import annotations

from pathlib import Path

from workbench.strategy.lint import Libraries
from workbench.strategy.operators import OperatorLibrary
from workbench.strategy.prompts import PromptLibrary

STRATEGY = """\
# 样例策略
kind: chapters
name: sample
title: 样例
framework:
  chapters:
    # 先看数据
    - id: ch01_data
      title: 数据
      question: 数据可信吗？
      operators: [credibility]
    # 再看价格
    - id: ch02_price
      title: 价格
      question: 贵不贵？
      operators: [valuation]
  synthesis:
    thinking_steps:
      - step: 否决
        instruction: |
          先看 Ch01 有没有致命问题。
          再看 Ch02 的价格。
      - step: 定分
        instruction: 对照锚点给分。
    scoring_rubric:
      - {range: "75-100", description: 便宜而可信 → 买入区间}
      - {range: "30-74", description: 有疑虑 → 观望}
      - {range: "0-29", description: 不可信 → 明确回避}
    decision_thresholds: {buy: 75, watch: [30, 74], avoid: 29}
    synthesis_fields:
      - "最终建议: 买入 / 观望 / 回避"
      - "综合评分: 0-100分"
      - "信心水平: 高 / 中 / 低"
hard_rules:
  - name: 数据不可信
    when: {all: [{chapter: ch01_data, field: trusted, op: "==", value: false}]}
    cap: 25
    label_bar: [buy, watch]
"""

MATCH = """\
kind: match
name: match
title: 比赛
specialists:
  - {name: form, title: 状态, slice: form}
"""

OPERATORS = {
    "credibility": "trusted:\n    type: flag\n    description: 可信与否",
    "valuation": "fair_price:\n    type: number\n    description: 合理价\n    unit: 元",
}

PROMPTS = ("chapter", "synthesis", "form", "aggregator", "single")
REVISE_PROMPTS = ("revise_chapter", "revise_synthesis", "revise_expert")


def operator_text(id: str, outputs: str, slice_name: str = "statements") -> str:
    head = f"id: {id}\ntitle: {id} 的标题\ncategory: 通用\ndata_needed: [{slice_name}]\noutputs:\n  {outputs}"
    return f"---\n{head}\n---\n请回答 {id}。\n"


def prompt_text(stage: str = "draft", body: str = "{{ evidence | fenced('evidence') }}") -> str:
    return f"---\nsystem: 你是分析师。\nstage: {stage}\n---\n{body}\n"


def write_libraries(root: Path) -> Libraries:
    """Lay out operators and prompts under ``root`` for ``STRATEGY`` and ``MATCH``."""
    operators, prompts = root / "strategy" / "operators", root / "prompts" / "agents"
    operators.mkdir(parents=True)
    prompts.mkdir(parents=True)
    for id, outputs in OPERATORS.items():
        (operators / f"{id}.md").write_text(operator_text(id, outputs), encoding="utf-8")
    for names, stage in ((PROMPTS, "draft"), (REVISE_PROMPTS, "revised")):
        for name in names:
            (prompts / f"{name}_v1.md").write_text(prompt_text(stage), encoding="utf-8")
    slices = {"chapters": ("statements",), "match": ("form",)}
    return Libraries(OperatorLibrary(operators), PromptLibrary(root / "prompts"), slices)
