"""The cup of partnership block dominoes: a league, then finals."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="cubos",
    title="Rinha de dominó",
    about=msg(
        "Partnership block dominoes: everyone against everyone, then the best four: 1st against "
        "4th, 2nd against 3rd, a final and a match for third place."
    ),
    head=(
        msg("Bots are started again for each game, because some bots fail in a second game."),
        'restart = "game"',
    ),
    tables=(
        "[options]",
        msg('A blocked game is a draw; with "points", the team with fewer pips wins it.'),
        'blocked = "draw"',
        "",
        LIMITS,
        "[limits]",
        "move = 5",
        "start = 30",
        "memory = 1024",
        "cpus = 1",
        "",
        msg(
            "Points for each game: 3, 1, 0. Entrants with equal points are ordered by games won, "
            "then by the games between them, then by a play-off of three games; after a few tied "
            "play-offs, lots decide."
        ),
        *stage_lines("league", "round_robin", games=3, sides="drawn", win=3, draw=1, loss=0, playoff_games=3),
        "",
        msg(
            "A tied match is repeated until one side wins, at most ten times; then the better "
            "placed entrant advances. You can run this stage weeks later: botequim cup run FILE "
            "--stage finals"
        ),
        *stage_lines(
            "finals",
            "knockout",
            source="league",
            top=4,
            bracket="seeded",
            games=1,
            sides="drawn",
            third_place=True,
            replays=10,
            replay_games=1,
            level="seed",
        ),
    ),
    entrants=built_in_entrants("greedy", "random", "greedy", "random"),
    most_authors=3,
)
