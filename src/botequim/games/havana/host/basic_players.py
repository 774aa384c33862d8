"""The base class of players, and two simple players.

Your own player is a class that inherits from `Player` and has a method `play`. `DummyPlayer` and
`GreedyPlayer` are two examples.
"""

from __future__ import annotations

import random
from typing import Any

Tile = tuple[int, int]


class Player:
    """A player with a name, a portrait, a position at the table, and tiles."""

    def __init__(self, ra: Any, name: str, image_path: str = "img/none.jpg") -> None:
        self._ra = ra
        self._name = name
        self._image_path = image_path
        self._image: Any = None
        self._position = 0
        self._tiles: list[Tile] = []

    def __str__(self) -> str:
        return f"{self._name}({self._ra})"

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
        """The loaded portrait; None if it is not loaded."""
        return self._image

    @image.setter
    def image(self, image: Any) -> None:
        self._image = image

    @property
    def position(self) -> int:
        """0 to 3, clockwise; your partner's is two more. The judge assigns it in every confronto."""
        return self._position

    @position.setter
    def position(self, position: int) -> None:
        self._position = position

    @property
    def tiles(self) -> list[Tile]:
        """A copy of the tiles that you hold now, each (low, high). The judge assigns them in every game."""
        return list(self._tiles)

    @tiles.setter
    def tiles(self, tiles: list[Tile]) -> None:
        self._tiles = list(tiles)

    def remove_tile(self, tile: Tile) -> None:
        """Remove a tile that was laid. The judge calls this. A tile that is not in the hand is ignored."""
        if tile in self._tiles:
            self._tiles.remove(tile)

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> Any:
        """Return (side, tile): side 0 is left and 1 is right; tile None passes.

        Define it in your own class; this one returns None, which loses the turn. `board_extremes` is
        (left, right), or () before the first tile. `play_hist` has a (position, extremes, side, tile) for
        every turn so far; the tile is None if none was laid.
        """
        return None


def _playable(tiles: list[Tile], board_extremes: tuple[int, ...]) -> list[Tile]:
    """Return the tiles that fit one of the ends, in the order held; all of them before the first tile."""
    if not board_extremes:
        return list(tiles)
    return [tile for tile in tiles if tile[0] in board_extremes or tile[1] in board_extremes]


class DummyPlayer(Player):
    """Lays a random tile that fits. It always answers side 1; the judge lays a tile where it fits."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Tile | None]:
        choices = _playable(self.tiles, board_extremes)
        return 1, random.choice(choices) if choices else None


class GreedyPlayer(Player):
    """Lays the tile with the highest sum that fits; of equals, the first it holds. Always side 1."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Tile | None]:
        choices = _playable(self.tiles, board_extremes)
        return 1, max(choices, key=sum) if choices else None
