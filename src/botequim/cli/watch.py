"""The options of `botequim watch`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing, whole
from botequim.i18n import _

SLOWEST = 60_000
MOST_GAMES = 1_000_000


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "watch",
        description=_(
            "Shows games move by move, with the table drawn. Keys: p pause, n step, b back, f faster, "
            "s slower, g next game, q leave. Of a cup that is being played, games are shown as they finish, "
            "or as they are revealed."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim watch games/cubos-000001.jsonl\n"
            "  botequim watch games/ -s 200 -n 3\n"
            "  botequim watch rinha.toml\n"
            "  botequim watch game.jsonl -s 0 > game.txt"
        ),
    )
    parser.add_argument(
        "source", metavar=_("RECORD|CUP"), type=Path, help=_("a record, a folder of records, or a cup file")
    )
    parser.add_argument(
        "-s",
        "--speed",
        metavar="MS",
        type=whole(0, SLOWEST),
        help=_("milliseconds a turn (500; into a pipe 0)"),
    )
    parser.add_argument(
        "-n", "--games", metavar=_("GAMES"), type=whole(1, MOST_GAMES), help=_("at most so many games")
    )
    parser.add_argument("--plain", action="store_true", help=_("lines only: no colours, nothing drawn over"))
    parser.add_argument(
        "--unrevealed",
        action="store_true",
        help=_("also games of a cup that are held back: for the organiser's eyes"),
    )
    parser.set_defaults(run=doing("watch"))
    return parser
