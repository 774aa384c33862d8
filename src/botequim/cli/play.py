"""`botequim play`: the options. `play_run` plays."""

from __future__ import annotations

import argparse
from typing import Any

from botequim.cli.options import add_bots, add_game, add_table, command_of, examples
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "play",
        description=_(
            "You play against the champions or other players. Type h for help, and q to quit; a game "
            "that you quit is saved and can be continued."
        ),
        epilog=examples("play", "--list")
        + "\n"
        + _("If the commands come from a pipe, the same commands give the same game."),
    )
    add_game(parser, nargs="?")
    parser.add_argument(
        "--against",
        metavar=_("PLAYER"),
        action="append",
        help=_("your opponent (default: the strongest player); may be repeated if more than two play"),
    )
    parser.add_argument("--partner", metavar=_("PLAYER"), help=_("your partner, in games of pairs"))
    parser.add_argument("--seat", metavar="N", type=int, help=_("your seat, counted from 1 (1)"))
    parser.add_argument("--name", metavar=_("NAME"), help=_("your name"))
    parser.add_argument(
        "--best-of",
        metavar="N",
        type=int,
        help=_("games in the match (default: chosen by the game, usually 1)"),
    )
    parser.add_argument("--hint", action="store_true", help=_("advice at every turn"))
    parser.add_argument(
        "--adviser", metavar=_("PLAYER"), help=_("the player that gives the advice (default: the strongest)")
    )
    add_table(parser)
    parser.add_argument(
        "--browser",
        action="store_true",
        help=_("play in the browser on this machine; without a game, choose one there"),
    )
    parser.add_argument(
        "--plain", action="store_true", help=_("plain lines of text, without colours or redrawing")
    )
    parser.add_argument(
        "--continue",
        dest="go_on",
        metavar=_("FILE"),
        nargs="?",
        const="",
        help=_("continue the last saved game, or the one in FILE"),
    )
    parser.add_argument("--list", action="store_true", help=_("list the saved games"))
    parser.add_argument("--json", action="store_true", help=_("with --list: as JSON"))
    add_bots(parser)
    parser.set_defaults(run=command_of("play_run", "run_play"))
    return parser
