"""The cups of uno: every combination of three players, and the check of a candidate."""

from __future__ import annotations

from typing import Final

from botequim.core.messages import msg
from botequim.cup.config import Entry
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE: Final = Template(
    game="uno",
    title="Copa de Uno",
    about=msg(
        "Uno with a French deck: every combination of three players, one game each; wins and places count."
    ),
    tables=(
        LIMITS,
        "[limits]",
        "move = 3",
        "",
        msg("Players that share first place share the win."),
        *stage_lines("tables", "combinations", size=3, games=1, sides="drawn"),
    ),
    entrants=built_in_entrants("greedy", "random", "greedy", "random"),
)

CHECK: Final = Template(
    game="uno",
    title="Uno: check of a candidate",
    about=msg("A candidate plays ten games of Uno against the baselines."),
    tables=(
        LIMITS,
        "[limits]",
        "move = 3",
        "",
        *stage_lines("check", "combinations", size=3, games=10, sides="drawn"),
    ),
    entrants=(Entry("candidate", "greedy"), Entry("random", "random"), Entry("greedy", "greedy")),
)
