"""A real browser for tests: Debian's Chromium, driven by Playwright, which downloads nothing of its own here.

`from tests.support.browser import browser, page` gives a test module the fixtures. A page that asks the
network for anything, or whose script fails, fails its test.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tests.support.pace import PATIENCE_MS

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def program() -> str:
    """Return the path of the browser."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium (apt-get install chromium)")
    return found


def until(page: Page, true: str) -> None:
    """Wait until an expression is true in a page. It is polled from here: the policy of a page does not allow
    it there."""
    for _ in range(400):
        if page.evaluate(true):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {true}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a module."""
    # as root there is no sandbox for it; a small /dev/shm is no reason to crash
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program(), args=arguments)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page, in English, as wide as a screen."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900}, has_touch=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_MS)
    wrong: list[str] = []

    def asked(request: Request) -> None:
        if not request.url.startswith(("file:", "data:", "about:", "http://127.0.0.1", "http://localhost")):
            wrong.append(f"asked the network for {request.url}")

    opened.on("request", asked)
    opened.on("pageerror", lambda error: wrong.append(f"the script failed: {error}"))
    opened.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    yield opened
    context.close()
    assert not wrong
