"""The champion of cubos, and simpler searchers to compare it with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar, Final, Self

from botequim.core.errors import UnknownName
from botequim.core.game import CHANCE
from botequim.core.messages import msg
from botequim.core.rng import Rng
from botequim.games.cubos.rules import TILES, Lay, Pass, Side, View
from botequim.games.cubos.search.decision import Decision, SearchSettings
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.numbers import PAIR, SEARCHER
from botequim.games.cubos.search.policy import MoveModel, Network
from botequim.games.cubos.search.settings import CHAMPION, PLAIN
from botequim.games.cubos.search.solver import Solver
from botequim.games.dominoes.tiles import Tile
from botequim.search.champion import Advice, Budget, Champion, Level, spread_of_share
from botequim.search.chance import dice

_NUMBER: Final = {tile: number for number, tile in enumerate(TILES)}
_SEARCHER: Final = Network(SEARCHER)
_PAIR: Final = Network(PAIR)
_SEATS: Final = 4
BATCH: Final = 30
"""The number of worlds that are solved between two checks of the clock."""


def past_of(view: View) -> History:
    turns = [event for event in view.events if event.by != CHANCE]
    first = turns[0].by if turns else view.seat
    assert first is not None
    past = History((first + 3) % _SEATS)
    for event in turns:
        if isinstance(event.move, Lay):
            past.lay(_NUMBER[event.move.tile], event.move.side is Side.LEFT)
        elif isinstance(event.move, Pass):
            past.pass_turn()
    return past


def number_of(tile: Tile) -> int:
    return _NUMBER[tile]


def mask_of(hand: tuple[Tile, ...]) -> int:
    return sum(1 << _NUMBER[tile] for tile in hand)


class CubosChampion(Champion):
    """Solves sampled worlds, weighted by the likelihood of the moves so far."""

    levels: ClassVar = {
        Level.EASY: Budget(effort=4),
        Level.NORMAL: Budget(effort=20),
        Level.HARD: Budget(effort=60),
        Level.FULL: Budget(seconds=1.0),
    }
    settings: ClassVar[SearchSettings] = CHAMPION

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._dice = dice(rng)
        self._solvers: dict[str, Solver] = {}

    def advise(self, view: View) -> Advice:
        clock = self.budget.clock()
        decision = self._decision(view)
        decision.until = clock.until
        count = self.budget.effort or BATCH
        if not decision.moves:  # there is only one move, so no result is computed
            decision.estimate_belief(count * decision.drawn)
            return Advice(view.legal[0], {}, _belief(view, decision))
        decision.search(count)  # at least once, even if there is no time
        rounds = 1
        while not self.budget.effort and not decision.certain and clock.runs(int(decision.solved)):
            decision.search(count)
            rounds += 1
        games = rounds * count * int(self.settings.playouts)
        chances = {_move(int(decision.move[at])): decision.chance(at) for at in range(decision.moves)}
        spread = {move: self._spread(decision, chance, games) for move, chance in chances.items()}
        move = _move(int(decision.move[decision.best()]))
        if view.line[0][0] == view.line[-1][1]:  # the ends are equal, so both sides are the same move
            chances |= {_on_the_right(one): chance for one, chance in chances.items()}
            spread |= {_on_the_right(one): error for one, error in spread.items()}
        return Advice(move, chances, _belief(view, decision), int(decision.solved), spread)

    def _spread(self, decision: Decision, chance: float, games: int) -> float:
        """Return an upper bound of the standard error of a result from solved worlds and playouts.

        If every world was solved, that part has no error.
        """
        blend = float(self.settings.blend) if games else 0.0
        solver_error = (
            0.0
            if int(decision.solved) >= decision.worlds.count
            else spread_of_share(chance, int(decision.solved))
        )
        playout_error = spread_of_share(chance, games) if games else 0.0
        return math.hypot((1.0 - blend) * solver_error, blend * playout_error)

    def _decision(self, view: View) -> Decision:
        if view.blocked not in self._solvers:
            self._solvers[view.blocked] = Solver(view.blocked == "points")
        past = past_of(view)
        return Decision(
            past,
            mask_of(view.hand),
            self._solvers[view.blocked],
            MoveModel(past, _SEARCHER),
            MoveModel(past, _PAIR),
            self._dice,
            self.settings,
        )


def _move(number: int) -> Lay:
    return Lay(TILES[number >> 1], Side.RIGHT if number & 1 else Side.LEFT)


def _on_the_right(move: Lay) -> Lay:
    return Lay(move.tile, Side.RIGHT)


def _belief(view: View, decision: Decision) -> dict[str, tuple[float, ...]]:
    assert view.seat is not None
    belief = {}
    for number, tile in enumerate(TILES):
        row = [0.0] * _SEATS
        for holder in range(3):
            row[(view.seat + holder + 1) % _SEATS] = decision.belief[number * 3 + holder] / decision.believed
        if any(row):
            belief[str(tile)] = tuple(row)
    return belief


class Pimc(CubosChampion):
    """A simple searcher: solves 40 equally likely worlds and adds up the wins of each move."""

    levels: ClassVar = {Level.NORMAL: Budget(effort=40)}
    default: ClassVar[Level] = Level.NORMAL
    settings: ClassVar[SearchSettings] = PLAIN


class PimcOfASecond(Pimc):
    """Solves as many equally likely worlds as a PIMC in JavaScript in a second: few at first, more later."""

    levels: ClassVar = {Level.NORMAL: Budget()}
    first: ClassVar[int] = 11
    """The number of worlds at the first turn. 6 to 16 were measured there, and 200 to 350 at the sixth
    turn."""
    sixth: ClassVar[int] = 275

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._plain = Pimc(rng, Budget(effort=1))

    @classmethod
    def at(cls, level: str) -> Callable[[Rng], Self]:
        if level != Level.NORMAL:
            raise UnknownName(
                msg('unknown level "{level}"; known: {known}', level=level, known=Level.NORMAL.value)
            )
        return cls

    def advise(self, view: View) -> Advice:
        ply = min(len(view.line), 6)
        self._plain.budget = Budget(effort=round(self.first * (self.sixth / self.first) ** ((ply - 1) / 5)))
        return self._plain.advise(view)
