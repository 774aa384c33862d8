"""cubos: the champion with 60 worlds a move, and with twenty times as many."""

from __future__ import annotations

from benchmarks.strength.duel import Duel, Row

ROWS: tuple[Row, ...] = (
    Duel("cubos", ("champion@60", "greedy"), 2000, at_least=0.76, aim=0.79, minutes=2.5),
    Duel("cubos", ("champion@60", "pimc-js"), 2400, at_least=0.58, aim=0.62, minutes=7),
    Duel("cubos", ("champion@60", "pimc"), 2400, at_least=0.56, aim=0.60, minutes=5),
    Duel("cubos", ("champion@60", "pimc"), 1200, at_least=0.52, aim=0.56, minutes=1.5,
         options={"blocked": "points"}, words="(blocked: points)"),
)  # fmt: skip
MORE_WORLDS = Duel("cubos", ("champion@1200", "champion@60"), 1600, at_least=0.47, aim=0.50, minutes=3)
"""Slow: it comes last, and `--rows champion@1200` gives it half an hour of its own."""
