"""The cup of havana: a league of confrontos, then finals."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="havana",
    title="Copa de dominó de Havana",
    about=msg(
        "Partnership dominoes with the double-nine set: a league of confrontos of 1000 games, "
        "then the best four, whom lots place in two semi-finals, then a final and a match for "
        "third place."
    ),
    head=(
        msg("The players keep running for a whole confronto and may remember its games."),
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
            "Places depend on confrontos won, then on fewest confrontos lost, then on games won, "
            "then on fewest games lost; after that, entrants share a place. If fourth place is "
            "shared, at most 3 more confrontos are played; then a coin decides. All keep their "
            "seats; the seat that starts the first game is chosen at random, and in each further "
            "game the next seat starts."
        ),
        *stage_lines("league", "confrontos", games=1000, sides="fixed", starter="first", further=3),
        "",
        msg("After a tied confronto, at most 3 more are played; then a coin decides."),
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
        "",
        msg(
            "Grades, in laboratories of the course, for the private part of the report. The formula may "
            "change at any time."
        ),
        "[grades]",
        'formula = "2 if place == 1 else 1.5 if place == 2 else 0.5 if place == 3 else 0"',
    ),
    entrants=built_in_entrants("greedy", "dummy", "greedy", "dummy"),
)
