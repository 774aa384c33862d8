"""Pictures: what they show, what they never show, and that they stay as they were looked at."""

from __future__ import annotations

import json
import pickle
import re
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from collections.abc import Sequence
from copy import copy
from dataclasses import asdict, replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image

from botequim import registry
from botequim.core.rng import Rng
from botequim.core.turn import Step
from botequim.games.dominoes.layout import TALL, WIDE, PlacedTile, Room, line, spinner
from botequim.i18n import use_language
from botequim.render.drawing import RenderOptions, render_svg
from botequim.render.layout import Shape, layout
from botequim.render.scene import OPEN, portrait_warnings, scene_at, scene_of
from botequim.render.svg import Box
from tests.support.golden_pictures import FOLDER, files, golden_svg
from tests.support.picture_scenes import (
    GOLDEN,
    PORTRAIT,
    SHAPES_WITH_SEATS,
    at,
    eulerian,
    golden_replay,
    records,
    with_names,
)

# --- golden pictures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(files()), ids=lambda path: path.stem)
def test_a_golden_picture_is_drawn_as_it_was(path: Path) -> None:
    assert unpack_art(golden_svg(files()[path])) == unpack_art(path.read_text(encoding="utf-8"))


def unpack_art(svg: str) -> str:
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
    svg = golden_svg(GOLDEN[name])
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


def halves(tile: PlacedTile) -> list[tuple[float, float, int]]:
    """The middle of each half, and its number."""
    x, y = (10, 0) if tile.lies else (0, 10)
    return [(tile.x - x, tile.y - y, tile.first), (tile.x + x, tile.y + y, tile.second)]


def touch(one: PlacedTile, other: PlacedTile) -> bool:
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


def apart(tiles: Sequence[PlacedTile]) -> None:
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


@pytest.mark.parametrize("name", records())
def test_what_a_sight_does_not_see_changes_nothing_in_its_picture(name: str) -> None:
    """All that is hidden is dealt anew: the picture must stay the same, words included."""
    game = golden_replay(name)
    rng = Rng("other hands")
    rules = game.game
    for step in list(game.steps())[:: max(1, len(game) // 12)]:
        for perspective in (None, 0):
            if not rules.pieces(step.after) or rules.outcome(step.after) is not None:
                continue  # nothing is hidden; or the hidden hands have decided the game
            try:
                other = rules.resample_hidden(step.after, perspective, rng)
            except AssertionError:  # before the deal
                continue
            moves = tuple(step.turn)
            if game.game.write(moves[0].move).startswith(("deal", "draw ")):
                continue
            mine = scene_of(rules, game.options, game.seats, step, perspective=perspective)
            again = scene_of(
                rules,
                game.options,
                game.seats,
                Step(step.number, step.before, moves, other),
                perspective=perspective,
            )
            assert render_svg(mine) == render_svg(again)


def test_words_tell_only_what_is_seen() -> None:
    game = golden_replay("fives-plain")
    drew = next(step for step in game.steps() if game.game.write(step.turn[0].move).startswith("draw "))
    drawer = game.step(drew.number - 1).turn[0].by
    tile = game.game.write(drew.turn[0].move).split()[1]
    told = {
        perspective: render_svg(scene_at(game, drew.number, perspective)).split("aria-label")[1].split(">")[0]
        for perspective in (None, OPEN, drawer, 1 - drawer)
    }
    assert tile in told[OPEN]
    assert tile not in told[None]
    assert tile not in told[1 - drawer]


def test_a_pass_of_choice_is_told_to_those_who_see_the_hand() -> None:
    game = golden_replay("havana-closed")
    for step in game.steps():
        scenes = {perspective: scene_at(game, step.number, perspective) for perspective in (None, OPEN)}
        words = [str(message) for message in scenes[OPEN].narration]
        if any("though" in sentence for sentence in words):
            assert not any("though" in str(message) for message in scenes[None].narration)
            return
    raise AssertionError("no such pass in this record")


@pytest.mark.parametrize("name", records())
def test_hands_are_drawn_for_whom_they_are_meant(name: str) -> None:
    game = golden_replay(name)
    for number in (3, len(game)):
        for perspective in (None, OPEN, 0):
            shown = [place.hand is not None for place in scene_at(game, number, perspective).places]
            if game.game.name == "rps":
                assert not any(shown)
            elif perspective == OPEN:
                assert all(shown)
            else:
                assert shown == [seat == perspective for seat in range(len(shown))]


def test_a_scene_is_plain_values() -> None:
    for name in records():
        scene = scene_at(golden_replay(name), 3, OPEN)
        assert pickle.loads(pickle.dumps(scene)) == scene
        assert json.loads(json.dumps(asdict(scene), ensure_ascii=False))["game"] == scene.game


def test_a_notebook_shows_a_scene() -> None:
    scene = at("uno-two", 5, None)
    assert scene._repr_svg_() == render_svg(scene)


def test_whose_turn_it_is_and_what_was_last_are_not_said_by_colour_alone() -> None:
    scene = at("cubos-domino", 14, None)
    svg = render_svg(scene)
    assert svg.count("to move") == 1
    assert "b-badge" in svg, "an arrow at the seat"
    assert "b-flag" in svg, "a flag at the tile"


def test_texts_of_strangers_stay_texts() -> None:
    evil = '"><script>alert(1)</script>\u202e\x1b[31m\ud800'
    places = [replace(place, name=evil, says=evil) for place in at("cubos-domino", 14, None).places]
    svg = render_svg(replace(at("cubos-domino", 14, None), places=tuple(places)))
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
def test_a_portrait_that_is_not_an_image_in_the_record_is_left_out(portrait: object) -> None:
    game = copy(golden_replay("rps-plain"))
    game.seats = [{"name": "ana", "portrait": portrait}, {"name": "rui", "portrait": PORTRAIT}]
    assert [place.portrait for place in scene_at(game, 1).places] == ["", PORTRAIT]
    (warning,) = portrait_warnings(game)
    assert "the portrait of seat 1 is not an image" in str(warning)


def test_names_that_are_too_long_are_cut() -> None:
    svg = render_svg(with_names(at("uno-ten-faults", 60, None), ("a" * 200, "界" * 80)))
    assert "a" * 30 not in svg.split("</style>")[1]
    assert "…" in svg


@pytest.mark.parametrize(("score", "room"), [("20", True), ("100", False), ("1000", False)])
def test_the_word_for_the_winner_is_whole_or_left_to_the_star(score: str, room: bool) -> None:
    scene = at("rps-plain", len(golden_replay("rps-plain")), None)
    places = tuple(replace(place, name="Departamento de Xadrez", score=score) for place in scene.places)
    with use_language("pt_BR"):
        svg = render_svg(replace(scene, places=places), RenderOptions(Shape.TALL))
    assert (">vencedor<" in svg) == room
    assert not re.search(">v[a-z]*…<", svg)


@pytest.mark.parametrize("players", range(2, 11))
@pytest.mark.parametrize("shape", SHAPES_WITH_SEATS)
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
