"""The options of `botequim verify`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from botequim.cli.arguments import doing
from botequim.i18n import _


def add(commands: Any) -> argparse.ArgumentParser:
    """The command's options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "verify",
        description=_(
            "Referees every record again from its moves, and checks its chance against its seed and\n"
            "its lines against their digests, as far as it has them. A folder stands for its *.jsonl files.\n"
            "The bundle of a cup (a .zip, or a folder with a bundle.json) is checked as a whole: that seeds\n"
            "and seats follow from the cup's seed, results from records, pairings and tables from results."
        ),
        epilog=_(
            "Examples:\n"
            "  botequim verify game.jsonl\n"
            "  botequim verify games/ --json\n"
            "  botequim verify cup-bundle.zip\n"
            "Exit code 0: all are true; 1: some are not, or cannot be read."
        ),
    )
    parser.add_argument(
        "files", metavar=_("FILE"), nargs="+", type=Path, help=_("records, folders of them, or bundles")
    )
    parser.add_argument("--quiet", action="store_true", help=_("name only those that are not true"))
    parser.add_argument("--json", action="store_true", help=_("one JSON object a record"))
    parser.set_defaults(run=doing("verify"))
    return parser
