"""The options of `botequim ask`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import add_bots, doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "ask",
        description=_(
            "Asks a bot exactly what it was asked in a turn of a recorded game, and shows what it says now. "
            "A bot that lives through a game is asked the questions before it too."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim ask game.jsonl --turn 9 ./my-bot\n"
            "  botequim ask game.jsonl --turn 9 ./my-bot --json\n"
            "Exit code 0: the answer is a move that the rules allow; 1: it is not."
        ),
    )
    parser.add_argument("record", metavar=_("RECORD"), type=Path, help=_("a record"))
    parser.add_argument("bot", metavar=_("BOT"), help=_("named as for a match"))
    parser.add_argument(
        "--turn", metavar="N", type=int, required=True, help=_("which turn, as `show` counts")
    )
    parser.add_argument(
        "--seat",
        metavar="N",
        type=int,
        help=_("whose question, where several were asked; counted from 0, as in records"),
    )
    parser.add_argument("--game", metavar="N", type=int, default=1, help=_("which game of the file (1)"))
    add_bots(parser)
    parser.add_argument("--json", action="store_true", help=_("the result as JSON"))
    parser.set_defaults(run=doing("ask"))
    return parser
