"""cubos: what a seat that sees its own hand and the table makes of it.

Worlds are drawn fairly among all that the passes allow, or gone through where they are few. Each is weighed
by how likely its hands would have made the choices seen: the partner's as one who searches, the opponents' as
a mixture of kinds, because it is not known who they are; both are thought to be of the same kind.
Weighing is cheap, playing out dearer, and solving more so: many worlds are weighed, some of them are picked
by their weights and played out, and as many as the budget has are solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from time import perf_counter
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.search.bits import place_of_bit
from botequim.search.chance import Dice
from botequim.search.cubos import FITTING, TILES, Solver
from botequim.search.cubos_past import Past
from botequim.search.cubos_playout import Playouts
from botequim.search.cubos_policy import KINDS, PAIRED, SEARCHES, Judge
from botequim.search.worlds import Worlds

_ALL: Final[i64] = (1 << 28) - 1
_ENOUGH: Final = 2000.0
"""Games played out of each move, after which there is little left to chance."""


@final
class Manner:
    """How a mind thinks, in numbers."""

    def __init__(
        self,
        *,
        trust: float,
        mixture: Sequence[float],
        drawn: int,
        playouts: int,
        blend: float,
    ) -> None:
        """`mixture` is how likely the opponents are of each kind.

        `trust` is the power that likelihoods are raised to: 0 is a mind that weighs nothing. For each world
        that is solved, `drawn` are weighed, and `playouts` games are played out for each move, in other
        worlds rather than in the same; they count for `blend` beside what was solved.
        """
        self.trust: float = trust
        self.mixture: vec[float] = vec[float]([share for share in mixture])  # noqa: C416
        self.drawn: i64 = drawn
        self.playouts: i64 = playouts
        self.blend: float = blend


@final
class Mind:
    """One decision. `more` thinks, as often as there is time; then `chance` and `belief` tell."""

    def __init__(
        self,
        past: Past,
        hand: i64,
        solver: Solver,
        searcher: Judge,
        pair: Judge,
        dice: Dice,
        manner: Manner,
    ) -> None:
        """`searcher` says what those who search like, `pair` what we like when games are played out."""
        self._past: Past = past
        self._seat: i64 = past.seat
        self._hand: i64 = hand
        self._solver: Solver = solver
        self._searcher: Judge = searcher
        self._pair: Judge = pair
        self._dice: Dice = dice
        self._manner: Manner = manner
        self.drawn: i64 = manner.drawn
        """Worlds that are weighed for each that is solved."""
        self._player: Playouts = Playouts(past, searcher, pair, dice, solver.points)
        self._turn: i64 = past.now()
        self.moves: i64 = pair.listed(hand, past.left, past.right)
        """How many there are; each is the tile times 2, plus 1 on the right end."""
        self.move: vec[i64] = vec[i64]([pair.moves[at] for at in range(self.moves)])
        self._liked: vec[float] = vec[float]([0.0] * self.moves)
        """What decides between moves that are as good; a mind that weighs nothing takes the first."""
        if manner.trust > 0.0:
            pair.face(self._turn)
            pair.like(self._turn, hand, past.left, past.right, self.moves)
            self._liked = vec[float]([pair.scores[at] for at in range(self.moves)])
        self._solved: vec[float] = vec[float]([0.0] * self.moves)
        self.weight: float = 0.0
        """Of the worlds that were solved; what moves get in them is summed up over it."""
        self._played: vec[float] = vec[float]([0.0] * self.moves)
        self._games: float = 0.0
        """So many of each move were played out; what moves got in them is summed up, too."""
        self.belief: vec[float] = vec[float]([0.0] * (TILES * 3))
        """By tile and holder (1, 2 or 3 seats on): summed up over `believed`."""
        self.believed: float = 0.0
        self.solved: i64 = 0
        self._had: vec[i64] = vec[i64]([past.had(past.by[at], at) for at in range(past.turns)])
        self.worlds: Worlds = self._possible()
        self._hands: vec[i64] = vec[i64]([0])
        self._weights: vec[float] = vec[float]([0.0])
        self._kinds: vec[float] = vec[float]([0.0])
        """By world and kind: how likely it is that of the opponents."""
        self.until: float = 0.0
        """If not 0: when `time.perf_counter` says this, no further world is solved."""
        self._all_solved: bool = False
        self.certain: bool = False
        """Whether every world was solved, and enough was played out: more would bring nothing."""

    def _possible(self) -> Worlds:
        past = self._past
        unseen: i64 = _ALL & ~(past.laid | self._hand)
        tiles: list[int] = []
        may: list[int] = []
        tile: i64 = 0
        while tile < TILES:
            if (unseen >> tile) & 1:
                tiles.append(tile)
                may.append(self._holders(tile))
            tile += 1
        sizes = [7, 7, 7]
        opener: i64 = (past.by[0] + 3) & 3
        if opener != self._seat:
            sizes[((opener - self._seat) & 3) - 1] -= 1
        at: i64 = 0
        while at < past.turns:
            if past.tile[at] >= 0 and past.by[at] != self._seat:
                sizes[((past.by[at] - self._seat) & 3) - 1] -= 1
            at += 1
        return Worlds(tiles, sizes, may)

    def _holders(self, tile: i64) -> i64:
        """The seats after this one that may hold a tile, as bits: no number of it is one that they lack."""
        one: i64 = 1
        found: i64 = 0
        holder: i64 = 0
        while holder < 3:
            lacks: i64 = self._past.lacks >> (((self._seat + holder + 1) & 3) * 7)
            number: i64 = 0
            free: bool = True
            while number < 7:
                if (lacks >> number) & 1 and FITTING[number] & (one << tile) != 0:
                    free = False
                number += 1
            if free:
                found |= one << holder
            holder += 1
        return found

    def more(self, picked: i64) -> None:
        """Draw and weigh worlds, and solve so many of them; all, where they are few enough to weigh all.

        At least one is solved the first time, whatever the clock says.
        """
        drawn: i64 = picked * self._manner.drawn
        few: bool = self.worlds.count <= float(drawn)
        if few:
            drawn = int(self.worlds.count)
            self._hands = self.worlds.every()
        else:
            self._draw(drawn)
        self._weigh(drawn)
        solve: vec[float] = self._combed(drawn, picked)
        if few:
            solve = self._combed(drawn, 0) if self._all_solved else self._weights
        play: vec[float] = self._combed(drawn, picked * self._manner.playouts)
        world: i64 = 0
        while world < drawn and not self._late():
            if solve[world] > 0.0 or play[world] > 0.0:
                self._think(world, solve[world], play[world])
            world += 1
        self._all_solved = few and (self._all_solved or world == drawn)
        self.certain = self._all_solved and (self._manner.playouts == 0 or self._games >= _ENOUGH)

    def _draw(self, drawn: i64) -> None:
        self._hands = vec[i64]([0] * (drawn * 3))
        world: i64 = 0
        while world < drawn:
            self.worlds.draw(self._dice)
            self._hands[world * 3] = self.worlds.hands[0]
            self._hands[world * 3 + 1] = self.worlds.hands[1]
            self._hands[world * 3 + 2] = self.worlds.hands[2]
            world += 1

    def believe(self, drawn: i64) -> None:
        """Weigh worlds for `belief` alone; nothing is solved."""
        if self.worlds.count <= float(drawn):
            self._hands = self.worlds.every()
            self._weigh(int(self.worlds.count))
        else:
            self._draw(drawn)
            self._weigh(drawn)

    def _weigh(self, number: i64) -> None:
        """Weights that sum up to 1, and what they say about who holds what."""
        self._weights = vec[float]([0.0] * number)
        weights = self._weights
        self._kinds = vec[float]([0.0] * (number * KINDS))
        most: float = -1e300
        world: i64 = 0
        while world < number:
            weights[world] = self._plausible(world) if self._manner.trust > 0.0 else 0.0
            if weights[world] > most:
                most = weights[world]
            world += 1
        total: float = 0.0
        world = 0
        while world < number:
            weights[world] = exp(weights[world] - most)
            total += weights[world]
            world += 1
        world = 0
        while world < number:
            weights[world] /= total
            holder: i64 = 0
            while holder < 3:
                tiles: i64 = self._hands[world * 3 + holder]
                while tiles != 0:
                    tile: i64 = place_of_bit(tiles & -tiles)
                    tiles &= tiles - 1
                    self.belief[tile * 3 + holder] += weights[world]
                holder += 1
            world += 1
        self.believed += 1.0

    def _plausible(self, world: i64) -> float:
        """The logarithm of how likely a world's hands would have made the choices seen."""
        past, judge, mixture, trust = self._past, self._searcher, self._manner.mixture, self._manner.trust
        partner: float = 0.0
        theirs: vec[float] = vec[float]([0.0] * KINDS)
        turn: i64 = 0
        kind: i64 = 0
        while turn < past.turns:
            by: i64 = past.by[turn]
            if by != self._seat and past.tile[turn] >= 0:
                holder: i64 = ((by - self._seat) & 3) - 1
                hand: i64 = self._hands[world * 3 + holder] | self._had[turn]
                judge.judge(turn, hand)
                if holder == 1:
                    partner += judge.logs[SEARCHES]
                else:
                    kind = 0
                    while kind < KINDS:
                        theirs[kind] += judge.logs[kind]
                        kind += 1
            turn += 1
        best: float = -1e300
        kind = 0
        while kind < KINDS:
            if mixture[kind] > 0.0 and theirs[kind] > best:
                best = theirs[kind]
            kind += 1
        total: float = 0.0
        kind = 0
        while kind < KINDS:
            if mixture[kind] > 0.0:
                share: float = mixture[kind] * exp((theirs[kind] - best) * trust)
                self._kinds[world * KINDS + kind] = share
                total += share
            kind += 1
        kind = 0
        while kind < KINDS:
            self._kinds[world * KINDS + kind] /= total
            kind += 1
        return trust * (partner + best) + log(total)

    def _combed(self, number: i64, picked: i64) -> vec[float]:
        """How often each world is picked, by its weight: as evenly as a comb goes through them."""
        times: vec[float] = vec[float]([0.0] * number)
        if picked == 0:
            return times
        step: float = 1.0 / float(picked)
        tooth: float = self._dice.unit() * step
        sum_so_far: float = 0.0
        world: i64 = 0
        while world < number:
            sum_so_far += self._weights[world]
            while tooth < sum_so_far:
                times[world] += 1.0
                tooth += step
            world += 1
        return times

    def _late(self) -> bool:
        return self.until > 0.0 and self.solved > 0 and perf_counter() > self.until

    def _think(self, world: i64, solve: float, play: float) -> None:
        """Solve a world, which counts so much, and play out each move so often."""
        past, hands = self._past, vec[i64]([0, 0, 0, 0])
        hands[self._seat] = self._hand
        holder: i64 = 0
        while holder < 3:
            hands[(self._seat + holder + 1) & 3] = self._hands[world * 3 + holder]
            holder += 1
        self._solver.world(hands[0], hands[1], hands[2], hands[3], self._seat & 1)
        at: i64 = 0
        while at < self.moves:
            move: i64 = self.move[at]
            if solve > 0.0:
                covered: i64 = past.right if move & 1 else past.left
                kept: i64 = past.left if move & 1 else past.right
                got: i64 = self._solver.after(move >> 1, covered, kept, self._seat)
                self._solved[at] += solve * 0.5 * float(got)
            games: float = 0.0
            while games < play:
                self._played[at] += self._played_out(world, hands, move)
                games += 1.0
            at += 1
        self._games += play
        if solve > 0.0:
            self.weight += solve
            self.solved += 1

    def _played_out(self, world: i64, hands: vec[i64], move: i64) -> float:
        """What comes of a move when all play on, the opponents as players of a likely kind."""
        player = self._player
        kind: i64 = self._kind(world)
        seat: i64 = 0
        while seat < 4:
            player.hands[seat] = hands[seat]
            player.kinds[seat] = kind if (seat ^ self._seat) & 1 else PAIRED
            seat += 1
        ended: float = float(player.play(move)) * 0.5
        return ended if self._seat & 1 == 0 else 1.0 - ended

    def _kind(self, world: i64) -> i64:
        """A kind for the opponents, drawn by what a world says of them."""
        left: float = self._dice.unit()
        kind: i64 = 0
        while kind < KINDS - 1:
            left -= self._kinds[world * KINDS + kind]
            if left < 0.0:
                break
            kind += 1
        return kind

    def chance(self, at: i64) -> float:
        """How likely a move is to win, a draw counting as half."""
        solved: float = self._solved[at] / self.weight
        if self._games == 0.0:
            return solved
        return solved + self._manner.blend * (self._played[at] / self._games - solved)

    def best(self) -> i64:
        """The move with the best chance; of equals, the one that is liked best at first sight."""
        found: i64 = 0
        at: i64 = 1
        while at < self.moves:
            liked: float = self._liked[at] - self._liked[found]
            ahead: float = self.chance(at) - self.chance(found)
            if ahead > 1e-9 or (ahead >= -1e-9 and liked > 0.0):
                found = at
            at += 1
        return found
