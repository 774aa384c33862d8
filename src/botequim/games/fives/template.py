"""The cup of All Fives: a match between two."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.templates import Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="fives",
    title="All Fives",
    about=msg(
        "All Fives for two: a match, best of three. With more entrants, each pair of them plays a match."
    ),
    tables=(
        "[options]",
        "target = 150",
        'target_rule = "over"',
        "",
        *stage_lines("match", "best_of", best_of=3, sides="drawn"),
    ),
    entrants=built_in_entrants("greedy", "random"),
)
