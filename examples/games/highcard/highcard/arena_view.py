"""What a seat of highcard sees, as JSON values: the `view` of a question of the arena wires."""

from __future__ import annotations

from typing import Any

from highcard.rules import View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values."""
    return {"hand": list(view.hand), "wins": list(view.wins), "round": len(view.hand)}
