"""The option `--lost` of commands that show recorded games."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from botequim.cli.stores import read_cup
from botequim.core.errors import BotequimError
from botequim.i18n import _, _n, error_text

if TYPE_CHECKING:
    from botequim.cup.config import Cup
    from botequim.terminal.lost_games import LostGames


def add_lost(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lost",
        metavar=_("NAME"),
        nargs="?",
        const="",
        type=_name,
        help=_(
            "only the games that NAME lost, the worst first: most faults, last place, largest "
            "difference of points; NAME may be omitted at the end of the line if only one bot played"
        ),
    )


def _name(text: str) -> str:
    path = Path(text)
    folder = bool(text) and path.is_dir() and any(path.glob("*.jsonl"))
    if path.suffix in (".jsonl", ".toml", ".zip") or folder:
        raise argparse.ArgumentTypeError(
            _('"{text}" is not the name of a player (write --lost after the games)', text=text)
        )
    return text


def source_of(path: Path, store: str | None) -> Path | Cup:
    """Return a cup if the path or the store names one, otherwise the path of records."""
    from botequim.terminal.recorded_games import is_cup

    if is_cup(path) or (store and not path.exists()):
        return read_cup(path.with_suffix(".toml"), store)
    return path


class BadFiles:
    """Names the files of a folder that are no records, and remembers that there were some."""

    def __init__(self) -> None:
        self.exit_code = 0

    def report(self, error: BotequimError) -> None:
        print(f"botequim: {error_text(error)}", file=sys.stderr, flush=True)
        self.exit_code = 1


def no_lost_games(games: LostGames) -> str:
    """Return a sentence about a player that lost nothing."""
    return _n(
        "{name} has not lost: it played {n} game.",
        "{name} has not lost: it played {n} games.",
        games.played,
        name=games.name,
    )
