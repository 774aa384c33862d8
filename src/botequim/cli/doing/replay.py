"""`botequim replay`: a recorded game in one page that opens anywhere."""

from __future__ import annotations

import argparse

from botequim.cli.doing.output import kind_of, write
from botequim.cli.doing.picture import game_of
from botequim.i18n import _
from botequim.picture.replay import page


def run(arguments: argparse.Namespace) -> int:
    """Write the page, and say how large it is."""
    kind_of(arguments.output, (".html", ".htm"), arguments.file)
    written = page(game_of(arguments)).encode()
    write(arguments.output, written)
    print(_("{path}: {size} kB", path=str(arguments.output), size=round(len(written) / 1000)))
    return 0
