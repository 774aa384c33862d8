"""The view of a seat of uno as JSON values, for the arena wires."""

from __future__ import annotations

from typing import Any

from botequim.games.uno.state import View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values. docs/reference/arena.md describes the keys."""
    return {
        "hand": [str(card) for card in view.hand],
        "table": None if view.table is None else str(view.table),
        "suit": view.suit,
        "debt": view.debt,
        "order": view.order,
        "direction": view.direction,
        "counts": view.counts,
        "out": view.out,
        "pile": view.pile,
    }
