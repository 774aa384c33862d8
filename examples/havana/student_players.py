"""A havana pair: each player prefers numbers it holds many of."""

from basic_players import Player


class Keeper(Player):
    """Lays the tile that leaves most of its own tiles playable."""

    def play(self, board_extremes, play_hist):
        best = None
        for tile in self.tiles:
            for side, ends in self.placements(board_extremes, tile):
                friends = sum(other[0] in ends or other[1] in ends for other in self.tiles if other != tile)
                value = (friends, sum(tile))
                if best is None or value > best[0]:
                    best = (value, side, tile)
        return (0, None) if best is None else (best[1], best[2])

    @staticmethod
    def placements(board_extremes, tile):
        """Each side the tile fits, with the numbers that would then be at the ends."""
        if not board_extremes:
            yield 0, tile
            return
        left, right = board_extremes
        for side, end, other_end in ((0, left, right), (1, right, left)):
            if end in tile:
                new_end = tile[1] if tile[0] == end else tile[0]
                yield side, (new_end, other_end)


def pair_name():
    return "Keepers"


def create_pair():
    return Keeper(123456, "Ana"), Keeper(654321, "Rui")
