"""What the options of several commands have in common. Nothing here loads more than help and completion need:
what a command does is loaded when it is done."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from botequim import interrupts
from botequim.i18n import _


def doing(command: str, what: str = "run") -> Callable[[argparse.Namespace], int]:
    """What a command does, from `botequim.cli.doing`."""

    def run(arguments: argparse.Namespace) -> int:
        done: Callable[[argparse.Namespace], int] = getattr(
            import_module(f"botequim.cli.doing.{command}"), what
        )
        interrupts.raise_from_now_on()
        return done(arguments)

    return run


def add_game(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    """Which game."""
    parser.add_argument("game", metavar=_("GAME"), nargs=nargs, help=_("a game; `botequim games` lists them"))


def add_table(parser: argparse.ArgumentParser) -> None:
    """How a game is dealt, by which options, and where its record goes."""
    parser.add_argument(
        "--seed", metavar="S", help=_("any text; the same seed gives the same games (drawn if not given)")
    )
    parser.add_argument(
        "--option",
        metavar=_("NAME=VALUE"),
        action="append",
        default=[],
        help=_("an option of the game; may be repeated"),
    )
    parser.add_argument("--records", metavar=_("FOLDER"), type=Path, help=_("keep every game's record there"))


def add_bots(parser: argparse.ArgumentParser) -> None:
    """How bots are run."""
    parser.add_argument(
        "--trust", action="store_true", help=_("run bots without isolation, as your own programs")
    )
    parser.add_argument(
        "--limit",
        metavar=_("NAME=VALUE"),
        action="append",
        default=[],
        help=_("move=2 or start=10 (seconds), memory=256 (MB), processes=64, ...; may be repeated"),
    )


def whole(low: int, high: int) -> Callable[[str], int]:
    """The type of an option that is a whole number within bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(
                _('"{text}" is not a whole number from {low} to {high}', text=text, low=low, high=high)
            )
        return int(text)

    return read
