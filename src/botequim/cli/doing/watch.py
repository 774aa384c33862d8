"""`botequim watch`: games move by move, drawn."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack

from botequim import interrupts
from botequim.terminal.films import Film, Speed, films
from botequim.terminal.projecting import Projector, tell
from botequim.terminal.screen import RichScreen, is_rich
from botequim.terminal.typing_in import Typing

MILLISECONDS = 500


def run(arguments: argparse.Namespace) -> int:
    """Show them."""
    interrupts.run(_watch(arguments))
    return 0


async def _watch(arguments: argparse.Namespace) -> None:
    if not is_rich(plain=arguments.plain):
        speed = arguments.speed if arguments.speed is not None else 0
        await tell(_films(arguments, _nothing), Speed(speed))
        return
    with ExitStack() as opened:
        typing = opened.enter_context(Typing(sys.stdin.fileno()))
        screen = opened.enter_context(RichScreen(typing).open())
        speed = arguments.speed if arguments.speed is not None else MILLISECONDS
        projector = Projector(screen, typing, Speed(speed))
        await projector.show(_films(arguments, projector.waiting))


def _films(arguments: argparse.Namespace, waiting: Callable[[], None]) -> AsyncIterator[Film]:
    source, unrevealed = arguments.source, arguments.unrevealed
    return films(source, most=arguments.games, waiting=waiting, unrevealed=unrevealed)


def _nothing() -> None:
    """A pipe waits in silence."""
