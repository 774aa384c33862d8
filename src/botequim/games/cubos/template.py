"""The cup of partnership block dominoes: a league, then finals."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="cubos",
    title="Rinha de dominó",
    about=msg(
        "Partnership block dominoes: all against all, then the best four, 1st against 4th and 2nd against "
        "3rd, a final and a match for the third place."
    ),
    head=(
        msg("Each game has instances of its own, since some bots do not survive a second one."),
        'restart = "game"',
    ),
    tables=(
        "[options]",
        msg('A blocked game is a draw; "points": the team with fewer pips wins it.'),
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
            "Points for each game: 3, 1, 0. Equal points: games won, then the games between them, then a "
            "play-off of three; after a few level play-offs the lot is drawn."
        ),
        *stage_lines("league", "round_robin", games=3, sides="drawn", win=3, draw=1, loss=0, playoff_games=3),
        "",
        msg(
            "A drawn match is played again until it is decided, at most ten times; then the better placed "
            "advances. Run it weeks later if you like: botequim cup run FILE --stage finals"
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
