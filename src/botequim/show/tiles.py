"""Draws domino tiles in text: what the domino games' tellers share."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.games.tiles import Tile

WIDTH = 96


def drawn_line(line: Sequence[tuple[int, int]]) -> list[str]:
    """A line of tiles as they lie, broken where it would grow too wide."""
    tiles = [f"[{left}|{right}]" for left, right in line]
    each = WIDTH // 5
    return ["".join(tiles[at : at + each]) for at in range(0, len(tiles), each)]


def drawn_hands(hands: Sequence[Sequence[Tile]]) -> list[str]:
    """All hands, one to a line, by the number of their seat."""
    return [f"{seat}: " + " ".join(str(tile) for tile in hand) for seat, hand in enumerate(hands, start=1)]
