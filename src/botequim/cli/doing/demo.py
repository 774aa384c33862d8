"""`botequim demo`: a small show of every game there is."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from botequim import interrupts, registry
from botequim.cli.doing.match import print_table
from botequim.core import clock
from botequim.core.reading import read_records
from botequim.core.record import Record
from botequim.core.rng import derive
from botequim.i18n import _
from botequim.match import Match, Table, prepare_records, record_path
from botequim.referee import Step
from botequim.show.telling import Story
from botequim.show.wrapping import columns
from botequim.verify import verify
from botequim.workers import cores, play_match

GAMES = 200
HEAD, TAIL = 14, 8


def run(arguments: argparse.Namespace) -> int:
    """The show."""
    if arguments.records is not None:
        return _show(arguments.records, arguments.seed)
    records = Path(tempfile.mkdtemp(prefix="botequim-demo-"))
    try:
        return _show(records, arguments.seed)
    except BaseException:  # who broke it off was not told where they are
        shutil.rmtree(records, ignore_errors=True)
        raise


def _show(records: Path, seed: str) -> int:
    true = total = 0
    for name in registry.game_names():
        folder = records / name
        rivals = ("random", "greedy" if "greedy" in registry.player_names(name) else "random")
        match = Match.of(name, rivals, games=GAMES, seed=seed, records=folder)
        prepare_records(folder)
        print(f"\n━━━ {name} " + "━" * (70 - len(name)))
        _tell_one(match)
        began = clock.now()
        table = Table(match)
        for standing in play_match(match, workers=cores()):
            table = standing
        print_table(table, clock.now() - began)
        for path in sorted(folder.glob("*.jsonl")):
            for found in read_records(path):
                total += 1
                true += verify(found).ok
    print()
    print(_("{true} of {total} records were refereed again and are true.", true=true, total=total))
    example = record_path(match, 0)
    print(_("They are in {path}. Try:", path=records))
    program = sys.argv[0] if Path(sys.argv[0]).name == "botequim" else "botequim"
    print(f"  {program} show {example}\n  {program} verify {records}")
    return 0 if true == total else 1


def _tell_one(match: Match) -> None:
    """The first game, its middle left out: the start and the end are what there is to see."""
    lines: list[str] = []
    story = Story(registry.game(match.game), match.teams, match.seats(turned=0), width=columns())
    record = interrupts.run(_play_first(match, lambda step: lines.extend(story.turn(step))))
    lines = [*story.opening(), *lines, *story.ending(record.outcome)]
    if len(lines) > HEAD + TAIL:
        left_out = _("      … {n} lines …", n=len(lines) - HEAD - TAIL)
        lines = [*lines[:HEAD], left_out, *lines[-TAIL:]]
    print("\n".join(lines))
    print()


async def _play_first(match: Match, emit: Callable[[Step], None]) -> Record:
    async with match.series(turned=0, games=1) as series:
        return await series.play(derive(match.seed, "deal", 0), match.options, emit=emit)
