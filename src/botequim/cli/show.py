"""`botequim show`: print recorded games move by move."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.lost import BadFiles, add_lost, no_lost_games, source_of
from botequim.cli.options import command, examples
from botequim.cli.stores import add_store
from botequim.i18n import _, translate

if TYPE_CHECKING:
    from botequim.records.reader import RawRecord


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        description=_(
            "Describes recorded games move by move, with the state of the table. Of a cup, it shows "
            "the games that are public."
        ),
        epilog=examples("show", "game.jsonl", "game.jsonl --plain", "games/ --lost my-bot"),
    )
    parser.add_argument(
        "file",
        metavar=_("FILE"),
        type=Path,
        help=_("a record, a folder of records, a bundle, or a cup file"),
    )
    add_lost(parser)
    add_store(parser)
    parser.add_argument("--plain", action="store_true", help=_("moves only, without drawing the table"))
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    from botequim.terminal.lost_games import find_lost_games
    from botequim.terminal.recorded_games import finished_games

    source = source_of(arguments.file, arguments.store)
    bad = BadFiles()
    games = finished_games(source, on_bad=bad.report)
    if arguments.lost is None:
        only_file = isinstance(source, Path) and source.is_file() and source.suffix != ".zip"
        for raw, title in games:
            if not only_file:
                print(translate(title))
            _show(raw, boards=not arguments.plain)
        return bad.exit_code
    with find_lost_games(games, arguments.lost) as lost:
        if not lost.losses:
            print(no_lost_games(lost))
        for title, raw in lost.games():
            print(translate(title))
            _show(raw, boards=not arguments.plain)
            print()
    return bad.exit_code


def _show(raw: RawRecord, *, boards: bool) -> None:
    from botequim.narration.narrator import Transcript
    from botequim.narration.wrapping import columns, wrap_line
    from botequim.records.replay import Replay

    replay, error = Replay.load_valid_part(raw)
    options = ", ".join(f"{name}={value}" for name, value in replay.options.items())
    _print(wrap_line(f"{replay.game.name} ({options})", columns(), 2))
    _print(Transcript.of(replay, boards=boards, width=columns()).lines(replay))
    if error is not None:
        raise error


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
