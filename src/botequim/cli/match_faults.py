"""The faults of a match as `botequim match` prints them: their kinds, their games, and what to do next."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from botequim.cli.console import print_wrapped
from botequim.core.errors import FaultKind
from botequim.core.sanitize import printable
from botequim.i18n import _, _n, translate
from botequim.match.faults import MOST_GAMES as MOST_KEPT
from botequim.match.faults import GameFault, keep_only
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


def keep_first_evidence(tables: Sequence[MatchStandings]) -> None:
    """Keep the first game of each kind of fault. Workers may have kept later ones too."""
    for table in tables:
        if table.match.evidence is not None:
            keep_only((kind.first for kind in table.faults.kinds()), table.match.evidence)


@dataclass(slots=True)
class _Row:
    """The faults of one kind that an entrant committed at all its tables."""

    match: MatchSpec
    """The match of the first of them."""
    first: GameFault
    count: int
    games: list[int]
    """The numbers of the games, from 1."""

    @property
    def label(self) -> str:
        return self.match.labels[self.first.entrant]


def _rows(tables: Sequence[MatchStandings]) -> list[_Row]:
    rows: dict[tuple[str, FaultKind], _Row] = {}
    for table in tables:
        match = table.match
        for kind in table.faults.kinds():
            games = [match.first_game + game + 1 for game in kind.games]
            found = _Row(match, kind.first, kind.count, games)
            row = rows.setdefault((found.label, kind.first.kind), found)
            if row is not found:
                row.count += kind.count
                row.games = (row.games + games)[:MOST_KEPT]
    return list(rows.values())


def print_faults(tables: Sequence[MatchStandings], records: Path | None) -> None:
    """Print the kinds of faults with their games, and commands that examine them."""
    bots: dict[str, str] = {}
    for row in _rows(tables):
        print_wrapped(
            _n(
                "{name}: {kind}, once, in game {games}: {reason}",
                "{name}: {kind}, {n} times, in games {games}: {reason}",
                row.count,
                name=row.label,
                kind=row.first.kind.upper(),
                games=_games(row),
                reason=printable(translate(row.first.reason)),
            )
        )
        if (command := _ask_again(row, records)) is not None:
            print("  " + _("Ask again: {command}", command=command))
        bots.setdefault(row.match.entrants[row.first.entrant].given, row.match.game)
    for bot, game in bots.items():
        command = shlex.join(["botequim", "check", bot, "--game", game])
        print(_("To find out more: {command}", command=command))


def _games(row: _Row) -> str:
    numbers = ", ".join(map(str, row.games[:MOST_GAMES_LISTED]))
    return numbers + (", ..." if len(row.games) > MOST_GAMES_LISTED else "")


def _record(row: _Row, records: Path | None) -> Path | None:
    """Return the file that contains the first game with this fault."""
    if records is not None:
        return record_path(row.match, row.first.game)
    path = None if row.match.evidence is None else row.match.evidence / row.first.record_name
    return path if path is not None and path.is_file() else None


def _ask_again(row: _Row, records: Path | None) -> str | None:
    path = _record(row, records)
    if path is None:
        return None
    first = row.first
    words = ["botequim", "ask", str(path), "--turn", str(first.turn), "--seat", str(first.seat)]
    return shlex.join([*words, row.match.entrants[first.entrant].given])


def faults_json(tables: Sequence[MatchStandings], records: Path | None) -> list[dict[str, Any]]:
    """Return the faults as JSON."""
    faults = []
    for row in _rows(tables):
        record = _record(row, records)
        faults.append(
            {
                "entrant": row.label,
                "kind": row.first.kind.value,
                "count": row.count,
                "games": row.games,
                "reason": str(row.first.reason),
                "turn": row.first.turn,
                "seat": row.first.seat,
                "record": None if record is None else str(record),
            }
        )
    return faults
