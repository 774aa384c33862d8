"""The faults of a match as `botequim match` prints them: their kinds, their games, and what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from botequim.cli.console import print_wrapped
from botequim.core.sanitize import printable
from botequim.i18n import _, _n, translate
from botequim.match.faults import KindOfFault, keep_only
from botequim.match.records import record_path
from botequim.match.spec import MatchSpec
from botequim.match.standings import MatchStandings
from botequim.terminal.savegame import state_folder

SILENT_GAMES: Final = 3
"""The number of games without a single answer after which a match ends."""
FOLDERS: Final = 10
"""The number of matches whose evidence is kept."""
MOST_GAMES_LISTED: Final = 8
"""The most games that are named for one kind of fault."""


def evidence_folder(game: str) -> Path | None:
    """Return the folder for the evidence of a match, which need not exist; None without a home folder."""
    with suppress(RuntimeError):
        return _all_evidence() / f"{time.strftime('%Y%m%d-%H%M%S')}-{game}-{os.getpid()}"
    return None


def _all_evidence() -> Path:
    return state_folder() / "faults"


def keep_few_evidence_folders() -> None:
    """Remove the evidence of old matches."""
    with suppress(OSError, RuntimeError):
        for folder in sorted(_all_evidence().iterdir())[: 1 - FOLDERS]:
            shutil.rmtree(folder, ignore_errors=True)


def keep_first_evidence(table: MatchStandings) -> None:
    """Keep the first game of each kind of fault. Workers may have kept later ones too."""
    if table.match.evidence is not None:
        keep_only((kind.first for kind in table.faults.kinds()), table.match.evidence)


def print_faults(table: MatchStandings, records: Path | None) -> None:
    """Print the kinds of faults with their games, and commands that examine them."""
    match = table.match
    bots: list[str] = []
    for kind in table.faults.kinds():
        first = kind.first
        print_wrapped(
            _n(
                "{name}: {kind}, once, in game {games}: {reason}",
                "{name}: {kind}, {n} times, in games {games}: {reason}",
                kind.count,
                name=match.labels[first.entrant],
                kind=first.kind.upper(),
                games=_games(kind),
                reason=printable(translate(first.reason)),
            )
        )
        if (command := _ask_again(match, kind, records)) is not None:
            print("  " + _("Ask again: {command}", command=command))
        bot = match.entrants[first.entrant].given
        if bot not in bots:
            bots.append(bot)
    for bot in bots:
        command = shlex.join(["botequim", "check", bot, "--game", match.game])
        print(_("To find out more: {command}", command=command))


def _games(kind: KindOfFault) -> str:
    numbers = ", ".join(str(game + 1) for game in kind.games[:MOST_GAMES_LISTED])
    return numbers + (", ..." if len(kind.games) > MOST_GAMES_LISTED else "")


def _record(match: MatchSpec, kind: KindOfFault, records: Path | None) -> Path | None:
    """Return the file that contains the first game with this fault."""
    if records is not None:
        return record_path(match, kind.first.game)
    path = None if match.evidence is None else match.evidence / kind.first.record_name
    return path if path is not None and path.is_file() else None


def _ask_again(match: MatchSpec, kind: KindOfFault, records: Path | None) -> str | None:
    path = _record(match, kind, records)
    if path is None:
        return None
    first = kind.first
    words = ["botequim", "ask", str(path), "--turn", str(first.turn), "--seat", str(first.seat)]
    return shlex.join([*words, match.entrants[first.entrant].given])


def faults_json(table: MatchStandings, records: Path | None) -> list[dict[str, Any]]:
    """Return the faults as JSON."""
    match = table.match
    faults = []
    for kind in table.faults.kinds():
        record = _record(match, kind, records)
        faults.append(
            {
                "entrant": match.labels[kind.first.entrant],
                "kind": kind.first.kind.value,
                "count": kind.count,
                "games": [game + 1 for game in kind.games],
                "reason": str(kind.first.reason),
                "turn": kind.first.turn,
                "seat": kind.first.seat,
                "record": None if record is None else str(record),
            }
        )
    return faults
