"""The options of `botequim match`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import add_bots, add_game, add_table, doing, whole
from botequim.i18n import _

MOST_GAMES = 10_000_000


GAIN_PERCENT = 3.0


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "match",
        description=_("Plays entrants against each other, each deal from every side."),
        epilog=_(
            "Examples:\n"
            "  botequim match cubos random greedy\n"
            "  botequim match cubos random greedy --games 2000 --seed 7\n"
            "  botequim match rps greedy random --option rounds=10 --records games/\n"
            "  botequim match cubos greedy random --games 100 --json\n"
            "  botequim match fives champion greedy --games 39 --transcript series.txt\n"
            "  botequim match uno ./my-bot greedy --games 50\n"
            "  botequim match cubos ./new-bot ./old-bot --sprt\n"
            "  botequim match cubos cmd:'node index.mjs' http://127.0.0.1:8000/"
        ),
    )
    add_game(parser)
    parser.add_argument(
        "entrants",
        metavar=_("PLAYER"),
        nargs="+",
        help=_("one for each team: a built-in player, a file, a folder, an archive, cmd:... or http://..."),
    )
    parser.add_argument(
        "--games",
        metavar="N",
        type=whole(1, MOST_GAMES),
        help=_("how many games (1); with --sprt, at most (100,000)"),
    )
    parser.add_argument(
        "--sprt",
        metavar=_("GAIN"),
        nargs="?",
        const=GAIN_PERCENT,
        type=_gain,
        help=_("play until it is known whether the first of two is better, by GAIN percent or more (3)"),
    )
    add_table(parser)
    parser.add_argument(
        "--transcript", metavar=_("FILE"), type=Path, help=_("write every game there, told move by move")
    )
    parser.add_argument(
        "--restart",
        choices=("game", "series"),
        help=_("how long a bot's instances live (as its competition has it)"),
    )
    add_bots(parser)
    parser.add_argument(
        "--workers", metavar="N", type=whole(1, MOST_GAMES), help=_("processes to play in (one per core)")
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quiet", action="store_true", help=_("only the result"))
    how.add_argument("--verbose", action="store_true", help=_("tell every game move by move"))
    how.add_argument("--json", action="store_true", help=_("the result as JSON"))
    parser.set_defaults(run=doing("match"))
    return parser


def _gain(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 40:  # also false for what is not a number
        raise argparse.ArgumentTypeError(
            _('"{text}" is not a percentage from 0.1 to 40 (put --sprt behind the players)', text=text)
        )
    return value
