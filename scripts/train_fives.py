"""How rounds of fives go between equals, counted: `python -m scripts.train_fives`.

Writes src/botequim/games/fives/search/rounds.txt, from which a champion knows what a standing is worth.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from botequim import registry
from botequim.core.game import CHANCE
from botequim.core.options import resolve_options
from botequim.core.player import Strategy
from botequim.core.rng import Rng, private
from botequim.games.dominoes.tiles import Deal
from botequim.games.fives.rules import GAME, HIGHEST_DOUBLE, State

TABLE = Path(__file__).parent.parent / "src/botequim/games/fives/search/rounds.txt"
HEAD = """\
# How rounds of fives go between equals, by scripts/train_fives.py: for rounds that the last winner opened
# and for those that the highest double opened, what one player and the other got, in fives, who opens next
# (0 the one, 1 the other, 2 the highest double), and how often. Of the first kind, the one is the opener.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=12000)
    parser.add_argument("--player", default="greedy")
    parser.add_argument("--seed", default="fives rounds")
    given = parser.parse_args()
    counted = count(registry.player("fives", given.player), given.games, given.seed)
    lines = [" ".join(map(str, (*result, often))) for result, often in sorted(counted.items())]
    TABLE.write_text(HEAD + "\n".join(lines) + "\n", encoding="ascii")
    print(f"{sum(counted.values())} results, {len(lines)} of them different")


def count(make: Callable[[Rng], Strategy], games: int, seed: str) -> Counter[tuple[str, int, int, int]]:
    counted: Counter[tuple[str, int, int, int]] = Counter()
    for number in range(games):
        chance = Rng(f"{seed}/{number}")
        players = [make(Rng(private(f"{seed}/{number}", seat))) for seat in (0, 1)]
        for before, after in rounds(players, chance):
            note(counted, before, after)
    return counted


def rounds(players: list[Strategy], chance: Rng) -> list[tuple[State, State]]:
    """The states in which rounds begin and end."""
    found = []
    state = begun = GAME.start(resolve_options("fives", GAME.options, {}))
    while to_move := GAME.to_move(state):
        seat = to_move[0]
        move: Any
        if seat == CHANCE:
            move = GAME.chance(state, chance)
            if isinstance(move, Deal) and not state.board.is_empty():
                found.append((begun, state))
                begun = state
        else:
            move = players[seat].choose(GAME.view(state, seat))
        state = GAME.apply(state, {seat: move})
    return [*found, (begun, state)]


def note(counted: Counter[tuple[str, int, int, int]], before: State, after: State) -> None:
    """A round, seen from its opener; one that a double opened, from both sides."""
    gains = [(after.scores[seat] - before.scores[seat]) // 5 for seat in (0, 1)]
    for one in (0, 1):
        opens = 2 if after.seat == HIGHEST_DOUBLE else 0 if after.seat == one else 1
        if before.seat == HIGHEST_DOUBLE:
            counted["double", gains[one], gains[1 - one], opens] += 1
        elif before.seat == one:
            counted["opened", gains[one], gains[1 - one], opens] += 1


if __name__ == "__main__":
    main()
