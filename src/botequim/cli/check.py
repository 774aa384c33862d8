"""The options of `botequim check`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import add_bots, doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        description=_(
            "Seats a bot in real games, isolated as in a competition, and looks at every answer: does it "
            "start, is it in time, does it play well by the rules in a hundred awkward positions, does it "
            "survive a second game, how much does it take? After a fault it is asked again in other ways, "
            "to name the mistake. Exit code: 0 it is ready (there may be warnings), 1 it is not, 2 it cannot "
            "be tried."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim check ./my-bot --game cubos\n"
            "  botequim check cmd:'python3 bot.py' --game uno --quick\n"
            "  botequim check student_players.py --game havana --records failed/"
        ),
    )
    parser.add_argument(
        "bot", metavar=_("BOT"), help=_("a file, a folder, an archive, cmd:... or http://...")
    )
    parser.add_argument("--game", metavar=_("GAME"), required=True, help=_("the game it is to play"))
    parser.add_argument("--quick", action="store_true", help=_("fewer positions, for a first look"))
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=float,
        help=_("stop after so long (else 120 s, with --quick 30 s, longer for a slow bot)"),
    )
    parser.add_argument(
        "--records",
        metavar=_("FOLDER"),
        type=Path,
        help=_("keep the games that went wrong there, so that `ask` can ask again"),
    )
    add_bots(parser)
    parser.add_argument("--json", action="store_true", help=_("the result as JSON"))
    parser.set_defaults(run=doing("check"))
    return parser
