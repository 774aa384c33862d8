"""`botequim watch`: games move by move, drawn."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from botequim.i18n import _
from botequim.terminal.films import Clock, Film, films
from botequim.terminal.projecting import Projector, tell
from botequim.terminal.screen import RichScreen, is_rich
from botequim.terminal.typing_in import Typing

MILLISECONDS = 500
SLOWEST = 60_000


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
        type=_milliseconds,
        help=_("milliseconds a turn (500; into a pipe 0)"),
    )
    parser.add_argument("-n", "--games", metavar=_("GAMES"), type=_games, help=_("at most so many games"))
    parser.add_argument("--plain", action="store_true", help=_("lines only: no colours, nothing drawn over"))
    parser.add_argument(
        "--unrevealed",
        action="store_true",
        help=_("also games of a cup that are held back: for the organiser's eyes"),
    )
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace) -> int:
    """Show them."""
    asyncio.run(_watch(arguments))
    return 0


async def _watch(arguments: argparse.Namespace) -> None:
    if not is_rich(plain=arguments.plain):
        speed = arguments.speed if arguments.speed is not None else 0
        await tell(_films(arguments, _nothing), Clock(speed))
        return
    with ExitStack() as opened:
        typing = opened.enter_context(Typing(sys.stdin.fileno()))
        screen = opened.enter_context(RichScreen(typing).open())
        speed = arguments.speed if arguments.speed is not None else MILLISECONDS
        projector = Projector(screen, typing, Clock(speed))
        await projector.show(_films(arguments, projector.waiting))


def _films(arguments: argparse.Namespace, waiting: Callable[[], None]) -> AsyncIterator[Film]:
    source, unrevealed = arguments.source, arguments.unrevealed
    return films(source, most=arguments.games, waiting=waiting, unrevealed=unrevealed)


def _nothing() -> None:
    """A pipe waits in silence."""


def _milliseconds(text: str) -> int:
    return _whole(text, 0, SLOWEST)


def _games(text: str) -> int:
    return _whole(text, 1, 1_000_000)


def _whole(text: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
        raise argparse.ArgumentTypeError(
            _('"{text}" is not a whole number from {low} to {high}', text=text, low=low, high=high)
        )
    return int(text)
