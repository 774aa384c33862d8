"""Makes the pictures of tables in the documents: `python -m tests.support.play_pictures docs/pictures`.

Each table is shown on a phone, on a screen and on a projector. The deals have a fixed seed, so the pictures
change only if the pages do. With a second folder, every picture is also kept there in its full size, to be
inspected.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from botequim.tables.opening import TableWishes, open_table
from botequim.tables.spec import TableSpec
from botequim.tables.tables import Tables
from tests.support.browser import program
from tests.support.browser_tables import play_move, play_to_end, sitting_down, wait_for_turn
from tests.support.pace import until
from tests.support.play_tables import new_tables
from tests.support.serve_pictures import save, shot
from tests.support.server_thread import ServerThread, serving

SIZES = {
    "phone": {"width": 360, "height": 740},
    "screen": {"width": 1366, "height": 768},
    "projector": {"width": 1920, "height": 1080},
    "sideways": {"width": 740, "height": 360},
}
SMALL = (640, 360)
"""A screen or a projector beside the phone."""
GAP = 20


@dataclass(frozen=True)
class Scene:
    """A position that is shown, and how it is reached."""

    game: str
    seats: tuple[str, ...]
    reach: Callable[[Page], None]
    seed: str = "pictures"
    wishes: Mapping[str, Any] = field(default_factory=dict)


def moves(count: int) -> Callable[[Page], None]:
    """Play so many moves, and wait for the next."""

    def reach(page: Page) -> None:
        for _ in range(count):
            if not wait_for_turn(page):
                return
            play_move(page)
        wait_for_turn(page)

    return reach


def until_choice(page: Page) -> None:
    """Play until a piece has several places, and choose this piece."""
    while wait_for_turn(page):
        for piece in page.locator(".piece.can").all():
            piece.click()
            if page.locator(".place").count():
                return
            break
        else:
            page.locator(".act-button").first.click()


def until_button(page: Page) -> None:
    """Play until no piece fits, and a button is the only choice."""
    while wait_for_turn(page) and page.locator(".piece.can").count():
        play_move(page)


def to_end(page: Page) -> None:
    play_to_end(page)


def hinted(page: Page) -> None:
    moves(2)(page)
    page.locator("#hint").click()
    page.locator(".piece.hinted").wait_for()


def refused(page: Page) -> None:
    moves(2)(page)
    page.locator(".piece.cannot").first.click(force=True)


def nothing(page: Page) -> None:
    page.locator("#invite").wait_for()


FOUR = ("me", "greedy", "random", "greedy")
SCENES = {
    "cubos": Scene("cubos", FOUR, moves(3)),
    "havana": Scene("havana", FOUR, moves(6)),
    "fives": Scene("fives", ("me", "greedy"), until_choice, "places"),
    "uno": Scene("uno", ("me", "greedy", "random", "greedy"), moves(2)),
    "rps": Scene("rps", ("me", "greedy"), moves(9)),
    "fives-draw": Scene("fives", ("me", "greedy"), until_button),
    "uno-suits": Scene("uno", ("me", "greedy", "random"), until_choice, "suits"),
    "uno-ten": Scene("uno", ("me", *["greedy"] * 9), moves(1), wishes={"options": {"decks": 2}}),
    "hint": Scene("cubos", FOUR, hinted),
    "refused": Scene("cubos", FOUR, refused),
    "waiting": Scene("cubos", ("me", "greedy", "friend", "greedy"), nothing),
    "over": Scene("cubos", FOUR, to_end),
}
IN_DOCUMENTS = ("cubos", "havana", "fives", "uno", "rps", "over")


@dataclass
class Salon:
    """The server of the pictures, and its tables."""

    server: ServerThread
    tables: Tables

    def open(self, scene: Scene) -> str:
        """Open the table of a scene, and return the person's address."""
        wishes = TableWishes(game=scene.game, name="Ana", seats=scene.seats, **scene.wishes)
        spec: TableSpec = replace(open_table(wishes, ()), seed=scene.seed)
        added: list[Any] = []
        self.server.soon(lambda: added.append(self.tables.add(spec)))
        until(lambda: bool(added))
        return f"{self.server.address}/play/seat/{added[0].spec.seats[spec.creator].secret}"


@contextmanager
def salon() -> Iterator[Salon]:
    with TemporaryDirectory() as name:
        tables = new_tables(Path(name))
        with serving(tables=tables) as server:
            yield Salon(server, tables)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program(), args=["--disable-dev-shm-usage", "--no-sandbox"]
        )
        try:
            yield browser
        finally:
            browser.close()


def table_pictures(browser: Browser, place: Salon, scene: Scene) -> dict[str, Image.Image]:
    """Return one position at all sizes."""
    with sitting_down(browser, reduced_motion="reduce", viewport=SIZES["screen"]) as page:
        page.goto(place.open(scene))
        scene.reach(page)
        images = {}
        for name, size in SIZES.items():
            page.set_viewport_size({"width": size["width"], "height": size["height"]})
            page.wait_for_timeout(600)  # the page asks for the picture of another shape
            images[name] = shot(page)
        return images


def sheet(images: Mapping[str, Image.Image]) -> Image.Image:
    """Return the phone with the screen and the projector beside it."""
    phone = images["phone"]
    sheet = Image.new("RGB", (phone.width + GAP + SMALL[0], phone.height), "white")
    sheet.paste(phone, (0, 0))
    for at, name in enumerate(("screen", "projector")):
        small = images[name].resize(SMALL, Image.Resampling.LANCZOS)
        sheet.paste(small, (phone.width + GAP, at * (SMALL[1] + GAP)))
    return sheet


def lobby_pictures(browser: Browser, place: Salon) -> dict[str, Image.Image]:
    images = {}
    for name, size in SIZES.items():
        with sitting_down(browser, viewport=size) as page:
            page.goto(f"{place.server.address}/play")
            images[name] = shot(page)
    return images


def write_pictures(target: Path, whole: Path | None, names: list[str]) -> None:
    with salon() as place, chromium() as browser:
        for name in names or ["lobby", *SCENES]:
            images = (
                lobby_pictures(browser, place)
                if name == "lobby"
                else table_pictures(browser, place, SCENES[name])
            )
            if whole is not None:
                for size, image in images.items():
                    image.save(whole / f"{name}-{size}.png")
            if name == "lobby" or name in IN_DOCUMENTS:
                save(sheet(images), target / f"play-{name}.png")


if __name__ == "__main__":
    folders = [Path(name) for name in sys.argv[1:3]]
    write_pictures(folders[0], folders[1] if len(folders) > 1 else None, sys.argv[3:])
