"""The studio in a real browser: edit an anchor, try the draft on three companies, save, restore.

Pictures of every part, wide and narrow, light and dark, are left in ``artefacts/``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import Visit, settled
from tests.browser.test_journey import LOCALES, press, shoot
from workbench.ui.language import Language, catalogue

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def fill(page: Page, label: str, value: str, nth: int = 0) -> None:
    field = page.get_by_label(label, exact=True).nth(nth)
    field.fill(value)
    field.press("Enter")
    settled(page)


def test_edit_an_anchor_try_it_save_it_and_go_back(visit: Visit) -> None:
    page = visit("en-US", path="strategy?strategy=value&part=rubric")
    page.wait_for_selector("text=Thresholds")
    fill(page, "Buy from", "60")
    page.wait_for_selector("text=1 unsaved")
    page.wait_for_selector("text=lies across the threshold 60")
    fill(page, "Range", "60-74", nth=2)
    page.wait_for_selector("text=no anchor covers the scores between 49 and 60")
    fill(page, "Range", "30-59", nth=3)
    page.wait_for_selector("text=No problems found")
    anchor = page.get_by_label("What it looks like", exact=True).nth(2)
    anchor.fill("有吸引力，可以买入")
    anchor.press("Control+Enter")
    settled(page)
    page.wait_for_selector("text=2 unsaved")

    press(page, "Try on")
    page.wait_for_selector("text=calls will be made")
    page.get_by_role("button", name=re.compile("Run on 3")).click()
    page.wait_for_selector("text=labels flipped", timeout=60_000)
    settled(page)
    assert "trial=" in page.url
    shoot(page, "studio-trial-en")

    # Leaving with unsaved edits is visible, and coming back finds them.
    page.get_by_role("link", name=catalogue("en")["page.runs"]).first.click()
    settled(page)
    page.get_by_role("link", name=re.compile(catalogue("en")["page.strategy"] + ".*●")).first.click()
    settled(page)
    page.wait_for_selector("text=2 unsaved")
    page.reload()
    settled(page)
    page.wait_for_selector("text=2 unsaved")

    page.get_by_role("button", name=re.compile("^Save|save Save")).last.click()
    page.get_by_label("Note", exact=True).fill("Buy from 60")
    page.get_by_role("button", name=re.compile("Save")).last.click()
    page.wait_for_selector("text=All saved")
    settled(page)
    assert not page.get_by_label("Note", exact=True).is_visible()  # the popover stayed open over the page

    page.goto(page.url.split("?")[0] + "?strategy=value&part=rubric&view=history")
    settled(page)
    page.wait_for_selector("text=Buy from 60")
    shoot(page, "studio-history-en")
    page.get_by_role("button", name=re.compile("Restore")).last.click()
    page.wait_for_selector("text=unsaved")
    settled(page)
    assert page.get_by_label("Buy from", exact=True).input_value() == "75"
    page.get_by_role("button", name=re.compile("^Save|save Save")).last.click()
    page.get_by_label("Note", exact=True).fill("Back")
    page.get_by_role("button", name=re.compile("Save")).last.click()
    page.wait_for_selector("text=All saved")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("language", LOCALES)
def test_the_studio_fits_every_screen(visit: Visit, language: Language, width: int, theme: str) -> None:
    page = visit(LOCALES[language], path="strategy", width=width, theme=theme)
    base = page.url.split("/strategy")[0]
    name = f"{language}-{width}-{theme}"
    for part in ("chapters", "rubric", "rules", "text"):
        page.goto(f"{base}/strategy?strategy=value&part={part}")
        settled(page)
        shoot(page, f"studio-{part}-{name}")
    for view in ("prompts", "try", "history"):
        page.goto(f"{base}/strategy?strategy=value&view={view}")
        settled(page)
        shoot(page, f"studio-{view}-{name}")
    for path in ("strategy?strategy=match", "operators?operator=debt_structure", "prompts?prompt=synthesis"):
        page.goto(f"{base}/{path}")
        settled(page)
        shoot(page, f"studio-{path.split('=')[-1]}-{name}")
