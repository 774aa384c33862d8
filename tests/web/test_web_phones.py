"""Pages on a phone: none scrolls sideways, and no name is cut, however long it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from botequim.core.messages import msg
from botequim.web.filters import MOST_REASONS, fault_groups, stage_text
from botequim.web.live.public import PublicFault
from tests.support.browser import browser as browser
from tests.support.cup_commands import cup
from tests.support.server_process import Site, looking, play, serving_site

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
LONG = "Os Invencíveis Campeões do Botequim da Esquina da Rua August"
STAGES = (
    '[[stages]]\nname = "league"\nformat = "confrontos"\ngames = 1\n'
    '[[stages]]\nname = "final"\nformat = "knockout"\nfrom = "league"\ntop = 4\n'
)
CONFRONTOS = '[[stages]]\nname = "group"\nformat = "confrontos"\ngames = 1\n'


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A cup with a bracket, one that has not begun, and one in which three share the first place."""
    folder = tmp_path_factory.mktemp("phones")
    assert len(LONG) == 60
    names = [LONG, "Ana", "W" * 60, "Dona Flor"]
    over = cup(folder / "copa.toml", dict.fromkeys(names, "greedy"), game="fives", stages=STAGES)
    play(over)
    waiting = cup(folder / "soon.toml", dict.fromkeys(names, "greedy"), stages=STAGES)
    hands = {"rock": "rock", LONG: "paper", "scissors": "scissors"}
    tied = cup(folder / "tied.toml", hands, game="rps", stages=CONFRONTOS)
    play(tied)
    with serving_site(over, waiting, tied) as running:
        yield running


CUT = """() => {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the page scrolls sideways");
  for (const name of document.querySelectorAll("main bdi")) {
    if (!name.offsetParent || name.closest(".unseen")) continue;
    for (let box = name; box && box.matches("main *"); box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.overflowX === "auto") break; // it can be scrolled to
      const clips = style.overflowX === "hidden" || style.webkitLineClamp !== "none";
      if (clips && (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 2)) {
        wrong.push(`cut: ${name.textContent}`);
      }
    }
    const drawn = name.getBoundingClientRect();
    const outside = drawn.left < 0 || drawn.right > innerWidth + 1;
    if (outside && !name.closest(".wide")) wrong.push(`outside: ${name.textContent}`);
  }
  return wrong;
}"""


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "pt_BR"])
def test_no_page_scrolls_sideways_and_no_name_is_cut(site: Site, browser: Browser, language: str) -> None:
    pages = ["", "/cups/soon", "/cups/tied", "/cups/copa/gallery", "/cups/copa/rules", "/cups/copa/contests"]
    pages += ["/cups/copa", "/cups/copa/games", "/cups/copa/games/1", "/cups/copa/games/1/1"]
    pages += [f"/cups/copa/entrants/{quote(LONG)}", "/cups/copa/entrants/Ana", "/organiser"]
    with looking(browser, **PHONE) as page:
        for path in pages:
            page.goto(f"{site.address}{path}?lang={language}")
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert page.evaluate(CUT) == [], path


# one step, because the page may receive the table anew at any moment
SCROLLED = """(name) => {
  const box = document.querySelector("#part-standings .wide");
  const cell = [...box.querySelectorAll("tbody th")].find((one) => one.textContent.includes(name));
  box.scrollLeft = 9999;
  const drawn = cell.getBoundingClientRect();
  return [box.scrollWidth - box.clientWidth, box.scrollLeft, drawn.left, drawn.right];
}"""


def test_a_name_stays_in_sight_while_the_figures_scroll(site: Site, browser: Browser) -> None:
    with looking(browser, **PHONE) as page:
        page.goto(site.cup(2))
        hidden, scrolled, left, right = page.evaluate(SCROLLED, LONG)
        assert hidden > 0, "there is something to scroll"
        assert scrolled > 0
        assert 0 <= left < right <= 360


@pytest.mark.parametrize(
    ("language", "format"),
    [
        ("en", "confrontos"),
        ("pt_BR", "round_robin"),
        pytest.param("en", "round_robin", marks=pytest.mark.slow),
        pytest.param("pt_BR", "confrontos", marks=pytest.mark.slow),
    ],
)
def test_no_column_is_cut_on_a_small_screen(
    tmp_path: Path, browser: Browser, language: str, format: str
) -> None:
    stages = CONFRONTOS.replace("confrontos", format)
    path = cup(tmp_path / "copa.toml", {"Ana": "greedy", LONG: "random"}, game="fives", stages=stages)
    play(path)
    with serving_site(path) as running, looking(browser) as page:
        page.goto(f"{running.cup()}?lang={language}")
        boxes = page.locator("#part-standings .wide, #part-ratings .wide")
        assert boxes.count() == 2
        for box in boxes.all():
            assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth + 1")
        page.goto(f"{running.cup()}/show?paused=1&lang={language}")
        for _ in range(page.locator(".dots li").count()):
            assert page.evaluate(COLUMNS) == []
            page.keyboard.press("ArrowRight")


