"""A student's players that behave: they lay the first tile that fits."""

import animal
from basic_players import Player

animal.start()


class Tame(Player):
    turn = 0

    def play(self, board_extremes, play_hist):
        Tame.turn += 1
        animal.think(Tame.turn)
        fitting = [
            tile for tile in self.tiles if not board_extremes or any(end in tile for end in board_extremes)
        ]
        answer = animal.returned(0, fitting[0] if fitting else None)
        animal.afterwards(Tame.turn)
        return answer


def pair_name():
    return "Tame"


def create_pair():
    return Tame(1, "Ana"), Tame(2, "Rui")
