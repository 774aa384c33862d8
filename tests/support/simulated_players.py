"""Players of known strength, and the games that they would play."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import combinations
from math import exp, log
from typing import TypeAlias

from botequim.ratings import RatedSeries
from botequim.ratings.values import Places

Play: TypeAlias = Callable[[random.Random, Sequence[float]], list[tuple[Places, ...]]]
"""The deals of a series between players of these strengths."""

POINTS = 400 / log(10)


def player(number: int) -> str:
    return f"p{number:03}"


def strengths(rng: random.Random, count: int, spread: float = 0.8) -> list[float]:
    return [rng.gauss(0, spread) for _ in range(count)]


def league(rng: random.Random, strengths: Sequence[float], play: Play, *, size: int = 2) -> list[RatedSeries]:
    """Return a series between every `size` of the players."""
    return [
        RatedSeries.from_deals(
            tuple((player(at),) for at in table), tuple(play(rng, [strengths[at] for at in table]))
        )
        for table in combinations(range(len(strengths)), size)
    ]


def outcome(luck: float, difference: float, draws: float = 0.0) -> Places:
    """Return the result of Davidson's model for a number from 0 to 1; a high number is good for the first."""
    win, loss = exp(difference / 2), exp(-difference / 2)
    place = luck * (win + loss + draws)
    return (2, 1) if place < loss else (1, 1) if place < loss + draws else (1, 2)


def independent_games(deals: int, draws: float = 0.3) -> Play:
    """Every game has a deal of its own."""

    def play(rng: random.Random, sides: Sequence[float]) -> list[tuple[Places, ...]]:
        return [(outcome(rng.random(), sides[0] - sides[1], draws),) for _ in range(deals)]

    return play


def mirrored_deals(deals: int) -> Play:
    """Every deal is played twice, with sides swapped, so its luck goes to the one and then to the other."""

    def play(rng: random.Random, sides: Sequence[float]) -> list[tuple[Places, ...]]:
        difference = sides[0] - sides[1]
        lucks = [rng.random() for _ in range(deals)]
        return [(outcome(luck, difference), outcome(1 - luck, difference)) for luck in lucks]

    return play


def repeated_games(games: int) -> Play:
    """All games of a series end in the same way, as between deterministic players."""

    def play(rng: random.Random, sides: Sequence[float]) -> list[tuple[Places, ...]]:
        return [(outcome(rng.random(), sides[0] - sides[1]),)] * games

    return play


def ranked_tables(games: int) -> Play:
    """Tables of several players, after Plackett and Luce."""

    def play(rng: random.Random, sides: Sequence[float]) -> list[tuple[Places, ...]]:
        return [(ranking(rng, sides),) for _ in range(games)]

    return play


def deals_of(series: RatedSeries) -> list[tuple[Places, ...]]:
    """Return the deals of a series, sorted."""
    return [deal for deal, times in sorted(series.deals.items()) for _ in range(times)]


def ranking(rng: random.Random, sides: Sequence[float]) -> Places:
    left, places = list(range(len(sides))), [0] * len(sides)
    for place in range(1, len(sides) + 1):
        best = rng.choices(left, [exp(sides[at]) for at in left])[0]
        places[best] = place
        left.remove(best)
    return tuple(places)
