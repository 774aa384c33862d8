"""The cup of havana: a league of confrontos, then finals."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="havana",
    title="Torneio de dominó de Havana",
    about=msg(
        "Partnership dominoes with the double-nine set: a league of confrontos of 1000 games, then the best "
        "four, drawn into two semi-finals, a final and a match for the third place."
    ),
    head=(
        msg("The players live through a confronto, and may remember its games."),
        'restart = "series"',
    ),
    tables=(
        LIMITS,
        "[limits]",
        "move = 1",
        "timeouts = 5",
        "thinking = 300",
        "",
        msg(
            "Confrontos won, then fewest lost, then games won, then fewest lost, then a shared place. A "
            "shared fourth place: further confrontos, at most 3, then a coin. All keep their seats; who "
            "starts is drawn, and then it is the next one's turn in each game."
        ),
        *stage_lines("league", "confrontos", games=1000, sides="fixed", starter="first", further=3),
        "",
        msg("A tied confronto is followed by further ones, at most 3, then a coin decides."),
        *stage_lines(
            "finals",
            "knockout",
            source="league",
            top=4,
            bracket="drawn",
            games=1000,
            sides="fixed",
            starter="first",
            third_place=True,
            replays=3,
            level="coin",
        ),
    ),
    entrants=built_in_entrants("greedy", "dummy", "greedy", "dummy"),
)
