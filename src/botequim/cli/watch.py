"""`botequim watch`: show recorded games and cups move by move, as drawings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim import interrupts
from botequim.cli.options import command, examples, whole
from botequim.cli.stores import add_store, read_cup
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.terminal.playback import Games


SLOWEST = 60_000
MOST_GAMES = 1_000_000


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "watch",
        description=_(
            "Shows games move by move, with a drawing of the table. Keys: p pause, n step, b back, f "
            "faster, s slower, g next game, q quit. For a cup that is being played, it shows games "
            "as they finish or as they are revealed."
        ),
        epilog=examples("watch", "games/ -s 200 -n 3", "rinha.toml", "game.jsonl -s 0 > game.txt"),
    )
    parser.add_argument(
        "source", metavar=_("RECORD|CUP"), type=Path, help=_("a record, a folder of records, or a cup file")
    )
    add_store(parser)
    parser.add_argument(
        "-s",
        "--speed",
        metavar="MS",
        type=whole(0, SLOWEST),
        help=_("milliseconds per turn (500; 0 when the output is not a terminal)"),
    )
    parser.add_argument(
        "-n", "--games", metavar=_("GAMES"), type=whole(1, MOST_GAMES), help=_("the maximum number of games")
    )
    parser.add_argument(
        "--plain", action="store_true", help=_("plain lines of text, without colours or redrawing")
    )
    parser.add_argument(
        "--unrevealed",
        action="store_true",
        help=_("include games that are not revealed yet; for the organiser only"),
    )
    parser.set_defaults(run=command(run))
    return parser


MILLISECONDS = 500


def run(arguments: argparse.Namespace) -> int:
    interrupts.run(_watch(arguments))
    return 0


async def _watch(arguments: argparse.Namespace) -> None:
    from botequim.terminal.keyboard import Keyboard
    from botequim.terminal.playback import Playback, Speed, print_games
    from botequim.terminal.screen import RichScreen, is_rich

    if not is_rich(plain=arguments.plain):
        speed = arguments.speed if arguments.speed is not None else 0
        await print_games(_games(arguments, _nothing), Speed(speed))
        return
    with ExitStack() as stack:
        keyboard = stack.enter_context(Keyboard(sys.stdin.fileno()))
        screen = stack.enter_context(RichScreen(keyboard).open())
        speed = arguments.speed if arguments.speed is not None else MILLISECONDS
        playback = Playback(screen, keyboard, Speed(speed))
        await playback.show(_games(arguments, playback.waiting))


def _games(arguments: argparse.Namespace, waiting: Callable[[], None]) -> Games:
    from botequim.terminal.recorded_games import is_cup, recorded_games

    source, unrevealed = arguments.source, arguments.unrevealed
    if is_cup(source) or (arguments.store and not source.exists()):
        source = read_cup(source.with_suffix(".toml"), arguments.store)
    return recorded_games(source, most=arguments.games, waiting=waiting, unrevealed=unrevealed)


def _nothing() -> None:
    """Do nothing, because output to a pipe shows no notes about waiting."""
