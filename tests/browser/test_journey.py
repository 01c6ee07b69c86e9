"""The main journey in a real browser, in both languages: run, read, run again, compare.

Screenshots of every page, wide and narrow, light and dark, are left in ``artefacts/``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import ARTEFACTS, Visit, settled
from workbench.ui.language import Language, catalogue

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LOCALES: dict[Language, str] = {"en": "en-US", "zh": "zh-CN"}


def shoot(page: Page, name: str) -> None:
    """Leave a picture of the whole page, and see that only tables and charts may scroll sideways."""
    ARTEFACTS.mkdir(exist_ok=True)
    wide = page.viewport_size or {"width": 1280, "height": 900}
    # Streamlit scrolls inside its own container, so the window is made as high as the content.
    height = page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight")
    page.set_viewport_size({"width": wide["width"], "height": max(900, height + 80)})
    page.wait_for_timeout(600)  # charts redraw after the window has changed
    page.screenshot(path=ARTEFACTS / f"{name}.png")
    page.set_viewport_size(wide)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert page.locator("[data-testid=stException]").count() == 0


def press(page: Page, text: str) -> None:
    page.get_by_role("button", name=re.compile(re.escape(text))).first.click()
    settled(page)


@pytest.mark.parametrize("language", LOCALES)
def test_the_main_journey(visit: Visit, language: Language) -> None:
    texts = catalogue(language)
    page = visit(LOCALES[language])
    assert page.locator("h1").inner_text() == texts["app.name"]
    shoot(page, f"home-{language}")

    page.get_by_role("link", name=texts["page.new_run"]).first.click()
    settled(page)
    company = page.get_by_role("combobox", name=texts["subject.company"])
    company.click()
    company.fill("moutai")
    page.get_by_role("option", name=re.compile("600519")).click()
    settled(page)
    shoot(page, f"new-run-{language}")
    press(page, texts["form.start"])
    page.wait_for_selector("text=" + texts["opinions.title"])
    settled(page)
    assert "600519.SH" in page.locator("h1").inner_text()
    first = re.search(r"run=([\w-]+)", page.url)
    assert first
    shoot(page, f"run-{language}")

    # The same company at another date, from the run itself.
    page.get_by_role("button", name=texts["actions.again"]).click()
    page.get_by_role("option", name=texts["again.change"]).or_(
        page.get_by_text(texts["again.change"], exact=True)
    ).first.click()
    page.wait_for_url("**/new_run**")
    settled(page)
    page.goto(page.url.split("?")[0] + "?pipeline=chapters&subject=600519.SH&as_of=2014-06-30")
    settled(page)
    press(page, texts["form.start"])
    page.wait_for_selector("text=" + texts["opinions.title"])
    second = re.search(r"run=([\w-]+)", page.url)
    assert second
    assert second[1] != first[1]

    page.goto(page.url.split("/run?")[0] + f"/compare?runs={first[1]},{second[1]}")
    settled(page)
    page.wait_for_selector("text=" + texts["compare.differing"])
    assert page.get_by_text(texts["weakness.as_of"]).count() == 1
    shoot(page, f"compare-{language}")

    page.get_by_role("link", name=texts["page.runs"]).first.click()
    settled(page)
    shoot(page, f"runs-{language}")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("language", LOCALES)
def test_every_page_fits_every_screen(visit: Visit, language: Language, width: int, theme: str) -> None:
    texts = catalogue(language)
    page = visit(LOCALES[language], width=width, theme=theme)
    name = f"{language}-{width}-{theme}"
    press(page, "600519")
    page.wait_for_selector("text=" + texts["opinions.title"])
    shoot(page, f"company-{name}")
    company = page.url
    page.goto(f"{company}&agent=ch04_valuation")
    page.get_by_role("dialog").wait_for()
    settled(page)
    page.wait_for_timeout(500)
    page.screenshot(path=ARTEFACTS / f"agent-{name}.png")
    base = company.split("/run?")[0]
    page.goto(base)
    settled(page)
    press(page, "Liverpool")
    page.wait_for_selector("text=" + texts["opinions.title"])
    shoot(page, f"match-{name}")
    for path in (
        "",
        "new_run?subject=600519.SH&as_of=2021-06-30",
        "new_run?pipeline=match",
        "runs",
        "compare",
    ):
        page.goto(f"{base}/{path}")
        settled(page)
        shoot(page, f"{path.replace('?', '-').split('=')[0] or 'home'}-{name}")


def test_a_click_on_an_agent_opens_it_in_full(visit: Visit) -> None:
    page = visit("en-US")
    press(page, "600519")
    page.locator("[class*=st-key-run-opinion] button").first.click()
    page.get_by_role("dialog").wait_for()
    assert "agent=ch01" in page.url
    page.keyboard.press("Escape")
    page.wait_for_function("!location.search.includes('agent=')")


def test_a_click_on_a_subject_opens_its_run(visit: Visit) -> None:
    page = visit("en-US")
    press(page, "600519")
    page.wait_for_selector("text=Draft and revised")
    page.goto(page.url.split("/run?")[0] + "/runs")
    settled(page)
    table = page.locator("[data-testid=stDataFrame]").first
    table.wait_for()
    page.wait_for_timeout(500)
    box = table.bounding_box()
    assert box
    page.mouse.click(box["x"] + 100, box["y"] + 52)
    page.wait_for_url("**/run?run=*")


def test_a_refresh_and_a_second_tab_show_the_same_run(visit: Visit) -> None:
    page = visit("en-US")
    press(page, "600519")
    page.wait_for_selector("text=Draft and revised")
    title = page.locator("h1").inner_text()
    page.reload()
    settled(page)
    assert page.locator("h1").inner_text() == title
    second = page.context.new_page()
    second.goto(page.url)
    settled(second)
    assert second.locator("h1").inner_text() == title


def test_no_page_asks_another_host_for_anything(visit: Visit) -> None:
    page = visit("en-US")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    press(page, "600519")
    page.wait_for_selector("text=Draft and revised")
    base = page.url.split("/run?")[0]
    for path in ("", "/runs", "/compare", "/new_run"):
        page.goto(base + path)
        settled(page)
    hosts = {url.split("/")[2].split(":")[0] for url in asked if url.startswith(("http", "ws"))}
    assert hosts == {"127.0.0.1"}
