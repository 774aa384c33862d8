"""Draws domino tiles in text: what the domino games' tellers share."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.games.tiles import Tile


def drawn_line(line: Sequence[tuple[int, int]]) -> list[str]:
    """A line of tiles as they lie; who tells it breaks it where it is too wide."""
    return ["".join(f"[{left}|{right}]" for left, right in line)]


def drawn_hands(hands: Sequence[Sequence[Tile]]) -> list[str]:
    """All hands, one to a line, by the number of their seat."""
    return [f"{seat}: " + " ".join(str(tile) for tile in hand) for seat, hand in enumerate(hands, start=1)]
