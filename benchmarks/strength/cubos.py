"""cubos: the champion with 60 worlds a move, and with twenty times as many."""

from __future__ import annotations

from benchmarks.strength.duel import Duel, Row

ROWS: tuple[Row, ...] = (
    Duel("cubos", ("champion@60", "greedy"), 2000, at_least=0.76, aim=0.79),
    Duel("cubos", ("champion@60", "pimc-js"), 2400, at_least=0.58, aim=0.62),
    Duel("cubos", ("champion@60", "pimc"), 2400, at_least=0.56, aim=0.60),
    Duel("cubos", ("champion@1200", "champion@60"), 800, at_least=0.47, aim=0.50),
    Duel("cubos", ("champion@60", "pimc"), 1200, at_least=0.52, aim=0.56, options={"blocked": "points"},
         words="(blocked: points)"),
)  # fmt: skip
