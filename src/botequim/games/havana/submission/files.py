"""The submission of havana: one `student_players.py` in plain Python, and a text about its strategy."""

from __future__ import annotations

from botequim.games.havana.search.data import havana_policy
from botequim.games.havana.search.policy import FEATURES, STAGES
from botequim.submissions.bundle import bundle_program
from botequim.submissions.sources import replace_once

STRATEGY = """\
How this pair plays
===================

Every move that can be made, passing too, is described by some thirty numbers: the pips of the tile, whether
it is a double, how many tiles of ours will fit the ends it leaves, how many of those numbers have not been
seen, whose tile it covers, whether the partner has offered the number, and how likely each of the other
three then has nothing to lay. For that chance the player keeps for each of them which tiles it may hold:
who passes has nothing that fits; and an opponent who has always laid the heaviest tile that fits, as a
greedy player does, holds nothing heavier either.

Each number has a weight, another one at each of four stages of the game. The move with the greatest sum is
made. The weights were learnt in some million games: every move of a turn was played out from the same deal,
and whatever the better ones have in common gained weight. The opponents were greedy pairs, pairs that lay
anything, and this pair itself as it was a little earlier.

A voluntary pass is weighed like any other move; it is hardly ever the best.

The weights, when 1-2, 3-4, 5-7 or 8-10 tiles are held:

"""


def files() -> dict[str, str]:
    modules = ("search.bits", "search.chance", "games.havana.search.position", "games.havana.search.policy")
    program = bundle_program(
        "A havana pair that weighs its moves.", modules, main="games.havana.submission.main"
    )
    future = "from __future__ import annotations\n"
    program = replace_once(program, future, f"{future}\nfrom basic_players import Player\n")
    weights = havana_policy()
    return {
        "student_players.py": replace_once(program, "havana_policy()", _literal(weights)),
        "strategy.txt": STRATEGY + _table(weights),
    }


def _literal(weights: tuple[float, ...]) -> str:
    width = len(FEATURES)
    rows = [", ".join(map(str, weights[at : at + width])) for at in range(0, len(weights), width)]
    return "(\n" + "".join(f"    {row},\n" for row in rows) + ")"


def _table(weights: tuple[float, ...]) -> str:
    width = len(FEATURES)
    lines = []
    for at, name in enumerate(FEATURES):
        numbers = [f"{weights[stage * width + at]:8.2f}" for stage in range(int(STAGES))]
        lines.append(f"{name:40}{''.join(numbers)}\n")
    return "".join(lines)
