"""Time of one interaction with the studio: a strategy of 200 thinking steps over 100 operators.

Each interaction is a whole rerun of the page, callbacks included, as Streamlit would do it for a click; the
browser's own drawing is not in it. Run: ``python -m benchmarks.studio``. The claim: each median under 0.3 s,
or it ends with exit code 1.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

STEPS, OPERATORS, REPEATS = 200, 100, 7
CLAIM_S = 0.3


def furnish(home: Path) -> None:
    """A workspace whose strategy ``big`` has every thinking step and operator of the claim."""
    from workbench.workspace import init_workspace

    init_workspace(home)
    folder = home / "strategy"
    source = (folder / "operators" / "debt_structure.md").read_text(encoding="utf-8")
    ids = [f"lens_{number:03}" for number in range(OPERATORS)]
    for id in ids:
        text = (
            source.replace("debt_structure", id)
            .replace("debt_", f"{id}_")
            .replace("net_cash_now", f"{id}_cash")
        )
        (folder / "operators" / f"{id}.md").write_text(text, encoding="utf-8")
    text = (folder / "value.yaml").read_text(encoding="utf-8").replace("name: value", "name: big")
    head, rest = text.split("    thinking_steps:\n")
    rubric = "    scoring_rubric:\n" + rest.split("    scoring_rubric:\n")[1]
    steps = "".join(
        f"      - step: 步骤 {number}\n        instruction: |\n"
        f"          看 Ch01 的结论，再看第 {number} 条。\n"
        "          - 有依据就写依据；\n          - 没有依据就写未知。\n"
        for number in range(STEPS)
    )
    chapter = "    - id: ch07_lenses\n      title: 一百个视角\n      question: 逐一回答。\n"
    chapter += f"      operators: [{', '.join(ids)}]\n"
    head = head.replace("\n  synthesis:\n", f"{chapter}\n  synthesis:\n")
    (folder / "big.yaml").write_text(f"{head}    thinking_steps:\n{steps}{rubric}", encoding="utf-8")


def main() -> int:
    """Print the time of each interaction; 1 if one misses the claim."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "workspace"
        furnish(home)
        os.environ["WORKBENCH_HOME"] = str(home)
        from streamlit import config
        from streamlit.testing.v1 import AppTest

        config.set_option("server.address", "127.0.0.1")  # one that others can reach asks for a login

        root = Path(__file__).parents[1]
        app = AppTest.from_file(str(root / "workbench" / "app.py"), default_timeout=60)
        app.run()
        app.query_params.update({"strategy": "big", "part": "steps", "item": "100"})
        app.switch_page(str(root / "pages" / "strategy.py")).run()
        assert not [*app.exception, *app.error], [*app.exception, *app.error]
        medians: list[float] = []

        def times(name: str, act: Callable[[int], object]) -> None:
            taken = []
            for turn in range(REPEATS):
                start = time.perf_counter()
                act(turn)
                taken.append(time.perf_counter() - start)
                assert not [*app.exception, *app.error], [*app.exception, *app.error]
            median = statistics.median(taken)
            medians.append(median)
            print(f"{name:28} median {median:.3f} s, worst {max(taken):.3f} s; claim {CLAIM_S} s")

        def go(**query: str) -> None:
            app.query_params.update(query)
            app.run()

        key = "strategy.thinking_steps.100.instruction"
        times("open a part", lambda turn: go(part=("about", "steps")[turn % 2], item="100"))
        go(part="steps", item="100")
        times("edit an instruction", lambda turn: app.text_area(key=key).set_value(f"第 {turn} 稿。\n").run())
        times("undo", lambda _: app.button(key="strategy.undo_button").click().run())
        times("choose another step", lambda turn: go(item=str(50 + turn)))
        times("move a step", lambda _: app.button(key="strategy.steps.down").click().run())
        times("add a step", lambda _: app.button(key="strategy.steps.add").click().run())
        go(part="rubric")
        bound = "strategy.decision_thresholds.buy"
        times("move a threshold", lambda turn: app.number_input(key=bound).set_value(76.0 + turn).run())
        go(part="chapters", item="6")
        times("chapter of 100 operators", lambda _: app.run())
        up = "strategy.operators.50.up"
        times("move one of 100 operators", lambda _: app.button(key=up).click().run())
    return 0 if max(medians) < CLAIM_S else 1


if __name__ == "__main__":
    raise SystemExit(main())
