"""The champion of cubos, and the plain searchers it is measured against."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, Final, Self

from botequim.core.errors import UnknownName
from botequim.core.game import CHANCE
from botequim.core.messages import msg
from botequim.core.rng import Rng
from botequim.games.cubos import TILES, Lay, Pass, Side, View
from botequim.games.tiles import Tile
from botequim.players.champions.champion import Advice, Budget, Champion, Level, spread_of_share
from botequim.search.chance import dice
from botequim.search.cubos import Solver
from botequim.search.cubos_manner import CHAMPION, PLAIN
from botequim.search.cubos_mind import Manner, Mind
from botequim.search.cubos_numbers import PAIR, SEARCHER
from botequim.search.cubos_past import Past
from botequim.search.cubos_policy import Judge, Network

_NUMBER: Final = {tile: number for number, tile in enumerate(TILES)}
_SEARCHER: Final = Network(SEARCHER)
_PAIR: Final = Network(PAIR)
_SEATS: Final = 4
BATCH: Final = 30
"""Worlds that are picked at a time where the time is what counts."""


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
    manner: ClassVar[Manner] = CHAMPION

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._dice = dice(rng)
        self._solvers: dict[str, Solver] = {}

    def advise(self, view: View) -> Advice:
        clock = self.budget.clock()
        mind = self._mind(view)
        mind.until = clock.until
        picked = self.budget.effort or BATCH
        if not mind.moves:  # passing is no choice, and what comes of it is not looked at
            mind.believe(picked * mind.drawn)
            return Advice(view.legal[0], {}, _belief(view, mind))
        mind.more(picked)  # however short the time is
        rounds = 1
        while not self.budget.effort and not mind.certain and clock.runs(int(mind.solved)):
            mind.more(picked)
            rounds += 1
        games = rounds * picked * int(self.manner.playouts)
        chances = {_move(int(mind.move[at])): mind.chance(at) for at in range(mind.moves)}
        spread = {move: self._spread(mind, chance, games) for move, chance in chances.items()}
        move = _move(int(mind.move[mind.best()]))
        if view.line[0][0] == view.line[-1][1]:  # as good on the right
            chances |= {_turned(one): chance for one, chance in chances.items()}
            spread |= {_turned(one): error for one, error in spread.items()}
        return Advice(move, chances, _belief(view, mind), int(mind.solved), spread)

    def _spread(self, mind: Mind, chance: float, games: int) -> float:
        """What the worlds that were solved and the games that were played out leave to chance, at the most.

        Where every world was solved, that part is certain.
        """
        blend = float(self.manner.blend) if games else 0.0
        solved = 0.0 if int(mind.solved) >= mind.worlds.count else spread_of_share(chance, int(mind.solved))
        played = spread_of_share(chance, games) if games else 0.0
        return math.hypot((1.0 - blend) * solved, blend * played)

    def _mind(self, view: View) -> Mind:
        if view.blocked not in self._solvers:
            self._solvers[view.blocked] = Solver(view.blocked == "points")
        past = past_of(view)
        return Mind(
            past,
            mask_of(view.hand),
            self._solvers[view.blocked],
            Judge(past, _SEARCHER),
            Judge(past, _PAIR),
            self._dice,
            self.manner,
        )


def _move(number: int) -> Lay:
    return Lay(TILES[number >> 1], Side.RIGHT if number & 1 else Side.LEFT)


def _turned(move: Lay) -> Lay:
    return Lay(move.tile, Side.RIGHT)


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
    manner: ClassVar[Manner] = PLAIN


class PimcOfASecond(Pimc):
    """As many fair worlds as a PIMC in JavaScript solves in a second: few at first, many later."""

    levels: ClassVar = {Level.NORMAL: Budget()}
    first: ClassVar[int] = 11
    """At the first turn 6 to 16 were seen, at the sixth 200 to 350."""
    sixth: ClassVar[int] = 275

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._plain = Pimc(rng, Budget(effort=1))

    @classmethod
    def at(cls, level: str) -> Callable[[Rng], Self]:
        """There is one level: how many worlds it solves is what it is."""
        if level != Level.NORMAL:
            raise UnknownName(
                msg('unknown level "{level}"; known: {known}', level=level, known=Level.NORMAL.value)
            )
        return cls

    def advise(self, view: View) -> Advice:
        ply = min(len(view.line), 6)
        self._plain.budget = Budget(effort=round(self.first * (self.sixth / self.first) ** ((ply - 1) / 5)))
        return self._plain.advise(view)
