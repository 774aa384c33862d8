"""Shared code of the checks of domino games: which tiles fit which ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Lays: TypeAlias = Sequence[tuple[object, object]]
"""The tiles that fit, each with its side."""


def fits_both_ends(lays: Lays) -> bool:
    """Return whether there are tiles for both ends."""
    return len({side for _, side in lays}) == 2


def has_two_sided(lays: Lays) -> bool:
    """Return whether one tile fits both ends."""
    tiles = [tile for tile, _ in lays]
    return len(set(tiles)) < len(tiles)
