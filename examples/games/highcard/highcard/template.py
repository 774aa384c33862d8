"""A cup file to start from: `botequim cup new highcard cup.toml`."""

from __future__ import annotations

from botequim import msg
from botequim.cup.templates import LIMITS, Template, built_in_entrants, stage_lines

TEMPLATE = Template(
    game="highcard",
    title="High card",
    about=msg("Everybody against everybody, ten games each."),
    tables=(LIMITS, "[limits]", "move = 5", "", *stage_lines("league", "round_robin", games=10)),
    entrants=built_in_entrants("champion", "first", "random"),
)
