"""`botequim watch`: show recorded games and cups move by move, as drawings."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim import interrupts
from botequim.cli.lost import BadFiles, add_lost, no_lost_games, source_of
from botequim.cli.options import command, examples, whole
from botequim.cli.stores import add_store
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.core.messages import Message
    from botequim.records.replay import Replay
    from botequim.terminal.lost_games import LostGames


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
        epilog=examples(
            "watch", "games/ -s 200 -n 3", "rinha.toml", "games/ --lost my-bot", "game.jsonl -s 0 > game.txt"
        ),
    )
    parser.add_argument(
        "source",
        metavar=_("RECORD|CUP"),
        type=Path,
        help=_("a record, a folder of records, a bundle, or a cup file"),
    )
    add_lost(parser)
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
    bad = BadFiles()
    interrupts.run(_watch(arguments, bad))
    return bad.exit_code


async def _watch(arguments: argparse.Namespace, bad: BadFiles) -> None:
    with ExitStack() as stack:
        lost = _lost_games(arguments, stack, bad)
        if lost is not None and not lost.losses:
            print(no_lost_games(lost))
            return
        await _show(arguments, lost, bad)


def _lost_games(arguments: argparse.Namespace, stack: ExitStack, bad: BadFiles) -> LostGames | None:
    """Return the games that `--lost` chooses; None without this option."""
    from botequim.terminal.lost_games import find_lost_games
    from botequim.terminal.recorded_games import finished_games

    if arguments.lost is None:
        return None
    source = source_of(arguments.source, arguments.store)
    games = finished_games(source, unrevealed=arguments.unrevealed, on_bad=bad.report)
    return stack.enter_context(find_lost_games(games, arguments.lost))


async def _show(arguments: argparse.Namespace, lost: LostGames | None, bad: BadFiles) -> None:
    from botequim.terminal.keyboard import Keyboard
    from botequim.terminal.playback import Playback, Speed, print_games
    from botequim.terminal.screen import RichScreen, is_rich

    if not is_rich(plain=arguments.plain):
        speed = arguments.speed if arguments.speed is not None else 0
        await print_games(_games(arguments, lost, _nothing, bad), Speed(speed))
        return
    with ExitStack() as stack:
        keyboard = stack.enter_context(Keyboard(sys.stdin.fileno()))
        screen = stack.enter_context(RichScreen(keyboard).open())
        speed = arguments.speed if arguments.speed is not None else MILLISECONDS
        playback = Playback(screen, keyboard, Speed(speed))
        await playback.show(_games(arguments, lost, playback.waiting, bad))


async def _games(
    arguments: argparse.Namespace, lost: LostGames | None, waiting: Callable[[], None], bad: BadFiles
) -> AsyncIterator[tuple[Message, Replay]]:
    from asyncio import to_thread

    from botequim.records.replay import Replay
    from botequim.terminal.recorded_games import recorded_games

    if lost is not None:
        for title, raw in lost.games(arguments.games):
            yield title, await to_thread(Replay.load, raw)
        return
    source = source_of(arguments.source, arguments.store)
    games = recorded_games(
        source,
        most=arguments.games,
        waiting=waiting,
        unrevealed=arguments.unrevealed,
        on_bad=bad.report,
    )
    async for game in games:
        yield game


def _nothing() -> None:
    """Do nothing, because output to a pipe shows no notes about waiting."""
