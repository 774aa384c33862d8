"""Teaches the networks of cubos, and writes `src/botequim/games/cubos/search/numbers.py`.

    python -m scripts.train_cubos

Plain searchers play each other, and a network learns to choose as they do: the searcher. Then another, the
pair, begins as that one is, and learns by playing, half of the time against the searcher and half against
itself. Ten minutes on two cores go into the searchers' games, one into learning from them, ten on one core
into playing. The same seed gives the same numbers. Games are kept under build/, and are not played again
until the teachers' sources change.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from botequim.core.options import resolve_options
from botequim.core.rng import Rng, derive
from botequim.games.cubos import champion
from botequim.games.cubos.rules import GAME, Lay, Pass
from botequim.games.cubos.search.history import History
from botequim.games.cubos.search.policy import (
    GREEDY,
    NUMBERS_OF_A_NETWORK,
    OUT,
    SEARCHES,
    UNITS,
    WIDTH,
    MoveModel,
    Network,
)
from botequim.games.cubos.search.self_play import SelfPlay
from botequim.games.cubos.search.training import Trainer
from botequim.search.chance import dice

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "botequim"
NUMBERS = SOURCE / "search" / "cubos_numbers.py"
TEACHERS = (champion.Pimc, champion.PimcOfASecond)
NOT_THE_TEACHERS = ("numbers.py", "lessons.py", "self_play.py")
"""Sources of the search that plain searchers do not use: what is taught, and how."""
LESSONS = 20
"""So often every game is gone through."""
AT_ONCE = 256
"""Choices that a step is made by."""
RATE = 0.003
"""Of the first step; it goes down to nothing as a cosine does."""
HELD_BACK = 8
"""One in so many games is not learned from: it tells how good the network is."""
TOGETHER = 20
"""Games that a process plays at a time."""
STEPS = 9000
"""Of the pair, each after some deals that are played several times."""
DEALS = 64
GAMES_OF_A_DEAL = 8
PAIR_RATE = 0.006
"""Of the pair's first step; it goes down in the same way."""
SEEN = 20_000
"""Deals by which it is seen how good a pair is."""


@dataclass(frozen=True)
class Played:
    """A game as it is learned from: the hands as bits, just after the opening, and every turn."""

    opener: int
    hands: tuple[int, ...]
    turns: tuple[tuple[int, bool], ...]
    """The tile's number (-1: passed), and whether it was laid on the left."""

    def retold(self) -> tuple[History, list[tuple[int, int]]]:
        """The game as the search reads it, and of each tile laid the turn and the hand it was in."""
        past = History(self.opener)
        hands = list(self.hands)
        choices = []
        for turn, (tile, left) in enumerate(self.turns):
            seat = int(past.seat)
            if tile < 0:
                past.pass_turn()
                continue
            choices.append((turn, hands[seat]))
            past.lay(tile, left)
            hands[seat] &= ~(1 << tile)
        return past, choices


def play(seed: str) -> Played:
    """One game of the teachers against each other; they change sides from deal to deal."""
    state = GAME.start(resolve_options("cubos", GAME.options, {}))
    rng = Rng(seed)
    first = Rng(derive(seed, "sides")).below(2)
    players = [TEACHERS[(seat + first) % 2](Rng(derive(seed, "seat", seat))) for seat in range(4)]
    opener, turns = 0, []
    hands: tuple[int, ...] = ()
    while to_move := GAME.to_move(state):
        seat = to_move[0]
        if seat < 0:
            move = GAME.chance(state, rng)
        else:
            if not hands:
                opener, hands = (seat + 3) % 4, tuple(champion.mask_of(hand) for hand in state.hands)
            move = players[seat].choose(GAME.view(state, seat))
            if isinstance(move, Lay):
                turns.append((champion.number_of(move.tile), move.side == "left"))
            elif isinstance(move, Pass):
                turns.append((-1, False))
        state = GAME.apply(state, {seat: move})
    return Played(opener, hands, tuple(turns))


def play_many(seed: str, first: int) -> list[str]:
    """Some games, as lines."""
    played = [play(derive(seed, number)) for number in range(first, first + TOGETHER)]
    return [json.dumps([one.opener, one.hands, one.turns]) for one in played]


def digest_of(source: Path) -> str:
    """Of the teachers' sources in this folder: other teachers, other games."""
    cubos = source / "games" / "cubos"
    paths = [cubos / "champion.py", *sorted((cubos / "search").glob("*.py"))]
    paths += [source / "search" / name for name in ("bits.py", "chance.py", "worlds.py")]
    made = hashlib.sha256()
    for path in paths:
        if path.name not in NOT_THE_TEACHERS:
            made.update(path.read_bytes() + b"\0")
    return made.hexdigest()[:12]


def kept_at(folder: Path, seed: str, games: int, source: Path = SOURCE) -> Path:
    """Where these games are kept."""
    return folder / f"{seed}-{games}-{digest_of(source)}.jsonl"


def games_of(
    seed: str, games: int, path: Path, played: Callable[[str, int], list[str]] = play_many
) -> list[Played]:
    """Games that were kept, or that are `played` now: in whole lots, and what is too many is cut off."""
    if not path.exists():
        lines: list[str] = []
        starts = range(0, games, TOGETHER)
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            for some in pool.map(played, [seed] * len(starts), starts):
                lines += some
                print(f"\r{min(len(lines), games)} of {games} games", end="", flush=True)
        print()
        _keep(path, lines[:games])
    found = []
    for line in path.read_text(encoding="ascii").splitlines():
        opener, hands, turns = json.loads(line)
        found.append(Played(opener, tuple(hands), tuple((tile, left) for tile, left in turns)))
    return found


