"""Reading answers: 20,000 damaged ones give a value or a ReplyError in 50 ms each, very long ones in 100."""

from __future__ import annotations

import json
import random
import time
from collections import Counter

from benchmarks.bench import conclude
from tests.unit.test_replies import ARBITER, EXPERT, FORECAST, SIGNAL, VERDICT
from workbench.llm.replies import ReplyError, parse_reply
from workbench.llm.schemas import SCHEMAS

ANSWERS = 20_000
LONG = 200_000
BOUND_S = 0.05
LONG_BOUND_S = 0.1
TROUBLE = (
    *"{}[]\"':,：，\\-+%/\n\x00 ",
    *("\\u", "\\ud800", "<think>", "</think>", "```json", "NaN", "Infinity", "1e999", "９", "分", "null"),
    *("True", "\u00a0", "\ud800", "{}", "[]", "{'", '{"', "'}", '"}', '"a":', "买入", "1x2", "😀"),
)
GOOD = [json.dumps(answer, ensure_ascii=False) for answer in (SIGNAL, VERDICT, EXPERT, FORECAST, ARBITER)]


def damaged(chance: random.Random) -> str:
    """A good answer with up to eight pieces cut out, doubled or replaced."""
    raw = chance.choice(GOOD)
    for _ in range(chance.randrange(9)):
        start = chance.randrange(len(raw) + 1)
        end = start + chance.randrange(30)
        middle = chance.choice((chance.choice(TROUBLE), raw[start:end] * 2, chance.choice(GOOD), ""))
        raw = raw[:start] + middle + raw[end:]
    return raw


def seconds(raw: str, schema: str, outcomes: Counter[str]) -> float:
    """CPU time to read one answer; any exception but ReplyError ends the benchmark."""
    started = time.process_time()
    try:
        parse_reply(raw, schema)
        outcomes["value"] += 1
    except ReplyError as error:
        outcomes[f"{error.kind} error"] += 1
    return time.process_time() - started


def least_seconds(raw: str, schema: str, outcomes: Counter[str]) -> float:
    """The same, asked again where it took long: whatever else the machine does only makes it slower."""
    first = seconds(raw, schema, outcomes)
    return first if first < BOUND_S / 10 else min(first, *(seconds(raw, schema, Counter()) for _ in range(3)))


def main() -> None:
    chance = random.Random(20_000)
    outcomes: Counter[str] = Counter()
    slowest = max(
        least_seconds(damaged(chance), chance.choice(sorted(SCHEMAS)), outcomes) for _ in range(ANSWERS)
    )
    print(", ".join(f"{number} x {name}" for name, number in outcomes.most_common()))
    prose = "The gross margin held at 91.5 % (2020: 91.4 %), see {note} and [3]. "
    long_answers = [
        json.dumps(EXPERT | {"analysis": prose * (LONG // len(prose))}),
        prose * (LONG // len(prose)) + GOOD[2],
        (GOOD[2] + "\n") * (LONG // len(GOOD[2])),
        "{" * LONG,
        '{"a":' * (LONG // 5),
        '{"a":[' + "[]," * (LONG // 3),
        '{"a":[' + "１," * (LONG // 2) + "1]}",
        '{"a":[' + "[１]," * (LONG // 4) + "1]}",
        '{"a":[' + "''," * (LONG // 3) + "1]}",
        "{" + "\u3000 " * (LONG // 2) + '"a":1}',
        "<think>" * (LONG // 7) + GOOD[2],
    ]
    longest = max(least_seconds(raw, "specialist_match", outcomes) for raw in long_answers)
    conclude(
        ("slowest of 20,000 damaged answers, s", slowest, BOUND_S),
        ("slowest answer of 200,000 characters, s", longest, LONG_BOUND_S),
    )


if __name__ == "__main__":
    main()
