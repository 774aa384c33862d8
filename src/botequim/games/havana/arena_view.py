"""The view of a seat of havana as JSON values, for the arena wires."""

from __future__ import annotations

from typing import Any

from botequim.games.havana.state import View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values. docs/reference/arena.md describes the keys."""
    plays = [
        {"by": seat, "ends": ends, "side": side, "tile": None if tile is None else f"{tile[0]}-{tile[1]}"}
        for seat, ends, side, tile in view.plays
    ]
    return {"hand": [str(tile) for tile in view.hand], "ends": view.board_extremes, "plays": plays}
