"""The view of a seat of fives as JSON values, for the arena wires."""

from __future__ import annotations

from typing import Any

from botequim.games.fives.rules import View


def arena_view(view: View) -> dict[str, Any]:
    """Return the view as JSON values. docs/reference/arena.md describes the keys."""
    board = view.board
    arms = {
        name: [f"{inner}-{outer}" for inner, outer in getattr(board, name)]
        for name in ("left", "right", "up", "down")
    }
    return {
        "hand": [str(tile) for tile in view.hand],
        "spinner": None if board.spinner is None else str(board.spinner),
        **arms,
        "board_score": view.board_score,
        "scores": view.scores,
        "counts": view.counts,
        "boneyard": view.boneyard,
        "round": view.round,
    }
