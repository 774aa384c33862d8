"""Pictures: what they show, what they never show, and that they stay as they were looked at."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image

from botequim import registry
from botequim.art.drawing import write_gif
from botequim.art.frames import Frame
from botequim.art.look import Look as ArtLook
from botequim.core.errors import InputError
from botequim.core.game import CHANCE
from botequim.core.options import settle
from botequim.core.rng import Rng
from botequim.core.turn import Made, Step
from botequim.picture import OPEN, Shape, parts, picture, scene_of
from botequim.picture.cards import hand_of_cards
from botequim.picture.drawing import spoken
from botequim.picture.layout import layout
from botequim.picture.line import TALL, WIDE, Laid, Room, line, spinner
from botequim.picture.line import drawn as on_the_table
from botequim.picture.sheet import art_drawn
from botequim.picture.svg import Box, Part, flat
from botequim.picture.symbols import PIPS
from botequim.picture.theme import RING
from botequim.picture.tiles import hand_of_tiles
from tests.golden import FOLDER as RECORDS
from tests.golden_pictures import FOLDER, drawn, files
from tests.picture_scenes import (
    GOLDEN,
    PORTRAIT,
    at,
    eulerian,
    four_long_arms,
    friends,
    line_of_28,
    played,
    seated,
)

# --- golden pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(files()), ids=lambda path: path.stem)
def test_a_golden_picture_is_drawn_as_it_was(path: Path) -> None:
    assert unpacked(drawn(files()[path])) == unpacked(path.read_text(encoding="utf-8"))


def unpacked(svg: str) -> str:
    """With the pixels of art instead of its image: not every zlib packs them the same."""

    def pixels(found: re.Match[str]) -> str:
        with Image.open(BytesIO(b64decode(found[1]))) as image:
            return f"{image.size} {image.convert('RGB').tobytes().hex()}"

    return re.sub(r"data:image/png;base64,([^\"]+)", pixels, svg)


def test_every_game_has_golden_pictures_and_none_is_left_over() -> None:
    assert {name.split("-")[0] for name in GOLDEN} == set(registry.game_names())
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(GOLDEN)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_picture_is_whole_and_needs_nothing_from_elsewhere(name: str) -> None:
    svg = drawn(GOLDEN[name])
    root = ElementTree.fromstring(svg)
    names = {element.get("id") for element in root.iter() if element.get("id")}
    links = re.findall(r'href="([^"]+)"', svg)
    assert {link[1:] for link in links if link.startswith("#")} <= names
    assert all(link.startswith(("#", "data:image/")) for link in links)
    styled = set(re.findall(r"\.(b-\w+)", svg.split("</style>")[0]))
    worn = {kind for classes in re.findall(r'class="([^"]+)"', svg) for kind in classes.split()} - {"bq"}
    assert worn <= styled, "every class has a style"


# --- lines that bend ------------------------------------------------------------------------------------


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def halves(tile: Laid) -> list[tuple[float, float, int]]:
    """The middle of each half, and its number."""
    x, y = (10, 0) if tile.lies else (0, 10)
    return [(tile.x - x, tile.y - y, tile.first), (tile.x + x, tile.y + y, tile.second)]


def touch(one: Laid, other: Laid) -> bool:
    """Whether halves with the same number lie side by side, or a half beside a double's middle."""
    for x, y, number in halves(one) + ([(one.x, one.y, one.first)] if one.first == one.second else []):
        for to_x, to_y, its in halves(other) + (
            [(other.x, other.y, other.first)] if other.first == other.second else []
        ):
            if number == its and abs(x - to_x) + abs(y - to_y) == 20:
                return True
    return False


def chains(numbers: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise(numbers))


def apart(tiles: Sequence[Laid]) -> None:
    for number, tile in enumerate(tiles):
        assert not any(overlap(tile.box, other.box) for other in tiles[:number]), tile


@given(
    some.lists(some.integers(0, 9), min_size=2, max_size=60),
    some.integers(0, 58),
    some.sampled_from([WIDE, TALL]),
)
def test_a_line_joins_equal_halves_and_never_crosses_itself(
    numbers: list[int], first: int, room: Room
) -> None:
    tiles = chains(numbers)
    laid = line(tiles, first % len(tiles), room)
    apart(laid)
    for one, other in pairwise(laid):
        assert touch(one, other), (one, other)
    assert all(abs(tile.x) <= room.far + 40 for tile in laid), "it bends before the edge"
    assert [{tile.first, tile.second} for tile in laid] == [set(tile) for tile in tiles]


