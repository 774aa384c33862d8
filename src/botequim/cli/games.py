"""The options of `botequim games`."""

from __future__ import annotations

import argparse
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "games",
        description=_(
            "Lists the games there are, with their options and built-in players; or tells the rules of one."
        ),
        epilog=_("Examples:\n  botequim games\n  botequim games uno --rules\n  botequim games --json"),
    )
    parser.add_argument("game", metavar=_("GAME"), nargs="?", help=_("only this one"))
    parser.add_argument("--rules", action="store_true", help=_("its rules, to read"))
    parser.add_argument("--json", action="store_true", help=_("the list as JSON"))
    parser.set_defaults(run=doing("games"))
    return parser
