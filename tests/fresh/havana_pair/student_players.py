"""Projeto-02: dupla que conta os números que já saíram."""

import random

from basic_players import Player
from judge import *  # noqa: F403


class Contadora(Player):
    """Joga a peça que deixa na mesa os números que ela mais tem e que o parceiro não passou."""

    def __init__(self, ra, name, image_path="img/none.jpg"):
        super().__init__(ra, name, image_path)
        self._partner = (self._position + 2) % 4
        self._games = 0

    @property
    def position(self):
        return self._position

    @position.setter
    def position(self, position):
        self._position = position
        self._partner = (position + 2) % 4

    @property
    def tiles(self):
        return self._tiles.copy()

    @tiles.setter
    def tiles(self, tiles):
        self._games += 1
        self._tiles = sorted(tiles, key=sum, reverse=True)

    def play(self, board_extremes, play_hist):
        turns = []
        for play in play_hist:
            turns += [play + [play[0] == self._partner]]  # noqa: RUF005
        avoided = set()
        for _, extremes, _, tile, partner in turns:
            if partner and tile is None:
                avoided |= set(extremes)
        laid = [play[3] for play in play_hist if play[1:] != [(), 0, None] and play[3]]

        best = None
        for tile in self.tiles:
            for side, rest in self.sides(tile, board_extremes):
                mine = sum(rest in other for other in self.tiles if other != tile)
                out = sum(rest in other for other in laid)
                value = (rest not in avoided, mine, out, sum(tile))
                if best is None or value > best[0]:
                    best = (value, side, tile)
        if best is None:
            return random.randint(0, 1), None
        return best[1], best[2]

    def sides(self, tile, board_extremes):
        """Os lados em que a peça cabe, com o número que fica na ponta."""
        if board_extremes == ():
            return [(0, tile[0]), (0, tile[1])]
        found = []
        for side in range(2):
            if tile[0] == board_extremes[side]:
                found.append((side, tile[1]))
            elif tile[1] == board_extremes[side]:
                found.append((side, tile[0]))
        return found


def pair_name():
    return "As Contadoras"


def create_pair():
    return Contadora(123456, "Ana", "img/ana.png"), Contadora(654321, "Bia")
