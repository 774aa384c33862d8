"""The view of a seat of cubos as JSON values, for the arena wires."""

from __future__ import annotations

from typing import Any

from botequim.games.cubos.rules import View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values. docs/reference/arena.md describes the keys."""
    return {
        "hand": [str(tile) for tile in view.hand],
        "line": [f"{left}-{right}" for left, right in view.line],
        "counts": view.counts,
    }
