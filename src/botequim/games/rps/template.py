"""The cup of rock, paper, scissors: a bracket."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="rps",
    title="BattleBots",
    about=msg("Rock, paper, scissors with memory: a bracket of single games, byes for the best seeds."),
    tables=(
        "[options]",
        "rounds = 50",
        "",
        LIMITS,
        "[limits]",
        "move = 5",
        "",
        msg(
            "Lots decide the bracket, and the number that an entrant gets is its seed; with "
            '"seeded", the seeds follow the order of this file. After a drawn game, at most three '
            "more are played; then the better seed advances."
        ),
        *stage_lines(
            "bracket",
            "knockout",
            bracket="drawn",
            games=1,
            sides="fixed",
            third_place=False,
            replays=3,
            replay_games=1,
            level="seed",
        ),
    ),
    entrants=built_in_entrants("greedy", "random", "greedy", "random"),
)
