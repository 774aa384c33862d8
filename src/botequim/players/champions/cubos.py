"""The champion of cubos, and the plain searchers it is measured against."""

from __future__ import annotations

from typing import ClassVar, Final

from botequim.core.game import CHANCE
from botequim.core.rng import Rng
from botequim.games.cubos import TILES, Lay, Move, Open, Pass, Side, View
from botequim.games.tiles import Deal, Tile
from botequim.players.champions.champion import Advice, Budget, Champion, Level
from botequim.search.chance import dice
from botequim.search.cubos import Solver
from botequim.search.cubos_mind import Mind
from botequim.search.cubos_numbers import POLICIES
from botequim.search.cubos_policy import Judge, Past, Policies

_NUMBER: Final = {tile: number for number, tile in enumerate(TILES)}
_POLICIES: Final = Policies(POLICIES)
_SEATS: Final = 4
BATCH: Final = 30
"""Worlds that are solved between two looks at the clock."""
DRAWN: Final = 24
"""Worlds that are weighed for each that is solved."""


def past_of(view: View) -> Past:
    """The game so far, as the search reads it."""
    turns = [event for event in view.events if event.by != CHANCE]
    first = turns[0].by if turns else view.seat
    assert first is not None
    past = Past((first + 3) % _SEATS)
    for event in turns:
        if isinstance(event.move, Lay):
            past.lay(_NUMBER[event.move.tile], event.move.side is Side.LEFT)
        elif isinstance(event.move, Pass):
            past.skip()
    return past


def number_of(tile: Tile) -> int:
    """A tile as the search counts them."""
    return _NUMBER[tile]


def mask_of(hand: tuple[Tile, ...]) -> int:
    """A hand as bits."""
    return sum(1 << _NUMBER[tile] for tile in hand)


class CubosChampion(Champion):
    """Worlds weighed by the choices seen, solved."""

    levels: ClassVar = {
        Level.EASY: Budget(effort=4),
        Level.NORMAL: Budget(effort=20),
        Level.HARD: Budget(effort=60),
        Level.FULL: Budget(seconds=1.0),
    }
    trust: ClassVar[float] = 0.8
    drawn: ClassVar[int] = DRAWN
    mixture: ClassVar[tuple[float, ...]] = (0.35, 0.35, 0.2, 0.1)

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._dice = dice(rng)
        self._solvers: dict[str, Solver] = {}

    def advise(self, view: View) -> Advice:
        clock = self.budget.clock()
        mind = self._mind(view)
        effort = self.budget.effort
        while not mind.certain and clock.runs(mind.solved if mind.weight else 0):
            picked = BATCH if not effort else effort
            mind.more(picked, picked * self.drawn)
            if effort:
                break
        chances = {self._move(view, int(mind.move[at])): mind.chances[at] / mind.weight for at in range(mind.moves)}
        liking = [mind.liking(at) for at in range(mind.moves)]
        best = max(range(mind.moves), key=lambda at: (round(mind.chances[at] / mind.weight, 9), liking[at]))
        return Advice(self._move(view, int(mind.move[best])), chances, _belief(view, mind), int(mind.solved))

    def _mind(self, view: View) -> Mind:
        if view.blocked not in self._solvers:
            self._solvers[view.blocked] = Solver(view.blocked == "points")
        past = past_of(view)
        judge = Judge(past, _POLICIES)
        return Mind(
            past,
            mask_of(view.hand),
            self._solvers[view.blocked],
            judge,
            self._dice,
            self.trust,
            self.mixture,
        )

    def _move(self, view: View, number: int) -> Move:
        return Lay(TILES[number >> 1], Side.RIGHT if number & 1 else Side.LEFT)


def _belief(view: View, mind: Mind) -> dict[str, tuple[float, ...]]:
    assert view.seat is not None
    belief = {}
    for number, tile in enumerate(TILES):
        row = [0.0] * _SEATS
        for holder in range(3):
            row[(view.seat + holder + 1) % _SEATS] = mind.belief[number * 3 + holder] / mind.believed
        if any(row):
            belief[str(tile)] = tuple(row)
    return belief


class Pimc(CubosChampion):
    """A plain searcher: 40 fair worlds, each solved, the wins of each move summed up."""

    levels: ClassVar = {Level.NORMAL: Budget(effort=40)}
    default: ClassVar[Level] = Level.NORMAL
    trust: ClassVar[float] = 0.0
    drawn: ClassVar[int] = 1


class PimcOfASecond(Pimc):
    """As many fair worlds as a PIMC in JavaScript solves in a second: few at first, many later."""

    FIRST: ClassVar = 11
    SIXTH: ClassVar = 275

    def advise(self, view: View) -> Advice:
        ply = min(len(view.line), 6)
        worlds = round(self.FIRST * (self.SIXTH / self.FIRST) ** ((ply - 1) / 5))
        searcher = Pimc(self.rng, Budget(effort=worlds))
        searcher._dice, searcher._solvers = self._dice, self._solvers
        return searcher.advise(view)
