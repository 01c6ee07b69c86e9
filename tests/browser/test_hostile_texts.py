"""Every text that somebody else wrote is shown as text: nothing of it runs, loads or links.

Models, feeds, files and colleagues are made to write the same attacks into every field they can write in;
every page is then opened and searched for what an attack would have left.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.browser.conftest import Visit, serving, settled, visiting
from tests.pages.ui_fixtures import chapters_run, match_run, stored
from workbench.evidence.news import add_items, make_item
from workbench.records import Run
from workbench.settings import Settings
from workbench.workspace import Workspace, init_workspace

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ATTACK = " ".join(
    (
        "ATTACK",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(2)>",
        '"><img src="http://evil.example/a.png">',
        "![x](http://evil.example/b.png)",
        "[click](javascript:alert(3))",
        "[there](http://evil.example/c)",
        "<http://evil.example/d>",
        "http://evil.example/e",
        "<svg/onload=alert(4)>",
        "<iframe src=http://evil.example/f></iframe>",
        '<style>@import "http://evil.example/g.css"</style>',
        "<a href=javascript:alert(5)>h</a>",
        ":red[r] :material/home: $x$ {0} {name} %s {{ 7 * 7 }}",
        "\u202egnp.exe",
    )
)
SHOWN = "<img src=x onerror=alert(2)>"

FREE_TEXTS = {
    "title", "analysis", "why_changed", "error", "text", "prompt", "system", "reply", "rule", "why", "name",
    "resolved_model", "competition", "home", "away", "conclusion", "moat",
}  # fmt: skip
FREE_LISTS = {"key_evidence", "warnings", "sources", "关键风险"}


def poisoned(value: Any, key: str = "") -> Any:
    """A record with the attack added to every text that is not of our own making."""
    if isinstance(value, dict):
        return {
            (f"{ATTACK} {name}" if key == "missing" else name): poisoned(
                inner, "free" if key == "missing" else name
            )
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [poisoned(inner, "free" if key in FREE_LISTS else "") for inner in value]
    if isinstance(value, str) and key in FREE_TEXTS | {"free"}:
        return f"{value} {ATTACK}"
    return value


def poisoned_run(run: Run) -> Run:
    return Run.model_validate(poisoned(run.model_dump(mode="json")) | {"strategy": run.strategy})


def poison_strategy(path: Path, name: str) -> None:
    """A copy of a strategy whose every title, question, instruction and description holds the attack."""

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: walk(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [walk(inner, key) for inner in value]
        wanted = {"title", "question", "instruction", "description", "step"}
        return f"{value} {ATTACK}" if isinstance(value, str) and key in wanted else value

    strategy = walk(yaml.safe_load(path.read_text(encoding="utf-8"))) | {"name": name}
    path.with_stem(name).write_text(yaml.safe_dump(strategy, allow_unicode=True), encoding="utf-8")


@dataclass(frozen=True)
class Poisoned:
    """A workbench full of attacks: where it is, and the ids of its runs by pipeline."""

    address: str
    runs: dict[str, str]


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Poisoned]:
    home = init_workspace(tmp_path_factory.mktemp("hostile") / "workspace")
    for name in ("value", "match"):
        poison_strategy(home / "strategy" / f"{name}.yaml", f"hostile_{name}")
    operator = home / "strategy" / "operators" / "debt_structure.md"
    lines = operator.read_text(encoding="utf-8").splitlines()
    titled = [f"title: {json.dumps(ATTACK)}" if line.startswith("title: ") else line for line in lines]
    operator.write_text("\n".join([*titled, "", ATTACK, ""]), encoding="utf-8")
    (home / "strategy" / "broken.yaml").write_text(f"kind: chapters\nname: broken\n? {ATTACK!r}\n: [1\n")
    workspace = Workspace(home, Settings())
    runs = {}
    for run in (chapters_run(), match_run()):
        hostile = poisoned_run(run)
        runs[run.pipeline] = stored(workspace.store, hostile)
        stored(workspace.store, hostile)
    failed = stored(workspace.store, chapters_run(status="failed", verdict=None, error=ATTACK, reports=()))
    for run_id in (*runs.values(), failed):
        workspace.store.tag(run_id, {ATTACK[:60]})
        workspace.store.note(run_id, ATTACK)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    item = make_item(
        f"贵州茅台被立案调查 {ATTACK}"[:290],
        today,
        body=f"贵州茅台(600519) {ATTACK}",
        source=ATTACK,
        url="javascript:alert(6)",
    )
    add_items(workspace.evidence, [item], origin=ATTACK)
    strategy = workspace.strategy("news")
    plan = workspace.plan(strategy, item.subject, item.published)
    runs["signals"] = workspace.jobs.start(plan, workspace.models(strategy))
    workspace.jobs.wait(runs["signals"], 60)
    workspace.drafts.store.record("hostile_value", "title: x", author=ATTACK, note=ATTACK)
    workspace.jobs.close()
    workspace.store.close()
    with serving(home) as address:
        yield Poisoned(address, runs)


@pytest.fixture
def visit(workbench: Poisoned, tmp_path: Path) -> Iterator[Visit]:
    with visiting(workbench.address, tmp_path) as open_:
        yield open_


def addresses(runs: dict[str, str]) -> Iterator[str]:
    """Every page, with what it can be opened on."""
    yield from ("", "runs", "batch", "settings", "fixtures", "prompts?prompt=synthesis")
    yield from ("evaluate_companies", "evaluate_football")
    yield from (
        "new_run?pipeline=chapters&strategy=hostile_value",
        "new_run?pipeline=match&strategy=hostile_match",
    )
    yield "compare?runs=" + ",".join([runs["chapters"], runs["match"]])
    for run_id in runs.values():
        yield f"run?run={run_id}"
    yield f"run?run={runs['chapters']}&agent=ch01_data"
    yield f"run?run={runs['match']}&agent=h2h"
    for part in ("about", "chapters", "steps", "rubric", "fields", "rules", "text"):
        yield f"strategy?strategy=hostile_value&part={part}"
    for view in ("checks", "prompts", "changes", "try", "history"):
        yield f"strategy?strategy=hostile_value&view={view}"
    yield from ("strategy?strategy=hostile_match&part=specialists", "strategy?strategy=broken")
    yield "operators?operator=debt_structure"
    for view in ("feed", "quadrants", "revising", "news"):
        yield f"signals?view={view}"
    for page in (
        "run?run=",
        "compare?runs=",
        "strategy?strategy=",
        "operators?operator=",
        "prompts?prompt=",
        "new_run?subject=",
    ):
        yield page + "%3Cimg%20src%3Dx%20onerror%3Dalert(2)%3E"


def leftovers(page: Page) -> list[str]:
    """The elements an attack has made, each as it begins."""
    made = [
        *(f'{tag}[{link}*="evil"]' for tag, link in (("img", "src"), ("iframe", "src"), ("a", "href"))),
        *('img[src="x"]', 'a[href^="javascript"]', "[onerror]", "[onload]"),
    ]
    planted = page.locator("style, script").filter(has_text=re.compile("evil|alert"))
    elements = page.locator(", ".join(made)).or_(planted)
    return sorted({html[:120] for html in elements.evaluate_all("all => all.map(one => one.outerHTML)")})


def test_no_text_of_others_runs_loads_or_links_on_any_page(visit: Visit, workbench: Poisoned) -> None:
    page = visit("en-US")
    told: list[str] = []
    asked: list[str] = []
    page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    found: dict[str, list[str]] = {}
    shown = set[str]()
    for path in addresses(workbench.runs):
        page.goto(f"{workbench.address}/{path}")
        settled(page)
        page.evaluate(
            "document.querySelectorAll('details:not([open]) > summary').forEach(one => one.click())"
        )
        page.wait_for_timeout(100)
        if made := leftovers(page):
            found[path] = made
        assert page.locator("[data-testid=stException]").count() == 0, path
        if any(
            SHOWN in text for text in page.locator("[data-testid=stMain], [role=dialog]").all_inner_texts()
        ):
            shown.add(path.split("?")[0])

    assert not told, "a script ran"
    assert not [url for url in asked if not url.startswith((workbench.address, "data:", "blob:", "ws"))]
    assert not found
    assert {"run", "compare", "strategy", "operators", "signals"} <= shown, "the attacks are there to be read"
