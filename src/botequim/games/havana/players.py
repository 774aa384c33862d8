"""Built-in players of havana: the two reference players of the competition, and an adapter for others."""

from __future__ import annotations

from typing import Any, Protocol

from botequim.core.errors import FaultKind, PlayerFault
from botequim.core.messages import msg
from botequim.core.rng import Rng
from botequim.core.turn import Reply
from botequim.games.dominoes.players import weight
from botequim.games.dominoes.tiles import Tile
from botequim.games.havana.moves import PASS, Lay, Move, move_from_answer
from botequim.games.havana.sides import short_repr
from botequim.games.havana.state import Play, View


class Dummy:
    """Lays a random tile that fits, on the left if it fits both ends."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, view: View) -> Move:
        fitting: dict[Tile, Lay] = {}
        for move in view.legal:
            if isinstance(move, Lay):
                fitting.setdefault(move.tile, move)
        return self._rng.choice(list(fitting.values())) if fitting else PASS


class Greedy:
    """Lays the heaviest tile that fits, the first among equals, on the left if it fits both ends."""

    def __init__(self, rng: Rng) -> None:
        pass

    def choose(self, view: View) -> Move:
        return max(view.legal, key=weight)


class CoursePlayer(Protocol):
    """A player class of the course."""

    _tiles: list[tuple[int, int]]

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Play]) -> Any:
        """Return (side, tile); tile None passes."""


class CoursePlayerAdapter:
    """Runs a player of the course in this process: calls its `play` and converts the result."""

    def __init__(self, player: CoursePlayer) -> None:
        self._player = player

    def choose(self, view: View) -> Move | Reply:
        player = self._player
        player._tiles = list(view.hand)
        answer = player.play(view.board_extremes, view.play_hist)
        if not isinstance(answer, (tuple, list)) or len(answer) != 2:
            raise PlayerFault(
                FaultKind.MALFORMED, msg("the answer is not (side, tile)"), answer=short_repr(answer)
            )
        side, tile = tuple(answer)
        move, warning = move_from_answer(_plain_side(side), tile, strict=view.strict)
        return move if warning is None else Reply(move, (), (warning,))


def _plain_side(side: object) -> object:
    """Return 0 or 1 for a value that equals it (0.0, an IntEnum, a number of numpy), else `side`."""
    kind = type(side)
    if kind is int or kind is bool:  # the judge of the course does not change True
        return side
    try:
        if side == 0:
            return 0
        if side == 1:
            return 1
    except Exception:  # an array of several numbers, or a comparison that the player defines
        return side
    return side
