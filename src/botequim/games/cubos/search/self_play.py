"""Trains a pair of cubos by self-play: compares games of the same deal."""

from __future__ import annotations

from typing import Final, final

from botequim.core.compiling import i64, vec
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.playout import Playouts
from botequim.games.cubos.search.policy import PAIRED, SEARCHES, MoveModel, Network
from botequim.games.cubos.search.solver import TILES
from botequim.games.cubos.search.training import Trainer
from botequim.search.chance import Dice

_OPENING: Final[i64] = 27
_HAND: Final[i64] = 7
_SEATS: Final[i64] = 4


@final
class SelfPlay:
    """A pair that learns, opponents that do not, and random deals."""

    def __init__(self, pair: Network, opponents: Network, dice: Dice) -> None:
        self._network: Network = pair
        self._opponents: Network = opponents
        self._dice: Dice = dice
        self._tiles: vec[i64] = vec[i64]([tile for tile in range(TILES)])  # noqa: C416
        self._dealt: vec[i64] = vec[i64]([0] * _SEATS)
        """The hands after the opening."""
        self._opener: i64 = 0

    def train(self, trainer: Trainer, deals: i64, games: i64, alone: bool) -> None:
        """Play each of `deals` deals several times, and train with the pair's choices.

        The worth of a choice is the result of its game minus the mean of the other games of the same deal. If
        the pair is `alone`, it is also its own opponent.
        """
        deal: i64 = 0
        while deal < deals:
            self._deal()
            side: i64 = 2 if alone else self._dice.below(2)
            played: list[History] = []
            ends: vec[float] = vec[float]([0.0] * games)
            total: float = 0.0
            game: i64 = 0
            while game < games:
                past = History(self._opener)
                ends[game] = self._played(past, side, SEARCHES)
                total += ends[game]
                played.append(past)
                game += 1
            game = 0
            while game < games:
                ahead: float = ends[game] - (total - ends[game]) / float(games - 1)
                if ahead != 0.0:
                    self._look_back(trainer, played[game], side, ahead)
                game += 1
            deal += 1

    def match(self, deals: i64, kind: i64) -> float:
        """Return the share of wins against opponents of a kind, each deal from both sides; a draw is half a
        win."""
        total: float = 0.0
        deal: i64 = 0
        while deal < deals:
            self._deal()
            total += self._played(History(self._opener), 0, kind)
            total += 1.0 - self._played(History(self._opener), 1, kind)
            deal += 1
        return total / (2.0 * float(deals))

    def _deal(self) -> None:
        tiles = self._tiles
        one: i64 = 1
        self._dice.shuffle(tiles, 0, TILES)
        seat: i64 = 0
        while seat < _SEATS:
            hand: i64 = 0
            at: i64 = 0
            while at < _HAND:
                hand |= one << tiles[seat * _HAND + at]
                at += 1
            if hand & (one << _OPENING) != 0:
                self._opener = seat
            self._dealt[seat] = hand & ~(one << _OPENING)
            seat += 1

    def _played(self, past: History, side: i64, kind: i64) -> float:
        """Play a game and return its result for seats 0 and 2. The pair has the seats of a side, 0 or 1, or
        both: 2."""
        player = Playouts(
            past, MoveModel(past, self._opponents), MoveModel(past, self._network), self._dice, False
        )
        seat: i64 = 0
        while seat < _SEATS:
            player.hands[seat] = self._dealt[seat]
            player.kinds[seat] = PAIRED if side == 2 or seat & 1 == side else kind
            seat += 1
        return float(player.to_the_end()) * 0.5

    def _look_back(self, trainer: Trainer, past: History, side: i64, ahead: float) -> None:
        """Train with the pair's choices of a game; `ahead` is its result above the mean for seats 0 and 2."""
        model = MoveModel(past, self._network)
        hands: vec[i64] = vec[i64]([self._dealt[seat] for seat in range(_SEATS)])
        one: i64 = 1
        turn: i64 = 0
        while turn < past.turns:
            seat: i64 = past.by[turn]
            if past.tile[turn] >= 0:
                if side == 2 or seat & 1 == side:
                    trainer.learn_from(past, model, turn, hands[seat], ahead if seat & 1 == 0 else -ahead)
                hands[seat] &= ~(one << past.tile[turn])
            turn += 1
