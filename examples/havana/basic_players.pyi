"""The base class of players, for editors and type checkers. Botequim provides the real module in a game.

O módulo de verdade é fornecido pelo Botequim durante a partida; este arquivo serve só para o seu editor.
"""

from typing import Any

Tile = tuple[int, int]

class Player:
    """A player with a name, a portrait, a position at the table, and tiles."""

    _ra: Any
    _name: str
    _image_path: str
    _image: Any
    _position: int
    _tiles: list[Tile]

    def __init__(self, ra: Any, name: str, image_path: str = "img/none.jpg") -> None: ...
    @property
    def ra(self) -> Any:
        """The student's number."""
    @property
    def name(self) -> str: ...
    @property
    def image_path(self) -> str:
        """The portrait's file, beside your own."""
    @property
    def image(self) -> Any:
        """The loaded portrait; None if it is not loaded."""
    @image.setter
    def image(self, image: Any) -> None: ...
    @property
    def position(self) -> int:
        """0 to 3, clockwise; your partner's is two more. The judge assigns it in every confronto."""
    @position.setter
    def position(self, position: int) -> None: ...
    @property
    def tiles(self) -> list[Tile]:
        """A copy of the tiles that you hold now, each (low, high). The judge assigns them in every game."""
    @tiles.setter
    def tiles(self, tiles: list[Tile]) -> None: ...
    def remove_tile(self, tile: Tile) -> None:
        """Remove a tile that was laid. The judge calls this. A tile that is not in the hand is ignored."""
    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> Any:
        """Return (side, tile): side 0 is left and 1 is right; tile None passes.

        Define it in your own class; this one returns None, which loses the turn. `board_extremes` is
        (left, right), or () before the first tile. `play_hist` has a (position, extremes, side, tile) for
        every turn so far; the tile is None if none was laid.
        """

class DummyPlayer(Player):
    """Lays a random tile that fits. It always answers side 1; the judge lays a tile where it fits."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Tile | None]: ...

class GreedyPlayer(Player):
    """Lays the tile with the highest sum that fits; of equals, the first it holds. Always side 1."""

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Tile | None]: ...
