"""uno: the champion with a fixed number of playouts a move, with two players and with four."""

from __future__ import annotations

from benchmarks.strength.duel import Duel, Row

ROWS: tuple[Row, ...] = (
    Duel("uno", ("champion@3000", "heuristic"), 1600, at_least=0.60, aim=0.65, minutes=2),
    Duel("uno", ("champion@5000", *3 * ("heuristic",)), 1600, at_least=0.29, aim=0.34, minutes=3.5),
)
