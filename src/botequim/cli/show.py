"""`botequim show`: print a recorded game move by move."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from botequim.cli.options import command
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        description=_("Describes the games of a record move by move, with the state of the table."),
        epilog=_("Examples:\n  botequim show game.jsonl\n  botequim show game.jsonl --plain"),
    )
    parser.add_argument("file", metavar=_("FILE"), type=Path, help=_("a record"))
    parser.add_argument("--plain", action="store_true", help=_("moves only, without drawing the table"))
    parser.set_defaults(run=command(run))
    return parser


def run(arguments: argparse.Namespace) -> int:
    from botequim.narration.narrator import Transcript
    from botequim.narration.wrapping import columns, wrap_line
    from botequim.records.reader import read_records
    from botequim.records.replay import Replay

    for raw in read_records(arguments.file):
        replay, error = Replay.load_valid_part(raw)
        options = ", ".join(f"{name}={value}" for name, value in replay.options.items())
        _print(wrap_line(f"{replay.game.name} ({options})", columns(), 2))
        _print(Transcript.of(replay, boards=not arguments.plain, width=columns()).lines(replay))
        if error is not None:
            raise error
    return 0


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
