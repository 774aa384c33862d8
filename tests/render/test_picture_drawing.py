"""What is drawn hides nothing, and stays where it is."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image

from botequim import registry
from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.core.turn import PlayedMove, Step
from botequim.games.cards.picture import hand_of_cards
from botequim.games.dominoes.layout import HALL, WIDE, PlacedTile
from botequim.games.dominoes.layout import draw_table as on_the_table
from botequim.games.dominoes.picture import hand_of_tiles
from botequim.games.dominoes.symbols import PIPS
from botequim.render.art.drawing import write_gif
from botequim.render.art.frames import Frame
from botequim.render.art.options import GifOptions
from botequim.render.art_sheet import draw_art
from botequim.render.drawing import description, parts
from botequim.render.layout import PAGE_SHAPES, ROOMS, Shape, layout
from botequim.render.scene import OPEN, scene_at, scene_of
from botequim.render.svg import Box, Part, flat
from botequim.render.theme import RING
from tests import HIGHCARD, ROOT
from tests.support.golden import FOLDER as RECORDS
from tests.support.picture_scenes import (
    SHAPES_WITH_SEATS,
    at,
    four_long_arms,
    friends,
    golden_replay,
    line_of_28,
    records,
    with_names,
)

# --- what is drawn hides nothing, and stays where it is ---------------------------------------------------

DOMINOES = [
    name for name in (path.stem for path in RECORDS.glob("*.jsonl")) if name[:4] not in ("uno-", "rps-")
]
_SVG = "{http://www.w3.org/2000/svg}"


class DrawnElement(NamedTuple):
    """An element with what it has become: its place, and how much larger it is drawn."""

    element: ElementTree.Element
    x: float
    y: float
    scale: float


def elements(part: Part) -> Iterator[DrawnElement]:
    """All elements of a piece, with the groups around them worked out."""
    root = ElementTree.fromstring(f'<svg xmlns="{_SVG[1:-1]}">{flat(part)}</svg>')

    def walk(element: ElementTree.Element, x: float, y: float, scale: float) -> Iterator[DrawnElement]:
        for child in element:
            across, down, larger = 0.0, 0.0, 1.0
            if place := re.match(r"translate\(([-\d.e]+) ([-\d.e]+)\)", child.get("transform", "")):
                across, down = float(place[1]), float(place[2])
            if by := re.search(r"scale\(([\d.]+)\)", child.get("transform", "")):
                larger = float(by[1])
            if child.tag == f"{_SVG}g":
                yield from walk(child, x + across * scale, y + down * scale, scale * larger)
            else:
                own_x, own_y = float(child.get("x", 0)), float(child.get("y", 0))
                yield DrawnElement(child, x + own_x * scale, y + own_y * scale, scale)

    return walk(root, 0, 0, 1)


def uses(part: Part) -> Iterator[tuple[str, DrawnElement]]:
    for one in elements(part):
        if one.element.tag == f"{_SVG}use":
            yield one.element.get("href", "")[1:], one


def nearest_pip() -> float:
    """How near a pip comes to the edge of its half."""
    return min(
        min(across, down, 20 - across, 20 - down) - (4.3 if number < 7 else 3.8) / 2
        for number, pips in enumerate(PIPS)
        for across, down in pips
    )


@pytest.mark.parametrize("lies", [True, False])
def test_the_ring_and_the_flag_hide_no_pips(lies: bool) -> None:
    tile = PlacedTile(0, 0, lies, 6, 6)
    drawn = flat(on_the_table([[tile]], tile, Box(-500, -500, 1000, 1000), WIDE))
    ring = re.findall(r'<rect class="b-halo" x="([-\d.]+)" y="([-\d.]+)"', drawn)
    assert len(ring) == 1
    inset = float(ring[0][0]) - tile.box.x, float(ring[0][1]) - tile.box.y
    for reach in inset:
        assert reach + RING / 2 < nearest_pip(), "its own are inside the ring"
        assert RING / 2 - reach < nearest_pip(), "its neighbour's are outside"
    flag = re.search(r'<path class="b-flag" d="M([-\d.]+) ([-\d.]+)l([\d.]+)-([\d.]+)', drawn)
    assert flag is not None
    across, along = float(flag[3]), float(flag[4])
    assert (across if lies else along) + 0.4 < nearest_pip(), "the flag is on the groove"
    assert (along if lies else across) < 10, "and within the tile"


@pytest.mark.parametrize("shape", PAGE_SHAPES)
@pytest.mark.parametrize("name", sorted(DOMINOES))
def test_a_laid_tile_never_moves_in_the_picture(name: str, shape: Shape) -> None:
    """On a phone a long line may be seen from farther away, and a spinner is put in the middle."""
    changes = 0
    before: set[tuple[str, float, float]] = set()
    for number in range(1, len(golden_replay(name)) + 1):
        tiles = [found for found in uses(parts(at(name, number, None), shape)["table"]) if found[0] != "tb"]
        now = {("".join(sorted(tile[1:])), round(one.x, 1), round(one.y, 1)) for tile, one in tiles}
        changes += not before <= now and len(now) > 1
        before = now
    assert changes <= (0 if shape is Shape.WIDE else 4)


@pytest.mark.parametrize("name", sorted(DOMINOES))
def test_tiles_fill_the_table_of_a_big_screen(name: str) -> None:
    before: dict[str, float] = {}
    for number in range(1, len(golden_replay(name)) + 1):
        drawn = parts(at(name, number, None), Shape.HALL)
        felt = next(one for one in elements(drawn["felt"]) if one.element.get("class") == "b-felt")
        high = float(felt.element.get("height", 0))
        tiles = [(tile, one) for tile, one in uses(drawn["table"]) if tile != "tb"]
        if not tiles:
            continue
        left, top = min(one.x for _, one in tiles), min(one.y for _, one in tiles)
        right = max(one.x + (40 if tile[0] == "h" else 20) * one.scale for tile, one in tiles)
        bottom = max(one.y + (20 if tile[0] == "h" else 40) * one.scale for tile, one in tiles)
        assert 0 <= left <= right <= ROOMS[Shape.HALL][0]
        assert felt.y <= top <= bottom <= felt.y + high
        scale = tiles[0][1].scale
        full = right - left > 0.9 * ROOMS[Shape.HALL][0] or bottom - top > 0.55 * high
        assert scale == HALL.scale or full, number
        before = {tile: one.scale for tile, one in tiles}
    assert before


@pytest.mark.parametrize("name", ["cubos", "fives", "havana"])
def test_a_usual_line_is_never_seen_from_farther_away_on_a_screen(name: str) -> None:
    game = registry.game(name)
    options = resolve_options(name, game.options, {})
    seats = [{"name": "p"} for team in game.teams(options) for _ in team]
    rounds: list[list[float]] = []
    for seed in range(10):
        rng, state, count = Rng(f"{seed}"), game.start(options), 99
        while game.outcome(state) is None:
            mover = game.to_move(state)[0]
            move = game.chance(state, rng) if mover == CHANCE else rng.choice(list(game.legal(state, mover)))
            before, state = state, game.apply(state, {mover: move})
            scene = scene_of(game, options, seats, Step(1, before, (PlayedMove(mover, move),), state))
            table = parts(scene, Shape.WIDE)["table"]
            scales = [one.scale for tile, one in uses(table) if tile != "tb"]
            if len(scales) < count:
                rounds.append([])
            count = len(scales)
            rounds[-1] += scales[:1]
    farther = [len(set(scales)) - 1 for scales in rounds if scales]
    assert max(farther) <= 3
    assert sum(steps > 0 for steps in farther) <= len(farther) / 4


@pytest.mark.parametrize("name", records())
def test_only_what_was_played_in_this_turn_is_marked(name: str) -> None:
    game = golden_replay(name)
    if game.game.name == "rps":
        return
    for number, step in enumerate(game.steps(), start=1):
        move = type(step.turn[0].move).__name__
        table = flat(parts(scene_at(game, number, None), Shape.WIDE)["table"])
        laid = move in ("Lay", "Discard") or (game.game.name in ("cubos", "havana") and "b-mark" in table)
        if move in ("Pass", "Draw", "Drawn", "Buy", "Deal", "Lost"):
            assert "b-mark" not in table, (number, move)
        elif laid and 'href="#' in table:
            over = game.game.outcome(step.after) is not None or not re.search(r'href="#[vhc]\w\w', table)
            assert over or table.count("b-mark") == 1, (number, move)


@pytest.mark.parametrize("name", records())
def test_somebody_is_marked_and_something_is_said_at_every_move(name: str) -> None:
    game = golden_replay(name)
    begun = False
    for number, step in enumerate(game.steps(), start=1):
        begun = begun or step.turn[0].by != CHANCE
        scene = scene_at(game, number, None)
        assert description(scene), number
        if begun and game.game.outcome(step.after) is None and game.game.name in ("fives", "uno"):
            if any(game.game.write(made.move).startswith("deal") for made in step.turn):
                continue
            waits = game.game.to_move(step.after)
            marked = sum("b-badge" in flat(part) for part in parts(scene, Shape.WIDE).values())
            assert marked == 1 or waits == (CHANCE,), number
            if game.game.write(step.turn[0].move).startswith(("draw", "buy")):
                assert marked == 1, number


@pytest.mark.parametrize("shape", SHAPES_WITH_SEATS)
@pytest.mark.parametrize(
    "name", ["cubos-domino", "havana-closed", "fives-plain", "uno-four-empty-pile", "rps-plain"]
)
def test_a_name_is_whole_where_there_is_room(name: str, shape: Shape) -> None:
    for number in (3, len(golden_replay(name))):
        scene = friends(name, number, OPEN)
        drawn = parts(scene, shape)
        for seat, place in enumerate(scene.places[:3]):
            assert f">{seat + 1} {place.name}<" in flat(drawn[str(seat)])


@pytest.mark.parametrize("shape", SHAPES_WITH_SEATS)
@pytest.mark.parametrize("name", ["cubos-domino", "havana-closed", "fives-plain", "rps-plain"])
def test_a_long_name_is_written_smaller_and_in_several_lines_before_it_is_cut(
    name: str, shape: Shape
) -> None:
    long = "Os Invencíveis Campeões do Botequim da Esquina da Rua August"
    titles = (long, "W" * 30, "Associação Atlética dos Jogadores de Truc", long[::-1])
    for number in (3, len(golden_replay(name))):
        scene = with_names(at(name, number, OPEN), titles)
        drawn = parts(scene, shape)
        for seat, place in enumerate(scene.places):
            names = [
                one.element.text or ""
                for one in elements(drawn[str(seat)])
                if "b-name" in one.element.get("class", "")
            ]
            assert "".join(names).replace(" ", "") == f"{seat + 1}{place.name}".replace(" ", ""), number


@pytest.mark.parametrize("name", records())
def test_words_are_large_enough_on_a_phone(name: str) -> None:
    """Of 844 pixels the page leaves 628 to a picture that is 850 high; 12 pixels is the least."""
    game = golden_replay(name)
    for number in range(1, len(game) + 1, 7):
        for key, part in parts(scene_at(game, number, None), Shape.TALL).items():
            for one in elements(part):
                if one.element.tag == f"{_SVG}text":
                    size = float(one.element.get("font-size", 0)) * one.scale
                    assert size * 628 / 850 >= 12, (key, one.element.text)


def test_the_winners_star_is_beside_the_portrait() -> None:
    for shape in SHAPES_WITH_SEATS:
        scene = friends("cubos-domino", -1, OPEN)
        winner = next(seat for seat, place in enumerate(scene.places) if place.rank == 1)
        drawn = list(elements(parts(scene, shape)[str(winner)]))
        ui = next(one for one in drawn if one.element.get("class") == "b-face")
        star = next(one for one in drawn if one.element.get("class") == "b-won")
        edge = float(ui.element.get("cx", 0)) + float(ui.element.get("r", 0))
        assert star.x - ui.x - 12 * star.scale > edge - 1


@given(some.integers(1, 28), some.sampled_from([(300, 72), (950, 88), (195, 88), (195, 40), (436, 88)]))
def test_a_hand_is_as_large_as_its_panel_allows(count: int, size: tuple[int, int]) -> None:
    area = Box(0, 0, *size)
    tiles = [f"{low}-{high}" for low in range(7) for high in range(low, 7)][:count]
    cards = [f"{rank}{suit}" for suit in "♥♣♦♠" for rank in ("2", "5", "10", "A", "V", "D", "3")][:count]
    for part, width, height in ((hand_of_tiles(tiles, area), 20, 40), (hand_of_cards(cards, area), 60, 84)):
        pieces = [drawn for _, drawn in uses(part)]
        assert len(pieces) == count
        right = max(piece.x + width * piece.scale for piece in pieces)
        top, bottom = (
            min(piece.y for piece in pieces),
            max(piece.y + height * piece.scale for piece in pieces),
        )
        assert right <= area.width + 0.5
        assert -0.1 <= top <= bottom <= area.height + 0.1
        assert right > 0.95 * area.width or bottom - top > 0.95 * area.height
        for one, other in pairwise(pieces):
            beside = (
                other.x - one.x >= 22.4 * one.scale
                if other.x > one.x
                else other.y - one.y >= height * one.scale
            )
            assert beside, "what says what it is stays in sight"


def test_art_moves_no_hand_and_hands_are_mirrors() -> None:
    scene = at("rps-plain", 20, None)
    art = ("██", "██")
    for shape in Shape:
        places = {}
        for shown in (("", ""), (art, ""), ("", art), (art, art)):
            now = [replace(place, art=tuple(art)) for place, art in zip(scene.places, shown, strict=True)]
            table = parts(replace(scene, places=tuple(now)), shape)["table"]
            hands = [
                one for name, one in uses(table) if name in ("rock", "paper", "scissors") and one.scale > 0.5
            ]
            places[shown] = [(one.x + 50 * one.scale, one.y + 50 * one.scale) for one in hands]
        middle = layout(2, shape, 0, facing=True).width / 2
        for left, right in places.values():
            assert abs(middle - left[0] - (right[0] - middle)) < 1
            assert abs(left[1] - right[1]) < 1
        with_art = [found for shown, found in places.items() if any(shown)]
        assert with_art.count(with_art[0]) == 3
        if shape is Shape.WIDE:
            assert places["", ""] == with_art[0]


@pytest.mark.parametrize(
    "art",
    [
        ("██", "▀▄"),
        ("ação", "c\u0327a\u0303"),
        ("e" + "\u0301" * 20, "x"),
        ("a🙂b", "┌─┐"),
        (" ♥ ", ""),
        tuple("".join("░▒▓█"[(row * column) % 4] for column in range(60)) for row in range(60)),
    ],
)
def test_art_in_a_picture_is_the_art_of_its_gif(art: tuple[str, ...]) -> None:
    (image,) = re.findall(r'href="data:image/png;base64,([^"]+)"', flat(draw_art(art, Box(0, 0, 300, 300))))
    written = BytesIO()
    write_gif([Frame.of(art)], GifOptions(), written)
    with Image.open(BytesIO(b64decode(image))) as png, Image.open(written) as gif:
        width, height = png.size
        assert (
            png.convert("RGB").tobytes() == gif.convert("RGB").crop((8, 8, 8 + width, 8 + height)).tobytes()
        )


def test_golden_pictures_show_positions_that_can_be() -> None:
    arms = four_long_arms()
    table = [tuple(sorted(tile)) for arm in arms.facts["arms"] for tile in arm]
    held = [tile for place in arms.places for tile in place.hand or ()]
    shown = [*table, (5, 5), *(tuple(map(int, tile.split("-"))) for tile in held)]
    assert len(set(shown)) == len(shown) == 28 - arms.facts["boneyard"]
    assert arms.facts["sum"] == sum(arm[0][0] for arm in arms.facts["arms"])
    line = line_of_28(9)
    assert len(line.facts["line"]) + sum(place.count or 0 for place in line.places) == 28
    last = line.facts["line"][line.facts["last"]]
    assert f"{min(last)}-{max(last)}" in description(line)


def test_nothing_is_woven_into_the_middle_of_the_felt() -> None:
    for shape in Shape:
        felt = flat(parts(at("cubos-domino", 3, None), shape)["felt"])
        assert "<path" not in felt


def test_a_third_partys_game_gets_a_plain_picture_or_its_own(tmp_path: Path) -> None:
    info = tmp_path / "thirdparty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n")
    points = "[botequim.games]\nhighcard = highcard.rules:GAME\n"
    own = "[botequim.pictures]\nhighcard = tests.plugin.players:HighCardRenderer\n"
    (info / "entry_points.txt").write_text(points)
    played = command(tmp_path, "match", "highcard", "random", "random", "--seed", "1", "--records", "r")
    assert played.returncode == 0, played.stderr
    record = "r/highcard-000001.jsonl"
    for words in (["-o", "a.svg"], ["-o", "a.svg", "--hands", "open"], ["-o", "a.svg", "--hands", "1"]):
        assert (done := command(tmp_path, "picture", record, *words)).returncode == 0, done.stderr
        svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
        ElementTree.fromstring(svg)
        assert "1 random" in svg
    assert (done := command(tmp_path, "replay", record, "-o", "a.html")).returncode == 0, done.stderr
    (info / "entry_points.txt").write_text(points + own)
    assert (done := command(tmp_path, "picture", record, "-o", "a.svg")).returncode == 0, done.stderr
    assert "a picture of its own" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def command(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """In a folder that looks like an installed distribution."""
    root = ROOT
    environment = {"PYTHONPATH": f"{folder}:{root}:{HIGHCARD}", "LANG": "C.UTF-8", "PATH": ""}
    return subprocess.run(
        [sys.executable, "-m", "botequim", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
