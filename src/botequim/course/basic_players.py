"""The players that every pair starts from.

A player of your own is a class that inherits from `Player` and has a `play`. `DummyPlayer` and `GreedyPlayer`
are two of them, there to be beaten.
"""

from __future__ import annotations

import random
from typing import Any

Tile = tuple[int, int]


class Player:
    """Somebody at the table: has a name and a portrait, sits at a position and holds tiles."""

    def __init__(self, ra: Any, name: str, image_path: str = "img/none.jpg") -> None:
        self._ra = ra
        self._name = name
        self._image_path = image_path
        self._image: Any = None
        self._position: int | None = None
        self._tiles: list[Tile] = []

    @property
    def ra(self) -> Any:
        """The student's number."""
        return self._ra

    @property
    def name(self) -> str:
        return self._name

    @property
    def image_path(self) -> str:
        """The portrait's file, beside your own."""
        return self._image_path

    @property
    def image(self) -> Any:
        """The portrait as it is drawn; None as long as it is not."""
        return self._image

    @image.setter
    def image(self, image: Any) -> None:
        self._image = image

    @property
    def position(self) -> int | None:
        """0 to 3, clockwise; your partner sits two further on."""
        return self._position

    @position.setter
    def position(self, position: int) -> None:
        self._position = position

    @property
    def tiles(self) -> list[Tile]:
        """The tiles that you hold now, each (low, high). The list is a copy: the judge keeps the hand."""
        return list(self._tiles)

    def remove_tile(self, tile: Tile) -> None:
        """Called by the judge when a tile of yours was laid."""
        self._tiles.remove(tile)

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[Any, Any]:
        """Your turn: give the side, 0 for left or 1 for right, and the tile, or None to pass.

        `board_extremes` is (left, right), or () before the first tile. `play_hist` has a
        (position, extremes, side, tile) for every turn so far; its tile is None where none was laid.
        """
        raise NotImplementedError("a player needs a play of its own")


def playable(tiles: list[Tile], board_extremes: tuple[int, ...]) -> list[Tile]:
    """Those that fit one of the ends, in the order held; all of them before the first tile."""
    if not board_extremes:
        return list(tiles)
    return [tile for tile in tiles if tile[0] in board_extremes or tile[1] in board_extremes]


def side_for(tile: Tile, board_extremes: tuple[int, ...]) -> int:
    """The side where a tile fits; the left if it fits both."""
    return 0 if not board_extremes or board_extremes[0] in tile else 1


class DummyPlayer(Player):
    """Lays any tile that fits."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Tile | None]:
        choices = playable(self.tiles, board_extremes)
        if not choices:
            return 0, None
        tile = random.choice(choices)
        return side_for(tile, board_extremes), tile


class GreedyPlayer(Player):
    """Lays the tile with the highest sum that fits; of equals, the first it holds."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Tile | None]:
        choices = playable(self.tiles, board_extremes)
        if not choices:
            return 0, None
        tile = max(choices, key=sum)
        return side_for(tile, board_extremes), tile
