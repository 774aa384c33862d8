"""The champion of havana: a trained policy, and playouts by this policy in worlds sampled at every turn.

It has about two thousandths of a second for a move. Each legal move, including the voluntary pass, is played
out in the same worlds; our pair plays by the policy, and the opponents as they seem to play. The policy's own
score of a move counts too, because so few playouts are noisy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from botequim.core.rng import Rng
from botequim.games.havana.moves import PASS, TILES, Lay
from botequim.games.havana.search import position
from botequim.games.havana.search.data import havana_policy
from botequim.games.havana.search.playouts import Playouts
from botequim.games.havana.search.policy import Policy
from botequim.games.havana.search.position import table_of
from botequim.games.havana.state import View
from botequim.search.champion import Advice, Budget, Champion, Level, spread_of_share
from botequim.search.chance import dice

PRIOR: Final = 4.0
"""The weight of the policy: one unit of its score counts as so many wins in a hundred worlds."""
BATCH: Final = 10
"""Worlds between two looks at the clock."""


class HavanaChampion(Champion):
    """Its effort counts playouts: a world takes one for each legal move. 400 take about 2 ms."""

    levels: ClassVar[Mapping[Level, Budget]] = {
        Level.EASY: Budget(effort=10),
        Level.NORMAL: Budget(effort=60),
        Level.HARD: Budget(effort=400),
        Level.FULL: Budget(seconds=0.03),  # eight choices in each of 1000 games take less than 300 s
    }
    most: ClassVar[int] = 1_000_000

    def __init__(self, rng: Rng, budget: Budget | None = None) -> None:
        super().__init__(rng, budget)
        weights = havana_policy()
        self._policy: Final = Policy(weights)
        self._playouts: Final = Playouts(self._policy, Policy(weights), dice(rng))

    def advise(self, view: View) -> Advice:
        clock = self.budget.clock()
        playouts = self._playouts
        assert view.seat is not None
        playouts.begin(table_of(view.seat, view.hand, view.play_hist))
        count = int(playouts.count)
        liked = [self._policy.values[at] for at in range(count)]
        done = 0
        while done == 0 or clock.runs(done):
            worlds = max(1, self.budget.effort // count) if self.budget.effort else BATCH
            playouts.think(worlds)
            done += worlds * count
            if self.budget.effort:
                break
        moves = [_move(int(playouts.moves[at])) for at in range(count)]
        worlds = done // count
        trust = PRIOR / (100.0 + worlds)
        usual = sum(liked) / count
        extra = [trust * (like - usual) for like in liked]
        best = max(range(count), key=lambda at: playouts.chance(at) + extra[at])
        # one win and one loss are added, so that a few worlds never look certain
        said = [(playouts.chance(at) * worlds + 1.0) / (worlds + 2.0) + extra[at] for at in range(count)]
        chances = {move: _chance(view, move, share) for move, share in zip(moves, said, strict=True)}
        spread = {
            move: spread_of_share(playouts.chance(at), worlds)
            for at, move in enumerate(moves)
            if chances[move] < 1.0
        }
        return Advice(moves[best], chances, _belief(view, playouts), done, spread)


def _move(number: int) -> Any:
    return PASS if number == position.PASS else Lay(number & 1, TILES[number >> 1])


def _chance(view: View, move: Any, share: float) -> float:
    """Return the reported chance of a move with this share of wins."""
    if isinstance(move, Lay) and len(view.hand) == 1:
        return 1.0
    return min(max(share, 0.01), 0.99)


def _belief(view: View, playouts: Playouts) -> dict[str, tuple[float, ...]]:
    seen = {*view.hand, *[play[3] for play in view.play_hist]}
    belief = {}
    for number, tile in enumerate(TILES):
        if tile not in seen:
            belief[str(tile)] = tuple([playouts.belief(number, seat) for seat in range(4)])
    return belief
