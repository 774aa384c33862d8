"""The options of `botequim doctor`."""

from __future__ import annotations

import argparse
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "doctor",
        description=_("Tries every part on this machine, and says what to do about each that does not work."),
        epilog=_(
            "Examples:\n"
            "  botequim doctor\n"
            "  botequim doctor --json\n"
            "Exit code 0: games can be played; 1: something that every game needs does not work."
        ),
    )
    parser.add_argument("--json", action="store_true", help=_("the findings as JSON"))
    parser.set_defaults(run=doing("doctor"))
    return parser
