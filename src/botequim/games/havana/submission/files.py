"""The submission of havana: one `student_players.py` in plain Python, and a text about its strategy."""

from __future__ import annotations

from botequim.core.messages import msg
from botequim.games.havana.search.data import havana_policy
from botequim.games.havana.search.policy import FEATURES, STAGES
from botequim.i18n import number, translate
from botequim.submissions.bundle import bundle_program
from botequim.submissions.sources import replace_once

STRATEGY = msg("""\
How this pair plays
===================

Thirty numbers describe each possible move, also a pass: the pips of the tile, whether it is a double, how
many of our tiles fit the new ends, how many tiles with these numbers have not been seen, whose tile it
covers, whether the partner has offered the number, and how likely each other player then has no tile that
fits. For this chance the player remembers which tiles each of them may hold: a player who passes has no
tile that fits, and an opponent who has always laid the heaviest tile that fits, as a greedy player does,
has no heavier one.

Each number has a weight, which is different in four parts of the game. The player makes the move with the
greatest sum. The weights were learnt in about a million games: every move of a turn was played out from the
same deal, and whatever the better moves have in common gained weight. The opponents were greedy pairs,
pairs that lay any tile, and earlier versions of this pair.

A voluntary pass is weighed like any other move; it is hardly ever the best.

The weights, with 1-2, 3-4, 5-7 or 8-10 tiles in hand:

""")


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
        "strategy.txt": translate(STRATEGY) + _table(weights),
    }


def _literal(weights: tuple[float, ...]) -> str:
    width = len(FEATURES)
    rows = [", ".join(map(str, weights[at : at + width])) for at in range(0, len(weights), width)]
    return "(\n" + "".join(f"    {row},\n" for row in rows) + ")"


def _table(weights: tuple[float, ...]) -> str:
    width = len(FEATURES)
    lines = []
    for at, name in enumerate(FEATURES):
        numbers = [number(f"{weights[stage * width + at]:8.2f}") for stage in range(int(STAGES))]
        lines.append(f"{name:40}{''.join(numbers)}\n")
    return "".join(lines)
