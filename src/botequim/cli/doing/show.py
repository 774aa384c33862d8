"""`botequim show`: a recorded game, told move by move."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from botequim.core.errors import RecordError
from botequim.core.reading import Found, read_records
from botequim.show.telling import Story
from botequim.show.wrapping import columns, wrapped
from botequim.verify import Departure, replay, table


def run(arguments: argparse.Namespace) -> int:
    """Tell every game of a file."""
    for found in read_records(arguments.file):
        try:
            _tell(found, boards=not arguments.plain)
        except Departure as departure:
            raise RecordError(departure.sentence(), path=found.path) from departure
    return 0


def _tell(found: Found, *, boards: bool) -> None:
    game, options, seats = table(found)
    shown = ", ".join(f"{name}={value}" for name, value in options.items())
    _print(wrapped(f"{game.name} ({shown})", columns(), 2))
    story = Story(game, game.teams(options), seats, boards=boards, width=columns())
    _print(story.opening())
    record = replay(found, lambda step: _print(story.turn(step)))
    _print(story.ending(record.outcome))


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        print(line)
