"""The champion of havana for the course: a pair of players that evaluate every move."""

from __future__ import annotations

from typing import Any, Final

from botequim.games.havana.host.basic_players import Player
from botequim.games.havana.search.data import havana_policy
from botequim.games.havana.search.policy import Policy
from botequim.games.havana.search.position import PASS, table_of, tile_number

WEIGHTS: Final = havana_policy()


class Weigher(Player):
    """Makes the move with the highest value."""

    def __init__(self, ra: int, name: str) -> None:
        super().__init__(ra, name)
        self._policy = Policy(WEIGHTS)

    def play(self, board_extremes: tuple[int, ...], play_hist: list[Any]) -> tuple[int, Any]:
        table = table_of(self.position or 0, self.tiles, play_hist)
        move = int(self._policy.choose(table))
        if move == PASS:
            return 0, None
        return move & 1, next(tile for tile in self.tiles if tile_number(*tile) == move >> 1)


def pair_name() -> str:
    return "Botequim"


def create_pair() -> tuple[Player, Player]:
    return Weigher(0, "Champion"), Weigher(1, "Champion's partner")
