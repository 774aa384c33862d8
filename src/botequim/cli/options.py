"""Options that several commands share. Importing this module loads only what help and completion need."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from botequim import interrupts
from botequim.cli.parsing import GAME_EXAMPLES
from botequim.i18n import _

Run = Callable[[argparse.Namespace], int]


def command(run: Run) -> Run:
    """Return a command's function. While it runs, Ctrl-C raises an exception."""

    def run_command(arguments: argparse.Namespace) -> int:
        interrupts.raise_on_sigint()
        return run(arguments)

    return run_command


def command_of(module: str, function: str) -> Run:
    """Return a command's function. Its module of `botequim.cli` is imported when the command runs."""
    return command(
        lambda arguments: int(getattr(import_module(f"botequim.cli.{module}"), function)(arguments))
    )


def examples(command: str, *others: str) -> str:
    """Return the examples of a command for its help text: those of the games, then the others.

    The formatter of help texts inserts the examples of games, so that running a command imports no game.
    """
    lines = [f"  {GAME_EXAMPLES}{command}", *(f"  botequim {command} {line}".rstrip() for line in others)]
    return "\n".join([_("Examples:"), *lines])


def add_game(parser: argparse.ArgumentParser, *, nargs: str | None = None) -> None:
    parser.add_argument("game", metavar=_("GAME"), nargs=nargs, help=_("a game; `botequim games` lists them"))


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the options for the seed, the rules and the records."""
    parser.add_argument(
        "--seed", metavar="S", help=_("any text; the same seed gives the same games (default: random)")
    )
    parser.add_argument(
        "--option",
        metavar=_("NAME=VALUE"),
        action="append",
        default=[],
        help=_("an option of the game; may be repeated"),
    )
    parser.add_argument(
        "--records", metavar=_("FOLDER"), type=Path, help=_("save the record of every game in this folder")
    )


def add_bots(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust", action="store_true", help=_("run bots without isolation, like your own programs")
    )
    parser.add_argument(
        "--limit",
        metavar=_("NAME=VALUE"),
        action="append",
        default=[],
        help=_("move=2 or start=10 (seconds), memory=256 (MB), processes=64, ...; may be repeated"),
    )


def whole(low: int, high: int) -> Callable[[str], int]:
    """Return the type of an option that is an integer within bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(
                _('"{text}" is not a whole number from {low} to {high}', text=text, low=low, high=high)
            )
        return int(text)

    return read
