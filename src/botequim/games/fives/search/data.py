"""The table of results of rounds of fives, written by `scripts/train_fives.py`."""

from __future__ import annotations

from functools import cache

from botequim.games.fives.search.standing import RoundResult
from botequim.search.tables import table_lines


@cache
def fives_rounds() -> tuple[tuple[RoundResult, ...], tuple[RoundResult, ...]]:
    """Return the results of rounds between equal players: of those that the last winner opens, and of those
    that a double opens."""
    opened: list[RoundResult] = []
    by_double: list[RoundResult] = []
    for line in table_lines(__package__, "rounds.txt"):
        kind, mine, theirs, opens, often = line.split()
        results = opened if kind == "opened" else by_double
        results.append((int(mine), int(theirs), int(opens), float(often)))
    return tuple(opened), tuple(by_double)
