"""fives: the champion with a fixed number of worlds a move."""

from __future__ import annotations

from benchmarks.strength.duel import Duel, Row

ROWS: tuple[Row, ...] = (
    Duel("fives", ("champion@hard", "greedy"), 1200, at_least=0.83, aim=0.90, minutes=2.5),
)
