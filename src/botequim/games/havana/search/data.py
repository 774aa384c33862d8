"""The weights of havana's policy, written by `scripts/train_havana.py`."""

from __future__ import annotations

from functools import cache

from botequim.search.tables import table_lines


@cache
def havana_policy() -> tuple[float, ...]:
    """Return the weights: a line for each feature, with a number for each stage of the game."""
    rows = [line.rpartition(":")[2].split() for line in table_lines(__package__, "policy.txt")]
    return tuple([float(row[stage]) for stage in range(len(rows[0])) for row in rows])
