"""Makes the pictures of web pages in the documents: `python -m tests.support.serve_pictures docs/pictures`.

The cups are played by built-in players with a fixed seed, so the pictures change only if the pages do.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from botequim.core import clock
from botequim.cup.paths import CupPaths
from tests.support.browser import program, until
from tests.support.cup_commands import cup
from tests.support.server_process import play, serving_site

NAMES = ("Malandro Carioca", "Dona Flor", "Zé do Dominó", "Ana Terra", "Saci")
ADDRESS = "botequim.local"
STAGES = (
    '[[stages]]\nname = "league"\nformat = "{format}"\ngames = 3\n'
    '[[stages]]\nname = "finals"\nformat = "knockout"\nfrom = "league"\ntop = 4\nthird_place = true\n'
)
TABLES = '[[stages]]\nname = "tables"\nformat = "combinations"\ngames = 2\nsize = 3\n'
HALL = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 844}
COLOURS = 256
STILL = 1e6
"""Seconds from move to move, so that a game stands still while its picture is taken."""


def write_cup(folder: Path, game: str, shown: int | None, turns: int = 0) -> Path:
    """Play a cup. If `shown` is a number, so many games are public and the next one is at a turn."""
    several = game == "uno"
    path = cup(
        folder / f"{game}.toml",
        dict.fromkeys(NAMES[:4] if several else NAMES, "greedy"),
        game=game,
        stages=TABLES if several else STAGES.format(format="round_robin"),
    )
    path.write_text(path.read_text(encoding="utf-8").replace('"Copa"', '"Copa do botequim"', 1))
    play(path, hold=shown is not None)
    if shown is not None:
        with CupPaths.of(path).storage.open_visibility() as show:
            show.reveal(shown)
            began = clock.now() - (turns - 0.5) * STILL
            assert show.stage_next(expected=shown, began=began, pace=STILL)
    return path


@contextmanager
def screen(browser: Browser, **how: Any) -> Iterator[Page]:
    context = browser.new_context(reduced_motion="reduce", **{"locale": "en-GB", "viewport": HALL, **how})
    try:
        yield context.new_page()
    finally:
        context.close()


def shot(page: Page) -> Image.Image:
    until(page, "document.fonts.status === 'loaded'")
    page.wait_for_timeout(500)  # pictures of portraits and codes are drawn
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def save(image: Image.Image, path: Path) -> None:
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def side_by_side(images: Sequence[Image.Image], columns: int, gap: int) -> Image.Image:
    width, height = images[0].size
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * (width + gap) - gap, rows * (height + gap) - gap), "white")
    for at, image in enumerate(images):
        sheet.paste(image, (at % columns * (width + gap), at // columns * (height + gap)))
    return sheet


@contextmanager
def serve_to_browser(path: Path) -> Iterator[tuple[Browser, str]]:
    """Serve a cup, and start a browser that finds it under the address of the pictures."""
    with serving_site(path) as site, sync_playwright() as playwright:
        arguments = ["--disable-dev-shm-usage", "--no-sandbox"]
        arguments.append(f"--host-resolver-rules=MAP {ADDRESS} 127.0.0.1:{site.port}")
        browser = playwright.chromium.launch(executable_path=program(), args=arguments)
        try:
            yield browser, f"http://{ADDRESS}/cups/{path.stem}"
        finally:
            browser.close()


def table(folder: Path, game: str, shown: int, turns: int, scheme: str) -> Image.Image:
    """Return the big screen with one game at a turn."""
    path = write_cup(folder, game, shown, turns)
    with serve_to_browser(path) as (browser, address), screen(browser, color_scheme=scheme) as page:
        page.goto(address + "/show")
        until(page, "document.querySelector('.table .stage svg') !== null")
        return shot(page)


def write_pictures(target: Path) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        save(table(folder, "cubos", 4, 14, "dark"), target / "serve-show.png")
        others = (("havana", 12), ("fives", 14), ("uno", 16), ("rps", 14))
        games = [table(folder, game, 1, turns, "dark").resize((683, 384)) for game, turns in others]
        save(side_by_side(games, 2, 6), target / "serve-games.png")
    with (
        TemporaryDirectory() as name,
        serve_to_browser(write_cup(Path(name), "cubos", None)) as (
            browser,
            address,
        ),
    ):
        with screen(browser, color_scheme="dark") as page:
            page.goto(address + "/show?paused=1")
            save(shot(page), target / "serve-podium.png")
        with screen(browser, viewport={"width": 1366, "height": 1100}) as page:
            page.goto(address)
            save(shot(page), target / "serve-cup.png")
        phones = []
        for locale in ("en-GB", "pt-BR"):
            with screen(browser, locale=locale, viewport=PHONE, color_scheme="light") as page:
                page.goto(address)
                phones.append(shot(page))
        save(side_by_side(phones, 2, 24), target / "serve-phones.png")


if __name__ == "__main__":
    write_pictures(Path(sys.argv[1]))
