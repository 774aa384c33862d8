"""The public folder of a report in a real browser, from a disk: pages, the other language, a replay."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from botequim.cup.report import write_report
from tests.support.browser import browser as browser
from tests.support.browser import page as page
from tests.support.cup_reports import entrants
from tests.support.played_cups import cup_file, play_cup


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Under a name that an address has to escape."""
    folder = tmp_path_factory.mktemp("cup")
    cup = cup_file(folder, "rps", entrants=entrants(2))
    store, progress = play_cup(cup, folder / "store.db")
    with store:
        write_report(cup, progress, store, folder / "relatório da copa #1", bundle=True)
    return folder / "relatório da copa #1" / "public"


def test_a_report_is_read_from_a_disk(public: Path, page: Page) -> None:
    page.goto((public / "index.html").as_uri())
    expect(page.locator("h2", has_text="Faults")).to_be_visible()
    page.locator("nav.languages a").click()
    expect(page.locator("h2", has_text="Faltas")).to_be_visible()
    page.locator("details summary").first.click()
    page.locator('a[href^="replays/"]').first.click()
    expect(page.locator("#stage svg").first).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "pt-BR")
    expect(page.locator("#where")).to_contain_text("jogada 1 de")
    page.locator("#last").click()
    expect(page.locator("#where")).to_contain_text("50")
