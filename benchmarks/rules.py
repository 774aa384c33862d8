"""How fast the rules run: complete games a second, one core, random players, beside what pip offers.

`python -m benchmarks.rules` prints the table; `--profile` says where a game's time goes uncompiled.
Machines are shared and noisy, so ours and theirs take turns, several times, and the best of each counts.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from botequim import registry
from botequim.compiled import SAMPLES, is_compiled
from botequim.core.game import CHANCE_TURN
from botequim.core.options import resolve_options
from botequim.core.rng import Rng

ROUNDS = 5
SECONDS = 0.6


@dataclass
class Contender:
    """Something that plays games: `play(n)` gives the number of turns of n games."""

    name: str
    play: Callable[[int], int]
    best: float = 0.0
    """Games a second."""
    turns: float = 0.0
    batch: int = field(default=1, repr=False)

    def measure(self) -> None:
        began = time.perf_counter()
        turns = games = 0
        while (spent := time.perf_counter() - began) < SECONDS:
            turns += self.play(self.batch)
            games += self.batch
        self.best = max(self.best, games / spent)
        self.turns = turns / games
        self.batch = max(1, int(games / 10))

    @property
    def micros(self) -> float:
        """Per turn."""
        return 1e6 / (self.best * self.turns)


def ours(name: str, **options: object) -> Contender:
    """A game of ours through the public Game interface."""
    game = registry.game(name)
    settled = resolve_options(name, game.options, options)
    rng = Rng("benchmark")

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            state = game.start(settled)
            while to_move := game.to_move(state):
                if to_move == CHANCE_TURN:
                    moves = {to_move[0]: game.chance(state, rng)}
                else:
                    moves = {seat: rng.choice(game.legal(state, seat)) for seat in to_move}
                state = game.apply(state, moves)
                turns += 1
            game.outcome(state)
        return turns

    shown = ", ".join(f"{key}={value}" for key, value in options.items())
    return Contender(f"botequim {name}" + (f" ({shown})" if shown else ""), play)


def openspiel(name: str) -> Contender:
    """A game of OpenSpiel, driven from Python; a chance node counts as a turn, as ours do."""
    import pyspiel
    from open_spiel.python import games as _games  # noqa: F401  (registers those written in Python)

    game = pyspiel.load_game(name)
    rng = random.Random(1)

    def play(games: int) -> int:
        turns = 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(actions, weights)[0])
                else:
                    state.apply_action(rng.choice(state.legal_actions()))
                turns += 1
            state.returns()
        return turns

    return Contender(f"OpenSpiel {name}", play)


def rlcard_uno() -> Contender:
    """rlcard's uno as its documentation runs it: an environment with random agents."""
    import rlcard
    from rlcard.agents import RandomAgent

    environment = rlcard.make("uno")
    environment.set_agents([RandomAgent(num_actions=environment.num_actions) for _ in range(2)])

    def play(games: int) -> int:
        # a trajectory holds states and actions in turn
        return sum(
            sum(len(path) // 2 for path in environment.run(is_training=False)[0]) for _ in range(games)
        )

    return Contender("rlcard uno", play)


@dataclass(frozen=True)
class Claim:
    """What is to be shown: ours against a peer, by games or by turns."""

    ours: Contender
    peer: Contender
    at_least: float
    by_turn: bool = False

    @property
    def ratio(self) -> float:
        if self.by_turn:
            return self.peer.micros / self.ours.micros
        return self.ours.best / self.peer.best


def profile(name: str) -> None:
    """Where the time of a game goes: what is worth compiling."""
    contender = ours(name)
    profiler = cProfile.Profile()
    profiler.runcall(contender.play, 300)
    print(f"== {name}")
    pstats.Stats(profiler).sort_stats("tottime").print_stats(12)


def main() -> int:
    """Measure and print; the exit code says whether every claim holds."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--profile", action="store_true")
    if arguments.parse_args().profile:
        for name in registry.game_names():
            profile(name)
        return 0
    print("compiled: " + ", ".join(f"{name}: {'yes' if is_compiled(name) else 'NO'}" for name in SAMPLES))
    cubos, uno = ours("cubos"), ours("uno", players=2)
    dominoes, eights, rlcard = openspiel("python_team_dominoes"), openspiel("crazy_eights"), rlcard_uno()
    others = [ours(name) for name in registry.game_names() if name not in ("cubos", "uno")]
    field = [cubos, dominoes, uno, rlcard, eights, ours("uno", players=4), *others]
    for _ in range(ROUNDS):
        for contender in field:
            contender.measure()
    print(f"\n{'':32}{'games/s':>10}{'turns/game':>12}{'us/turn':>10}")
    for contender in field:
        print(f"{contender.name:32}{contender.best:10.0f}{contender.turns:12.1f}{contender.micros:10.2f}")
    claims = [
        Claim(cubos, dominoes, 10),
        Claim(uno, rlcard, 10),
        Claim(uno, eights, 1, by_turn=True),
    ]
    print()
    for claim in claims:
        what = "turns" if claim.by_turn else "games"
        verdict = "holds" if claim.ratio >= claim.at_least else "DOES NOT HOLD"
        print(
            f"{claim.ours.name} against {claim.peer.name}, by {what}: "
            f"{claim.ratio:.2f} times (at least {claim.at_least:g}): {verdict}"
        )
    return 0 if all(claim.ratio >= claim.at_least for claim in claims) else 1


if __name__ == "__main__":
    sys.exit(main())
