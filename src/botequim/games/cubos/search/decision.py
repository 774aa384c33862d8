"""One decision in cubos, for a seat that sees its own hand and the table.

Worlds are sampled from all that the passes allow, or listed if there are few. Each gets a weight: the
likelihood that its hands would have made the choices seen. The partner is modelled as a searcher. The
opponents are modelled as a mixture of kinds of players, because nobody knows which kind they are; both are
assumed to be of the same kind.

Weighting a world is cheap, playing it out costs more, and solving it costs most. So many worlds are weighted,
some of them are selected by their weights and played out, and as many as the budget allows are solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from time import perf_counter
from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.playout import Playouts
from botequim.games.cubos.search.policy import KINDS, PAIRED, SEARCHES, MoveModel
from botequim.games.cubos.search.solver import FITTING, TILES, Solver
from botequim.search.bits import place_of_bit
from botequim.search.chance import Dice
from botequim.search.worlds import Worlds

_ALL: Final[i64] = (1 << 28) - 1
_ENOUGH: Final = 2000.0
"""After this many playouts of each move, chance hardly matters any more."""


@final
class SearchSettings:
    """The parameters of a decision."""

    def __init__(
        self,
        *,
        trust: float,
        mixture: Sequence[float],
        drawn: int,
        playouts: int,
        blend: float,
    ) -> None:
        """`mixture` has the prior probability of each kind of opponents.

        `trust` is the exponent of the likelihoods: 0 gives all worlds the same weight. For each world that is
        solved, `drawn` worlds are weighted, and `playouts` games are played out for each move, preferably in
        other worlds than those that are solved. The playouts count for `blend`, the solved worlds for the
        rest.
        """
        self.trust: float = trust
        self.mixture: vec[float] = vec[float]([share for share in mixture])  # noqa: C416
        self.drawn: i64 = drawn
        self.playouts: i64 = playouts
        self.blend: float = blend


@final
class Decision:
    """One decision. Call `search` as often as there is time; then read `chance` and `belief`."""

    def __init__(
        self,
        past: History,
        hand: i64,
        solver: Solver,
        searcher: MoveModel,
        pair: MoveModel,
        dice: Dice,
        settings: SearchSettings,
    ) -> None:
        """`searcher` models players who search; `pair` models our own pair in playouts."""
        self._past: History = past
        self._seat: i64 = past.seat
        self._hand: i64 = hand
        self._solver: Solver = solver
        self._searcher: MoveModel = searcher
        self._pair: MoveModel = pair
        self._dice: Dice = dice
        self._settings: SearchSettings = settings
        self.drawn: i64 = settings.drawn
        """Worlds that are weighted for each one that is solved."""
        self._player: Playouts = Playouts(past, searcher, pair, dice, solver.points)
        self._turn: i64 = past.note_turn()
        self.moves: i64 = pair.list_moves(hand, past.left, past.right)
        """The number of moves. Each is twice the tile's number, plus 1 on the right end."""
        self.move: vec[i64] = vec[i64]([pair.moves[at] for at in range(self.moves)])
        self._liked: vec[float] = vec[float]([0.0] * self.moves)
        """Breaks ties between moves; without weights the first move is chosen."""
        if settings.trust > 0.0:
            pair.prepare(self._turn)
            pair.score(self._turn, hand, past.left, past.right, self.moves)
            self._liked = vec[float]([pair.scores[at] for at in range(self.moves)])
        self._solved: vec[float] = vec[float]([0.0] * self.moves)
        self.weight: float = 0.0
        """The total weight of the solved worlds; the results of moves are summed up with these weights."""
        self._played: vec[float] = vec[float]([0.0] * self.moves)
        self._games: float = 0.0
        """The number of playouts of each move; their results are summed up too."""
        self.belief: vec[float] = vec[float]([0.0] * (TILES * 3))
        """By tile and holder (1, 2 or 3 seats on): summed up over `believed`."""
        self.believed: float = 0.0
        self.solved: i64 = 0
        self._had: vec[i64] = vec[i64]([past.tiles_laid_since(past.by[at], at) for at in range(past.turns)])
        self.worlds: Worlds = self._possible()
        self._hands: vec[i64] = vec[i64]([0])
        self._weights: vec[float] = vec[float]([0.0])
        self._kinds: vec[float] = vec[float]([0.0])
        """By world and kind: the probability that the opponents are of that kind."""
        self.until: float = 0.0
        """If not 0: no further world is solved after this time of `time.perf_counter`."""
        self._all_solved: bool = False
        self.certain: bool = False
        """Whether every world was solved and there were enough playouts, so that more work is useless."""

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
        """Return the seats after this one that may hold a tile, as bits."""
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

    def search(self, picked: i64) -> None:
        """Sample and weight worlds and solve `picked` of them; all worlds, if they are few enough to weight
        all.

        The first call solves at least one world, whatever the clock says.
        """
        drawn: i64 = picked * self._settings.drawn
        few: bool = self.worlds.count <= float(drawn)
        if few:
            drawn = int(self.worlds.count)
            self._hands = self.worlds.every()
        else:
            self._draw(drawn)
        self._weigh(drawn)
        solve: vec[float] = self._pick_counts(drawn, picked)
        if few:
            solve = self._pick_counts(drawn, 0) if self._all_solved else self._weights
        play: vec[float] = self._pick_counts(drawn, picked * self._settings.playouts)
        world: i64 = 0
        while world < drawn and not self._late():
            if solve[world] > 0.0 or play[world] > 0.0:
                self._think(world, solve[world], play[world])
            world += 1
        self._all_solved = few and (self._all_solved or world == drawn)
        self.certain = self._all_solved and (self._settings.playouts == 0 or self._games >= _ENOUGH)

    def _draw(self, drawn: i64) -> None:
        self._hands = vec[i64]([0] * (drawn * 3))
        world: i64 = 0
        while world < drawn:
            self.worlds.draw(self._dice)
            self._hands[world * 3] = self.worlds.hands[0]
            self._hands[world * 3 + 1] = self.worlds.hands[1]
            self._hands[world * 3 + 2] = self.worlds.hands[2]
            world += 1

    def estimate_belief(self, drawn: i64) -> None:
        """Weight worlds for `belief` only; nothing is solved."""
        if self.worlds.count <= float(drawn):
            self._hands = self.worlds.every()
            self._weigh(int(self.worlds.count))
        else:
            self._draw(drawn)
            self._weigh(drawn)

    def _weigh(self, number: i64) -> None:
        """Compute weights that sum up to 1, and add them to the belief."""
        self._weights = vec[float]([0.0] * number)
        weights = self._weights
        self._kinds = vec[float]([0.0] * (number * KINDS))
        most: float = -1e300
        world: i64 = 0
        while world < number:
            weights[world] = self._plausible(world) if self._settings.trust > 0.0 else 0.0
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
        """Return the log-likelihood that the hands of a world would have made the choices seen."""
        past, model, mixture, trust = self._past, self._searcher, self._settings.mixture, self._settings.trust
        partner: float = 0.0
        theirs: vec[float] = vec[float]([0.0] * KINDS)
        turn: i64 = 0
        kind: i64 = 0
        while turn < past.turns:
            by: i64 = past.by[turn]
            if by != self._seat and past.tile[turn] >= 0:
                holder: i64 = ((by - self._seat) & 3) - 1
                hand: i64 = self._hands[world * 3 + holder] | self._had[turn]
                model.log_likelihoods(turn, hand)
                if holder == 1:
                    partner += model.logs[SEARCHES]
                else:
                    kind = 0
                    while kind < KINDS:
                        theirs[kind] += model.logs[kind]
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

    def _pick_counts(self, number: i64, picked: i64) -> vec[float]:
        """Return how often each world is selected: systematic sampling by weight."""
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
        """Solve a world, which counts `solve`, and play out each move `play` times."""
        past, hands = self._past, vec[i64]([0, 0, 0, 0])
        hands[self._seat] = self._hand
        holder: i64 = 0
        while holder < 3:
            hands[(self._seat + holder + 1) & 3] = self._hands[world * 3 + holder]
            holder += 1
        self._solver.set_world(hands[0], hands[1], hands[2], hands[3], self._seat & 1)
        at: i64 = 0
        while at < self.moves:
            move: i64 = self.move[at]
            if solve > 0.0:
                covered: i64 = past.right if move & 1 else past.left
                kept: i64 = past.left if move & 1 else past.right
                got: i64 = self._solver.result_of(move >> 1, covered, kept, self._seat)
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
        """Return the result of a move if all play on, the opponents as players of a sampled kind."""
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
        """Sample a kind for the opponents, given a world."""
        left: float = self._dice.unit()
        kind: i64 = 0
        while kind < KINDS - 1:
            left -= self._kinds[world * KINDS + kind]
            if left < 0.0:
                break
            kind += 1
        return kind

    def chance(self, at: i64) -> float:
        """Return the probability that a move wins; a draw counts as half a win."""
        solved: float = self._solved[at] / self.weight
        if self._games == 0.0:
            return solved
        return solved + self._settings.blend * (self._played[at] / self._games - solved)

    def best(self) -> i64:
        """Return the move with the best chance; among equals, the one that our model prefers."""
        found: i64 = 0
        at: i64 = 1
        while at < self.moves:
            liked: float = self._liked[at] - self._liked[found]
            ahead: float = self.chance(at) - self.chance(found)
            if ahead > 1e-9 or (ahead >= -1e-9 and liked > 0.0):
                found = at
            at += 1
        return found
