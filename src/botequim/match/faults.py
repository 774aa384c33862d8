"""Counts the faults of a match by entrant and kind, and remembers the first of each kind."""

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
"""The kinds of faults in which a bot gives no answer."""
LOG_LINES: Final = 5
"""The number of log lines shown for a bot that never answers."""
MOST_GAMES: Final = 100
"""The most games whose numbers are kept for one kind of fault."""


@dataclass(frozen=True, slots=True)
class GameFault:
    """The faults of one kind that an entrant committed in one game, and the first of them."""

    entrant: int
    kind: FaultKind
    reason: Message
    game: int
    """The number of the game in the match, from 0."""
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
    """The numbers of the first games with this fault, from 0."""


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
        """Return the kinds of faults by entrant, the most frequent first."""
        return sorted(self._kinds.values(), key=lambda kind: (kind.first.entrant, -kind.count))


def game_faults(record: Record, entrant_of: Sequence[int], game: int) -> tuple[GameFault, ...]:
    """Return the faults in a record; `entrant_of` is by seat."""
    faults: dict[tuple[int, FaultKind], GameFault] = {}
    for number, turn in enumerate(record.turns, start=1):
        for move in turn:
            if move.fault is None:
                continue
            entrant, kind = entrant_of[move.by], move.fault.kind
            if (fault := faults.get((entrant, kind))) is not None:
                faults[entrant, kind] = replace(fault, count=fault.count + 1)
                continue
            log = str(move.fault.evidence.get(LOG, ""))
            faults[entrant, kind] = GameFault(entrant, kind, move.fault.reason, game, number, move.by, log)
    return tuple(faults.values())


def silent_entrants(record: Record, entrant_of: Sequence[int]) -> frozenset[int]:
    """Return the entrants that were asked in a game and never answered, not even with an illegal move."""
    with_questions: set[int] = set()
    with_answers: set[int] = set()
    for turn in record.turns:
        for move in turn:
            if move.by < 0:
                continue
            with_questions.add(entrant_of[move.by])
            if move.fault is None or move.fault.kind not in SILENT:
                with_answers.add(entrant_of[move.by])
    return frozenset(with_questions - with_answers)


def missing_evidence(faults: Iterable[GameFault], folder: Path) -> list[GameFault]:
    """Return the faults for which the folder has no earlier game as evidence."""
    return [
        fault
        for fault in faults
        if all(
            path.name > fault.record_name
            for path in folder.glob(f"{fault.entrant + 1}-{fault.kind}-game-*.jsonl")
        )
    ]


def keep_only(first: Iterable[GameFault], folder: Path) -> None:
    """Remove the evidence of all other faults from the folder."""
    names = {fault.record_name for fault in first}
    for path in folder.glob("*-game-*.jsonl"):
        if path.name not in names:
            path.unlink(missing_ok=True)


class NoAnswer(InputError):
    """An entrant did not answer once in the first games."""


class SilenceCheck:
    """Finds entrants that never answer."""

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
        reference = self._entrants[fault.entrant].given
        error = NoAnswer(
            msg(
                'the match was stopped: "{name}" did not answer once in {count} games: {why}. To '
                "find out why: {command}",
                name=self._labels[fault.entrant],
                count=self._games,
                why=fault.reason,
                command=shlex.join(["botequim", "check", reference, "--game", self._game]),
            )
        )
        error.details = "\n".join(fault.log.splitlines()[-LOG_LINES:])
        return error
