"""What an agent of the chapters pipeline goes through in its second look."""

from __future__ import annotations

from workbench.strategy.parts import Language

CHAPTER: dict[Language, tuple[str, ...]] = {
    "zh": (
        "每个数字都能在证据里找到吗？找不到的删掉。",
        "证据够不够：年数、新旧、是否只有一个来源？不够就降低 confidence。",
        "与前面各章有没有矛盾？有就点名，并让分数反映它。",
        "分数与自己写下的判断相称吗？有致命发现还给高分，或全是好话却给低分，都要改。",
        "证据没有回答的问题，写的是 null 还是猜的？",
    ),
    "en": (
        "Is every figure in the evidence? Delete what is not.",
        "Is there enough evidence: years, age, more than one source? If not, lower confidence.",
        "Does anything contradict earlier chapters? Name it and let the score reflect it.",
        "Does the score fit what you wrote? A fatal finding beside a high score, or praise beside a low one,"
        " must change.",
        "Is a question the evidence does not answer null, or was it guessed?",
    ),
}
SYNTHESIS: dict[Language, tuple[str, ...]] = {
    "zh": (
        "否决条件逐条核对过吗？未知有没有被当成通过？",
        "各章之间的矛盾都点名了吗？解不开的，评分有没有压到 65 以下？",
        "对照锚点，这个分数像它所在的那一档吗？",
        "缺了哪一章的结论，信心有没有相应降低？",
        "建议、分数、信心三者一致吗？买入逻辑能被哪个数字证伪？",
    ),
    "en": (
        "Was every veto checked? Was anything unknown taken for a pass?",
        "Are the contradictions between chapters named? Where one stays, is the score below its cap?",
        "Held against the anchors, does the score look like the one it stands on?",
        "Is confidence lower for every chapter without a conclusion?",
        "Do recommendation, score and confidence agree? Which figure would prove the thesis wrong?",
    ),
}