def _keep(path: Path, lines: Sequence[str]) -> None:
    """Write a file that is there only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    part.replace(path)


def learned(games: Sequence[Played], seed: str) -> list[float]:
    """A network that chooses as was chosen in these games."""
    rng = Rng(derive(seed, "learned"))
    trainer = Trainer(Network(beginning(rng)))
    held, rest = list(games[::HELD_BACK]), [game for at, game in enumerate(games) if at % HELD_BACK]
    told = [game.retold() for game in rest]
    steps = LESSONS * sum(len(choices) for _, choices in told) / AT_ONCE
    step = 0
    for lesson in range(LESSONS):
        choices = rng.shuffled([(past, turn, hand) for past, made in told for turn, hand in made])
        losses = []
        for past, turn, hand in choices:
            losses.append(trainer.learn_from(past, MoveModel(past, trainer.network), turn, hand))
            if trainer.seen == AT_ONCE:
                trainer.step(RATE * _cosine(step / steps))
                step += 1
        seen = mean_loss(held, trainer.network)
        print(f"lesson {lesson + 1}: {_mean(losses):.4f} a choice, in games held back {seen:.4f}", flush=True)
    return _rounded(trainer.network)


def practised(searcher: Sequence[float], seed: str, steps: int) -> list[float]:
    """A pair that began as searchers do, and has played since."""
    rng = Rng(derive(seed, "practised"))
    trainer = Trainer(Network(searcher))
    self_play = SelfPlay(trainer.network, Network(searcher), dice(rng))
    for step in range(steps):
        self_play.train(trainer, DEALS, GAMES_OF_A_DEAL, step % 2 == 0)
        trainer.step(PAIR_RATE * _cosine(step / steps))
        if (step + 1) % max(1, steps // 10) == 0:
            greedy, searching = self_play.match(SEEN // 10, GREEDY), self_play.match(SEEN // 10, SEARCHES)
            print(
                f"step {step + 1}: {greedy:.3f} against greedy, {searching:.3f} against searchers", flush=True
            )
    pair = _rounded(trainer.network)
    self_play = SelfPlay(Network(pair), Network(searcher), dice(Rng(derive(seed, "seen"))))
    print(f"the pair: {self_play.match(SEEN, GREEDY):.3f} against greedy, ", end="")
    print(f"{self_play.match(SEEN, SEARCHES):.3f} against searchers")
    return pair


def _cosine(done: float) -> float:
    """What is left of a rate: all at first, nothing at the end."""
    return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))


def _rounded(network: Network) -> list[float]:
    return [round(float(number), 3) for number in network.numbers]


def beginning(rng: Rng) -> list[float]:
    """Small weights by chance; what counts as it is begins at nothing."""
    numbers = [0.0] * int(NUMBERS_OF_A_NETWORK)
    for at in range(len(numbers)):
        if at % int(WIDTH) < int(UNITS):
            size = 0.25 if at // int(WIDTH) == int(OUT) else 0.1
            numbers[at] = size * (rng.below(2001) - 1000) / 577
    numbers[-1] = 1.0
    return numbers


def mean_loss(games: Sequence[Played], network: Network) -> float:
    """Minus the mean logarithm of the chance of what was chosen, where there was a choice."""
    losses = []
    for game in games:
        past, choices = game.retold()
        model = MoveModel(past, network)
        for turn, hand in choices:
            if model.list_moves(hand, past.covered[turn], past.kept[turn]) > 1:
                model.log_likelihoods(turn, hand)
                losses.append(-float(model.logs[0]))
    return _mean(losses)


def _mean(losses: Sequence[float]) -> float:
    made = [loss for loss in losses if loss > 0.0]
    return sum(made) / len(made)


def write(searcher: Sequence[float], pair: Sequence[float]) -> None:
    """The networks as a file of numbers."""
    NUMBERS.write_text(
        '"""The networks of cubos, as `python -m scripts.train_cubos` taught and wrote them.\n\n'
        'Thousandths of weights, a row after another, as cubos_policy.py names them.\n"""\n\n'
        "from __future__ import annotations\n\nfrom typing import Final\n\n"
        + "\n".join([*_list_moves("_SEARCHER", searcher), *_list_moves("_PAIR", pair)])
        + "\nSEARCHER: Final = [number / 1000 for number in _SEARCHER]\n"
        '"""Chooses as plain searchers do."""\n'
        "PAIR: Final = [number / 1000 for number in _PAIR]\n"
        '"""Chooses as one who has played with itself as partner."""\n'
    )


def _list_moves(name: str, numbers: Sequence[float]) -> Iterator[str]:
    yield f"{name}: Final = ["
    for line in _lines(numbers):
        yield f"    {line}"
    yield "]  # fmt: skip"


def _lines(numbers: Sequence[float]) -> Iterator[str]:
    for first in range(0, len(numbers), int(WIDTH)):
        yield ", ".join(f"{number * 1000:.0f}" for number in numbers[first : first + int(WIDTH)]) + ","


def _some(given: str) -> int:
    """A number of games: one to be held back, one to be learned from."""
    if int(given) < 2:
        raise argparse.ArgumentTypeError("at least 2 games")
    return int(given)


def main() -> None:
    """Play, learn, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=_some, default=8000)
    parser.add_argument("--seed", default="train")
    parser.add_argument("--steps", type=int, default=STEPS)
    given = parser.parse_args()
    path = kept_at(ROOT / "build" / "training", given.seed, given.games)
    searcher = learned(games_of(given.seed, given.games, path), given.seed)
    write(searcher, practised(searcher, given.seed, given.steps))


if __name__ == "__main__":
    main()
