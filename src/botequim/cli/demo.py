"""The options of `botequim demo`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo",
        description=_("Plays a small match of every game, tells one game of each, and checks all records."),
        epilog=_("Examples:\n  botequim demo\n  botequim demo --records shows/ --seed 7"),
    )
    parser.add_argument("--records", metavar=_("FOLDER"), type=Path, help=_("keep the records there"))
    parser.add_argument("--seed", metavar="S", default="botequim", help=_("any text"))
    parser.set_defaults(run=doing("demo"))
    return parser
