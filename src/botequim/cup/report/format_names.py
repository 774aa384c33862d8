"""Names of the formats of stages in the reader's language."""

from __future__ import annotations

from botequim.i18n import _


def format_name(name: str) -> str:
    """Return the name of a format; a format of another package has only the name in the cup file."""
    names = {
        "round_robin": _("round robin"),
        "confrontos": _("league of confrontos"),
        "knockout": _("knockout"),
        "combinations": _("all combinations"),
        "gauntlet": _("gauntlet"),
        "best_of": _("best of N"),
        "swiss": _("Swiss system"),
        "ladder": _("ladder"),
    }
    return names.get(name, name)
