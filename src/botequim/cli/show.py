"""The options of `botequim show`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        description=_("Tells the games of a record move by move, with the table as it lies."),
        epilog=_("Examples:\n  botequim show game.jsonl\n  botequim show game.jsonl --plain"),
    )
    parser.add_argument("file", metavar=_("FILE"), type=Path, help=_("a record"))
    parser.add_argument("--plain", action="store_true", help=_("moves only, without drawing the table"))
    parser.set_defaults(run=doing("show"))
    return parser
