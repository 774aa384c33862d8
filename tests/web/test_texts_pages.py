"""Texts as pages: asked for like a program, and looked at in a real browser."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html import unescape
from importlib.resources import files
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Page, expect

from botequim.i18n import LANGUAGES
from botequim.render.layout import Shape
from botequim.web import positions
from tests import HIGHCARD, ROOT
from tests.support.browser import browser, page  # noqa: F401  (fixtures)
from tests.support.pace import PATIENCE
from tests.support.server_thread import NO_TLS

PLUGIN = """\
[botequim.games]
highcard = highcard.rules:GAME
broken = tests.plugin.nowhere:GAME
"""
CUBOS = """\
name = "Rinha <b>das</b> quintas"
game = "cubos"
options = { blocked = "points" }
limits = { move = 2.5, memory = 256 }

[[entrants]]
name = "Ana"
bot = "greedy"
[[entrants]]
name = "Bia"
bot = "random"

[[stages]]
name = "league"
format = "round_robin"
"""
CARDS = (
    CUBOS.replace('"cubos"', '"highcard"')
    .replace('options = { blocked = "points" }\n', "")
    .replace('"greedy"', '"random"')
)
TEXTS = ("/rules", "/enter", *(f"/rules/{game}" for game in ("cubos", "fives", "havana", "rps", "uno")))
TEXTS += tuple(f"/enter/{wire}" for wire in ("cubos", "havana", "uno", "rps", "arena"))
OF_CUPS = ("/cups/rinha/rules", "/cups/rinha/enter", "/cups/cards/rules", "/cups/cards/enter")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a server with a cup of ours, and one of a plugin's game."""
    folder = tmp_path_factory.mktemp("texts")
    info = folder / "thirdparty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(PLUGIN)
    for name in ("confrontos", "tables"):
        template = {"confrontos": "havana", "tables": "uno"}[name]
        command = [sys.executable, "-m", "botequim", "cup", "new", template, f"{name}.toml"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    (folder / "rinha.toml").write_text(CUBOS)
    (folder / "cards.toml").write_text(CARDS)
    cups = ("rinha.toml", "cards.toml", "confrontos.toml", "tables.toml")
    server = subprocess.Popen(
        [sys.executable, "-m", "botequim", "--lang", "en", "serve", *cups, "--port", "0"],
        cwd=folder,
        env={
            "PYTHONPATH": f"{folder}:{ROOT}:{HIGHCARD}",
            "LANG": "C.UTF-8",
            "PATH": "",
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    with server, server.stdout:
        first = server.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", first)
        assert found is not None, first
        yield found[0]
        server.terminate()


def get(address: str, path: str, language: str = "en") -> httpx.Response:
    headers = {"Accept-Language": language.replace("_", "-")}
    return httpx.get(address + path, headers=headers, timeout=PATIENCE, verify=NO_TLS)


def links(html: str) -> set[str]:
    """Where a page's own text leads."""
    body = html.partition('<main id="main"')[2].partition("</main>")[0]
    return {unescape(link) for link in re.findall(r'(?:href|src|srcset)="([^"]+)"', body)}


@cache
def leads_somewhere(link: str) -> bool:
    return httpx.get(link, timeout=PATIENCE, follow_redirects=True, verify=NO_TLS).status_code == 200


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", [*TEXTS, *OF_CUPS])
def test_every_page_is_there_in_both_languages_and_leads_somewhere(
    path: str, language: str, address: str
) -> None:
    answer = get(address, path, language)
    assert answer.status_code == 200
    assert f'<html lang="{language.replace("_", "-")}"' in answer.text
    assert "style=" not in answer.text
    for link in links(answer.text):
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in answer.text, link
        else:
            assert leads_somewhere(address + link), link


def test_what_is_not_there_is_not_found(address: str) -> None:
    for path in ("/rules/chess", "/rules/broken", "/enter/chess", "/enter/arena-chess", "/cups/x/rules"):
        assert get(address, path).status_code == 404, path
    for path in ("/rules/pictures/de/cubos-turn.wide.svg", "/rules/pictures/en/..%2F..%2Fpositions.wide.svg"):
        assert get(address, path).status_code == 404, path
    assert get(address, "/rules/pictures/en/cubos-turn.round.svg").status_code == 404


@pytest.mark.parametrize("name", positions.names())
def test_pictures_are_served_and_can_run_nothing(name: str, address: str) -> None:
    for language in LANGUAGES:
        for shape in Shape:
            answer = get(address, f"/rules/pictures/{language}/{name}.{shape.value}.svg")
            assert answer.headers["content-type"] == "image/svg+xml"
            assert "script-src" not in answer.headers["content-security-policy"]
            assert answer.headers["content-security-policy"].startswith("default-src 'none'")


def test_a_wire_of_arena_leads_to_its_page(address: str) -> None:
    assert get(address, "/enter/arena-http").headers["location"] == "/enter/arena"


def test_a_cup_tells_its_own_options_and_limits(address: str) -> None:
    rules = get(address, "/cups/rinha/rules").text
    here = rules.partition('id="here"')[2].partition("</section>")[0]
    assert re.search(r'class="unusual">\s*<td><code>blocked</code></td>\s*<td><code>points</code>', here)
    assert "<b>das</b>" not in rules
    enter = get(address, "/cups/rinha/enter").text
    assert "2.5 s" in enter
    assert "256 MB" in enter
    assert "botequim match cubos ./my-bot random --games 20 --option blocked=points<" in enter
    assert "2,5 s" in get(address, "/cups/rinha/enter", "pt_BR").text
    assert "each in turn" in get(address, "/cups/confrontos/rules").text, "who starts changes"
    tables = get(address, "/cups/tables/rules").text
    assert re.search(r"<code>players</code></td>\s*<td><code>3</code>", tables)


def test_a_plugins_game_gets_its_options_and_a_friendly_word(address: str) -> None:
    for path in ("/rules/highcard", "/cups/cards/rules"):
        text = get(address, path).text
        assert "highcard comes from a plugin" in text
        assert "how many play" in text
    assert "/rules/highcard" in get(address, "/rules").text
    assert "/enter/arena" in get(address, "/cups/cards/enter").text


# --- in a browser ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*TEXTS, *OF_CUPS])
def test_nothing_is_wider_than_a_phone(path: str, address: str, page: Page) -> None:  # noqa: F811
    page.set_viewport_size({"width": 390, "height": 844})
    for language in LANGUAGES:
        page.goto(f"{address}{path}?lang={language}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        broken = page.evaluate("[...document.images].filter(one => !one.naturalWidth).map(one => one.src)")
        assert broken == []


def test_contents_lead_to_their_chapter_by_keyboard(address: str, page: Page) -> None:  # noqa: F811
    page.goto(f"{address}/rules/uno")
    page.locator(".contents a", has_text="Mistakes").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/rules/uno#mistakes")
    assert page.locator("#mistakes").evaluate("one => one.getBoundingClientRect().top") < 300
    page.goto(f"{address}/rules/uno?lang=pt_BR#mistakes")
    assert page.locator("#mistakes").inner_text() == "Erros"


def test_a_phone_is_shown_the_tall_picture(address: str, page: Page) -> None:  # noqa: F811
    page.goto(f"{address}/rules/fives")
    board = page.locator("figure.board img")
    assert board.evaluate("one => one.currentSrc").endswith("fives-arms.wide.svg")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(board).to_have_js_property("currentSrc", f"{address}/rules/pictures/en/fives-arms.tall.svg")


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_no_serious_barrier(theme: Literal["light", "dark"], address: str, page: Page) -> None:  # noqa: F811
    axe = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    page.emulate_media(color_scheme=theme)
    for path in ("/rules", "/rules/uno", "/enter", "/enter/cubos", "/cups/rinha/rules", "/cups/rinha/enter"):
        page.goto(address + path)
        page.evaluate(axe)
        found = page.evaluate("axe.run().then((found) => found.violations)")
        serious = [
            (one["id"], [node["html"] for node in one["nodes"][:3]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], path
