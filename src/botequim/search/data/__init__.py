"""What was learnt, as small tables of text, and how they are read."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from botequim.search.fives_standing import RoundResult


@cache
def fives_rounds() -> tuple[tuple[RoundResult, ...], tuple[RoundResult, ...]]:
    """How rounds of fives go between equals: those that the last winner opens, those that a double opens."""
    opened: list[RoundResult] = []
    by_double: list[RoundResult] = []
    for line in _lines("fives_rounds.txt"):
        kind, mine, theirs, opens, often = line.split()
        results = opened if kind == "opened" else by_double
        results.append((int(mine), int(theirs), int(opens), float(often)))
    return tuple(opened), tuple(by_double)


@cache
def havana_policy() -> tuple[float, ...]:
    """The weights of havana's policy: a line for each feature, with a number for each stage of the game."""
    rows = [line.rpartition(":")[2].split() for line in _lines("havana_policy.txt")]
    return tuple([float(row[stage]) for stage in range(len(rows[0])) for row in rows])


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath(name).read_text(encoding="ascii")
    return [line for line in text.splitlines() if line and not line.startswith("#")]
