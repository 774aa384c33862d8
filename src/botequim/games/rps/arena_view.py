"""What a seat of rps sees, as JSON values: the `view` of a question of the arena wires."""

from __future__ import annotations

from typing import Any

from botequim.games.rps.rules import HANDS, View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values. docs/reference/arena.md describes the keys."""
    return {
        "rounds": [
            {"hands": played.hands, "winner": played.winner, "decided": played.by} for played in view.rounds
        ],
        "counts": [dict(zip(HANDS, counts, strict=True)) for counts in view.counts],
        "wins": view.wins,
        "history": view.history,
    }
