"""`botequim match`: the options. `match_run` plays."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.clusters import add_cluster
from botequim.cli.options import add_bots, add_game, add_table, command_of, examples, whole
from botequim.i18n import _

MOST_GAMES = 10_000_000
SLOWEST = 60_000
GAIN_PERCENT = 3.0


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "match",
        description=_(
            "Plays games between entrants. Each deal is played once from every side. With more entrants "
            "than a table has, every pairing plays, and a cross table and ratings show the result; in a "
            "game for a variable number of players, --option players=N gives the size of the tables."
        ),
        epilog=examples("match"),
    )
    add_game(parser)
    parser.add_argument(
        "entrants",
        metavar=_("PLAYER"),
        nargs="+",
        help=_(
            "one for each team, or more: a built-in player, a file, a folder, an archive, cmd:... or http://..."
        ),
    )
    parser.add_argument(
        "-n",
        "--games",
        metavar="N",
        type=whole(1, MOST_GAMES),
        help=_("the number of games of each pairing (1); with --sprt, the maximum (100,000)"),
    )
    parser.add_argument(
        "--sprt",
        metavar=_("GAIN"),
        nargs="?",
        const=GAIN_PERCENT,
        type=_gain,
        help=_(
            "play until it is clear whether the first of two players is better by GAIN percent or more (3)"
        ),
    )
    add_table(parser)
    parser.add_argument(
        "--transcript", metavar=_("FILE"), type=Path, help=_("write every game to this file, move by move")
    )
    parser.add_argument(
        "--restart",
        choices=("game", "series"),
        help=_("restart bots after each game or each series (default: as in the competition)"),
    )
    add_bots(parser)
    parser.add_argument(
        "--workers",
        metavar="N",
        type=whole(1, MOST_GAMES),
        help=_("number of worker processes (default: one per core)"),
    )
    add_cluster(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quiet", action="store_true", help=_("print only the result"))
    how.add_argument(
        "-s",
        "--speed",
        metavar="MS",
        type=whole(0, SLOWEST),
        help=_("draw every game at the terminal, with so many milliseconds per turn; keys as in `watch`"),
    )
    how.add_argument("--verbose", action="store_true", help=_("describe every game move by move"))
    how.add_argument("--json", action="store_true", help=_("the result as JSON"))
    parser.set_defaults(run=command_of("match_run", "run_match"))
    return parser


def _gain(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 40:  # also false for what is not a number
        raise argparse.ArgumentTypeError(
            _('"{text}" is not a percentage from 0.1 to 40 (write --sprt after the players)', text=text)
        )
    return value
