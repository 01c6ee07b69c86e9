"""News signals in a real browser: paste an item, have it judged, find it, be told about it."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import Visit, settled
from tests.browser.test_journey import LOCALES, press, shoot
from workbench.ui.language import Language, catalogue

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

NOTIFICATIONS = """
window.shown = [];
window.Notification = function (title, options) { window.shown.push({title, ...options}); };
window.Notification.permission = "default";
window.Notification.requestPermission = async () => { window.Notification.permission = "granted"; };
"""
"""Stands in for the browser's own, which a headless one shows nowhere."""

ITEM = "Apple files for bankruptcy <img src=x onerror=alert(1)>\nApple Inc. said it is insolvent."


@pytest.mark.parametrize("language", LOCALES)
def test_an_item_goes_from_the_clipboard_to_the_banner(visit: Visit, language: Language) -> None:
    texts = catalogue(language)
    page = visit(LOCALES[language])
    page.add_init_script(NOTIFICATIONS)
    page.goto(f"{page.url.split('?')[0]}signals?view=news&lang={language}")
    settled(page)
    page.get_by_text(texts["signals.notify_ask"]).click()
    page.get_by_text(texts["signals.notify_on"]).wait_for()

    page.get_by_role("button", name=re.compile(texts["news.paste"])).click()
    page.get_by_role("textbox", name=re.compile(texts["news.words"])).fill(f"{language}: {ITEM}")
    page.get_by_role("button", name=texts["news.add"], exact=True).click()
    page.get_by_text(texts["news.added"].format(new=1, known=0, refused=0)).wait_for()
    page.keyboard.press("Escape")
    search = page.get_by_role("searchbox", name=texts["signals.search"])
    search.fill(f"{language}: apple files")
    search.press("Enter")
    page.get_by_role("button", name=texts["news.run_all"].format(count=1)).click()
    page.get_by_role("button", name=texts["news.to_feed"]).click()
    settled(page)
    titles = page.get_by_text(f"{language}: Apple files for bankruptcy <img src=x")
    sync_api.expect(titles).to_have_count(2)  # in the banner and on its card

    page.wait_for_function("window.shown.length > 0")
    (told,) = page.evaluate("window.shown")
    assert told["title"].startswith("FLASH")
    assert told["requireInteraction"] is True
    assert f"{language}: Apple files" in told["body"]
    shoot(page, f"signals-{language}")
    press(page, texts["signals.dismiss"])
    sync_api.expect(titles).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_feed_fits_a_phone(visit: Visit, theme: str) -> None:
    for view in ("feed", "quadrants", "revising", "news"):
        page = visit("en-US", path=f"signals?view={view}", width=390, theme=theme)
        shoot(page, f"signals-{view}-390-{theme}")
