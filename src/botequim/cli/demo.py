"""`botequim demo`: a short demonstration of every game."""

from __future__ import annotations

import argparse
import io
import shutil
import sys
import tempfile
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botequim.cli.options import command
from botequim.i18n import _

if TYPE_CHECKING:
    from botequim.match.spec import MatchSpec


def add(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo",
        description=_(
            "Plays a small match of every game, shows one game of each move by move, and "
            "verifies all records."
        ),
        epilog=_("Examples:\n  botequim demo\n  botequim demo --records shows/ --seed 7"),
    )
    parser.add_argument(
        "--records", metavar=_("FOLDER"), type=Path, help=_("save the records in this folder")
    )
    parser.add_argument("--seed", metavar="S", default="botequim", help=_("any text"))
    parser.set_defaults(run=command(run))
    return parser


GAMES = 200
HEAD, TAIL = 14, 8


def run(arguments: argparse.Namespace) -> int:
    if arguments.records is not None:
        return _show(arguments.records, arguments.seed)
    records = Path(tempfile.mkdtemp(prefix="botequim-demo-"))
    try:
        return _show(records, arguments.seed)
    except BaseException:  # the folder's path has not been printed yet, so nobody could find it
        shutil.rmtree(records, ignore_errors=True)
        raise


def _show(records: Path, seed: str) -> int:
    from botequim import registry
    from botequim.cli.match_results import print_table
    from botequim.core import clock
    from botequim.engine.executors import cores
    from botequim.match.records import prepare_records, record_path
    from botequim.match.runner import play_match
    from botequim.match.spec import MatchSpec
    from botequim.match.standings import MatchStandings
    from botequim.records.reader import read_records
    from botequim.records.verify import verify_record

    true = total = 0
    for name in registry.game_names():
        folder = records / name
        rivals = ("random", "greedy" if "greedy" in registry.player_names(name) else "random")
        match = MatchSpec.of(name, rivals, games=GAMES, seed=seed, records=folder)
        prepare_records(folder)
        print(f"\n━━━ {name} " + "━" * (70 - len(name)))
        _print_one_game(match)
        began = clock.now()
        table = MatchStandings(match)
        for standing in play_match(match, workers=cores()):
            table = standing
        print_table(table, clock.now() - began)
        for path in sorted(folder.glob("*.jsonl")):
            for raw in read_records(path):
                total += 1
                true += verify_record(raw).ok
    print()
    print(_("{true} of {total} records were verified and are correct.", true=true, total=total))
    example = record_path(match, 0)
    print(_("They are in {path}. Try:", path=records))
    program = sys.argv[0] if Path(sys.argv[0]).name == "botequim" else "botequim"
    print(f"  {program} show {example}\n  {program} verify {records}")
    return 0 if true == total else 1


def _print_one_game(match: MatchSpec) -> None:
    """Print the start and the end of the first game."""
    from botequim.cli.match_run import Narration
    from botequim.engine.executors import InProcess
    from botequim.match.runner import play_match

    output = io.StringIO()
    with InProcess(Narration([match])) as executor, redirect_stdout(output):
        for _standings in play_match(replace(match, games=1, records=None), executor=executor):
            pass
    lines = output.getvalue().rstrip("\n").split("\n")[1:]
    if len(lines) > HEAD + TAIL:
        left_out = _("      … {n} lines …", n=len(lines) - HEAD - TAIL)
        lines = [*lines[:HEAD], left_out, *lines[-TAIL:]]
    print("\n".join(lines))
    print()
