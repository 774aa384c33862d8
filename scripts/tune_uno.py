"""Breeds the styles that the champion of uno is played on with: `src/botequim/games/uno/search/styles.py`.

    python -m scripts.tune_uno

One style is bred at a table of two, one at a table of four, each in about ten minutes on an idle core. Each
generation makes styles around the mean of the last, plays them against the heuristic's style and against that
mean, and goes on from the best quarter. The same seed gives the same numbers.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from botequim.games.uno.search.search import ours, theirs
from botequim.games.uno.search.style_match import contest
from botequim.games.uno.search.table import FOLLOWERS, NEAR, STYLE

STYLES = Path(__file__).parent.parent / "src/botequim/games/uno/search/styles.py"
TABLES = {2: "OF_TWO", 4: "OF_MORE"}
"""By the players at a table: what the style that is bred there is called."""
GENERATIONS = 60
MADE, KEPT = 32, 8
"""Styles of a generation, and those of them that the next is made by."""
DEALS = 3000
"""That a style plays at a table of two; at a larger one as many fewer as it takes longer."""
NARROWEST = 1.5
"""Styles never scatter less than that around their mean."""
SEEN = 10_000
"""Deals by which it is seen how good a mean is."""
EACH = 5
"""After so many generations it is seen."""


def bred(
    players: int, generations: int, deals: int, seed: int, see: Callable[[int, list[int]], None]
) -> list[int]:
    """The style that comes out for a table; `see` is shown the mean of each generation."""
    rng = random.Random(seed * 10 + players)
    mean = [number / 5 for number in theirs()]
    width = [20.0 if at < FOLLOWERS else 5.0 for at in range(STYLE)]
    for generation in range(generations):
        made = [[rng.gauss(*one) for one in zip(mean, width, strict=True)] for _ in range(MADE)]
        first = (seed * generations + generation) * MADE + 1
        won = [
            won_by(style, mean, players, deals * 2 // players, first + at) for at, style in enumerate(made)
        ]
        best = sorted(range(MADE), key=lambda at: -won[at])[:KEPT]
        for at in range(STYLE):
            column = [made[one][at] for one in best]
            centre = sum(column) / KEPT
            spread = (sum((number - centre) ** 2 for number in column) / (KEPT - 1)) ** 0.5
            width[at] = max(NARROWEST, 0.7 * width[at] + 0.3 * spread)
            mean[at] = 0.3 * mean[at] + 0.7 * centre
        see(generation + 1, whole(mean))
    return whole(mean)


def won_by(style: Sequence[float], mean: Sequence[float], players: int, deals: int, seed: int) -> float:
    """What a style wins against the heuristic's and against the mean of its generation, added up."""
    others = players - 1
    against = contest([whole(style), *[theirs()] * others], deals, seed)[0]
    return against + contest([whole(style), *[whole(mean)] * others], deals, seed)[0]


def whole(style: Sequence[float]) -> list[int]:
    """Styles are played in whole numbers."""
    return [round(number) for number in style]


def text(styles: Mapping[int, Sequence[int]]) -> str:
    """The file of the styles, by players."""
    return (
        '"""The styles for playouts of the champion of uno, selected and written by '
        "`python -m scripts.tune_uno`."
        "\n\nA row for numbers, V, D, R, A and C, by how close the next player is to an empty hand; then the "
        "weight of each\ncard in the hand that can follow, and of each card of the same value.\n"
        '"""\n\nfrom __future__ import annotations\n\nfrom typing import Final\n\n'
        + "\n".join(_listed(TABLES[2], styles[2]))
        + '\n"""For two players."""\n'
        + "\n".join(_listed(TABLES[4], styles[4]))
        + '\n"""For more players; tuned at a table of four."""\n'
    )


def _listed(name: str, style: Sequence[int]) -> Iterator[str]:
    yield f"{name}: Final = ["
    for first in range(0, len(style), int(NEAR)):
        yield "    " + " ".join(f"{number}," for number in style[first : first + int(NEAR)])
    yield "]  # fmt: skip"


def _at_least_one(given: str) -> int:
    if int(given) < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return int(given)


def main() -> None:
    """Breed, write, and say how it goes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--players", type=int, choices=TABLES, help="only at this table; the other style stays"
    )
    parser.add_argument("--generations", type=_at_least_one, default=GENERATIONS)
    parser.add_argument("--deals", type=_at_least_one, default=DEALS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    styles = {players: ours(players) for players in TABLES}
    for players in [given.players] if given.players else TABLES:

        def see(done: int, mean: list[int], players: int = players) -> None:
            print(f"\r{players} players: {done} of {given.generations} generations", end="", flush=True)
            if done % EACH == 0 or done == given.generations:
                share = contest([mean, *[theirs()] * (players - 1)], SEEN, 1_000_000 + done)[0]
                print(f", {share:.4f} against the heuristic's style", flush=True)

        styles[players] = bred(players, given.generations, given.deals, given.seed, see)
    STYLES.write_text(text(styles), encoding="ascii")


if __name__ == "__main__":
    main()