@given(
    some.integers(0, 6),
    some.lists(some.lists(some.integers(0, 6), max_size=14), min_size=4, max_size=4),
    some.sampled_from([WIDE, TALL]),
)
def test_four_arms_join_equal_halves_and_never_cross(
    double: int, numbers: list[list[int]], room: Room
) -> None:
    arms = spinner(double, [chains([double, *arm]) for arm in numbers], room)
    apart([tile for arm in arms for tile in arm])
    middle = arms[0][0]
    for arm in arms[1:]:
        for one, other in pairwise([middle, *arm]):
            assert touch(one, other), (one, other)


def test_a_line_that_grows_moves_no_tile() -> None:
    tiles = eulerian(6)
    for shorter, longer in pairwise(range(1, len(tiles) + 1)):
        assert line(tiles[:longer], 0, WIDE)[:shorter] == line(tiles[:shorter], 0, WIDE)


# --- what is seen, and what is not -----------------------------------------------------------------------


def records() -> list[str]:
    return sorted(path.stem for path in RECORDS.glob("*.jsonl"))


@pytest.mark.parametrize("name", records())
def test_what_a_sight_does_not_see_changes_nothing_in_its_picture(name: str) -> None:
    """All that is hidden is dealt anew: the picture must stay the same, words included."""
    game = played(name)
    rng = Rng("other hands")
    rules = game.game
    for step in game.steps[:: max(1, len(game.steps) // 12)]:
        for sight in (None, 0):
            if not rules.pieces(step.after) or rules.outcome(step.after) is not None:
                continue  # nothing is hidden; or the hidden hands have decided the game
            try:
                other = rules.redeal(step.after, sight, rng)
            except AssertionError:  # before the deal
                continue
            moves = tuple(step.turn)
            if game.game.write(moves[0].move).startswith(("deal", "draw ")):
                continue
            mine = scene_of(rules, game.options, game.seats, step, sight=sight)
            again = scene_of(
                rules, game.options, game.seats, Step(step.number, step.before, moves, other), sight=sight
            )
            assert picture(mine) == picture(again)


def test_words_tell_only_what_is_seen() -> None:
    game = played("fives-plain")
    drew = next(step for step in game.steps if game.game.write(step.turn[0].move).startswith("draw "))
    drawer = game.steps[drew.number - 2].turn[0].by
    tile = game.game.write(drew.turn[0].move).split()[1]
    told = {
        sight: picture(game.scene(drew.number, sight)).split("aria-label")[1].split(">")[0]
        for sight in (None, OPEN, drawer, 1 - drawer)
    }
    assert tile in told[OPEN]
    assert tile not in told[None]
    assert tile not in told[1 - drawer]


def test_a_pass_of_choice_is_told_to_those_who_see_the_hand() -> None:
    game = played("havana-closed")
    for step in game.steps:
        scenes = {sight: game.scene(step.number, sight) for sight in (None, OPEN)}
        words = [str(message) for message in scenes[OPEN].told]
        if any("though" in sentence for sentence in words):
            assert not any("though" in str(message) for message in scenes[None].told)
            return
    raise AssertionError("no such pass in this record")


@pytest.mark.parametrize("name", records())
def test_hands_are_drawn_for_whom_they_are_meant(name: str) -> None:
    game = played(name)
    for number in (3, len(game.steps)):
        for sight in (None, OPEN, 0):
            shown = [place.hand is not None for place in game.scene(number, sight).places]
            if game.game.name == "rps":
                assert not any(shown)
            elif sight == OPEN:
                assert all(shown)
            else:
                assert shown == [seat == sight for seat in range(len(shown))]


def test_a_scene_is_plain_values() -> None:
    for name in records():
        scene = played(name).scene(3, OPEN)
        assert pickle.loads(pickle.dumps(scene)) == scene
        assert json.loads(json.dumps(asdict(scene), ensure_ascii=False))["game"] == scene.game


def test_a_notebook_shows_a_scene() -> None:
    scene = at("uno-two", 5, None)
    assert scene._repr_svg_() == picture(scene)


def test_whose_turn_it_is_and_what_was_last_are_not_said_by_colour_alone() -> None:
    scene = at("cubos-domino", 14, None)
    svg = picture(scene)
    assert svg.count("to move") == 1
    assert "b-badge" in svg, "an arrow at the seat"
    assert "b-flag" in svg, "a flag at the tile"


def test_texts_of_strangers_stay_texts() -> None:
    evil = '"><script>alert(1)</script>\u202e\x1b[31m\ud800'
    places = [replace(place, name=evil, says=evil) for place in at("cubos-domino", 14, None).places]
    svg = picture(replace(at("cubos-domino", 14, None), places=tuple(places)))
    root = ElementTree.fromstring(svg)
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert "\u202e" not in svg
    assert "\x1b" not in svg


@pytest.mark.parametrize(
    "portrait",
    [
        "http://example.org/a.png",
        "data:text/html;base64,AAAA",
        "data:image/svg+xml;base64,AAAA",
        'data:image/png;base64,A"/>',
        "data:image/png;base64," + "A" * 300_000,
        "data:image/png;base64,AAAA",
        PORTRAIT.replace("gif", "png"),
        PORTRAIT[:-4],
        7,
    ],
)
def test_a_portrait_is_an_image_in_the_record_or_refused(portrait: object) -> None:
    game = played("rps-plain")
    seats: list[dict[str, object]] = [{"name": "ana", "portrait": portrait}, {"name": "rui"}]
    with pytest.raises(InputError, match="portrait of seat 1"):
        scene_of(game.game, game.options, seats, game.steps[0])


def test_names_that_are_too_long_are_cut() -> None:
    svg = picture(seated(at("uno-ten-faults", 60, None), ("a" * 200, "界" * 80)))
    assert "a" * 30 not in svg.split("</style>")[1]
    assert "…" in svg


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("shape", list(Shape))
def test_seats_and_table_have_room_for_any_number_of_players(players: int, shape: Shape) -> None:
    room = layout(players, shape, 84, facing=False)
    boxes = [*room.seats, room.table]
    assert len(room.seats) == players
    for number, box in enumerate(boxes):
        assert not any(overlap(box, other) for other in boxes[:number])
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= room.width
        assert box.y + box.height <= room.height
    assert room.table.height > 150


# --- what is drawn hides nothing, and stays where it is ---------------------------------------------------

DOMINOES = [
    name for name in (path.stem for path in RECORDS.glob("*.jsonl")) if name[:4] not in ("uno-", "rps-")
]
_SVG = "{http://www.w3.org/2000/svg}"


class Drawn(NamedTuple):
    """An element with what it has become: its place, and how much larger it is drawn."""

    element: ElementTree.Element
    x: float
    y: float
    scale: float


def elements(part: Part) -> Iterator[Drawn]:
    """All elements of a piece, with the groups around them worked out."""
    root = ElementTree.fromstring(f'<svg xmlns="{_SVG[1:-1]}">{flat(part)}</svg>')

    def walk(element: ElementTree.Element, x: float, y: float, scale: float) -> Iterator[Drawn]:
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
                yield Drawn(child, x + own_x * scale, y + own_y * scale, scale)

    return walk(root, 0, 0, 1)


def uses(part: Part) -> Iterator[tuple[str, Drawn]]:
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
    tile = Laid(0, 0, lies, 6, 6)
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


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize("name", sorted(DOMINOES))
def test_a_laid_tile_never_moves_in_the_picture(name: str, shape: Shape) -> None:
    """On a phone a long line may be seen from farther away, and a spinner is put in the middle."""
    changes = 0
    before: set[tuple[str, float, float]] = set()
    for number in range(1, len(played(name).steps) + 1):
        tiles = [found for found in uses(parts(at(name, number, None), shape)["table"]) if found[0] != "tb"]
        now = {("".join(sorted(tile[1:])), round(one.x, 1), round(one.y, 1)) for tile, one in tiles}
        changes += not before <= now and len(now) > 1
        before = now
    assert changes <= (0 if shape is Shape.WIDE else 4)


@pytest.mark.parametrize("name", ["cubos", "fives", "havana"])
def test_a_usual_line_is_never_seen_from_farther_away_on_a_screen(name: str) -> None:
    game = registry.game(name)
    options = settle(name, game.options, {})
    seats = [{"name": "p"} for team in game.teams(options) for _ in team]
    rounds: list[list[float]] = []
    for seed in range(10):
        rng, state, count = Rng(f"{seed}"), game.start(options), 99
        while game.outcome(state) is None:
            mover = game.to_move(state)[0]
            move = game.chance(state, rng) if mover == CHANCE else rng.choice(list(game.legal(state, mover)))
            before, state = state, game.apply(state, {mover: move})
            scene = scene_of(game, options, seats, Step(1, before, (Made(mover, move),), state))
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
    game = played(name)
    if game.game.name == "rps":
        return
    for number, step in enumerate(game.steps, start=1):
        move = type(step.turn[0].move).__name__
        table = flat(parts(game.scene(number, None), Shape.WIDE)["table"])
        laid = move in ("Lay", "Discard") or (game.game.name in ("cubos", "havana") and "b-mark" in table)
        if move in ("Pass", "Draw", "Drawn", "Buy", "Deal", "Lost"):
            assert "b-mark" not in table, (number, move)
        elif laid and 'href="#' in table:
            over = game.game.outcome(step.after) is not None or not re.search(r'href="#[vhc]\w\w', table)
            assert over or table.count("b-mark") == 1, (number, move)


@pytest.mark.parametrize("name", records())
def test_somebody_is_marked_and_something_is_said_at_every_move(name: str) -> None:
    game = played(name)
    begun = False
    for number, step in enumerate(game.steps, start=1):
        begun = begun or step.turn[0].by != CHANCE
        scene = game.scene(number, None)
        assert spoken(scene), number
        if begun and game.game.outcome(step.after) is None and game.game.name in ("fives", "uno"):
            if any(game.game.write(made.move).startswith("deal") for made in step.turn):
                continue
            waits = game.game.to_move(step.after)
            marked = sum("b-badge" in flat(part) for part in parts(scene, Shape.WIDE).values())
            assert marked == 1 or waits == (CHANCE,), number
            if game.game.write(step.turn[0].move).startswith(("draw", "buy")):
                assert marked == 1, number


@pytest.mark.parametrize("shape", list(Shape))
@pytest.mark.parametrize(
    "name", ["cubos-domino", "havana-closed", "fives-plain", "uno-four-empty-pile", "rps-plain"]
)
def test_a_name_is_whole_where_there_is_room(name: str, shape: Shape) -> None:
    for number in (3, len(played(name).steps)):
        scene = friends(name, number, OPEN)
        drawn = parts(scene, shape)
        for seat, place in enumerate(scene.places[:3]):
            assert f">{seat + 1} {place.name}<" in flat(drawn[str(seat)])


@pytest.mark.parametrize("name", records())
def test_words_are_large_enough_on_a_phone(name: str) -> None:
    """Of 844 pixels the page leaves 628 to a picture that is 850 high; 12 pixels is the least."""
    game = played(name)
    for number in range(1, len(game.steps) + 1, 7):
        for key, part in parts(game.scene(number, None), Shape.TALL).items():
            for one in elements(part):
                if one.element.tag == f"{_SVG}text":
                    size = float(one.element.get("font-size", 0)) * one.scale
                    assert size * 628 / 850 >= 12, (key, one.element.text)


def test_the_winners_star_is_beside_the_portrait() -> None:
    for shape in Shape:
        scene = friends("cubos-domino", -1, OPEN)
        winner = next(seat for seat, place in enumerate(scene.places) if place.rank == 1)
        drawn = list(elements(parts(scene, shape)[str(winner)]))
        face = next(one for one in drawn if one.element.get("class") == "b-face")
        star = next(one for one in drawn if one.element.get("class") == "b-won")
        edge = float(face.element.get("cx", 0)) + float(face.element.get("r", 0))
        assert star.x - face.x - 12 * star.scale > edge - 1


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
    (image,) = re.findall(r'href="data:image/png;base64,([^"]+)"', flat(art_drawn(art, Box(0, 0, 300, 300))))
    written = BytesIO()
    write_gif([Frame.of(art)], ArtLook(), written)
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
    assert f"{min(last)}-{max(last)}" in spoken(line)


def test_nothing_is_woven_into_the_middle_of_the_felt() -> None:
    for shape in Shape:
        felt = flat(parts(at("cubos-domino", 3, None), shape)["felt"])
        assert "<path" not in felt


def test_a_third_partys_game_gets_a_plain_picture_or_its_own(tmp_path: Path) -> None:
    info = tmp_path / "thirdparty-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thirdparty\nVersion: 1.0\n")
    points = "[botequim.games]\nhighcard = tests.plugin.highcard:GAME\n"
    own = "[botequim.pictures]\nhighcard = tests.plugin.players:HighCardPainter\n"
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
    root = Path(__file__).parent.parent
    environment = {"PYTHONPATH": f"{folder}:{root}", "LANG": "C.UTF-8", "PATH": ""}
    return subprocess.run(
        [sys.executable, "-m", "botequim", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
