"""Domino tiles as text, for the narration of domino games."""

from __future__ import annotations

from collections.abc import Sequence

from botequim.games.dominoes.tiles import Tile


def line_as_text(line: Sequence[tuple[int, int]]) -> list[str]:
    """Return a line of tiles as text. The caller wraps it if it is too wide."""
    return [" ".join(f"{left}-{right}" for left, right in line)]


def hands_as_text(hands: Sequence[Sequence[Tile]]) -> list[str]:
    """Return all hands, one in each line, with the numbers of their seats."""
    return [f"{seat}: " + " ".join(str(tile) for tile in hand) for seat, hand in enumerate(hands, start=1)]