BROKEN = """() => {
  const broken = [];
  for (const cell of document.querySelectorAll("#part-standings :is(th, td)")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        if (word[0].length < 20 && range.getClientRects().length > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
SCROLLING = """() => [...document.querySelectorAll(":is(#part-standings, #part-bracket) .wide")].filter(
  (box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.textContent)"""


def test_standings_and_brackets_are_whole_on_screens_of_any_width(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        for language, width in (("pt_BR", 1366), ("en", 1280), ("en", 1024)):
            page.set_viewport_size({"width": width, "height": 768})
            page.goto(f"{site.cup()}?lang={language}")
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert (page.evaluate(SCROLLING), page.evaluate(BROKEN)) == ([], []), width


COLUMNS = """() => [...document.querySelectorAll(".current table th, .current table td")].filter((cell) =>
  cell.offsetParent && cell.getBoundingClientRect().right > innerWidth).map((cell) => cell.textContent)"""


def test_three_who_are_tied_share_a_step(site: Site, browser: Browser) -> None:
    with looking(browser) as page, looking(browser, **PHONE) as phone:
        page.goto(site.cup(2) + "/show?paused=1")
        phone.goto(site.cup(2))
        for screen in (page, phone):
            expect(screen.locator(".step")).to_have_count(1)
            expect(screen.locator(".p1-step .there li")).to_have_count(3)
        page.evaluate("document.getAnimations().forEach((one) => one.finish())")
        slide, tops = _boxes(page)
        assert len({round(top) for top in tops}) == 1, "they stand side by side"
        assert min(tops) > slide


def _boxes(page: Page) -> tuple[float, list[float]]:
    """The top of the slide, and the lower edge of each name."""
    top = page.locator(".podium.current").evaluate("(one) => one.getBoundingClientRect().top")
    names = page.locator(".p1-step .there bdi")
    return top, names.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().bottom)")


AREAS = """() => ["now", "table", "tree", "changes"].map(
  (id) => document.getElementById(id).getBoundingClientRect().top)"""


def test_before_the_first_game_a_page_says_what_comes(site: Site, browser: Browser) -> None:
    with looking(browser, **PHONE) as page:
        page.goto(site.cup(1))
        expect(page.locator("#now")).to_contain_text("when the organiser starts the cup")
        expect(page.locator("#part-next .later")).to_have_count(2)
        expect(page.locator("#part-next")).to_contain_text("after league, with its best 4")
        for width in (360, 1366):
            page.set_viewport_size({"width": width, "height": 740})
            now, table, tree, changes = page.evaluate(AREAS)
            assert now < tree <= changes
            assert now <= table <= changes


def test_who_looks_from_this_machine_is_told_how_phones_get_there(site: Site, browser: Browser) -> None:
    with looking(browser) as page:
        page.goto(site.cup() + "/show")
        expect(page.locator(".phone")).to_contain_text("--host 0.0.0.0")
        expect(page.locator(".phone .qr")).to_have_count(0)
        page.goto(site.cup(1) + "/show?paused=1")
        expect(page.locator(".welcome")).to_contain_text("--host 0.0.0.0")


def test_faults_are_grouped_by_entrant() -> None:
    def fault(entrant: str, kind: str, why: str, move: int) -> PublicFault:
        return PublicFault("copa", "league", "a|b", 1, 1, move, entrant, 0, kind, msg(why))

    faults = [fault("Dora", "malformed", "not JSON", move) for move in range(1, 39)]
    faults += [fault("Dora", kind, kind, 1) for kind in ("crash", "timeout", "limit")]
    faults.append(fault("Ana", "crash", "gone", 7))
    dora, ana = fault_groups(faults)
    assert (dora.entrant, dora.count, ana.entrant, ana.count) == ("Dora", 41, "Ana", 1)
    assert len(dora.reasons) == MOST_REASONS
    assert (dora.reasons[0].count, dora.reasons[0].latest.move) == (38, 38)


def test_usual_names_of_stages_are_translated_and_others_stay() -> None:
    assert stage_text("final") == "final"
    assert stage_text("Liga do bairro") == "Liga do bairro"
    assert stage_text("swiss") == "Swiss system"
