"""The faults of a match: counted by entrant and kind, with where the first of each kind was."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from botequim.bots.entrant import Entrant
from botequim.core.errors import FaultKind, InputError
from botequim.core.messages import Message, msg
from botequim.records.record import LOG, Record

SILENT: Final = (FaultKind.CRASH, FaultKind.TIMEOUT, FaultKind.LIMIT)
"""Faults of a bot that gives no answer."""
LOG_LINES: Final = 5
"""The number of log lines shown for a bot that never answers."""
MOST_GAMES: Final = 100
"""Numbers of games that are kept of one kind of fault."""


@dataclass(frozen=True, slots=True)
class GameFault:
    """The faults of one kind that an entrant committed in one game, and the first of them."""

    entrant: int
    kind: FaultKind
    reason: Message
    game: int
    """In the match, from 0."""
    turn: int
    seat: int
    log: str = ""
    """The bot's log."""
    count: int = 1

    @property
    def record_name(self) -> str:
        """The name of the file that contains the game as evidence."""
        return f"{self.entrant + 1}-{self.kind}-game-{self.game + 1:06}.jsonl"


@dataclass(slots=True)
class KindOfFault:
    """All faults of one kind that an entrant committed in a match."""

    first: GameFault
    count: int = 0
    games: list[int] = field(default_factory=list)
    """The first of the games, from 0."""


class Faults:
    """The faults of a whole match."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[int, FaultKind], KindOfFault] = {}

    def add(self, faults: Iterable[GameFault]) -> None:
        for fault in faults:
            kind = self._kinds.setdefault((fault.entrant, fault.kind), KindOfFault(fault))
            kind.count += fault.count
            kind.games = sorted([*kind.games, fault.game])[:MOST_GAMES]
            if fault.game < kind.first.game:
                kind.first = fault

    def kinds(self) -> Sequence[KindOfFault]:
        """Return them by entrant, the most frequent kind first."""
        return sorted(self._kinds.values(), key=lambda kind: (kind.first.entrant, -kind.count))


def game_faults(record: Record, entrant_of: Sequence[int], game: int) -> tuple[GameFault, ...]:
    """Return the faults in a record; `entrant_of` is by seat."""
    found: dict[tuple[int, FaultKind], GameFault] = {}
    for number, turn in enumerate(record.turns, start=1):
        for made in turn:
            if made.fault is None:
                continue
            entrant, kind = entrant_of[made.by], made.fault.kind
            if (known := found.get((entrant, kind))) is not None:
                found[entrant, kind] = replace(known, count=known.count + 1)
                continue
            log = str(made.fault.evidence.get(LOG, ""))
            found[entrant, kind] = GameFault(entrant, kind, made.fault.reason, game, number, made.by, log)
    return tuple(found.values())


def silent_entrants(record: Record, entrant_of: Sequence[int]) -> frozenset[int]:
    """Return the entrants that were asked in a game and never gave an answer, good or bad."""
    asked: set[int] = set()
    answered: set[int] = set()
    for turn in record.turns:
        for made in turn:
            if made.by < 0:
                continue
            asked.add(entrant_of[made.by])
            if made.fault is None or made.fault.kind not in SILENT:
                answered.add(entrant_of[made.by])
    return frozenset(asked - answered)


def wanted_as_evidence(faults: Iterable[GameFault], folder: Path) -> list[GameFault]:
    """Return those of which the folder has no earlier game."""
    return [
        fault
        for fault in faults
        if all(
            path.name > fault.record_name
            for path in folder.glob(f"{fault.entrant + 1}-{fault.kind}-game-*.jsonl")
        )
    ]


def keep_only(first: Iterable[GameFault], folder: Path) -> None:
    """Remove evidence that later games have left there."""
    names = {fault.record_name for fault in first}
    for path in folder.glob("*-game-*.jsonl"):
        if path.name not in names:
            path.unlink(missing_ok=True)


class NoAnswer(InputError):
    """An entrant did not answer once in the first games."""


class SilenceCheck:
    """Finds entrants that cannot play at all."""

    def __init__(
        self, game: str, entrants: Sequence[Entrant], labels: Sequence[str], patience: int | None
    ) -> None:
        """`patience` is the number of games within which an entrant should answer; None for no limit."""
        self._game: Final = game
        self._entrants: Final = entrants
        self._labels: Final = labels
        self._patience: Final = patience
        self._games = 0
        self._silent = frozenset(range(len(entrants)))
        """The entrants that have not answered yet."""
        self._first: dict[int, GameFault] = {}

    def add(self, silent: frozenset[int], faults: Iterable[GameFault]) -> None:
        """Count a game. Raise NoAnswer if an entrant has been silent for too long."""
        self._games += 1
        self._silent &= silent
        self._first = {fault.entrant: fault for fault in faults} | self._first
        if self._patience is not None and self._games >= self._patience:
            for at in self._silent:
                raise self._no_answer(self._first[at])

    def _no_answer(self, fault: GameFault) -> NoAnswer:
        given = self._entrants[fault.entrant].given
        error = NoAnswer(
            msg(
                'the match was stopped: "{name}" did not answer once in {count} games: {why}. To '
                "find out why: {command}",
                name=self._labels[fault.entrant],
                count=self._games,
                why=fault.reason,
                command=shlex.join(["botequim", "check", given, "--game", self._game]),
            )
        )
        error.details = "\n".join(fault.log.splitlines()[-LOG_LINES:])
        return error
