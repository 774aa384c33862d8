"""The champion of havana: a trained policy, and playouts with this policy in sampled worlds.

It has about two milliseconds for a move. Each legal move, including the voluntary pass, is played out in the
same worlds; its own pair plays by the policy, and the opponents as they have played so far. The policy's own
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
"""The weight of the policy: one unit of its score counts as this many wins in a hundred worlds."""
BATCH: Final = 10
"""The number of worlds between two checks of the clock."""


class HavanaChampion(Champion):
    """The champion. Its effort counts playouts, one for each legal move in a world. 400 take about 2 ms."""

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
        scores = [self._policy.values[at] for at in range(count)]
        playout_count = 0
        while playout_count == 0 or clock.runs(playout_count):
            worlds = max(1, self.budget.effort // count) if self.budget.effort else BATCH
            playouts.think(worlds)
            playout_count += worlds * count
            if self.budget.effort:
                break
        moves = [_move(int(playouts.moves[at])) for at in range(count)]
        worlds = playout_count // count
        trust = PRIOR / (100.0 + worlds)
        usual = sum(scores) / count
        extra = [trust * (like - usual) for like in scores]
        best = max(range(count), key=lambda at: playouts.chance(at) + extra[at])
        # one win and one loss are added, so that a few worlds never look certain
        shares = [(playouts.chance(at) * worlds + 1.0) / (worlds + 2.0) + extra[at] for at in range(count)]
        chances = {move: _chance(view, move, share) for move, share in zip(moves, shares, strict=True)}
        spread = {
            move: spread_of_share(playouts.chance(at), worlds)
            for at, move in enumerate(moves)
            if chances[move] < 1.0
        }
        return Advice(moves[best], chances, _belief(view, playouts), playout_count, spread)


def _move(number: int) -> Any:
    return PASS if number == position.PASS else Lay(number & 1, TILES[number >> 1])


def _chance(view: View, move: Any, share: float) -> float:
    """Return the reported chance of a move with this share of wins."""
    if isinstance(move, Lay) and len(view.hand) == 1:
        return 1.0
    return min(max(share, 0.01), 0.99)


def _belief(view: View, playouts: Playouts) -> dict[str, tuple[float, ...]]:
    visible = {*view.hand, *[play[3] for play in view.play_hist]}
    belief = {}
    for number, tile in enumerate(TILES):
        if tile not in visible:
            belief[str(tile)] = tuple([playouts.belief(number, seat) for seat in range(4)])
    return belief
