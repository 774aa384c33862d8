"""Shared code of the players of domino games."""

from __future__ import annotations


def weight(move: object) -> int:
    """Return the pips of the tile that a move lays; -1 for a move that lays none."""
    tile: tuple[int, int] | None = getattr(move, "tile", None)
    return -1 if tile is None else tile[0] + tile[1]
