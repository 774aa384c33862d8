"""Which modules mypyc compiles, chosen by profile, and whether it did. setup.py reads this file too."""

from __future__ import annotations

from importlib.util import find_spec

GROUPS = {
    "botequim_rules": (
        "botequim.core.turn",
        "botequim.core.rng",
        "botequim.core.player",
        "botequim.referee",
        "botequim.games.tiles",
        "botequim.games.cubos",
        "botequim.games.sides",
        "botequim.games.havana_moves",
        "botequim.games.havana_state",
        "botequim.games.havana",
        "botequim.games.spinner",
        "botequim.games.boneyard",
        "botequim.games.fives",
        "botequim.games.cards",
        "botequim.games.uno_moves",
        "botequim.games.uno_state",
        "botequim.games.uno",
        "botequim.games.rps",
        "botequim.players.havana",
        "botequim.dialects.havana",
    ),
    "botequim_search": (
        "botequim.search.bits",
        "botequim.search.chance",
        "botequim.search.worlds",
        "botequim.search.cubos",
        "botequim.search.cubos_past",
        "botequim.search.cubos_policy",
        "botequim.search.cubos_playout",
        "botequim.search.cubos_mind",
        "botequim.search.cubos_lessons",
        "botequim.search.cubos_practice",
        "botequim.search.rps",
        "botequim.search.rps_forecast",
        "botequim.search.rps_mind",
        "botequim.search.uno",
        "botequim.search.uno_contest",
        "botequim.search.uno_hands",
        "botequim.search.uno_search",
        "botequim.search.uno_seen",
        "botequim.search.havana",
        "botequim.search.havana_policy",
        "botequim.search.havana_lessons",
        "botequim.search.havana_playouts",
        "botequim.search.fives",
        "botequim.search.fives_standing",
        "botequim.search.fives_round",
    ),
}
"""By library: what is called all the time is built into its callers, if it is in the same one.

They are built at the same time, as far as there are cores.
"""

HOT = tuple(module for modules in GROUPS.values() for module in modules)


def is_compiled(module: str) -> bool:
    """Whether a module was compiled when the package was built."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None and not spec.origin.endswith(".py")
