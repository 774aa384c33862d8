"""rps: the champion against chance, against what never changes, in a field of classics, and found out.

A field's games are quick and many, so they are played here in one process. The *replier* is told the
champion's mixture before every round: it makes up the champion's mind itself, which depends on nothing but
the past.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from benchmarks.strength.duel import HELD_OUT, Duel, Measured, Progress, Row, measured
from botequim import registry
from botequim.core.options import resolve_options
from botequim.core.player import LocalPlayer, Strategy
from botequim.core.rng import Rng, private
from botequim.engine.referee import play
from botequim.games.rps.champion import RpsChampion
from botequim.games.rps.rules import GAME, HANDS, Hand, View, decide
from botequim.match.statistics import Score

CHAMPION = "champion"
CONSTANTS_AND_CYCLES = ("rock", "paper", "scissors", "cycle", "cycle-back", "cycle-pairs", "cycle-long")
CLASSICS = (
    *("rock", "cycle", "cycle-back", "cycle-pairs", "rocky", "copy", "beat-last", "lose-last", "stay-shift"),
    *(
        "shift-stay",
        "frequency",
        "recent",
        "rarest",
        "hoard",
        "markov",
        "markov-2",
        "history",
        "history-both",
    ),
    *("anti-history", "council"),
)

Maker = Callable[[Rng], Strategy]


class Replier:
    """Shows what wins most at once against the mixture that the champion announces."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        self._champion = RpsChampion(Rng("its mixture does not depend on this"))

    def choose(self, view: View) -> Hand:
        assert view.seat is not None
        mixture = self._champion.advise(replace(view, seat=1 - view.seat)).mixture
        counts = view.counts[view.seat], view.counts[1 - view.seat]

        def gain(own: Hand) -> float:
            total = 0.0
            for other, likely in mixture.items():
                winner, _ = decide(own, other, counts)
                total += likely * (0.0 if winner is None else (1.0 if winner == 0 else -1.0))
            return total

        best = max(map(gain, HANDS))
        return self._rng.choice([hand for hand in HANDS if gain(hand) > best - 1e-9])


def games(first: Maker, second: Maker, count: int, seed: str, until: float) -> Iterator[Fraction]:
    """What the first wins of each game, its seat changing; no more after `until`."""
    options = resolve_options(GAME.name, GAME.options, {})
    for number in range(count):
        if time.monotonic() > until:
            return
        own = f"{seed}/{number // 2}"
        side = number % 2
        makers = (first, second) if side == 0 else (second, first)
        players = [LocalPlayer(make(Rng(private(own, side, at)))) for at, make in enumerate(makers)]
        seats = [{"name": "first"}, {"name": "second"}]
        record = asyncio.run(play(GAME, players, options=options, seats=seats, seed=own))
        yield record.outcome.shares()[side]


@dataclass(frozen=True, slots=True)
class Against:
    """The champion against a player that is in no registry."""

    title: str
    other: Maker
    games: int
    at_least: float
    aim: float
    minutes: float
    game: str = "rps"

    def measure(self, *, workers: int, times: float, seconds: float, tell: Progress) -> Measured:
        score = Score()
        until = time.monotonic() + seconds
        seed = f"{HELD_OUT}/rps/{self.title}"
        for share in games(RpsChampion, self.other, int(self.games * times), seed, until):
            score.add_deal([share])
            if score.games % 100 == 0:
                tell(measured(score))
        return measured(score)


@dataclass(frozen=True, slots=True)
class Worst:
    """The champion against each of several: the one it does worst against counts."""

    title: str
    others: Sequence[str]
    games: int
    at_least: float
    aim: float
    minutes: float
    game: str = "rps"

    def measure(self, *, workers: int, times: float, seconds: float, tell: Progress) -> Measured:
        until = time.monotonic() + seconds
        worst: Measured | None = None
        for name in self.others:
            score = Score()
            seed = f"{HELD_OUT}/rps/{name}"
            for share in games(
                RpsChampion, registry.player("rps", name), int(self.games * times), seed, until
            ):
                score.add_deal([share])
            seen = measured(score, f"(worst: {name})")
            if worst is None or seen.rate < worst.rate:
                worst = seen
            tell(worst)
        assert worst is not None
        return worst


@dataclass(frozen=True, slots=True)
class Field:
    """Everybody against everybody: by how much the champion leads the second."""

    title: str
    others: Sequence[str]
    games: int
    """Of each pair."""
    at_least: float
    aim: float
    minutes: float
    game: str = "rps"

    def measure(self, *, workers: int, times: float, seconds: float, tell: Progress) -> Measured:
        until = time.monotonic() + seconds
        names = [CHAMPION, *self.others]
        scores = {name: Score() for name in names}
        pairs = {
            (one, two): games(
                registry.player("rps", one),
                registry.player("rps", two),
                int(self.games * times),
                f"{HELD_OUT}/rps/{one}/{two}",
                math.inf,
            )
            for one, two in combinations(names, 2)
        }
        for _ in range(int(self.games * times)):
            for (one, two), played in pairs.items():
                share = next(played)
                scores[one].add_deal([share])
                scores[two].add_deal([1 - share])
            if time.monotonic() > until:  # only where all have played as often
                break
        own = scores.pop(CHAMPION)
        second = max(scores, key=lambda name: scores[name].rate)
        lead = own.rate - scores[second].rate
        low, high = own.interval() or (0.0, 1.0)
        half = (high - low) / 2
        note = f"(champion {own.rate:.3f}, second {second} {scores[second].rate:.3f})"
        return Measured(lead, lead - half, lead + half, own.games, own.faults, note)


ROWS: tuple[Row, ...] = (
    Duel("rps", ("champion", "random"), 4000, at_least=0.90, aim=0.91, minutes=0.5),
    Worst(
        "champion v each constant and cycle", CONSTANTS_AND_CYCLES, 200, at_least=0.95, aim=0.97, minutes=0.5
    ),
    Field("champion's lead in a field of 20 classics", CLASSICS, 20, at_least=0.0, aim=0.05, minutes=0.5),
    Against("champion v a replier to its mixture", Replier, 4000, at_least=0.47, aim=0.49, minutes=0.5),
)
