"""The options of `botequim play`."""

from __future__ import annotations

import argparse
from typing import Any

from botequim.cli.arguments import add_bots, add_game, add_table, doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "play",
        description=_(
            "You play, against the champions or whom you like. Type h for help; what you leave with q can be "
            "continued."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim play fives\n"
            "  botequim play fives --hint --best-of 1\n"
            "  botequim play cubos --seat 3 --against champion@easy\n"
            "  botequim play uno --against champion --against greedy\n"
            "  botequim play rps --option rounds=10 --against ./my-bot\n"
            "  botequim play fives --continue\n"
            "  botequim play --list\n"
            "Over a pipe the same commands give the same game: botequim play fives --seed 7 < commands.txt"
        ),
    )
    add_game(parser, nargs="?")
    parser.add_argument(
        "--against",
        metavar=_("PLAYER"),
        action="append",
        help=_("whom you play against, the strongest if not given; uno: may be repeated"),
    )
    parser.add_argument("--partner", metavar=_("PLAYER"), help=_("who plays with you in cubos and havana"))
    parser.add_argument("--seat", metavar="N", type=int, help=_("which player you are (1)"))
    parser.add_argument("--name", metavar=_("NAME"), help=_("what you are called"))
    parser.add_argument("--best-of", metavar="N", type=int, help=_("games in the match (fives 3, else 1)"))
    parser.add_argument("--hint", action="store_true", help=_("advice at every turn"))
    parser.add_argument("--adviser", metavar=_("PLAYER"), help=_("whose advice (the strongest's)"))
    add_table(parser)
    parser.add_argument("--plain", action="store_true", help=_("lines only: no colours, nothing drawn over"))
    parser.add_argument(
        "--continue",
        dest="go_on",
        metavar=_("FILE"),
        nargs="?",
        const="",
        help=_("go on with the last game that was left, or with that of a file"),
    )
    parser.add_argument("--list", action="store_true", help=_("the games that were left"))
    parser.add_argument("--json", action="store_true", help=_("with --list: as JSON"))
    add_bots(parser)
    parser.set_defaults(run=doing("play"))
    return parser
