"""Football in a real browser: open a match in the table, run it, and find it evaluated."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Visit, settled
from tests.browser.test_journey import LOCALES, shoot
from workbench.ui.language import Language, catalogue

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.mark.parametrize("language", LOCALES)
def test_a_match_is_opened_run_and_evaluated(visit: Visit, language: Language) -> None:
    texts = catalogue(language)
    page = visit(LOCALES[language], path="fixtures")
    page.get_by_text(texts["fixtures.choose"]).wait_for()
    table = page.get_by_test_id("stDataFrame").first.bounding_box()
    assert table is not None
    page.mouse.click(table["x"] + table["width"] * 0.3, table["y"] + 52)  # the first line, its match
    page.get_by_role("heading", name=texts["match.judgement"]).wait_for()
    settled(page)
    assert "match=" in page.url
    shoot(page, f"fixture-{language}")

    # The other language has perhaps run the same match already.
    start = re.compile(f"{texts['match.start']}|{texts['match.again']}")
    page.get_by_role("link", name=start).click()
    settled(page)
    page.get_by_role("button", name=re.compile(re.escape(texts["form.start"]))).first.click()
    page.get_by_text(texts["receipt.title"]).first.wait_for()

    page.goto(f"{page.url.split('/run')[0]}/evaluate_football")
    page.get_by_text(texts["football.standings"]).first.wait_for()
    settled(page)
    shoot(page, f"evaluate-football-{language}")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_pages_fit_a_phone(visit: Visit, theme: str) -> None:
    derby = "English Premier League|2019-04-14|Liverpool|Chelsea".replace("|", "%7C").replace(" ", "%20")
    for name, path in (("fixture", f"fixtures?match={derby}"), ("evaluate-football", "evaluate_football")):
        page = visit("en-US", path=path, width=390, theme=theme)
        shoot(page, f"{name}-390-{theme}")
