"""The champion of fives: it maximises the probability of winning the game, not the points.

It samples many worlds that are consistent with what it saw, searches each move in all of them to the end of
the round, and values the end of a round by the probability of winning the game from there. A world also
contains the kind of the opponent: a greedy player, if its moves in this game allow that, or a player who sees
everything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Final

from botequim.core.options import resolve_options
from botequim.core.rng import Rng
from botequim.games.dominoes.tiles import Deal
from botequim.games.fives.observation import NUMBER, RoundView
from botequim.games.fives.rules import GAME, TILES, View
from botequim.games.fives.search.data import fives_rounds
from botequim.games.fives.search.round import Round
from botequim.games.fives.search.standing import HIGHEST_DOUBLE, Standings
from botequim.games.fives.spinner import DIRECTIONS, Lay
from botequim.search.champion import Advice, Budget, Champion, Level
from botequim.search.chance import Dice, dice
from botequim.search.worlds import Worlds

LIKE_GREED: Final = 0.65
"""The probability that a good player chooses like a greedy player."""
UNLIKE_GREED: Final = 0.2
"""The probability that a good player makes one particular other choice."""
SAMPLE: Final = 24
"""The number of worlds that are sampled to estimate the kind of the opponent."""
_USUAL: Final = resolve_options(GAME.name, GAME.options, {})


class FivesChampion(Champion):
    """The champion. Its effort counts worlds; each is searched with up to `NODES` nodes."""

    levels: ClassVar[Mapping[Level, Budget]] = {
        Level.EASY: Budget(effort=4),
        Level.NORMAL: Budget(effort=16),
        Level.HARD: Budget(effort=100),
        Level.FULL: Budget(seconds=1.0),
    }
    NODES: ClassVar[int] = 400
    DEPTH: ClassVar[int] = 6
    GREEDY_DEPTH: ClassVar[int] = 2
    MODEL: ClassVar[bool] = True

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        self._dice: Final = dice(rng)
        self._round: Round | None = None
        self._greed_ratios: dict[int, float] = {}
        """By number of a finished round: the likelihood ratio of a greedy opponent in it."""
        standings(int(_USUAL["target"]), str(_USUAL["target_rule"]))  # computed before the first timed move

    def advise(self, view: View) -> Advice:
        assert view.seat is not None
        table = self._table(view)
        clock = self.budget.clock()  # starts after the computation that is done once for all games
        rounds = _rounds(view.events)
        observation = RoundView.of(rounds[-1], view.seat)
        free = observation.worlds(greedy=False)
        assert free is not None
        greedy = observation.worlds(greedy=True) if self.MODEL else None
        lays = [move for move in view.legal if isinstance(move, Lay)]
        if not lays:  # there is no choice: it must draw or pass
            return Advice(view.legal[0], {view.legal[0]: _standing(view, view.seat)})
        numbers = [4 * NUMBER[move.tile] + DIRECTIONS.index(move.side) for move in lays]
        share = self._greed(rounds, observation, free, greedy, view.seat) if greedy is not None else 0.0
        totals = [0.0] * len(lays)
        squares = [0.0] * len(lays)
        counts = [0] * len(TILES)
        worlds_done = 0
        while worlds_done == 0 or clock.runs(worlds_done):
            as_greedy = greedy is not None and self._dice.unit() < share
            worlds = greedy if as_greedy and greedy is not None else free
            worlds.draw(self._dice)
            theirs = observation.hand_in(list(worlds.hands))
            self._lay_out(table, worlds)
            table.greedy = as_greedy
            depth = self.GREEDY_DEPTH if as_greedy else self.DEPTH
            my, their = view.scores[view.seat], view.scores[1 - view.seat]
            for at, number in enumerate(numbers):
                table.nodes = 0
                table.limit = self.NODES
                worth = table.worth(observation.board, observation.mine, theirs, my, their, number, depth)
                totals[at] += worth
                squares[at] += worth * worth
            for tile in range(len(TILES)):
                counts[tile] += theirs >> tile & 1
            worlds_done += 1
        chances: dict[Any, float] = {
            move: total / worlds_done for move, total in zip(lays, totals, strict=True)
        }
        best = max(lays, key=lambda move: chances[move])
        spread = (
            {
                move: _spread(total, square, worlds_done)
                for move, total, square in zip(lays, totals, squares, strict=True)
            }
            if worlds_done > 1
            else {}
        )
        return Advice(
            best, chances, _belief(observation, counts, worlds_done, view.seat), worlds_done, spread
        )

    def _table(self, view: View) -> Round:
        if self._round is None:
            self._round = Round(standings(view.target, view.target_rule))
        return self._round

    def _lay_out(self, table: Round, worlds: Worlds) -> None:
        """Put the boneyard of a world into a random order."""
        rest = worlds.hands[len(worlds.hands) - 1]
        size = 0
        for tile in range(len(TILES)):
            if rest >> tile & 1:
                table.yard[size] = tile
                size += 1
        self._dice.shuffle(table.yard, 0, size)
        table.yard_size = size

    def _greed(
        self,
        rounds: Sequence[Sequence[Any]],
        observation: RoundView,
        free: Worlds,
        greedy: Worlds | None,
        seat: int,
    ) -> float:
        """Return the probability that the opponent is greedy, from all rounds of the game."""
        odds = 1.0
        for at, events in enumerate(rounds[:-1]):
            if at not in self._greed_ratios:
                past = RoundView.of(events, seat)
                ways = past.worlds(greedy=False)
                assert ways is not None
                self._greed_ratios[at] = _likeness(past, ways, past.worlds(greedy=True), self._dice)
            odds *= self._greed_ratios[at]
        odds *= _likeness(observation, free, greedy, self._dice)
        return odds / (1.0 + odds)


def _standing(view: View, seat: int) -> float:
    """Return the probability of winning from the scores alone."""
    table = standings(view.target, view.target_rule)
    return float(table.chance(view.scores[seat], view.scores[1 - seat], HIGHEST_DOUBLE))


def _spread(total: float, squares: float, worlds: int) -> float:
    """Return the standard error of the mean over more than one world."""
    return math.sqrt(max(0.0, squares - total * total / worlds) / (worlds - 1) / worlds)


@cache
def standings(target: int, target_rule: str) -> Standings:
    """Return the table for a target. It is computed once in a process, in 0.01 s if compiled; in 0.25 s for
    the highest target."""
    first_rounds, by_double = fives_rounds()
    return Standings(target, target_rule == "reach", first_rounds, by_double)


def _likeness(observation: RoundView, free: Worlds, greedy: Worlds | None, dice: Dice) -> float:
    """Return the likelihood ratio of these choices: a greedy player compared to a good one."""
    if greedy is None:
        return 0.0
    choices = len(observation.choices)
    good = 0.0
    for _ in range(SAMPLE):
        free.draw(dice)
        count = observation.greedy_turns(list(free.hands))
        good += LIKE_GREED**count * UNLIKE_GREED ** (choices - count)
    return float(greedy.count / free.count / (good / SAMPLE))


def _rounds(events: Sequence[Any]) -> list[Sequence[Any]]:
    deals = [at for at, event in enumerate(events) if isinstance(event.move, Deal)]
    parts = [events[start:stop] for start, stop in zip(deals, [*deals[1:], len(events)], strict=True)]
    return [part for part in parts if len(part) > 1 or part is parts[-1]]


def _belief(
    observation: RoundView, counts: Sequence[int], worlds: int, seat: int
) -> dict[str, tuple[float, ...]]:
    belief: dict[str, tuple[float, ...]] = {}
    for tile in range(len(TILES)):
        if observation.unseen >> tile & 1:
            chance = counts[tile] / worlds
            belief[str(TILES[tile])] = (chance, 0.0) if seat else (0.0, chance)
    return belief
