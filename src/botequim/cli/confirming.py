"""Confirmation of actions that cannot be undone."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from botequim.i18n import _

AGREEMENT = ("y", "yes", "s", "sim")


def add_yes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--yes", action="store_true", help=_("do not ask; without a terminal there is no question either")
    )


def confirm(sentences: Iterable[str], *, yes: bool) -> bool:
    """Print what an action will do, and return whether to go on. Only a person at a terminal is asked."""
    from botequim.cli.console import wrapped_lines

    for sentence in sentences:
        for line in wrapped_lines(sentence):
            print(line, file=sys.stderr)
    sys.stderr.flush()
    if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print(_("Go on? [y/N]"), end=" ", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in AGREEMENT:
        return True
    print(_("Nothing was changed."), file=sys.stderr)
    return False
