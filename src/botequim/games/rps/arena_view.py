"""The view of a seat of rps as JSON values, for the arena wires."""

from __future__ import annotations

from typing import Any

from botequim.games.rps.rules import HANDS, View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values. docs/reference/arena.md describes the keys."""
    return {
        "rounds": [{"hands": one.hands, "winner": one.winner, "decided": one.by} for one in view.rounds],
        "counts": [dict(zip(HANDS, counts, strict=True)) for counts in view.counts],
        "wins": view.wins,
        "history": view.history,
    }
