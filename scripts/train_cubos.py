"""Learns the policies of cubos from games, and writes `src/botequim/search/cubos_numbers.py`.

    python -m scripts.train_cubos

First the plain searcher plays itself, and a policy learns to choose as it does; then the champion, which
weighs worlds by that policy, plays itself, and the champion's policy learns from those games; as often as
there are rounds. The same seed gives the same numbers. Games are kept under build/, and are not played
again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from botequim.core.options import settle
from botequim.core.rng import Rng, derive
from botequim.games.cubos import GAME, Lay, Pass
from botequim.players.champions import cubos
from botequim.players.champions.champion import Budget
from botequim.search.cubos_policy import FEATURES, POLICY, Judge, Past, Policies

ROOT = Path(__file__).parent.parent
NUMBERS = ROOT / "src" / "botequim" / "search" / "cubos_numbers.py"
GREEDY = 30.0
"""The weight of a tenth of a pip for one who lays the heaviest tile: a pip more is 20 times as likely."""
RATES = (0.02, 0.02, 0.01, 0.01, 0.005, 0.005, 0.002, 0.001)


@dataclass(frozen=True)
class Played:
    """A game as it is learned from: the hands as bits, just after the opening, and every turn."""

    opener: int
    hands: tuple[int, ...]
    turns: tuple[tuple[int, bool], ...]
    """The tile's number (-1: passed), and whether it was laid on the left."""


def play(seed: str, teacher: str, effort: int) -> Played:
    """One game of a teacher against itself."""
    make = cubos.Pimc if teacher == "pimc" else cubos.CubosChampion
    state = GAME.start(settle("cubos", GAME.options, {}))
    rng = Rng(seed)
    players = [make(Rng(derive(seed, "seat", seat)), Budget(effort=effort)) for seat in range(4)]
    opener, turns = 0, []
    hands: tuple[int, ...] = ()
    while to_move := GAME.to_move(state):
        seat = to_move[0]
        if seat < 0:
            move = GAME.chance(state, rng)
        else:
            if not hands:
                opener, hands = (seat + 3) % 4, tuple(cubos.mask_of(hand) for hand in state.hands)
            move = players[seat].choose(GAME.view(state, seat))
            if isinstance(move, Lay):
                turns.append((cubos.number_of(move.tile), move.side == "left"))
            elif isinstance(move, Pass):
                turns.append((-1, False))
        state = GAME.apply(state, {seat: move})
    return Played(opener, hands, tuple(turns))


def play_many(seed: str, teacher: str, effort: int, first: int, games: int) -> list[str]:
    """Some games, as lines."""
    played = [play(derive(seed, number), teacher, effort) for number in range(first, first + games)]
    return [json.dumps([one.opener, one.hands, one.turns]) for one in played]


def games_of(seed: str, teacher: str, effort: int, games: int, path: Path) -> list[Played]:
    """Games that were kept, or that are played now."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            jobs = [pool.submit(play_many, seed, teacher, effort, first, 20) for first in range(0, games, 20)]
            lines = []
            for number, job in enumerate(jobs):
                lines += job.result()
                print(f"\r{teacher}: {20 * (number + 1)} of {games} games", end="", flush=True)
        print()
        path.write_text("\n".join(lines) + "\n")
    found = []
    for line in path.read_text().splitlines():
        opener, hands, turns = json.loads(line)
        found.append(Played(opener, tuple(hands), tuple((tile, left) for tile, left in turns)))
    return found


def retold(played: Played) -> tuple[Past, list[tuple[int, int]]]:
    """The game as the search reads it, and of each turn with a choice the hand it was made with."""
    past = Past(played.opener)
    hands = list(played.hands)
    choices = []
    for turn, (tile, left) in enumerate(played.turns):
        seat = int(past.seat)
        if tile < 0:
            past.skip()
            continue
        choices.append((turn, hands[seat]))
        past.lay(tile, left)
        hands[seat] &= ~(1 << tile)
    return past, choices


def learned(games: Sequence[Played], start: Sequence[float]) -> list[float]:
    """A policy that chooses as was chosen in these games."""
    policies = Policies(start)
    held, rest = games[: len(games) // 10], games[len(games) // 10 :]
    chance = mean_loss(held, Policies([0.0] * POLICY))
    for rate in RATES:
        for played in rest:
            past, choices = retold(played)
            judge = Judge(past, policies)
            for turn, hand in choices:
                judge.learn(turn, hand, 0, rate)
        print(f"  rate {rate}: {mean_loss(held, policies):.4f} (by chance: {chance:.4f})")
    return [round(float(number), 4) for number in policies.numbers]


def mean_loss(games: Sequence[Played], policies: Policies) -> float:
    """Minus the mean logarithm of the chance of what was chosen."""
    losses = []
    for played in games:
        past, choices = retold(played)
        judge = Judge(past, policies)
        losses += [-judge.likelihood(turn, hand, 0) for turn, hand in choices]
    return sum(losses) / len(losses)


def write(champion: Sequence[float], plain: Sequence[float]) -> None:
    """The policies as a file of numbers."""
    greedy = [GREEDY if at % FEATURES == 0 else 0.0 for at in range(POLICY)]
    rows = []
    for name, policy in (
        ("champion", champion),
        ("pimc", plain),
        ("greedy", greedy),
        ("random", [0.0] * POLICY),
    ):
        rows.append(f"    # {name}")
        rows += [f"    {line}" for line in _lines(policy)]
    NUMBERS.write_text(
        '"""The policies of cubos, as `python -m scripts.train_cubos` learned and wrote them."""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        "POLICIES: Final = [\n" + "\n".join(rows) + "\n]  # fmt: skip\n"
        f'"""One after another; for each number of tiles in hand, the weights of {FEATURES} features."""\n'
    )


def _lines(policy: Sequence[float]) -> Iterator[str]:
    for first in range(0, len(policy), 10):
        yield ", ".join(f"{number:g}" for number in policy[first : first + 10]) + ","


def main() -> None:
    """Play, learn, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--worlds", type=int, default=24)
    parser.add_argument("--seed", default="train")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    seed, worlds = f"{arguments.seed}/{arguments.worlds}", arguments.worlds
    kept = ROOT / "build" / "training"
    name = f"{arguments.seed}-{worlds}-{arguments.games}"
    plain = learned(
        games_of(f"{seed}/pimc", "pimc", worlds, arguments.games, kept / f"{name}-pimc.jsonl"), [0.0] * POLICY
    )
    write(plain, plain)
    champion = plain
    for number in range(arguments.rounds):
        # the workers are new processes: they read the policies that were just written
        path = kept / f"{name}-champion{number}.jsonl"
        champion = learned(
            games_of(f"{seed}/champion{number}", "champion", worlds, arguments.games, path), champion
        )
        write(champion, plain)


if __name__ == "__main__":
    main()
