"""Scenes to draw: positions of golden records, and some that no usual game reaches."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

from botequim.core.messages import msg
from botequim.records.reader import read_records
from botequim.records.replay import Replay
from botequim.render.drawing import RenderOptions
from botequim.render.layout import Shape
from botequim.render.scene import OPEN, Perspective, Place, Scene, scene_at
from botequim.render.theme import Theme
from tests import ROOT

RECORDS = ROOT / "tests" / "golden"
NAMES = ("Ana", "João Victor", "Zé do Dominó", "<b>&amp;\u202e")
DOT = b64encode(
    bytes.fromhex("47494638396101000100800000b4441fffffff2c00000000010001000002024401003b")
).decode()
PORTRAIT = f"data:image/gif;base64,{DOT}"


SHAPES_WITH_SEATS = tuple(shape for shape in Shape if shape is not Shape.TABLE)


@cache
def golden_replay(name: str) -> Replay:
    return Replay.load(next(read_records(RECORDS / f"{name}.jsonl")))


def at(name: str, number: int, perspective: Perspective) -> Scene:
    """Return a position of a golden record; negative numbers count from the end."""
    game = golden_replay(name)
    return scene_at(game, number if number > 0 else len(game) + 1 + number, perspective)


def with_names(scene: Scene, names: tuple[str, ...] = NAMES, **changes: Any) -> Scene:
    places = [replace(place, name=name) for place, name in zip(scene.places, names, strict=False)]
    places[0] = replace(places[0], portrait=PORTRAIT)
    return replace(scene, places=(*places, *scene.places[len(places) :]), **changes)


def eulerian(highest: int) -> list[tuple[int, int]]:
    """Return a line of every tile up to a double."""
    left = {(low, high) for low in range(highest + 1) for high in range(low, highest + 1)}

    def walk(end: int) -> list[int]:
        found = [end]
        for other in range(highest, -1, -1):
            tile = (min(end, other), max(end, other))
            if tile in left:
                left.remove(tile)
                found[1:1] = walk(other)
        return found

    numbers = walk(highest)
    return list(pairwise(numbers))


def named_scene(
    name: str, number: int, perspective: Perspective, names: Sequence[str], portrait: str = ""
) -> Scene:
    """Return such a position with names of people; the first has the portrait, if one is given."""
    game = copy(golden_replay(name))
    game.seats = [{"name": known} for known in names[: len(game.seats)]]
    if portrait:
        game.seats[0] = {**game.seats[0], "portrait": portrait}
    return scene_at(game, number if number > 0 else len(game) + 1 + number, perspective)


def friends(name: str, number: int, perspective: Perspective) -> Scene:
    return named_scene(name, number, perspective, NAMES, PORTRAIT)


def line_of_28(first: int) -> Scene:
    """Return a scene with every tile on the table, in which all hands are empty."""
    line = [list(tile) for tile in eulerian(6)]
    facts = {"line": line, "first": first, "last": len(line) - 1}
    scene = replace(friends("cubos-domino", -1, OPEN), facts=facts)
    places = tuple(replace(place, hand=(), count=0, note=None) for place in scene.places)
    tile = "-".join(map(str, sorted(line[-1])))
    lays = msg("{who} lays {tile} on the right.", who=f"2 {scene.places[1].name}", tile=tile)
    return replace(scene, places=places, narration=(lays,))


def four_long_arms() -> Scene:
    arms = [
        [(5, 1), (1, 1), (1, 4), (4, 0), (0, 6), (6, 2)],
        [(5, 2), (2, 2), (2, 0), (0, 0), (0, 3)],
        [(5, 3), (3, 3), (3, 2), (2, 4), (4, 4), (4, 6)],
        [(5, 6), (6, 6), (6, 1), (1, 3), (3, 4)],
    ]
    ends = sum(arm[-1][1] for arm in arms)
    outside_in = [[[outer, inner] for inner, outer in reversed(arm)] for arm in arms]
    facts = {"spinner": 5, "arms": outside_in, "first": 0, "last": "up", "acted": None, "sum": ends}
    scene = friends("fives-plain", 16, OPEN)
    scene = replace(scene, facts={**facts, "boneyard": 1, "round": 4, "target": 150})
    laid = {tuple(sorted(tile)) for arm in arms for tile in arm} | {(5, 5)}
    left = [f"{low}-{high}" for low in range(7) for high in range(low, 7) if (low, high) not in laid]
    hands = left[:3], left[3:4]
    places = tuple(
        replace(place, hand=tuple(hand), count=len(hand))
        for place, hand in zip(scene.places, hands, strict=True)
    )
    lays = msg("{who} lays {tile} above the spinner.", who=f"1 {scene.places[0].name}", tile="4-6")
    return replace(scene, places=places, narration=(lays,))


def hand_of_25() -> Scene:
    cards = [f"{rank}{suit}" for suit in "♥♣♦♠" for rank in ("2", "5", "10", "A", "V", "D")] + ["C♥"]
    scene = friends("uno-two", 20, OPEN)
    places = (replace(scene.places[0], hand=tuple(cards), count=25), scene.places[1])
    return replace(scene, places=places)


def art() -> Scene:
    scene = friends("rps-plain", 20, None)
    heart = (" ██ ██ ", "███████", " █████ ", "  ███  ", "   █   ")
    grid = tuple("".join("░▒▓█"[(row * column) % 4] for column in range(60)) for row in range(60))
    first, second = scene.places
    return replace(scene, places=(replace(first, art=heart), replace(second, art=grid)))


@dataclass(frozen=True)
class Golden:
    name: str
    make: Callable[[], Scene]
    look: RenderOptions = RenderOptions(theme=Theme.LIGHT)  # noqa: RUF009
    language: str = "en"


TALL_DARK = RenderOptions(Shape.TALL, Theme.DARK)
TALL = RenderOptions(Shape.TALL, Theme.LIGHT)
DARK = RenderOptions(theme=Theme.DARK)

GOLDEN: Mapping[str, Golden] = {
    golden.name: golden
    for golden in (
        Golden("cubos-line-of-28", lambda: line_of_28(9)),
        Golden("cubos-line-of-28-tall-dark", lambda: line_of_28(14), TALL_DARK),
        Golden("cubos-spectator", lambda: friends("cubos-domino", 14, None), DARK, "pt_BR"),
        Golden("cubos-blocked", lambda: at("cubos-blocked-draw", -1, OPEN)),
        Golden("havana-open", lambda: friends("havana-closed", -3, OPEN), RenderOptions()),
        Golden("havana-one-seat-tall", lambda: friends("havana-closed", -8, 1), TALL),
        Golden("fives-four-long-arms", four_long_arms),
        Golden("fives-four-long-arms-tall", four_long_arms, TALL_DARK, "pt_BR"),
        Golden("fives-seat-draws", lambda: at("fives-plain", 20, 1), DARK),
        Golden("uno-hand-of-25", hand_of_25),
        Golden("uno-hand-of-25-tall", hand_of_25, TALL, "pt_BR"),
        Golden("uno-ten", lambda: at("uno-ten-faults", 60, OPEN)),
        Golden("uno-ten-tall-dark", lambda: at("uno-ten-faults", 61, 0), TALL_DARK),
        Golden("uno-four", lambda: friends("uno-four-empty-pile", 30, 2), DARK),
        Golden("rps-art", art),
        Golden("rps-art-tall-dark", art, TALL_DARK, "pt_BR"),
        Golden("rps-faults", lambda: at("rps-faults-and-art", 37, None)),
    )
}

PEOPLE = ("Ana", "Bento", "Carolina", "Davi")
SHOWN: Mapping[str, Golden] = {
    golden.name: golden
    for golden in (
        Golden("havana", lambda: named_scene("havana-closed", 39, OPEN, PEOPLE), RenderOptions()),
        Golden("uno", lambda: named_scene("uno-four-empty-pile", 33, OPEN, PEOPLE), RenderOptions()),
        Golden("fives", lambda: named_scene("fives-plain", 18, OPEN, PEOPLE[:2]), RenderOptions()),
        Golden("rps", lambda: named_scene("rps-faults-and-art", 50, None, PEOPLE[:2]), RenderOptions()),
    )
}
"""The pictures in docs/pictures."""

__all__ = [
    "GOLDEN",
    "SHOWN",
    "Golden",
    "Place",
    "art",
    "at",
    "four_long_arms",
    "golden_replay",
    "hand_of_25",
    "line_of_28",
]


def records() -> list[str]:
    return sorted(path.stem for path in RECORDS.glob("*.jsonl"))
